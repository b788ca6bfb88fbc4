//! What a table means: told by its heading, an option or a public centre; otherwise asked for, before anything is charged.

mod landmarks;
mod records;

use super::support::visard;
use nalgebra::DMatrix;
use std::fs;
use std::path::Path;
use visard::io::npy;
use visard::manifold::LandmarkShapes;

const BASE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [4.0, 0.3, 1.0],
    [7.0, 2.0, 0.4],
    [8.5, 5.0, 2.0],
    [5.0, 6.2, 1.5],
    [2.0, 5.0, -0.5],
    [-0.5, 3.0, 0.8],
    [3.0, 2.7, 3.0],
];
const N: usize = 20;

/// Shape `i`, its landmarks a little off the base, turned, scaled and moved.
fn shape(i: usize, d: usize) -> Vec<Vec<f64>> {
    let (turn, size) = (0.7 * i as f64, 20.0 + (i % 5) as f64);
    let point = |k: usize| -> Vec<f64> {
        let off = |j: usize| BASE[k][j] + 0.2 * ((13 * i + 7 * k + 5 * j + 3 * i * k) as f64).sin();
        let (x, y) = (off(0), off(1));
        let turned = [x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos(), off(2)];
        turned[..d].iter().map(|c| 400.0 + size * c).collect()
    };
    (0..8).map(point).collect()
}

/// The landmarks of record `i` in another order for every record.
fn shuffled(i: usize) -> Vec<usize> {
    let step = [1, 3, 5, 7][i % 4];
    (0..8).map(|k| (step * k + 3 * i + 1) % 8).collect()
}

fn numbers(point: &[f64]) -> String {
    point.iter().map(|c| format!("{c:.9}")).collect::<Vec<_>>().join(",")
}

/// A row for each landmark.
fn long(
    heading: &str,
    order: impl Fn(usize) -> Vec<usize>,
    row: impl Fn(usize, usize, String) -> String,
) -> String {
    let d = if heading.ends_with('z') { 3 } else { 2 };
    let rows = (0..N).flat_map(|i| order(i).into_iter().map(move |k| (i, k)));
    let rows: String = rows.map(|(i, k)| row(i, k, numbers(&shape(i, d)[k])) + "\n").collect();
    format!("{heading}\n{rows}")
}

/// A row for each shape: what stands before the numbers, and these.
fn wide(heading: &str, before: impl Fn(usize) -> String, numbers_of: impl Fn(usize) -> String) -> String {
    let rows: String = (0..N).map(|i| format!("{}{}\n", before(i), numbers_of(i))).collect();
    format!("{heading}\n{rows}")
}

fn in_turn(i: usize) -> String {
    shape(i, 2).iter().map(|p| numbers(p)).collect::<Vec<_>>().join(",")
}

fn pairs(format: impl Fn(usize, char) -> String) -> String {
    (1..=8).flat_map(|k| ['x', 'y'].map(|c| format(k, c))).collect::<Vec<_>>().join(",")
}

fn tps(more: impl Fn(usize) -> String, point: impl Fn(usize, usize) -> String) -> String {
    let landmarks = |i: usize| (0..8).map(|k| point(i, k) + "\n").collect::<String>();
    (0..N).map(|i| format!("LM=8\n{}{}", landmarks(i), more(i))).collect()
}

fn blanks(point: &[f64]) -> String {
    numbers(point).replace(',', " ")
}

/// A folder, and the mean of the shapes as they are.
struct Study {
    dir: tempfile::TempDir,
    reference: [DMatrix<f64>; 2],
}

impl Study {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let reference = [2, 3].map(|d| {
            let data: Vec<f64> = (0..N).flat_map(|i| shape(i, d).concat()).collect();
            let file = dir.path().join(format!("reference{d}.npy"));
            visard::io::write_npy(&file, &[N, 8, d], &data).unwrap();
            mean_of(dir.path(), &file.display().to_string(), "").unwrap().0
        });
        Self { dir, reference }
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// What a command says of a file that it must read rightly.
    fn right(&self, file: &str, options: &str) -> String {
        let (mean, said) =
            mean_of(self.dir.path(), file, options).unwrap_or_else(|e| panic!("{file} {options}: {e}"));
        let reference = &self.reference[mean.ncols() - 2];
        assert_eq!(mean.shape(), reference.shape(), "{file} {options}");
        let space = LandmarkShapes::new(mean.nrows(), mean.ncols()).unwrap();
        let preshape = |x| space.preshape(x).unwrap().0;
        let apart = space.dist(&preshape(&mean), &preshape(reference));
        assert!(apart < 1e-6, "{file} {options}: {apart} off");
        said
    }

    fn refused(&self, file: &str, options: &str, words: &[&str]) {
        let problem =
            mean_of(self.dir.path(), file, options).err().unwrap_or_else(|| panic!("{file} {options}"));
        for word in words {
            assert!(problem.contains(word), "{file} {options}: {word} in {problem}");
        }
        // A release is refused too, and costs nothing.
        let out = self.dir.path().join("private");
        let (code, ..) = visard(&format!("shape mean {file} {options} --mu 1 --out {}", out.display()));
        assert!(code != Some(0) && !out.exists(), "{file} {options}");
    }
}

/// The mean without noise, and what was said; or the refusal.
fn mean_of(dir: &Path, file: &str, options: &str) -> Result<(DMatrix<f64>, String), String> {
    let out = dir.join("o");
    let line = format!("shape mean {file} {options} --mechanism none --out {}", out.display());
    let (code, _, said) = visard(&line);
    if code != Some(0) {
        assert!(!out.exists(), "{line}");
        return Err(said);
    }
    let mean = npy::read(&out.join("internal/nonprivate_mean.npy")).unwrap();
    fs::remove_dir_all(&out).unwrap();
    let [k, d] = mean.shape[mean.shape.len() - 2..] else { panic!("{:?}", mean.shape) };
    Ok((DMatrix::from_row_slice(k, d, &mean.data), said))
}

fn straight(_: usize) -> Vec<usize> {
    (0..8).collect()
}

/// What is said, be it refused or not.
trait Said {
    fn unwrap_or_default_error(self) -> (Option<DMatrix<f64>>, String);
}

impl Said for Result<(DMatrix<f64>, String), String> {
    fn unwrap_or_default_error(self) -> (Option<DMatrix<f64>>, String) {
        self.map_or_else(|said| (None, said), |(mean, said)| (Some(mean), said))
    }
}
