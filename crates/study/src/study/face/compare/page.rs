//! `release/report.html` of a comparison.

use super::outcome::{Comparison, LEVEL, MapStatement, PairTest, TestStatement};
use super::picture::Fields;
use super::subject::{ComparePublication, Mapped};
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, TEST};
use crate::mesh::TriMesh;
use crate::privacy::{Certificate, counts_persons};
use crate::report::colour::short;
use crate::report::figure::Figure;
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::report::page::Page;
use crate::report::render::{CLAY, View, render};
use crate::study::face::error::StudyError;
use crate::study::face::yardstick::FACE_MM;

/// Everything that is shown of a comparison.
pub(super) struct Shown<'a> {
    pub(super) publication: &'a ComparePublication,
    pub(super) comparison: &'a Comparison,
    /// The groups' mean surfaces, in their order; none without a map.
    pub(super) means: &'a [TriMesh],
    pub(super) maps: &'a [Mapped],
    pub(super) statistic: &'a str,
}

/// The page.
pub(super) fn report(shown: &Shown<'_>, certificate: &Certificate) -> Result<String, StudyError> {
    let faces = if counts_persons(certificate) { "persons' faces" } else { "faces" };
    let groups: Vec<String> =
        shown.comparison.groups.iter().map(|(label, n)| format!("{label} ({n})")).collect();
    let what =
        format!("comparison of the mean faces of {} groups of {faces}: {}", groups.len(), groups.join(", "));
    let mut page = release_page("Private comparison of faces", &what, certificate);
    if shown.publication.is_small() {
        page.paragraph(
            "These are few people for this budget: the radius is a public guess, and differences of ordinary size cannot be distinguished from noise.",
        );
    }
    if let Some(test) = &shown.comparison.test {
        test_section(&mut page, test);
    }
    if !shown.maps.is_empty() {
        map_section(&mut page, shown)?;
    }
    guarantee_section(&mut page, certificate);
    page.paragraph(
        "Which person is in which group is taken to be public, and so are the groups' sizes: what is protected is each person's face, \
         not that they are in the group.",
    );
    page.heading("How it was made");
    let mut rows = mechanism_rows(certificate);
    rows.push(vec!["what was noised".to_owned(), shown.statistic.to_owned()]);
    page.table(&["parameter", "value"], &rows);
    certificate_section(&mut page, certificate);
    Ok(page.to_html())
}

fn test_section(page: &mut Page, test: &TestStatement) {
    page.heading("Do the groups differ?");
    page.paragraph(&test_sentence(test));
    if test.per_pair.len() > 1 {
        let row = |pair: &PairTest| {
            vec![
                format!("{} and {}", pair.first, pair.second),
                short(pair.statistic),
                short(pair.p_value),
                short(pair.p_adjusted),
            ]
        };
        let rows: Vec<_> = test.per_pair.iter().map(row).collect();
        page.table(&["groups", "statistic", "p", "p adjusted (Holm)"], &rows);
    }
    page.paragraph(&format!(
        "The test looks at the leading coefficients of the faces' shape, counts sampling and privacy noise, and is set for differences of {} \
         mm on a face of 20 cm (root mean square) of no particular shape. This is how often it would find such a random difference if people vary \
         as these do:",
        short(FACE_MM * test.effect)
    ));
    let row = |(size, power): &(f64, f64)| {
        vec![short(*size), format!("{} mm", short(FACE_MM * size)), format!("{:.0} %", 100.0 * power)]
    };
    let rows: Vec<_> = test.power.iter().map(row).collect();
    page.table(&["difference (face of area 1)", "on a face of 20 cm", "found at 5 %, two groups"], &rows);
    page.paragraph(&format!("The full result is in {TEST}."));
}

/// The outcome in words that mean something.
fn test_sentence(test: &TestStatement) -> String {
    let level = 100.0 * LEVEL;
    let p = format!("p = {} in a test of no difference between the groups' mean faces.", short(test.p_value));
    if test.found() {
        format!(
            "{p} A difference was found at the level of {level} %: if there were none, a study like this would find one with a probability of at \
             most about {level} %."
        )
    } else {
        format!(
            "{p} No difference was found at the level of {level} %. That does not mean that there is none: the table below shows which differences \
             would have been found."
        )
    }
}

fn map_section(page: &mut Page, shown: &Shown<'_>) -> Result<(), StudyError> {
    page.heading("The groups' mean faces");
    let names = shown.publication.groups.names();
    let portrait = |(name, mesh)| {
        Ok(Figure::image(&render(mesh, View::THREE_QUARTER, CLAY), format!("mean of {name}, private"))?)
    };
    let portraits: Vec<Figure> =
        names.iter().zip(shown.means).map(portrait).collect::<Result<_, StudyError>>()?;
    page.figures(&portraits);
    page.heading("Where they differ");
    page.paragraph(&format!(
        "Colours show how far the second face lies out of the first, along the normal of the surface: red further out, blue further in. They \
         show the shrunk difference ({DIFFERENCE}). Full colour and a line around it stand where the 95 % band for the difference, which is \
         about the unshrunk one, excludes 0 at all those points at once; elsewhere colours are faded, and what they show may be chance.",
    ));
    for (statement, (mapped, mesh)) in
        shown.comparison.map.iter().zip(shown.maps.iter().zip(shown.means.iter().cycle()))
    {
        let fields = Fields::of(mapped, &shown.publication.template.template, &shown.publication.own)?;
        let caption = format!("{} minus {}", statement.second, statement.first);
        page.wide_figures(&[fields.stills(mesh, caption.clone())?]);
        page.figures(&[Figure::surface(
            &fields.surface(mesh, &caption),
            "Drag to turn, wheel or pinch to zoom.",
        )]);
        page.paragraph(&map_sentence(statement));
    }
    page.paragraph(&format!(
        "{BAND} holds lower and upper borders in each coordinate, simultaneous over all points and coordinates, about the unshrunk difference \
         ({DIFFERENCE_UNSHRUNK}). Groups are taken to vary alike. The difference of the two mean faces above is not the map: each is shrunk \
         on its own.",
    ));
    page.paragraph(&detail_sentence(shown.publication));
    Ok(())
}

/// What the map leaves out: public, since it follows from n and the budget.
fn detail_sentence(publication: &ComparePublication) -> String {
    let all = 3 * publication.own.curves() * publication.own.samples();
    match publication.mechanism.lengths()[0] {
        Some(of) if of < all => format!(
            "Map and band have {of} of the {all} coefficients of a face's shape. Finer differences are not known: neither the map nor its band \
             counts them. A larger budget, or more people, brings more coefficients."
        ),
        _ => "Map and band have all coefficients of a face's shape.".to_owned(),
    }
}

fn map_sentence(map: &MapStatement) -> String {
    let outside = if map.share_outside > 0.0 {
        format!(
            "stands out of its band on {:.0} % of the curves' points",
            (100.0 * map.share_outside).max(1.0)
        )
    } else {
        "stands out of its band nowhere: no place of a difference can be named".to_owned()
    };
    format!(
        "The difference of {} from {} is {} mm on a face of 20 cm (root mean square over the face, after shrinking), with an error of about \
         {} mm, and {outside}. The band reaches {} mm to either side in each coordinate on average, {} mm where it is widest.",
        map.second,
        map.first,
        short(FACE_MM * map.size),
        short(FACE_MM * map.error),
        short(FACE_MM * map.mean_half_width),
        short(FACE_MM * map.largest_half_width),
    )
}
