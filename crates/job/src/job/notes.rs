//! What a study tells the data holder of the records: what was passed over, guessed, repaired or joined.

use super::layout::REPORT;
use super::{Job, JobError};
use crate::io::write_bytes;
use crate::report::page::Page;
use std::sync::PoisonError;

impl Job<'_> {
    /// Keeps notes of the records: secret. They stand on the internal page, and go to the data holder with the study's answer.
    pub fn tell(&self, notes: impl IntoIterator<Item = String>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(notes);
    }

    /// All notes, in the order they were told: secret.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes `internal/report.html`: the page, and all notes below it.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn write_page(&self, mut page: Page) -> Result<(), JobError> {
        let notes = self.notes();
        if !notes.is_empty() {
            page.heading("Notes on the records");
            page.list(&notes);
        }
        Ok(write_bytes(&self.folder().internal().join(REPORT), page.to_html().as_bytes())?)
    }
}
