//! Points and tangent vectors of few entries as a table on a page, where a picture says little.

use super::space::TangentSpace;
use crate::report::colour::short;
use crate::report::page::Page;

/// More entries than this are for the file alone.
const SHOWN: usize = 12;

/// Arrays by their names, a row each; nothing for functions, which are drawn, nor for records of many entries.
pub(super) fn numbers_table<'a>(
    page: &mut Page,
    space: &dyn TangentSpace,
    arrays: impl IntoIterator<Item = (String, &'a Vec<f64>)>,
) {
    let length = space.axes().iter().product::<usize>();
    if space.entries().is_none() || length > SHOWN {
        return;
    }
    let entry = |i: usize| match space.axes() {
        [_, columns] => format!("({}, {})", i / columns + 1, i % columns + 1),
        _ => (i + 1).to_string(),
    };
    let heading: Vec<String> = std::iter::once(String::new()).chain((0..length).map(entry)).collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let row = |(name, array): (String, &Vec<f64>)| {
        std::iter::once(name).chain(array.iter().map(|x| short(*x))).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = arrays.into_iter().map(row).collect();
    page.table(&heading, &rows);
}
