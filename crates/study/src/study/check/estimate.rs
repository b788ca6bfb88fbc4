//! How long a study would take, and how much memory: from a few scans that are processed whole.

use super::look::{Candidate, Looked};
use crate::study::face::record::RecordMaker;

/// So many scans are processed for it.
const TRIED: usize = 3;

/// What making all records would take.
pub struct Work {
    pub seconds_per_scan: Option<f64>,
    pub seconds: Option<f64>,
    pub memory_bytes: Option<u64>,
}

/// From scans spread over the list, or from all where all were processed.
pub fn work(candidates: &[Candidate], looked: &[Looked], maker: &RecordMaker<'_>, full: bool) -> Work {
    let usable: Vec<&Looked> = looked.iter().filter(|looked| looked.problem.is_none()).collect();
    let seconds: Vec<f64> = if full {
        looked.iter().filter_map(|looked| looked.seconds).collect()
    } else {
        let step = usable.len().div_ceil(TRIED).max(1);
        let tried = usable.iter().step_by(step);
        tried.map(|l| maker.record(&l.file, l.landmarks.as_deref()).row.seconds.iter().sum()).collect()
    };
    if seconds.is_empty() {
        return Work { seconds_per_scan: None, seconds: None, memory_bytes: None };
    }
    let each = seconds.iter().sum::<f64>() / seconds.len() as f64;
    let settings = maker.settings();
    // In one process; a second stage from a folder of records holds a few at a time.
    let held = (candidates.len() * settings.curves * settings.samples * 24) as u64;
    Work {
        seconds_per_scan: Some(each),
        seconds: Some(each * candidates.len() as f64 / rayon::current_num_threads() as f64),
        memory_bytes: peak().map(|peak| peak + held),
    }
}

/// The most memory that this process has had, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
