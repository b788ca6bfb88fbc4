//! How well made-up organs are registered: `organ_table N [KIND…] [--mirrored] [--out DIR]`. Prints, by kind, how many of N turned scans were registered, how many in a wrong
//! pose, CPU seconds each, and how far the template's vertices lie from their true places, along the skin and along the normal, in millimetres.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use visard::mesh::{Point, TriMesh};
use visard::surface::any::{RegisteredSurface, SurfaceSettings, SurfaceTemplate};
use visard::synth::{OrganConditions, OrganKind, OrganScan, organ_scan};

/// A registration is in a wrong pose where its vertices lie so many times √area off, root mean square.
const WRONG: f64 = 0.15;
const SEED: u64 = 45;

pub fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let mut words = words.to_vec();
    let out = words
        .iter()
        .position(|w| w == "--out")
        .map(|at| PathBuf::from(words.drain(at..).nth(1).unwrap_or_default()));
    let mirrored = words.iter().position(|w| w == "--mirrored").map(|at| words.remove(at)).is_some();
    let n: u64 = words.first().map_or(Ok(10), |w| w.parse())?;
    let wanted = |kind: &&OrganKind| words.len() < 2 || words[1..].iter().any(|w| w == kind.name());
    for kind in OrganKind::ALL.iter().filter(wanted) {
        let start = Instant::now();
        let template = SurfaceTemplate::try_new(kind.template().clone())?;
        println!(
            "{}: {} vertices, {:?}, {:.0} mm = √area, ready in {:.2} s",
            kind.name(),
            template.mesh().vertices().len(),
            template.ambiguity(),
            template.mesh().area().sqrt(),
            start.elapsed().as_secs_f64()
        );
        if let Some(folder) = &out {
            std::fs::create_dir_all(folder)?;
            write(&folder.join(format!("{}.obj", kind.name())), template.mesh())?;
        }
        measure(*kind, &template, n, mirrored, out.as_ref())?;
    }
    Ok(())
}

fn measure(
    kind: OrganKind,
    template: &SurfaceTemplate,
    n: u64,
    mirrored: bool,
    out: Option<&PathBuf>,
) -> std::io::Result<()> {
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let (mut wrong, mut seconds, mut doubts) = (0, 0.0, Vec::new());
    let mut errors = [Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for index in 0..n {
        let mut made = organ_scan(kind, SEED, index, &OrganConditions::default());
        if mirrored {
            made.mesh = image(&made.mesh)?;
        }
        if let Some(folder) = out {
            write(&folder.join(format!("{}-{index}.obj", kind.name())), &made.mesh)?;
            write(&folder.join(format!("{}-{index}-truth.obj", kind.name())), &truth(template, &made))?;
        }
        let start = cpu_seconds();
        let found = template.register(&made.mesh, None, &SurfaceSettings::default());
        seconds += cpu_seconds() - start;
        match found {
            Err(error) => *refused.entry(error.to_string()).or_default() += 1,
            Ok(found) => {
                let [along, across, all] = off(template, &made, &found);
                if all > WRONG * template.mesh().area().sqrt() {
                    wrong += 1;
                } else {
                    errors[0].push(along);
                    errors[1].push(across);
                    errors[2].push(all);
                    errors[3].push(found.min_jacobian);
                    errors[4]
                        .push(found.landed.iter().filter(|l| **l).count() as f64 / found.landed.len() as f64);
                }
                doubts.push(found.doubt);
            }
        }
    }
    let registered = n - refused.values().sum::<u64>();
    let mean = |v: &Vec<f64>| v.iter().sum::<f64>() / v.len().max(1) as f64;
    let most = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
    println!(
        "  {registered} of {n} registered, {wrong} wrong; {:.2} CPU s each; along {:.2} mm, across {:.2}, root mean square {:.2} (most {:.2}); least jacobian {:.2}; landed {:.3}; doubt {:.2} (most {:.2})",
        seconds / n as f64,
        mean(&errors[0]),
        mean(&errors[1]),
        mean(&errors[2]),
        most(&errors[2]),
        errors[3].iter().copied().fold(f64::INFINITY, f64::min),
        mean(&errors[4]),
        mean(&doubts),
        most(&doubts),
    );
    refused.iter().for_each(|(why, count)| println!("  {count}: {why}"));
    Ok(())
}

fn truth(template: &SurfaceTemplate, made: &OrganScan) -> TriMesh {
    TriMesh::new(made.truth.clone(), template.mesh().triangles().to_vec()).unwrap_or_default()
}

/// The mirror image, its sides outwards: every one that is registered is in a wrong pose.
fn image(mesh: &TriMesh) -> std::io::Result<TriMesh> {
    let vertices = mesh.vertices().iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriMesh::new(vertices, triangles).map_err(std::io::Error::other)
}

/// Root mean square distance to the true places along the skin, along its normal, and in all, in millimetres of the organ.
fn off(template: &SurfaceTemplate, made: &OrganScan, found: &RegisteredSurface) -> [f64; 3] {
    let back = found.pose.inverse();
    let normals = truth(template, made).vertex_normals();
    let places = found.vertices.iter().map(|p| back.apply(p));
    let (mut along, mut across) = (0.0, 0.0);
    for ((p, q), n) in places.zip(&made.truth).zip(&normals) {
        let off = (p - q) / made.similarity.scale;
        across += off.dot(n).powi(2);
        along += off.norm_squared() - off.dot(n).powi(2);
    }
    let n = normals.len() as f64;
    [along, across, along + across].map(|sum| (sum / n).sqrt())
}

fn write(path: &std::path::Path, mesh: &TriMesh) -> std::io::Result<()> {
    let place = |p: &Point| format!("v {} {} {}\n", p.x, p.y, p.z);
    let corner = |t: &[usize; 3]| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    let text: String = mesh.vertices().iter().map(place).chain(mesh.triangles().iter().map(corner)).collect();
    std::fs::write(path, text)
}

/// Seconds of the processor this thread has had (Linux; 0 elsewhere).
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
