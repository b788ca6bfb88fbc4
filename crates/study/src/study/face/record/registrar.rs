//! From a scan's file to the template's vertices on it.

use super::pose::{posed, posed_scan};
use super::row::{OneToOne, RecordError, ScanRow, ScanStage};
use crate::conformal::disk_chart;
use crate::io::Scan;
use crate::mesh::{NearestPoint, Point};
use crate::surface::Template;
use crate::surface::registration::{
    Landed, Landing, PosedScan, Registered, Registration, RegistrationError, RegistrationMethod,
    RegistrationReport, certify,
};
use std::path::Path;
use std::time::Instant;

/// Brings scans into correspondence with a template: each on its own, from public inputs alone.
pub struct ScanRegistrar<'t> {
    template: &'t Template,
    method: Box<dyn RegistrationMethod + 't>,
    crop_radius: f64,
}

impl<'t> ScanRegistrar<'t> {
    /// Busts are cropped to `crop_radius` about the nose tip, in template units (see [`default_crop_radius`]).
    ///
    /// # Errors
    /// [`RegistrationError`] when the template does not suit the method.
    pub fn new(
        template: &'t Template,
        registration: Registration,
        crop_radius: f64,
    ) -> Result<Self, RegistrationError> {
        Ok(Self { template, method: registration.prepare(template)?, crop_radius })
    }

