//! Laws of the made-up organs.

use super::*;
use crate::mesh::{FootFinder, TriMesh, topology};

#[test]
fn templates_and_scans_are_clean_and_lie_on_one_another() {
    for kind in OrganKind::ALL {
        let template = kind.template();
        let borders = usize::from(kind == OrganKind::Ear);
        let clean = |mesh: &TriMesh| {
            let report = topology(mesh);
            assert_eq!((report.genus, report.boundary_loops.len()), (Some(0), borders), "{kind:?}");
            assert!(report.degenerate_triangles.is_empty() && report.unused_vertices.is_empty(), "{kind:?}");
        };
        clean(template);
        let n = template.vertices().len();
        assert!((1500..5500).contains(&n), "{kind:?}: {n}");
        let scan = || organ_scan(kind, 5, 0, &OrganConditions::default());
        let made = scan();
        clean(&made.mesh);
        // The template's vertices lie on the scan, up to its edges and noise.
        let finder = FootFinder::new(made.mesh.clone()).unwrap();
        let off = made.truth.iter().map(|p| (finder.closest(p).point - p).norm_squared()).sum::<f64>();
        let off = (off / n as f64).sqrt() / kind.spacing();
        assert!(off < 0.2, "{kind:?}: {off} of an edge");
        if kind == OrganKind::Liver {
            assert_eq!(made.mesh, scan().mesh);
        }
    }
}
