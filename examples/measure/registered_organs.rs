//! What registration does to a mean surface: `registered_organs N [KIND...]`. By kind of made-up organ: how far the true mean of N lies from the template;
//! how far the mean of registered scans lies from it, along the normal and along the surface, in mm, root mean square (the part of so few people taken
//! out); that over what `SurfaceTemplate::pull` expects; and the errors of single scans, over what it expects.

use std::error::Error;
use visard::estimate::prior::spectrum;
use visard::function::Harmonics;
use visard::function::shrink::SpectralPlace;
use visard::mesh::{Point, Similarity, Vector};
use visard::surface::any::{SurfaceSettings, SurfaceTemplate};
use visard::synth::{OrganConditions, OrganKind, organ_scan};

const SEED: u64 = 77;

/// Prints the table.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let n: u64 = words.first().map_or(Ok(60), |w| w.parse())?;
    for kind in
        OrganKind::ALL.iter().filter(|kind| words.len() < 2 || words[1..].iter().any(|w| w == kind.name()))
    {
        row(*kind, n)?;
    }
    Ok(())
}

fn row(kind: OrganKind, n: u64) -> Result<(), Box<dyn Error>> {
    let template = SurfaceTemplate::try_new(kind.template().clone())?;
    let mesh = template.mesh();
    let harmonics = Harmonics::new(mesh, 200)?;
    let of = |frequency| if frequency > 0.0 { spectrum(&SpectralPlace::from((0, frequency))) } else { 0.0 };
    let pull = template
        .pull(&harmonics, of, 0.025 * mesh.area().sqrt())
        .ok_or("no made-up surface is registered")?;
    let (areas, own) = (mesh.vertex_areas(), mesh.vertices());
    let (mut slips, mut truths): (Vec<Vec<Vector>>, Vec<Vec<Point>>) = (Vec::new(), Vec::new());
    for index in 0..n {
        let made = organ_scan(kind, SEED, index, &OrganConditions::default());
        let Ok(found) = template.register(&made.mesh, None, &SurfaceSettings::default()) else { continue };
        let pose = Similarity::fit(&made.truth, own, &areas).ok_or("no pose")?;
        let truth: Vec<Point> = made.truth.iter().map(|p| pose.apply(p)).collect();
        slips.push(found.vertices.iter().zip(&truth).map(|(p, q)| p - q).collect());
        truths.push(truth);
    }
    let count = slips.len() as f64;
    let mean = |v: usize| truths.iter().map(|t| t[v].coords).sum::<Vector>() / count;
    let truth = mesh.with_vertices((0..own.len()).map(|v| Point::from(mean(v))).collect())?;
    let normals = truth.vertex_normals();
    let total: f64 = areas.iter().sum();
    let (mut found, mut single, mut away, mut spread) = ([0.0; 2], [0.0; 2], 0.0, 0.0);
    for (v, normal) in normals.iter().enumerate() {
        let parts = |d: &Vector| [d.dot(normal).powi(2), d.norm_squared() - d.dot(normal).powi(2)];
        let slip = slips.iter().map(|s| s[v]).sum::<Vector>() / count;
        for k in 0..2 {
            let all = slips.iter().map(|s| parts(&s[v])[k]).sum::<f64>() / count;
            let scatter = slips.iter().map(|s| parts(&(s[v] - slip))[k]).sum::<f64>() / count / (count - 1.0);
            found[k] += areas[v] / total * (parts(&slip)[k] - scatter);
            single[k] += areas[v] / total * all;
        }
        away += areas[v] / total * (truth.vertices()[v] - own[v]).norm_squared();
        spread += areas[v] / total
            * truths.iter().map(|t| (t[v] - truth.vertices()[v]).norm_squared()).sum::<f64>()
            / count;
    }
    let (away, spread) = (away.sqrt(), spread.sqrt());
    let expected = [(pull.share.normal, pull.least.normal), (pull.share.along, pull.least.along)]
        .map(|(share, least)| least.hypot(share * away));
    let [normal, along] = found.map(|x: f64| x.max(0.0).sqrt());
    println!(
        "{:12} {count} of {n}; mean {away:.2} mm from the template, spread {spread:.2} ({:.3} of the size); mean off {normal:.2} normal, {along:.2} along, \
         found/expected {:.2} {:.2}; single {:.2} {:.2}, found/expected {:.2} {:.2}; shares {:.3} {:.3}, least {:.3} {:.3}",
        kind.name(),
        spread / mesh.area().sqrt(),
        normal / expected[0],
        along / expected[1],
        single[0].sqrt(),
        single[1].sqrt(),
        single[0].sqrt() / pull.single.normal,
        single[1].sqrt() / pull.single.along,
        pull.share.normal,
        pull.share.along,
        pull.least.normal,
        pull.least.along
    );
    Ok(())
}
