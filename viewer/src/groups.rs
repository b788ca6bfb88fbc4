//! Means of groups that were compared: each can be followed from another.

use crate::credentials;
use crate::template::is_templates;
use std::path::Path;
use visard::io::{Limit, open, read_scan};
use visard::mesh::{Point, TriMesh};
use visard::privacy::Certificate;
use visard::study::layout::CERTIFICATE;

/// Where a morph begins: another group's mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The group's label.
    pub label: String,
    /// Its vertices.
    pub vertices: Vec<Point>,
}

/// The label in the name of a group's mean.
pub fn label(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_prefix("mean_")?.strip_suffix(".ply")
}

impl Start {
    /// The first other group of the release a group's mean lies in; `None` where it is no group's.
    ///
    /// # Errors
    /// A sentence on why it cannot be used.
    pub fn beside(file: &Path, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let Some(own) = label(file) else { return Ok(None) };
        let Some(other) = labels(file).into_iter().find(|label| label != own) else { return Ok(None) };
        let path = file.with_file_name(format!("mean_{other}.ply"));
        if let Some(why) = credentials::altered(&path) {
            return Err(why);
        }
        let scan = read_scan(&path).map_err(|e| e.to_string())?;
        if scan.vertices.len() != mesh.vertices().len() || !is_templates(mesh) {
            return Err(format!(
                "{}: of other vertices than {}; no morph between them",
                path.display(),
                file.display()
            ));
        }
        Ok(Some(Self { label: other, vertices: scan.vertices }))
    }

    /// What is seen at such a share of the way, in a sentence.
    pub fn describe(&self, share: f64, subject: &str) -> String {
        format!(
            "{subject}: {:.0} % of the way from the mean of {}, a face of no group",
            100.0 * share,
            self.label
        )
    }
}

/// The labels that the certificate beside a file states, if it is one of a comparison of groups that has this one.
fn labels(file: &Path) -> Vec<String> {
    let read = open(&file.with_file_name(CERTIFICATE), Limit::CERTIFICATE).ok();
    let certificate = read.and_then(|file| Certificate::from_json(file.text().ok()?).ok());
    let groups = certificate.as_ref().and_then(|c| c.details.get("groups")?.as_array());
    let name = |group: &serde_json::Value| group.get("label")?.as_str().map(str::to_owned);
    groups.into_iter().flatten().filter_map(name).collect()
}