    /// The template.
    pub fn template(&self) -> &'t Template {
        self.template
    }

    /// Reads a scan, meshes a bare cloud, finds the pose, makes it a disk. What is learned on the way goes into the row.
    ///
    /// # Errors
    /// [`RecordError`] with the stage and what to do.
    pub fn pose(
        &self,
        scan: &Path,
        landmarks: Option<&Path>,
        row: &mut ScanRow,
    ) -> Result<PosedScan, RecordError> {
        posed_scan(scan, landmarks, self.template, self.crop_radius, row)
    }

    /// The same of a scan in memory, whose nose tip may be known.
    ///
    /// # Errors
    /// [`RecordError`] with the stage and what to do.
    pub fn pose_of(
        &self,
        scan: Scan,
        nose: Option<Point>,
        row: &mut ScanRow,
    ) -> Result<PosedScan, RecordError> {
        posed(scan, nose, self.template, self.crop_radius, row)
    }

    /// Where the template's vertices lie on a scan, in the scan's coordinates; never with a fold. How well they lie goes into
    /// the row.
    ///
    /// # Errors
    /// [`RecordError`] with the stage and what to do.
    pub fn register(&self, scan: &PosedScan, row: &mut ScanRow) -> Result<Vec<Point>, RecordError> {
        self.noted(scan, row, || Ok((self.method.register(scan)?, None))).map(|(positions, _)| positions)
    }

    /// The same, with the expected distance of every vertex from its true place, in the scan's units; `None` where the method
    /// does not tell.
    ///
    /// # Errors
    /// [`RecordError`] with the stage and what to do.
    pub fn register_with_errors(
        &self,
        scan: &PosedScan,
        row: &mut ScanRow,
    ) -> Result<(Vec<Point>, Option<Vec<f64>>), RecordError> {
        let (positions, errors) = self.noted(scan, row, || self.method.register_with_errors(scan))?;
        let scaled = |errors: Vec<f64>| errors.into_iter().map(|e| e * scan.similarity.scale).collect();
        Ok((positions, errors.map(scaled)))
    }

    fn noted(
        &self,
        scan: &PosedScan,
        row: &mut ScanRow,
        register: impl FnOnce() -> Result<WithErrors, RegistrationError>,
    ) -> Result<(Vec<Point>, Option<Vec<f64>>), RecordError> {
        let start = Instant::now();
        let found = register().and_then(|(found, errors)| Ok((found.without_folds()?, errors)));
        let seconds = start.elapsed().as_secs_f64();
        let (found, errors) = found.map_err(|e| {
            let stage = stage_of(&e);
            row.seconds[stage as usize] += seconds;
            RecordError::new(stage, e)
        })?;
        note_registration(&found, seconds, row);
        let (landing, one_to_one) =
            row.timed(ScanStage::Register, || self.checked(scan, &found.positions))?;
        Self::note_landing(&landing, row);
        if let Err(refused) = self.refuse_off_scan(row)
            && !self.is_one_side(scan, &found.positions, row)
        {
            Self::note_landing(&landing, row);
            return Err(refused);
        }
        note_filled(row);
        row.one_to_one = one_to_one;
        Ok((found.positions, errors))
    }

    fn note_landing(landing: &Landing, row: &mut ScanRow) {
        row.on_scan = landing.share();
        row.distance_to_scan = landing.root_mean_square();
    }

    /// Whether what lies over the scan lies on it, and enough does: of half a face the other half lies off the scan. Notes how it lies.
    fn is_one_side(&self, scan: &PosedScan, positions: &[Point], row: &mut ScanRow) -> bool {
        let across = FARTHEST_FROM_SCAN * self.template.pose().size();
        let over =
            Landed::new(scan, positions).and_then(|landed| landed.landing_over(self.template.mesh(), across));
        let Ok(over) = over else { return false };
        Self::note_landing(&over, row);
        let apart = over.nearest_root_mean_square(LYING) / self.template.pose().size();
        self.told(&over) >= LEAST_TOLD && row.on_scan >= LEAST_OVER_SCAN && apart <= FARTHEST_FROM_SIDE
    }

    /// The share of the template's vertices that lie over the scan, or their mirror images do: of these symmetry tells.
    fn told(&self, over: &Landing) -> f64 {
        let vertices = self.template.mesh().vertices();
        let Ok(tree) = NearestPoint::new(vertices.iter()) else { return 0.0 };
        let is_over = |i: usize| !over.distances[i].is_nan();
        let image = |i: usize| self.template.pose().mirror_image(&vertices[i]).map(|p| tree.find(&p).0);
        let told = (0..vertices.len()).filter(|&i| is_over(i) || image(i).is_some_and(is_over));
        told.count() as f64 / vertices.len().max(1) as f64
    }

    /// Refuses what lies off the scan, or beside it.
    fn refuse_off_scan(&self, row: &ScanRow) -> Result<(), RecordError> {
        let apart = row.distance_to_scan / self.template.pose().size();
        let reason = if row.on_scan < LEAST_ON_SCAN {
            format!(
                "{:.0} % of the face lies on what could be used of the scan, {:.0} % at least",
                100.0 * row.on_scan,
                100.0 * LEAST_ON_SCAN
            )
        } else if apart > FARTHEST_FROM_SCAN {
            format!(
                "the registered face lies {apart:.3} of its size from the scan, root mean square, {FARTHEST_FROM_SCAN} at most"
            )
        } else {
            return Ok(());
        };
        Err(RecordError::new(
            ScanStage::Register,
            format!(
                "the face could not be laid onto the scan ({reason}); scan more of the face, or give the outer side alone where it has a back"
            ),
        ))
    }

    /// Where registered vertices lie, and whether they are one to one there: `None` for a scan that cannot be flattened.
    fn checked(
        &self,
        scan: &PosedScan,
        positions: &[Point],
    ) -> Result<(Landing, Option<OneToOne>), RegistrationError> {
        let landed = Landed::new(scan, positions)?;
        let chart = disk_chart(&scan.disk).ok();
        let found = chart.map(|chart| certify(self.template, &landed, &chart)).transpose()?;
        Ok((landed.landing(), found.as_ref().map(OneToOne::from)))
    }
}

/// A registration and what the method expects of its errors, in the template's units.
type WithErrors = (Registered<RegistrationReport>, Option<Vec<f64>>);

