//! Which operation fails, and how: for tests, each on its own thread. Without a plan nothing is counted and nothing fails.

use super::disk::{After, Disk};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

/// What happens at the k-th operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It fails once, with this error of the system's.
    Error(i32),
    /// It and all later ones fail, as on a full disk.
    Full,
    /// A write does half of its work and says so, as systems may; others are left alone.
    Short,
    /// The process ends: nothing is cleaned up.
    Crash,
}

#[derive(Debug)]
struct Plan {
    fault: Fault,
    left: u32,
    /// How many operations there were.
    count: u32,
    /// Where it struck.
    struck: Option<&'static str>,
    disk: Option<Disk>,
}

thread_local! {
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

struct Crashed;

/// How work with a fault ended.
pub enum Outcome<T> {
    /// The fault never struck: there are fewer operations.
    Whole(T),
    /// It struck before this operation, and the work returned.
    Struck(&'static str, T),
    /// The process would have ended before this operation.
    Crashed(&'static str),
}

/// Does `work` with a fault at the k-th operation from 0, on this thread.
pub fn with<T>(fault: Fault, k: u32, work: impl FnOnce() -> T) -> Outcome<T> {
    under(Plan { fault, left: k, count: 0, struck: None, disk: None }, work).0
}

/// The same, ending the process at the k-th operation; then the power fails: of what is below `root`, the disk holds what
/// `after` says.
pub fn crashed<T>(root: &Path, after: After, k: u32, work: impl FnOnce() -> T) -> Outcome<T> {
    let disk = Some(Disk::of(root));
    let (outcome, disk) = under(Plan { fault: Fault::Crash, left: k, count: 0, struck: None, disk }, work);
    if let (Outcome::Crashed(_), Some(disk)) = (&outcome, disk) {
        disk.fails(after);
    }
    outcome
}

/// How many operations `work` makes.
pub fn count(work: impl FnOnce()) -> u32 {
    PLAN.with_borrow_mut(|plan| {
        *plan = Some(Plan { fault: Fault::Short, left: u32::MAX, count: 0, struck: None, disk: None });
    });
    work();
    PLAN.with_borrow_mut(Option::take).map_or(0, |plan| plan.count)
}

fn under<T>(plan: Plan, work: impl FnOnce() -> T) -> (Outcome<T>, Option<Disk>) {
    PLAN.with_borrow_mut(|current| *current = Some(plan));
    let done = catch_unwind(AssertUnwindSafe(work));
    let plan = PLAN.with_borrow_mut(Option::take);
    let (struck, disk) = plan.map_or((None, None), |plan| (plan.struck, plan.disk));
    let outcome = match (done, struck) {
        (Ok(done), None) => Outcome::Whole(done),
        (Ok(done), Some(what)) => Outcome::Struck(what, done),
        (Err(panic), Some(what)) if panic.is::<Crashed>() => Outcome::Crashed(what),
        (Err(panic), _) => resume_unwind(panic),
    };
    (outcome, disk)
}

/// What is to happen now.
enum Now {
    Nothing,
    Fail(io::Error),
    Half,
    End,
}

fn now(what: &'static str, writing: bool) -> Now {
    PLAN.with_borrow_mut(|plan| {
        let Some(plan) = plan else { return Now::Nothing };
        plan.count += 1;
        if plan.struck.is_some() {
            // The process is gone; unwinding must not go on writing.
            return match plan.fault {
                Fault::Full | Fault::Crash => Now::Fail(full()),
                Fault::Error(_) | Fault::Short => Now::Nothing,
            };
        }
        if plan.left > 0 {
            plan.left -= 1;
            return Now::Nothing;
        }
        plan.struck = Some(what);
        match plan.fault {
            Fault::Error(code) => Now::Fail(io::Error::from_raw_os_error(code)),
            Fault::Full => Now::Fail(full()),
            Fault::Short if writing => Now::Half,
            Fault::Short => Now::Nothing,
            Fault::Crash => Now::End,
        }
    })
}

fn full() -> io::Error {
    io::Error::from_raw_os_error(28)
}

fn end() -> ! {
    // Without the message of a panic.
    resume_unwind(Box::new(Crashed))
}

/// Stands before an operation on files.
pub fn point(what: &'static str) -> io::Result<()> {
    match now(what, false) {
        Now::Nothing | Now::Half => Ok(()),
        Now::Fail(error) => Err(error),
        Now::End => end(),
    }
}

/// Stands before a write of these bytes: where that fails or is the last thing to happen, half of them are written.
pub(super) fn before_writing(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
    match now("write", true) {
        Now::Nothing | Now::Half => Ok(()),
        Now::Fail(error) => {
            file.write_all(half)?;
            Err(error)
        }
        Now::End => {
            let _ = file.write_all(half);
            end()
        }
    }
}

/// Tells the disk of the plan.
pub(super) fn note(what: impl FnOnce(&mut Disk)) {
    PLAN.with_borrow_mut(|plan| {
        if let Some(disk) = plan.as_mut().and_then(|plan| plan.disk.as_mut()) {
            what(disk);
        }
    });
}

/// A file that is being written, where every write is an operation.
#[derive(Debug)]
pub struct Output(File);

pub(super) fn watched(file: File) -> Output {
    Output(file)
}

impl Output {
    pub fn file(&self) -> &File {
        &self.0
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let half = bytes.len().div_ceil(2);
        match now("write", true) {
            Now::Nothing => self.0.write(bytes),
            Now::Half => self.0.write(bytes.get(..half).unwrap_or_default()),
            Now::Fail(error) => {
                self.0.write_all(bytes.get(..half).unwrap_or_default())?;
                Err(error)
            }
            Now::End => {
                let _ = self.0.write_all(bytes.get(..half).unwrap_or_default());
                end()
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
