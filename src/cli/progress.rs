//! A progress bar on standard error, with the time left; plain lines where that is not a terminal.

use super::output::counted;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use visard::study::face::FaceProgress;

/// Shows what a study is doing.
pub struct Bar {
    bar: ProgressBar,
    plain: bool,
    total: AtomicUsize,
}

impl Bar {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        let bar = ProgressBar::hidden();
        Self { bar, plain: !std::io::stderr().is_terminal(), total: AtomicUsize::new(0) }
    }

    /// One event.
    pub fn show(&self, event: &FaceProgress) {
        match event {
            FaceProgress::Found { scans } => {
                self.total.store(*scans, Ordering::Relaxed);
                if self.plain {
                    eprintln!("{} found", counted(*scans, "scan"));
                    return;
                }
                self.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
                self.bar.set_length(*scans as u64);
                if let Ok(style) =
                    ProgressStyle::with_template("{bar:32} {pos}/{len} scans  {elapsed} done, {eta} left")
                {
                    self.bar.set_style(style);
                }
            }
            FaceProgress::Scan { done, .. } => {
                self.bar.inc(1);
                let total = self.total.load(Ordering::Relaxed);
                if self.plain && (done % 50 == 0 || *done == total) {
                    eprintln!("{done}/{total} scans processed");
                }
            }
            FaceProgress::Remark { text } => self.bar.suspend(|| eprintln!("note: {text}")),
            FaceProgress::HardlyWorth { from } => eprintln!(
                "note: n times mu is below {from}: at this budget, this many people hardly show modes above the noise; interrupt now and nothing \
                 is charged (`visard face plan --modes` shows what to expect)"
            ),
            FaceProgress::Releasing => {
                self.bar.finish_and_clear();
                if self.plain {
                    eprintln!("releasing");
                }
            }
            _ => {}
        }
    }

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
