//! Whether a file may be published, and what is to be said of the certificate beside it.

use std::path::Path;
use visard::study::standing::{Standing, judge};

/// The standing of a file, and sentences on what is wrong with its certificate or could not be checked.
pub fn of(file: &Path) -> (Standing, Vec<String>) {
    let judged = judge(file);
    let shown =
        if judged.standing == Standing::Internal { "shown as internal" } else { "shown as not checked" };
    (judged.standing, judged.why.map(|why| format!("{why}; {shown}")).into_iter().collect())
}

/// Why a file that belongs to another is not what was released with it; `None` where nothing can tell.
pub fn altered(file: &Path) -> Option<String> {
    visard::study::standing::altered(file).map(|why| format!("{why}; shown without it"))
}
