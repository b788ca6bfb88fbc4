//! What the elastic registration is told.

/// Settings of the elastic registration; one set serves every template and scan.
///
/// Lengths are nominal millimetres: the template is scaled so that √area = 180 of them, about a face's size.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticSettings {
    /// About how many vertices of the template carry the displacement and are matched.
    pub nodes: usize,
    /// How the displacement varies, and how finely it is resolved.
    pub kernel: DisplacementKernel,
    /// Gauss–Newton steps with the coarse basis, then with the full one.
    pub steps: (usize, usize),
    /// Standard deviation of a node's distance to the scan along the normal, first and last step; it bounds how far
    /// differences of shape the kernel does not know (and noise) can pull the nodes along the surface.
    pub sigma: (f64, f64),
    /// Scan farther away than this is no match, first and last step.
    pub reach: (f64, f64),
    /// Distances beyond this count less and less (Cauchy weights).
    pub robust: f64,
    /// What a unit of difference between normals counts in the search for matches.
    pub normal_weight: f64,
    /// Smallest cosine between the normals of a match.
    pub least_cosine: f64,
    /// Standard deviation of the depth by which the scan's border lies inside the template's, about its median, when the
    /// whole border is taken as one observation. Only this weak pull acts along the surface where the scan ends.
    pub border_sigma: f64,
    /// How strongly neighbouring offsets to the scan's surface are held together at the end: against noise, and to carry
    /// them on beyond the scan.
    pub stiffness: f64,
}

/// The covariance of the displacement: u(x) and u(y) have covariance k(‖x − y‖) I plus `symmetry` times that of the
/// mirror image, k a sum of Gaussians whose lengths form a geometric series (a power law over the scales between).
#[derive(Debug, Clone, PartialEq)]
pub struct DisplacementKernel {
    /// Shortest and longest length.
    pub lengths: (f64, f64),
    /// Standard deviation of the component of length 30.
    pub amplitude: f64,
    /// A component of length l has a standard deviation proportional to l to this power.
    pub growth: f64,
    /// Correlation of the two sides of the face, in [0, 1).
    pub symmetry: f64,
    /// Basis functions on each half face, of the symmetric part and of the asymmetric.
    pub rank: (usize, usize),
    /// Of these, used by the first steps.
    pub coarse_rank: (usize, usize),
}

impl Default for ElasticSettings {
    fn default() -> Self {
        Self {
            nodes: 1400,
            kernel: DisplacementKernel::default(),
            steps: (6, 2),
            sigma: (9.0, 2.0),
            reach: (25.0, 6.0),
            robust: 1.5,
            normal_weight: 20.0,
            least_cosine: 0.5,
            border_sigma: 1.5,
            stiffness: 0.5,
        }
    }
}

impl Default for DisplacementKernel {
    fn default() -> Self {
        Self {
            lengths: (8.0, 140.0),
            amplitude: 1.5,
            growth: 0.66,
            symmetry: 0.5,
            rank: (120, 40),
            coarse_rank: (50, 12),
        }
    }
}
