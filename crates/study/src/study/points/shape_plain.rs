//! The mean of shapes without noise, in the plane and in space: for the data holder, with neither ball nor budget.

use super::internal::{distances_csv, outliers};
use super::internal_page::private_page;
use super::records::{Read, Record, points};
use super::treatment::{Treated, or_are_negative};
use super::{PointOutcome, PointRequest, PointStudyError, ShapeCentre, TableOptions, Treatment};
use crate::io::internal::{write_shape_array, write_tps};
use crate::io::shapes::{LandmarkOrder, ShapeReading, ShapeRecord};
use crate::io::{Content, Place, RecordError, RecordSize, WriteError, holds_masks, open_as, write_bytes};
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY, NONPRIVATE_MEAN_TPS};
use crate::job::unusable::write_problems;
use crate::job::{self, Job};
use crate::landmark::{Configuration, Generalized, GeneralizedOptions, generalized};
use crate::report::figure::Figure;
use crate::report::landmarks::{Drawing, Figures};
use crate::study::People;
use std::path::Path;

/// What is read, and how.
pub(super) struct PlainShapes<'a> {
    pub(super) file: &'a Path,
    /// A shape to fill missing landmarks from, or none.
    pub(super) centre: &'a ShapeCentre,
    pub(super) landmarks: Option<usize>,
    pub(super) dimensions: Option<usize>,
    pub(super) options: &'a TableOptions,
    pub(super) drop_missing: bool,
    pub(super) treatment: &'a Treatment,
    pub(super) request: &'a PointRequest,
}

/// Runs a study that releases nothing: the full generalized Procrustes mean of all shapes that have one.
///
/// # Errors
/// [`PointStudyError`]: the folder, the file, a record that is none (unless such records are left out).
pub(super) fn run_plain(study: &PlainShapes<'_>) -> Result<PointOutcome, PointStudyError> {
    let template = match study.centre {
        ShapeCentre::Private => None,
        ShapeCentre::File(path) => Some(only_shape(study, path)?),
        ShapeCentre::PublicRecords(_) => {
            return Err(PointStudyError::Input(
                "--mechanism none takes all records; give public records together with --radius F, or leave them out".into(),
            ));
        }
    };
    let (template, order) =
        template.map_or((None, LandmarkOrder::Own), |(shape, order)| (Some(shape), order));
    let size = study.landmarks.map_or(RecordSize::Content, RecordSize::Known);
    let reading = ShapeReading { order, flat: study.dimensions, ..study.options.reading(size) };
    let known = study.landmarks.or(template.as_ref().map(ShapeRecord::landmarks));
    let (table, _) = study.options.records(study.file, reading, known, template.as_ref())?;
    let table = table.taking_as_missing(&study.treatment.missing);
    let shapes: Vec<Placed> = table.iter().collect();
    let readable = || shapes.iter().filter_map(|shape| Some(&shape.as_ref().ok()?.1));
    let Some(form) = template.as_ref().map(form_of).or_else(|| usual(readable().map(form_of))) else {
        return Err(PointStudyError::Input(format!(
            "{}: holds no shape that can be read",
            study.file.display()
        )));
    };
    let treated = study.treatment.open(template.as_ref(), form.0)?;
    let name = |(i, shape): (usize, &Placed)| {
        let name = shape.as_ref().map_or_else(|error| error.name.clone(), |(_, shape)| shape.id.clone());
        name.unwrap_or_else(|| i.to_string())
    };
    let names: Vec<String> = shapes.iter().enumerate().map(name).collect();
    let people = study.request.counting.people(shapes.len(), &|i| vec![names[i].clone()])?;
    let Read { points, problems, notes } = configurations(study, &treated, form, &people, &shapes)?;
    let found = people.one_each(points, |_, own| Ok::<_, PointStudyError>(Some(mean_of(&own)?.mean)))?;
    job::run(&study.request.place, |job| {
        job.tell(treated.remarks(readable(), study.drop_missing, false));
        job.tell(table.meaning().into_iter().chain(table.notes().iter().cloned()).chain(notes));
        let outcome = write(job, study, &people, &names, found, &treated.links)?;
        write_problems(&job.folder().internal(), &problems)?;
        Ok(outcome)
    })
}

/// A shape of the table and where it begins, or what is wrong with it.
type Placed = Result<(Place, ShapeRecord), RecordError>;

/// Landmarks, and coordinates of one.
type Form = (usize, usize);

fn form_of(shape: &ShapeRecord) -> Form {
    (shape.landmarks(), shape.dimension())
}

/// What most shapes have.
fn usual(forms: impl Iterator<Item = Form>) -> Option<Form> {
    let mut counted: Vec<(Form, usize)> = Vec::new();
    for form in forms {
        match counted.iter_mut().find(|(known, _)| *known == form) {
            Some((_, count)) => *count += 1,
            None => counted.push((form, 1)),
        }
    }
    // The first of several.
    counted.into_iter().rev().max_by_key(|(_, count)| *count).map(|(form, _)| form)
}

