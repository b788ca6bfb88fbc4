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
    /// Standard deviation of a node's distance to the scan along the normal, first and last step, for a node that stands for
    /// 23 square millimetres; it bounds how far
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
    /// Where the scan may end.
    pub border: BorderModel,
    /// How strongly neighbouring offsets to the scan's surface are held together at the end: against noise, and to carry
    /// them on beyond the scan.
    pub stiffness: f64,
    /// How far unusual faces are followed; `None` pulls every step towards the template.
    pub following: Option<Following>,
}

/// The share of the displacement found so far about which the next step on the same basis is regularized: it rises from 0 to 1 with both of two
/// quantities, and is the product.
#[derive(Debug, Clone, PartialEq)]
pub struct Following {
    /// Of the mean square of the displacement's coefficients, 1 for a draw of the kernel: where the rise begins and ends. Some .02 for the people a
    /// template is the mean of, .2 for faces that everybody would call unusual.
    pub departure: (f64, f64),
    /// The same over the mean square distance of the nodes to the scan's planes (square nominal millimetres): how the displacement stands out
    /// against noise and shapes that the kernel does not know.
    pub signal: (f64, f64),
    /// How many times more every step with all functions is solved, about what it gave: the equations stay, so it costs next to nothing, and fewer steps
    /// follow as far.
    pub again: usize,
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

/// The depth by which the scan ends inside the template's border (negative: outside): a smooth random function along the
/// border. It is solved for with the displacement, so a cropped scan pulls at nothing, while the course of the border tells
/// what the normals cannot: how far the outskirts of the face have moved along the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct BorderModel {
    /// Standard deviation of its mean.
    pub mean: f64,
    /// Standard deviation about the mean where that is 0, growth with every unit of the mean, and most: a scan of all of the template ends as it does,
    /// one that was cut elsewhere was cut by another rule.
    pub spread: (f64, f64, f64),
    /// The same of mean and spread for a scan that seems to end where the template does, since that makes what is seen much likelier: so much is
    /// left open, as it may be cut evenly by a little. `None`: that is never believed.
    pub alike: Option<(f64, f64)>,
    /// Its highest frequency, in periods along the whole border; variances fall with the square of the frequency.
    pub harmonics: usize,
    /// Standard deviation of what is not smooth, point by point of the rim, 3 apart.
    pub noise: f64,
    /// Points of the rim that lie farther than this from the template's border tell nothing of it: there the scan was cut through the face, or the
    /// rest was not seen from the scanner's side.
    pub reach: f64,
    /// Deviations outwards beyond this count less and less (Cauchy weights).
    pub robust: f64,
    /// And inwards: the rim of a scan has dents where its last points are sparse, but no points where there was no face.
    pub dents: f64,
}

impl BorderModel {
    /// The standard deviation about a mean depth.
    pub(super) fn spread(&self, mean: f64) -> f64 {
        let (least, growth, most) = self.spread;
        (least + growth * mean.abs()).min(most)
    }
}

impl Default for ElasticSettings {
    fn default() -> Self {
        Self {
            nodes: 1300,
            kernel: DisplacementKernel::default(),
            steps: (3, 2),
            sigma: (5.0, 2.0),
            reach: (25.0, 6.0),
            robust: 1.2,
            normal_weight: 12.0,
            least_cosine: 0.5,
            border: BorderModel::default(),
            stiffness: 0.5,
            following: Some(Following::default()),
        }
    }
}

impl Default for Following {
    /// Chosen on twelve made-up and five SIMPOP and fifteen ICT people, ordinary and unusual (docs/measurements.md, "Bias towards the template").
    fn default() -> Self {
        Self { departure: (0.015, 0.045), signal: (0.15, 0.5), again: 1 }
    }
}

impl Default for DisplacementKernel {
    fn default() -> Self {
        Self {
            lengths: (10.0, 100.0),
            amplitude: 1.5,
            growth: 0.5,
            symmetry: 0.9,
            rank: (120, 40),
            coarse_rank: (50, 12),
        }
    }
}

impl Default for BorderModel {
    fn default() -> Self {
        Self {
            mean: 20.0,
            spread: (2.5, 0.4, 12.0),
            alike: Some((2.0, 1.0)),
            harmonics: 8,
            noise: 1.15,
            reach: 25.0,
            robust: 4.0,
            dents: 1.0,
        }
    }
}
