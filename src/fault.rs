//! The file operations that a crash can fall between. Tests let the k-th of them fail, or end the process there; in the program they
//! are what they say. And what it is that a path leads to.

use std::fs::{File, Metadata};
use std::io::{Result, Write};

/// Stands before an operation on files.
#[cfg(not(test))]
#[inline]
pub(crate) fn point(_what: &'static str) -> Result<()> {
    Ok(())
}

/// What something is that is no ordinary file.
pub(crate) fn special(about: &Metadata) -> Option<&'static str> {
    if about.is_file() {
        return None;
    }
    if about.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = about.file_type();
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("a device")
}

/// Writes all bytes. A fault leaves the first half of them.
pub(crate) fn write_all(file: &mut File, bytes: &[u8]) -> Result<()> {
    if let Err(error) = point("write") {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(error);
    }
    file.write_all(bytes)
}

#[cfg(test)]
pub(crate) use plan::{Fault, Outcome, point, with};

#[cfg(test)]
mod plan {
    use std::cell::RefCell;
    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    /// What happens at the k-th operation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// It fails.
        Error,
        /// It and all later ones fail, as on a full disk.
        Full,
        /// The process ends: nothing is cleaned up on purpose.
        Crash,
    }

    #[derive(Debug)]
    struct Plan {
        fault: Fault,
        left: u32,
        /// Where it struck.
        struck: Option<&'static str>,
    }

    thread_local! {
        static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
    }

    struct Crashed;

    /// How work with a fault ended.
    pub(crate) enum Outcome<T> {
        /// The fault never struck: there are fewer operations.
        Whole(T),
        /// It struck before this operation, and the work returned.
        Struck(&'static str, T),
        /// The process would have ended before this operation.
        Crashed(&'static str),
    }

    /// Does `work` with a fault at the k-th operation from 0, on this thread.
    pub(crate) fn with<T>(fault: Fault, k: u32, work: impl FnOnce() -> T) -> Outcome<T> {
        PLAN.with_borrow_mut(|plan| *plan = Some(Plan { fault, left: k, struck: None }));
        let done = catch_unwind(AssertUnwindSafe(work));
        let struck = PLAN.with_borrow_mut(Option::take).and_then(|plan| plan.struck);
        match (done, struck) {
            (Ok(done), None) => Outcome::Whole(done),
            (Ok(done), Some(what)) => Outcome::Struck(what, done),
            (Err(panic), Some(what)) if panic.is::<Crashed>() => Outcome::Crashed(what),
            (Err(panic), _) => resume_unwind(panic),
        }
    }

    /// Stands before an operation on files.
    pub(crate) fn point(what: &'static str) -> io::Result<()> {
        let crash = PLAN.with_borrow_mut(|plan| {
            let Some(plan) = plan else { return Ok(false) };
            if plan.struck.is_some() {
                // The process is gone; unwinding must not go on writing.
                let over = plan.fault != Fault::Error;
                return if over { Err(failed(what)) } else { Ok(false) };
            }
            if plan.left > 0 {
                plan.left -= 1;
                return Ok(false);
            }
            plan.struck = Some(what);
            if plan.fault == Fault::Crash { Ok(true) } else { Err(failed(what)) }
        })?;
        if crash {
            // Without the message of a panic.
            resume_unwind(Box::new(Crashed));
        }
        Ok(())
    }

    fn failed(what: &'static str) -> io::Error {
        io::Error::other(format!("a test lets this fail: {what}"))
    }
}
