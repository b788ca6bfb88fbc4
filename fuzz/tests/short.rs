//! A short run of all targets from a fixed seed; and that the harness would tell.

use fuzz::counting::Counting;
use fuzz::harness::{Harness, Verdict, be_quiet};
use fuzz::targets::{READER, Target, targets};
use std::path::Path;
use visard::io::Content;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(16 << 20).build().unwrap().install(work)
}

#[test]
fn nothing_breaks_a_reader_or_a_command() {
    be_quiet();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let unfair = on_one_thread(|| {
        let mut unfair = Vec::new();
        for target in targets() {
            // What ever failed is tried again; what fails here is not kept, since tests write nothing into the tree.
            let harness = Harness::new(None).unwrap();
            let mut again = Default::default();
            for input in fuzz::harness::kept(&corpus.join(target.name)) {
                let verdict = harness.try_one(&target, &input, &mut again);
                if verdict != Verdict::Fair {
                    unfair.push(format!("{}: {verdict:?} again", target.name));
                }
            }
            let tally = harness.fuzz(&target, 20_261_122, |tally| tally.tried() >= target.few);
            if tally.of(Verdict::Fair) != tally.tried() {
                unfair.push(format!("{}: {tally:?}", target.name));
            }
        }
        unfair
    });
    // Panics are heard again.
    let _ = std::panic::take_hook();
    assert_eq!(unfair, Vec::<String>::new());
}

/// Every ending that is read for something, and what it is read for, has a target (one of several endings of a format is enough).
#[test]
fn every_reader_has_a_target() {
    let alike = |ending: &str| match ending {
        "asc" | "pts" => "xyz".to_owned(),
        "tsv" | "txt" => "csv".to_owned(),
        "tiff" => "tif".to_owned(),
        "nii.gz" => "nii".to_owned(),
        other => other.to_owned(),
    };
    let names: Vec<&str> = targets().iter().map(|target| target.name).collect();
    for content in Content::ALL {
        let what = match content {
            Content::Scan => "scan",
            Content::Rows => "rows",
            other => other.name(),
        };
        for ending in content.endings().split([',', ' ']).filter_map(|word| word.strip_prefix('.')) {
            let name = format!("{what}-{}", alike(ending));
            assert!(names.contains(&name.as_str()), "no target {name}");
        }
    }
}

fn panics(_: &Path) {
    panic!("on purpose");
}

fn takes_memory(_: &Path) {
    std::hint::black_box(vec![1u8; 80_000_000]);
}

#[test]
fn what_fails_is_noticed_and_kept() {
    be_quiet();
    let corpus = tempfile::tempdir().unwrap();
    let harness = Harness::new(Some(corpus.path().to_owned())).unwrap();
    for (run, verdict) in [(panics as fn(&Path), Verdict::Panicked), (takes_memory, Verdict::Large)] {
        let target =
            Target { name: "bad", ending: "bin", seeds: || vec![b"x".to_vec()], run, few: 1, beyond: READER };
        assert_eq!(harness.try_one(&target, b"abc", &mut Default::default()), verdict);
    }
    assert_eq!(fuzz::harness::kept(&corpus.path().join("bad")), [b"abc"]);
}
