//! A progress bar on standard error, with the time left; plain lines where that is not a terminal. A caller in the same process is told.

use super::output::{Printer, Progress, counted};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use visard::study::face::FaceProgress;

/// Shows what a study is doing.
pub struct Bar<'a> {
    printer: &'a Printer<'a>,
    bar: ProgressBar,
    plain: bool,
    total: AtomicUsize,
}

impl<'a> Bar<'a> {
    /// Nothing is shown yet.
    pub fn new(printer: &'a Printer<'a>) -> Self {
        let bar = ProgressBar::hidden();
        Self { printer, bar, plain: !std::io::stderr().is_terminal(), total: AtomicUsize::new(0) }
    }

    /// One event.
    pub fn show(&self, event: &FaceProgress) {
        if let Some(told) = self.printer.progress() {
            return self.tell(event, told);
        }
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
            FaceProgress::Remark { text } => {
                self.bar.suspend(|| self.printer.remarks(std::slice::from_ref(text)))
            }
            FaceProgress::HardlyWorth { from } => self.hardly_worth(*from),
            FaceProgress::Releasing => {
                self.bar.finish_and_clear();
                if self.plain {
                    eprintln!("releasing");
                }
            }
            _ => {}
        }
    }

    fn tell(&self, event: &FaceProgress, told: Progress<'_>) {
        match event {
            FaceProgress::Found { scans } => {
                self.total.store(*scans, Ordering::Relaxed);
                told("scans", 0, *scans as u64);
            }
            FaceProgress::Scan { done, .. } => {
                told("scans", *done as u64, self.total.load(Ordering::Relaxed) as u64);
            }
            FaceProgress::Remark { text } => self.printer.remarks(std::slice::from_ref(text)),
            FaceProgress::HardlyWorth { from } => self.hardly_worth(*from),
            _ => {}
        }
    }

    fn hardly_worth(&self, from: f64) {
        self.printer.note(format!(
            "note: n times mu is below {from}: at this budget, this many people hardly show modes above the noise; interrupt now and nothing \
             is charged (`visard face plan --modes` shows what to expect)"
        ));
    }

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
