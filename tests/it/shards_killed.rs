//! What ordinary machines and ordinary test times do not allow of `tests/it/stages.rs`: fifty shards killed at random, disks that are full or cannot
//! be written on.

use crate::command_line::visard;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::synth::{ScanConditions, person};

const FORM: &str = "--curves 6 --samples 16";

fn scans(n: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = String::from("file\n");
    for i in 0..n {
        let scan = TriMesh::new(person(9, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&dir.path().join(format!("p{i}.ply")), &scan).unwrap();
        manifest += &format!("p{i}.ply\n");
    }
    fs::write(dir.path().join("all.csv"), manifest).unwrap();
    dir
}

fn shard(dir: &Path, k: usize, of: usize) -> Child {
    let line = format!("face prepare --manifest all.csv --shard {k}/{of} --out records {FORM} --threads 1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
    command.current_dir(dir).args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Eight at once: each is killed three times after some moment, unless it is done before, and then left to end. How many kills met a process
/// at work.
fn prepare_under_fire(dir: &Path, shards: usize) -> usize {
    let one = |k: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(k as u64);
        let mut kills = 0;
        for _ in 0..3 {
            let mut child = shard(dir, k, shards);
            std::thread::sleep(Duration::from_millis(rng.random_range(0..1500)));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            child.wait().unwrap();
        }
        assert!(shard(dir, k, shards).wait().unwrap().success());
        kills
    };
    let of = |worker: usize| (worker + 1..=shards).step_by(8).map(one).sum::<usize>();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8).map(|worker| scope.spawn(move || of(worker))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}

#[test]
#[ignore = "needs minutes: fifty shards of sixty scans, killed at random"]
fn fifty_shards_killed_at_random_release_what_one_process_does() {
    let dir = scans(60);
    let path = dir.path();
    let kills = prepare_under_fire(path, 50);
    println!("{kills} kills");
    assert!(kills >= 50, "{kills}");
    for (from, out) in [("", "one"), ("--records records --complete ", "two")] {
        let (code, _, err) =
            visard(path, &format!("face mean {from}--manifest all.csv --mu 2 --seed 5 --out {out} {FORM}"));
        assert_eq!(code, Some(0), "{err}");
    }
    for file in ["curves.npy", "error.npy", "mean.ply"] {
        let [one, two] =
            ["one", "two"].map(|study| fs::read(path.join(study).join("release").join(file)).unwrap());
        assert!(one == two, "{file}");
    }
    let names = fs::read_dir(path.join("records")).unwrap().map(|entry| entry.unwrap().file_name());
    let seen = names.filter(|name| !name.to_string_lossy().starts_with('.')).count();
    assert_eq!(seen, 60 * 2 + 50 + 1, "curves and what is known of 60 scans, 50 indexes, how they were made");
}

/// A file system of its own, in memory; taken away at the end.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(at: &'a Path, options: &str) -> Self {
        fs::create_dir_all(at).unwrap();
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).status();
        assert!(status.unwrap().success(), "mounting needs root");
        Self(at)
    }

    fn again(&self, options: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(self.0).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn full_and_read_only_disks_are_told_and_lose_nothing() {
    let dir = scans(3);
    let path = dir.path();
    let at = path.join("disk");
    let disk = Mounted::new(&at, "size=12k");
    let stage_one = format!("face prepare --manifest all.csv --out disk/records {FORM} --threads 1");
    let (code, _, err) = visard(path, &stage_one);
    assert!(code == Some(1) && err.contains("No space left"), "{err}");
    disk.again("size=4m");
    let (code, _, err) = visard(path, &stage_one);
    assert_eq!(code, Some(0), "{err}");
    disk.again("ro");
    // A folder that cannot be written into serves as well for reading.
    let (code, _, err) = visard(path, &stage_one);
    assert!(code == Some(1) && err.contains("Read-only"), "{err}");
    let second = format!("face mean --records disk/records --manifest all.csv --complete --mu 2 {FORM}");
    let (code, _, err) = visard(path, &format!("{second} --out disk/study"));
    assert!(code == Some(1) && err.contains("Read-only"), "{err}");
    let (code, _, err) = visard(path, &format!("{second} --out study"));
    assert_eq!(code, Some(0), "{err}");
    // A study whose disk is full before its charge has no ledger with a charge.
    disk.again("rw,size=4m");
    fs::write(at.join("filler"), vec![0; 5 << 20]).unwrap_err();
    let (code, _, _) = visard(path, &format!("{second} --out disk/study"));
    assert_eq!(code, Some(1));
    let ledger = at.join("study/visard.ledger.jsonl");
    assert!(!fs::read_to_string(ledger).unwrap_or_default().contains("\"kind\":\"charge\""));
}
