//! tmp
fn main() {
    for f in std::env::args().skip(1) {
        let s = visard::io::read_scan(f.as_ref()).unwrap();
        let t0 = std::time::Instant::now();
        match visard::mesh::mesh_from_points(&s.vertices) {
            Err(e) => println!("{f}: {e}"),
            Ok(m) => {
                let dt = t0.elapsed().as_secs_f64();
                let r = visard::mesh::topology(&m);
                println!(
                    "{f} {dt:.3}s chi {} loops {:?} comps {}",
                    r.euler_characteristic,
                    r.boundary_loops.iter().map(|l| l.vertices.len()).collect::<Vec<_>>(),
                    r.components.len()
                );
                visard::io::write_ply("/tmp/exp/mesh.ply".as_ref(), &m).unwrap();
                for (k, v) in
                    [(0, visard::report::render::View::FRONT), (1, visard::report::render::View::PROFILE)]
                {
                    std::fs::write(
                        format!("/tmp/exp/mesh{k}.png"),
                        visard::report::render::render(&m, v, visard::report::render::CLAY).to_png().unwrap(),
                    )
                    .unwrap();
                }
            }
        }
    }
}
