//! tmp
fn main() {
    for f in std::env::args().skip(1) {
        let s = visard::io::read_scan(f.as_ref()).unwrap();
        let (n, t) = (s.vertices.len(), s.triangles.unwrap_or_default());
        let m = visard::mesh::TriMesh::new(s.vertices, t).unwrap();
        let d = match visard::mesh::DiskMesh::try_new(m) {
            Ok(d) => d,
            Err(e) => {
                println!("{f}: {e}");
                continue;
            }
        };
        let mut best = f64::INFINITY;
        let mut map = None;
        for _ in 0..3 {
            let s = std::time::Instant::now();
            map = Some(visard::conformal::disk_map(&d));
            best = best.min(s.elapsed().as_secs_f64());
        }
        match map.unwrap() {
            Ok(map) => {
                let q = visard::conformal::quality(&d, &map);
                println!("{f} n={n} nb={} {best:.4}s {q:?}", d.boundary().len());
                let data: Vec<f64> = map.z.iter().flat_map(|z| [z.re, z.im]).collect();
                visard::io::write_npy("/tmp/exp/map.npy".as_ref(), &[n, 2], &data).unwrap();
            }
            Err(e) => println!("{f}: {e}"),
        }
    }
}