/// The least share of the registered vertices that lie where there is scan. Of 450 one-sided scans, crops and clouds of SIMPOP and ICT faces
/// those that landed where the whole scan does had .55 and more, the one that lost its front .18.
const LEAST_ON_SCAN: f64 = 1.0 / 3.0;
/// The least share that lies over a scan of which more lies beside, and of that with its mirror image. Of 120 scans of 24 people of three
/// populations cut or seen from one side, what lay 3.5 to 6 mm off had .39 or less of one and .62 of the other; the lower or upper parts of
/// faces, of which the rest came out 4 to 15 mm off, .76 of the other.
const LEAST_OVER_SCAN: f64 = 0.36;
const LEAST_TOLD: f64 = 0.77;
/// The largest distance of these from the scan, root mean square, as a share of the template's size. Of the same scans those that landed right
/// had .015 at most; of those that did not, half had .022 to .06.
const FARTHEST_FROM_SCAN: f64 = 0.02;

/// Of one side of a face: how far this share of what lies over the scan lies from it. The rest may be folds that were not seen, of the eyes and below
/// the chin: of 16 one-sided scans of ICT's faces with ICT's template, a twentieth lay .02 to .05 off, nine tenths .006 at most.
const LYING: f64 = 0.9;
const FARTHEST_FROM_SIDE: f64 = 0.01;

/// How far busts are kept when nothing else is asked for: a little beyond the template's own farthest point.
pub fn default_crop_radius(template: &Template) -> f64 {
    1.05 * template.reach()
}

fn stage_of(error: &RegistrationError) -> ScanStage {
    match error {
        RegistrationError::Flatten(_) => ScanStage::Flatten,
        _ => ScanStage::Register,
    }
}

/// What ends the note on a face of which much was not scanned.
pub(in crate::study::face) const FILLED: &str = " % of the face filled in";

/// Says how much of a face of which much was not scanned was continued by what is likely: its other side, and the template.
fn note_filled(row: &mut ScanRow) {
    if let Some(filled) = row.filled().filter(|filled| *filled > 0.0) {
        add_note(row, &format!("{:.0}{FILLED}", 100.0 * filled));
    }
}

fn add_note(row: &mut ScanRow, note: &str) {
    row.repairs = if row.repairs.is_empty() { note.to_owned() } else { format!("{}, {note}", row.repairs) };
}

fn note_registration(found: &Registered<RegistrationReport>, seconds: f64, row: &mut ScanRow) {
    let report = &found.report;
    row.steps = report.steps;
    if let Some(note) = report.note {
        add_note(row, note);
    }
    row.min_jacobian = found.min_jacobian;
    row.measured = report.measured.iter().map(|(m, value)| (m.column.to_owned(), *value)).collect();
    row.seconds[ScanStage::Flatten as usize] += report.flatten_seconds;
    row.seconds[ScanStage::Register as usize] += seconds - report.flatten_seconds;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::face::template::{TemplateSource, load_template};

    #[test]
    fn what_was_filled_in_is_noted_of_scans_that_show_little() {
        let noted = |on_scan: f64| {
            let mut row = ScanRow { on_scan, repairs: "holes".to_owned(), ..ScanRow::default() };
            note_filled(&mut row);
            row.repairs
        };
        assert_eq!(noted(0.76), "holes");
        assert_eq!(noted(0.6), "holes, 40 % of the face filled in");
    }

    /// By how much of it lies where there is scan, and how far that lies from it.
    #[test]
    fn what_lies_off_its_scan_is_refused_with_the_reason() {
        let template = load_template(&TemplateSource::Builtin).unwrap().template;
        let registrar = ScanRegistrar::new(&template, Registration::Elastic, 1.0).unwrap();
        let refusal = |on_scan: f64, apart: f64| {
            let distance_to_scan = apart * template.pose().size();
            let row = ScanRow { on_scan, distance_to_scan, ..ScanRow::default() };
            registrar.refuse_off_scan(&row).err().map(|error| error.to_string())
        };
        assert_eq!(refusal(0.34, 0.019), None);
        let beside = refusal(0.32, 0.0).unwrap();
        assert!(beside.starts_with("register: ") && beside.contains("32 % of the face"), "{beside}");
        let off = refusal(0.9, 0.021).unwrap();
        assert!(off.contains("0.021 of its size from the scan") && off.contains("scan more"), "{off}");
    }
}
