//! What segments and structures are called.

use super::dataset::Dataset;
use crate::images::names::Names;
use crate::io::Fault;

/// The names of a segmentation's segments.
pub(super) fn segments(dataset: Dataset) -> Result<Names, Fault> {
    names(dataset, 0x0062_0002, 0x0062_0005, |item| Ok(item.short(0x0062_0004)?.map(|n| n as f64)))
}

/// The names of the structures of a structure set.
pub(super) fn structures(dataset: Dataset) -> Result<Names, Fault> {
    names(dataset, 0x3006_0020, 0x3006_0026, |item| Ok(item.numbers::<1>(0x3006_0022)?.map(|[n]| n)))
}

fn names(
    dataset: Dataset,
    list: u32,
    name: u32,
    number: impl Fn(Dataset) -> Result<Option<f64>, Fault>,
) -> Result<Names, Fault> {
    let mut names = Names::default();
    let Some(list) = dataset.find(list)? else { return Ok(names) };
    for item in list.items() {
        let item = item?;
        let label = number(item)?.filter(|n| (1.0..=65535.0).contains(n) && n.fract() == 0.0);
        if let (Some(label), Some(name)) = (label, item.find(name)?) {
            names.add(label as u16, &text(name.bytes));
        }
    }
    Ok(names)
}

/// UTF-8, else Latin-1, which older programs write.
fn text(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes)
        .map_or_else(|_| bytes.iter().map(|&b| char::from(b)).collect(), str::to_owned);
    text.trim_matches(['\0', ' ']).to_owned()
}
