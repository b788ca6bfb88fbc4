"""Differentially private shapes and surfaces.

Private averages, modes of variation, regressions and comparisons of faces and other shapes, with a certificate of what they guarantee; and
the geometry under them: scans, meshes, disk maps, registration, Riemannian manifolds.

    import visard
    release = visard.face_mean("scans/", mu=1, out="study", progress=True)
    print(release.certificate.explain())
    release.to_trimesh().show()

Every private statistic charges a ledger before any noise is drawn, writes the folder that the command of the same name writes, and for the
same seed the same release.
"""

from ._errors import BudgetError, InputError, NotConvergedError, RecordsWarning, VisardError
from ._faces import face_compare, face_mean, face_modes, face_predict, face_regress, face_sample
from ._functions import functional_mean
from ._geometry import DiskMap, Mesh, Prepared, Registered, Template, flatten, mesh, prepare, read_scan, register
from ._inputs import StudyOptions
from ._manifolds import Hyperbolic, Kendall, Manifold, Spd, Sphere
from ._plans import face_plan
from ._points import hyperbolic_mean, optimize, spd_mean, sphere_mean
from ._privacy import (
    Calibrated,
    Certificate,
    Composed,
    Guarantee,
    Ledger,
    Mu,
    audit,
    audit_names,
    calibrate,
    compose,
    convert,
    verify,
)
from ._release import (
    FaceComparison,
    FaceMean,
    FaceModes,
    FaceRegression,
    FunctionalMean,
    PointMean,
    Release,
    ShapeComparison,
    ShapeMean,
    ShapeModes,
    ShapeRegression,
    Solution,
)
from ._shapes import ShapeOptions, shape_compare, shape_mean, shape_modes, shape_regress
from ._sites import SiteRound, site_key, site_merge, site_plan, site_share, site_sum, site_unshare, site_verify
from ._visard import __version__, set_threads

__all__ = [
    "BudgetError",
    "Calibrated",
    "Certificate",
    "Composed",
    "DiskMap",
    "FaceComparison",
    "FaceMean",
    "FaceModes",
    "FaceRegression",
    "FunctionalMean",
    "Guarantee",
    "Hyperbolic",
    "InputError",
    "Kendall",
    "Ledger",
    "Manifold",
    "Mesh",
    "Mu",
    "NotConvergedError",
    "PointMean",
    "Prepared",
    "RecordsWarning",
    "Registered",
    "Release",
    "ShapeComparison",
    "ShapeMean",
    "ShapeModes",
    "ShapeOptions",
    "ShapeRegression",
    "SiteRound",
    "Solution",
    "Spd",
    "Sphere",
    "StudyOptions",
    "Template",
    "VisardError",
    "__version__",
    "audit",
    "audit_names",
    "calibrate",
    "compose",
    "convert",
    "face_compare",
    "face_mean",
    "face_modes",
    "face_plan",
    "face_predict",
    "face_regress",
    "face_sample",
    "flatten",
    "functional_mean",
    "hyperbolic_mean",
    "mesh",
    "optimize",
    "prepare",
    "read_scan",
    "register",
    "set_threads",
    "shape_compare",
    "shape_mean",
    "shape_modes",
    "shape_regress",
    "site_key",
    "site_merge",
    "site_plan",
    "site_share",
    "site_sum",
    "site_unshare",
    "site_verify",
    "spd_mean",
    "sphere_mean",
    "verify",
]
