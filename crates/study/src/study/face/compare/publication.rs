//! `release/` of a comparison: made of the noised groups, the certificate and public settings only.

use super::outcome::{BAND_LEVEL, Comparison};
use super::page::{self, Shown};
use super::subject::{ComparePublication, Mapped};
use crate::estimate::band::{FIELDS, SEED};
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply};
use crate::job::JobError;
use crate::job::copies::Kind;
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, REPORT, TEST};
use crate::job::unusable::ZERO_DEVIATION;
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::functional::NoisedComparison;
use crate::mesh::TriMesh;
use crate::privacy::{Certificate, Mechanism, Released, Statement, WITHIN_GROUPS, WITHIN_GROUPS_TEXT};
use crate::study::face::error::StudyError;
use serde_json::{Value, json};

impl ComparePublication {
    fn mesh(&self, samples: Vec<f64>) -> Result<TriMesh, StudyError> {
        let curves = FaceCurves::new(self.own.curves(), self.own.samples(), samples)?;
        Ok(self.template.template.face_through(&curves)?)
    }

    /// The shape of an array of faces, one for each comparison.
    fn shape(&self, before: &[usize]) -> Vec<usize> {
        let several = (self.groups.names().len() > 2).then(|| self.groups.names().len() - 1);
        let face = [self.own.curves(), self.own.samples(), 3];
        before.iter().copied().chain(several).chain(face).collect()
    }

    fn write_maps(&self, maps: &[Mapped], folder: &mut ReleaseFolder) -> Result<(), JobError> {
        let all = |of: &dyn Fn(&Mapped) -> Vec<f64>| maps.iter().flat_map(of).collect::<Vec<f64>>();
        let shape = self.shape(&[]);
        let shrunk = all(&|mapped| mapped.map.shrunk.clone());
        folder.write_with(DIFFERENCE, |path| write_npy(path, &shape, &shrunk))?;
        let unshrunk = all(&|mapped| mapped.map.band.centre.clone());
        folder.write_with(DIFFERENCE_UNSHRUNK, |path| write_npy(path, &shape, &unshrunk))?;
        let borders = |upper: bool| {
            all(&|mapped| {
                let borders = mapped.map.band.borders();
                let (low, high) = borders.split_at(borders.len() / 2);
                if upper { high.to_vec() } else { low.to_vec() }
            })
        };
        let both: Vec<f64> = borders(false).into_iter().chain(borders(true)).collect();
        folder.write_with(BAND, |path| write_npy(path, &self.shape(&[2]), &both))
    }

    /// What a certificate says of the map.
    fn map_details(&self, comparison: &Comparison) -> Value {
        json!({
            "file": DIFFERENCE,
            "what": "second label in sorted order minus the first, of each further label minus the first where there are more; shrunk \
                     towards no difference, for showing",
            "unshrunk_file": DIFFERENCE_UNSHRUNK,
            "unshrunk": "the same before it was shrunk: without bias but rough; the band lies about this one",
            "coefficients": self.mechanism.lengths()[0],
            "comparisons": comparison.map,
        })
    }

    fn band_details(&self) -> Value {
        json!({
            "file": BAND,
            "level": BAND_LEVEL,
            "simultaneous_over": "all points and coordinates of the curves, of one comparison",
            "estimand": "the difference of the mean faces of the populations that the groups are samples of, each face clipped as the \
                         certificate states, in the coefficients that the map has (detail finer than that counts as alike)",
            "centre": "the unshrunk difference: the shrunk one may lie outside",
            "standard_error": "of people as a sample (from the noised second moments of all groups together, about the released centre and \
                               on the safe side; groups are taken to vary alike) and of the privacy noise (known exactly), added in squares",
            "along_the_normal": "pictures outline where a band of the same kind for the part along the template's normals, simultaneous \
                                 over all points, excludes 0",
            "simulated_fields": FIELDS,
            "simulation_seed": SEED,
        })
    }
}

impl Publication for ComparePublication {
    type Value = NoisedComparison;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.counting.counts_persons()
    }

    fn describe(&self, released: &Released<NoisedComparison>, statement: &mut Statement) {
        statement.public_inputs = vec![self.template.input.clone()];
        let comparison = Comparison::of(self, &released.value);
        let groups: Vec<Value> =
            comparison.groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect();
        let [map, test] = self.mechanism.budgets();
        let details = json!({
            "record_kind": self.counting.kind("scan"),
            "statistic": "means of groups of face radial curves, each record centred, of unit area, registered to the public template",
            "coordinates": released.price.statistic,
            "groups": groups,
            "partition_sha256": self.groups.sha256(),
            WITHIN_GROUPS: WITHIN_GROUPS_TEXT,
            "parallel_composition": "inside this release every group has the whole of the second round's budget, since a record is in one \
                                     group; the loss stated is that of any one record, and is charged to everybody",
            "want": self.want,
            "budgets": {"map": map, "test": test},
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": "differences, band and meshes: faces of surface area 1, centroid at the origin",
            "unusable_records": self.unusable.describe(ZERO_DEVIATION),
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        if !comparison.map.is_empty() {
            statement.details.insert("difference".into(), self.map_details(&comparison));
            statement.details.insert("band".into(), self.band_details());
        }
        if let Some(test) = &comparison.test {
            statement.details.insert("test".into(), json!({"file": TEST, "result": test}));
        }
        if self.is_small() {
            let why = "n times mu is below 60: the radius is a public guess, and differences of ordinary size cannot be told";
            statement.details.insert("small_study".into(), json!(why));
        }
        statement.details.extend(self.counting.details(Kind::Faces));
    }

    fn statistic(&self) -> String {
        "face compare".into()
    }

    fn write(
        &self,
        released: &Released<NoisedComparison>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let means = self.mechanism.means(&released.value).unwrap_or_default();
        let means: Vec<TriMesh> = means.into_iter().map(|mean| self.mesh(mean)).collect::<Result<_, _>>()?;
        for (name, mesh) in self.groups.names().iter().zip(&means) {
            folder.write_with(&format!("mean_{name}.ply"), |path| write_ply(path, mesh))?;
        }
        let maps = self.maps(&released.value);
        if !maps.is_empty() {
            self.write_maps(&maps, folder)?;
        }
        let comparison = Comparison::from(self, &released.value, &maps);
        if let Some(test) = &comparison.test {
            let text =
                serde_json::to_string_pretty(test).map_err(|_| StudyError::Shape("a test has no number"))?;
            folder.write(TEST, text.as_bytes())?;
        }
        let statistic = &self.mechanism.price().statistic;
        let shown =
            Shown { publication: self, comparison: &comparison, means: &means, maps: &maps, statistic };
        folder.write(REPORT, page::report(&shown, certificate)?.as_bytes())?;
        Ok(())
    }
}
