//! tmp
use visard::report::render::*;
fn main() {
    let m = visard::synth::builtin_template();
    println!("{} {}", m.vertices().len(), m.triangles().len());
    let im = Image::beside(&[
        render(m, View::FRONT, CLAY),
        render(m, View::THREE_QUARTER, CLAY),
        render(m, View::PROFILE, CLAY),
    ]);
    std::fs::write("/tmp/exp/template.png", im.to_png().unwrap()).unwrap();
    let ims: Vec<Image> = (0..4)
        .map(|i| {
            let mut r = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(i);
            render(
                &visard::synth::FaceParameters::sample(&mut r).mesh(),
                View { size: 360, ..View::FRONT },
                CLAY,
            )
        })
        .collect();
    std::fs::write("/tmp/exp/pop.png", Image::beside(&ims).to_png().unwrap()).unwrap();
}