/// The public shape, and the order of its landmarks.
fn only_shape(study: &PlainShapes<'_>, path: &Path) -> Result<(ShapeRecord, LandmarkOrder), PointStudyError> {
    if holds_masks(path) {
        return Ok((study.options.outline(path, study.landmarks)?.0, LandmarkOrder::Own));
    }
    let file = open_as(path, Content::Shapes)?;
    let table = study.options.public(file, RecordSize::Content.into(), study.dimensions, true)?;
    let mut shapes = table.all()?;
    match (shapes.pop(), shapes.is_empty()) {
        (Some(only), true) => Ok((only, LandmarkOrder::of(table.names()))),
        _ => Err(PointStudyError::Input(format!(
            "{} holds several shapes where one is wanted",
            path.display()
        ))),
    }
}

/// Each record's configuration.
fn configurations(
    study: &PlainShapes<'_>,
    treated: &Treated,
    (k, d): Form,
    people: &People,
    shapes: &[Placed],
) -> Result<Read<Configuration>, PointStudyError> {
    let point = |shape: &ShapeRecord| -> Result<Configuration, String> {
        if form_of(shape) != (k, d) {
            return Err(format!("has not {k} landmarks of {d} coordinates as the others have"));
        }
        let missing = shape.missing();
        if missing > 0 && (study.drop_missing || !treated.fills()) {
            return Err(format!(
                "has {missing} missing landmarks; give a shape as --center, from which they are estimated{}",
                or_are_negative(shape)
            ));
        }
        let x = treated.apply(shape)?.to_matrix();
        crate::landmark::unit_size(&x).map_err(|e| e.to_string())?;
        Ok(x)
    };
    let records = shapes.iter().map(|shape| match shape {
        Err(error) => Record::unread(error),
        Ok((place, shape)) => {
            let about = RecordError::label(*place, shape.id.as_deref());
            Record::of_shape(shape, point(shape).map_err(|e| format!("{about}{e}"))).at(about)
        }
    });
    points(study.request, people, records)
}

fn mean_of(shapes: &[Configuration]) -> Result<Generalized, PointStudyError> {
    let fit = generalized(shapes, GeneralizedOptions::default());
    let fit = fit.map_err(|e| PointStudyError::Input(format!("the shapes have no mean: {e}")))?;
    if !fit.converged {
        let text =
            "the generalized Procrustes fit did not settle: these shapes differ too much to have one mean";
        return Err(PointStudyError::Input(text.into()));
    }
    Ok(fit)
}

fn write(
    job: &mut Job<'_>,
    study: &PlainShapes<'_>,
    people: &People,
    names: &[String],
    found: Vec<Option<Configuration>>,
    links: &[[usize; 2]],
) -> Result<PointOutcome, PointStudyError> {
    job.without_release()?;
    let n = found.len();
    let of_persons = people.table().is_some();
    let name = |i: usize| if of_persons { format!("person {}", i + 1) } else { names[i].clone() };
    let (who, shapes): (Vec<String>, Vec<Configuration>) =
        found.into_iter().enumerate().filter_map(|(i, x)| Some((name(i), x?))).unzip();
    if shapes.is_empty() {
        return Err(PointStudyError::Input(format!("{}: no shape is left to average", study.file.display())));
    }
    let fit = mean_of(&shapes)?;
    write_all(job, &who, &fit, n, links)?;
    Ok(PointOutcome {
        folder: job.folder().clone(),
        n: n as u64,
        of_persons,
        certificate: None,
        accuracy: None,
        outside: (0, n - who.len()),
        remarks: job.notes(),
    })
}

fn write_all(
    job: &Job<'_>,
    who: &[String],
    fit: &Generalized,
    n: usize,
    links: &[[usize; 2]],
) -> Result<(), PointStudyError> {
    let dir = job.folder().internal();
    let counts = format!("what,count\nrecords,{n}\nleft out,{}\n", n - who.len());
    write_bytes(&dir.join("records.csv"), counts.as_bytes())?;
    let distances: Vec<(String, f64)> = who.iter().cloned().zip(fit.distances.iter().copied()).collect();
    write_bytes(&dir.join(DISTANCES), distances_csv(&distances).as_bytes())?;
    let mut page = private_page("Internal: mean shape without noise");
    let drawing = Drawing::new(&fit.mean).named("mean without noise", "").linked(links).upright();
    let figures = Figures::mean(&drawing).into_iter();
    page.figures(
        &figures
            .map(|svg| {
                Figure::chart(svg, "The full Procrustes mean, of unit size. For the data holder only.")
            })
            .collect::<Vec<_>>(),
    );
    let outside: Vec<String> =
        outliers(&distances).into_iter().map(|(name, d)| format!("{name} ({d:.3})")).collect();
    page.heading("Records far from the mean");
    page.paragraph(&match outside.is_empty() {
        true => "None lies beyond the upper quartile by more than one and a half times the distance between the quartiles.".to_owned(),
        false => format!("Beyond the upper quartile by more than one and a half times the distance between the quartiles: {}.", outside.join(", ")),
    });
    job.write_page(page)?;
    // Last: its presence says that the rest is there.
    let mean = ShapeRecord::from_matrix(Some("nonprivate_mean".into()), &fit.mean);
    Ok(write_nonprivate(&dir, mean.as_slice())?)
}

/// The mean without noise, for the data holder.
pub(super) fn write_nonprivate(internal: &Path, mean: &[ShapeRecord]) -> Result<(), WriteError> {
    write_shape_array(&internal.join(NONPRIVATE_MEAN_NPY), mean)?;
    write_tps(&internal.join(NONPRIVATE_MEAN_TPS), mean)
}
