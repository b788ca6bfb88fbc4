//! One input after the other: run, measured, and kept where it failed.

use crate::counting::peak;
use crate::mutate::broken;
use crate::targets::Target;
use mutatis::Session;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The promise of every reader: 8 times the size of the file and 64 MB ([`Target::beyond`]).
const TIMES: usize = 8;
/// No input of at most 64 kB may take longer: the slowest that is well takes a second.
pub const LONGEST: Duration = Duration::from_secs(20);
/// After this an input is kept as one that hangs, and the process ends.
const HANGS: Duration = Duration::from_secs(120);

/// What became of an input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Read, or refused in words.
    #[default]
    Fair,
    /// It panicked.
    Panicked,
    /// It took more memory than is promised.
    Large,
    /// It took too long.
    Slow,
}

/// How many inputs had which verdict, and the most that was taken.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// By verdict.
    pub counts: BTreeMap<Verdict, u64>,
    /// Bytes.
    pub most_memory: usize,
    /// The longest.
    pub longest: Duration,
}

impl Tally {
    /// How many there were.
    pub fn tried(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many had this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.counts.get(&verdict).copied().unwrap_or(0)
    }
}

/// Runs targets on files in a folder of its own.
pub struct Harness {
    folder: tempfile::TempDir,
    /// Where inputs that fail are kept; `None` keeps none.
    pub corpus: Option<PathBuf>,
}

impl Harness {
    /// A folder for the inputs, in memory where the system has such.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn new(corpus: Option<PathBuf>) -> std::io::Result<Self> {
        let fast = Path::new("/dev/shm");
        let folder = if fast.is_dir() { tempfile::tempdir_in(fast) } else { tempfile::tempdir() }?;
        Ok(Self { folder, corpus })
    }

    /// One input.
    pub fn try_one(&self, target: &Target, bytes: &[u8], tally: &mut Tally) -> Verdict {
        let path = self.folder.path().join(format!("input.{}", target.ending));
        if std::fs::write(&path, bytes).is_err() {
            return Verdict::Fair;
        }
        watch::begin(&path);
        let start = Instant::now();
        let (done, memory) = peak(|| catch_unwind(AssertUnwindSafe(|| (target.run)(&path))));
        let took = start.elapsed();
        watch::end();
        tally.most_memory = tally.most_memory.max(memory);
        tally.longest = tally.longest.max(took);
        let verdict = if done.is_err() {
            Verdict::Panicked
        } else if memory > TIMES * bytes.len() + target.beyond {
            Verdict::Large
        } else if took > LONGEST {
            Verdict::Slow
        } else {
            Verdict::Fair
        };
        *tally.counts.entry(verdict).or_default() += 1;
        if verdict != Verdict::Fair {
            self.keep(target, bytes);
        }
        verdict
    }

    fn keep(&self, target: &Target, bytes: &[u8]) {
        let Some(corpus) = &self.corpus else { return };
        let folder = corpus.join(target.name);
        let name = format!("{}.{}", &hex::encode(Sha256::digest(bytes))[..12], target.ending);
        if std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(&name), bytes)).is_err()
        {
            eprintln!("{}/{name} could not be kept", folder.display());
        }
    }

    /// The seeds as they are, what ever failed, and then broken ones until `enough` says so.
    pub fn fuzz(&self, target: &Target, seed: u64, enough: impl Fn(&Tally) -> bool) -> Tally {
        let mut tally = Tally::default();
        let mut inputs = (target.seeds)();
        inputs.extend(self.corpus.iter().flat_map(|corpus| kept(&corpus.join(target.name))));
        for input in &inputs {
            self.try_one(target, input, &mut tally);
        }
        let mut session = Session::new().seed(seed);
        let mut state = seed;
        while !enough(&tally) && !inputs.is_empty() {
            // A linear congruence is enough to choose where to begin (Knuth's MMIX).
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chosen = &inputs[(state >> 33) as usize % inputs.len()];
            let input = broken(&mut session, chosen, &inputs);
            self.try_one(target, &input, &mut tally);
        }
        tally
    }
}

/// The files of a folder, by name; none where there is none.
pub fn kept(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Panics are counted and not told.
pub fn be_quiet() {
    std::panic::set_hook(Box::new(|_| ()));
}

/// Ends the process where one input hangs, its file copied to `hung`.
pub fn watch_for_hangs(hung: PathBuf) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some(path) = watch::over(HANGS) {
                let _ = std::fs::copy(&path, &hung);
                eprintln!(
                    "an input runs for more than {} s; it is kept in {}",
                    HANGS.as_secs(),
                    hung.display()
                );
                std::process::exit(3);
            }
        }
    });
}

mod watch {
    use super::{AtomicU64, Duration, Ordering, Path, PathBuf};
    use std::sync::{LazyLock, Mutex};
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    /// When the present input began, in milliseconds and one; nought between two.
    static SINCE: AtomicU64 = AtomicU64::new(0);
    static PATH: Mutex<Option<PathBuf>> = Mutex::new(None);

    pub fn begin(path: &Path) {
        if let Ok(mut slot) = PATH.lock() {
            *slot = Some(path.to_owned());
        }
        SINCE.store(START.elapsed().as_millis() as u64 + 1, Ordering::SeqCst);
    }

    pub fn end() {
        SINCE.store(0, Ordering::SeqCst);
    }

    pub fn over(limit: Duration) -> Option<PathBuf> {
        let since = SINCE.load(Ordering::SeqCst);
        let now = START.elapsed().as_millis() as u64;
        (since > 0 && now.saturating_sub(since) > limit.as_millis() as u64)
            .then(|| PATH.lock().ok()?.clone())
            .flatten()
    }
}
