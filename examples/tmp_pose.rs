//! tmp
use visard::mesh::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let t = visard::io::read_scan(args.next().unwrap().as_ref()).unwrap();
    let nose: usize = args.next().unwrap().parse().unwrap();
    let tm = TriMesh::new(t.vertices, t.triangles.unwrap()).unwrap();
    let t0 = std::time::Instant::now();
    let pt = PoseTemplate::new(&tm, nose, Vector::z()).unwrap();
    println!("template {:.4}", t0.elapsed().as_secs_f64());
    for f in args {
        let s = visard::io::read_scan(f.as_ref()).unwrap();
        let m = match s.triangles {
            Some(t) => TriMesh::new(s.vertices, t).unwrap(),
            None => mesh_from_points(&s.vertices).unwrap(),
        };
        let t0 = std::time::Instant::now();
        let r = pt.find(&m);
        let dt = t0.elapsed().as_secs_f64();
        let l = visard::io::landmarks::read(&std::path::Path::new(&f).with_file_name("landmarks.csv"));
        match r {
            Err(e) => println!("{f}: {e} {dt:.3}"),
            Ok(p) => {
                let n = m.vertices()[p.nose];
                let d = l
                    .ok()
                    .and_then(|l| visard::io::landmarks::nose_tip(&l))
                    .map(|q| (q - n).norm() / p.similarity.scale);
                println!(
                    "{} misfit {:.4} nose {:?} err {:?} {dt:.3}s scale {:.4}",
                    &f[f.len() - 26..],
                    p.misfit,
                    n.coords.as_slice(),
                    d,
                    p.similarity.scale
                );
            }
        }
    }
}
