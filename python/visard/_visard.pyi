"""The extension module: arrays in, arrays and JSON out. The package's own functions check arguments first and are what to call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Indices = NDArray[np.int64]
_Told = Callable[[str, int, int], Any] | None
_Scan = str | tuple[_Floats, _Indices | None]

__all__ = [
    "Space",
    "Template",
    "__version__",
    "audit",
    "audit_names",
    "calibrate_gaussian",
    "calibrate_riemannian",
    "cloud_mesh",
    "compose",
    "convert",
    "disk_of",
    "explain",
    "face_compare",
    "face_mean",
    "face_modes",
    "face_plan",
    "face_predict",
    "face_regress",
    "face_sample",
    "functional_mean",
    "ledger",
    "list_scans",
    "optimize",
    "read_scan",
    "set_threads",
    "shape_compare",
    "shape_mean",
    "shape_modes",
    "shape_regress",
    "site_answer",
    "site_close",
    "site_key",
    "site_plan",
    "site_verify",
    "spd_mean",
    "vector_mean",
    "verify",
    "write_ply",
]

__version__: str

@final
class Space:
    def __new__(cls, name: str, size: int) -> Space: ...
    @property
    def dim(self) -> int: ...
    @property
    def width(self) -> int: ...
    def dist(self, p: _Floats, q: _Floats) -> _Floats: ...
    def exp(self, v: _Floats, p: _Floats) -> _Floats: ...
    def log(self, q: _Floats, p: _Floats) -> _Floats: ...
    def complaint(self, p: _Floats) -> tuple[int, str] | None: ...
    def frechet_mean(
        self, points: _Floats, weights: _Floats | None, tolerance: float, most: int
    ) -> tuple[_Floats, float, int]: ...

@final
class Template:
    def __new__(cls, path: str | None = None) -> Template: ...
    @property
    def vertices(self) -> _Floats: ...
    @property
    def triangles(self) -> _Indices: ...
    @property
    def nose_tip(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    def curves(self, curves: int, samples: int) -> _Floats: ...
    def register(
        self, scan: _Scan, registration: str, crop_radius: float | None
    ) -> tuple[_Floats, float, float, str]: ...
    def prepare(
        self,
        scans: Sequence[_Scan],
        registration: str,
        crop_radius: float | None,
        curves: int,
        samples: int,
        progress: _Told,
    ) -> tuple[_Floats, list[str]]: ...

def set_threads(threads: int) -> None: ...
def read_scan(path: str) -> tuple[_Floats, _Indices | None]: ...
def write_ply(path: str, vertices: _Floats, triangles: _Indices) -> None: ...
def list_scans(paths: Sequence[str]) -> list[Any]: ...
def cloud_mesh(points: _Floats) -> _Indices: ...
def disk_of(vertices: _Floats, triangles: _Indices, repair: bool) -> tuple[_Floats, str, str | None]: ...
def convert(mu: float | None, epsilon: float | None, delta: float | None) -> tuple[float, float, float]: ...
def compose(
    mu: Sequence[float],
    epsilon: Sequence[float],
    epsilon_delta: Sequence[tuple[float, float]],
    rho: Sequence[float],
    delta: float,
) -> tuple[str, float]: ...
def calibrate_gaussian(epsilon: float, delta: float, sensitivity: float, calibration: str) -> float: ...
def calibrate_riemannian(
    manifold: str, dim: int, sensitivity: float, mu: float | None, sigma: float | None
) -> tuple[float, float]: ...
def audit_names() -> list[str]: ...
def audit(mechanism: str, runs: int | None, parameter: float, seed: int) -> str: ...
def explain(certificate: str) -> str: ...
def ledger(path: str, delta: float) -> str: ...
def verify(release: str, ledger: str | None, key: str | None) -> str: ...
def face_mean(
    common: Mapping[str, Any],
    inputs: Mapping[str, Any],
    mechanism: str,
    clip_radius: float | None,
    band: bool,
    units: str | None,
    prior: str | None,
    progress: _Told,
) -> str: ...
def face_modes(
    common: Mapping[str, Any], inputs: Mapping[str, Any], modes: int, with_mean: bool, progress: _Told
) -> str: ...
def face_regress(
    common: Mapping[str, Any],
    inputs: Mapping[str, Any],
    covariates: str,
    bounds: Sequence[str],
    levels: Sequence[str],
    splines: Sequence[str],
    progress: _Told,
) -> str: ...
def face_compare(
    common: Mapping[str, Any], inputs: Mapping[str, Any], groups: str, want: str, progress: _Told
) -> str: ...
def face_predict(release: str, at: Sequence[str], template: str | None, out: str) -> float: ...
def face_sample(release: str, count: int, template: str | None, seed: int, out: str) -> None: ...
def shape_mean(
    common: Mapping[str, Any], points: Mapping[str, Any], specimens: Mapping[str, Any], band: bool, smooth: str
) -> str: ...
def shape_modes(common: Mapping[str, Any], specimens: Mapping[str, Any], modes: int) -> str: ...
def shape_regress(
    common: Mapping[str, Any],
    specimens: Mapping[str, Any],
    covariates: str | None,
    bounds: Sequence[str],
    levels: Sequence[str],
    splines: Sequence[str],
    size_bounds: tuple[float, float] | None,
) -> str: ...
def shape_compare(common: Mapping[str, Any], specimens: Mapping[str, Any], groups: str, want: str) -> str: ...
def spd_mean(
    common: Mapping[str, Any],
    points: Mapping[str, Any],
    file: str,
    metric: str,
    center: str | None,
    private_center: bool,
    radius: float | None,
    first_radius: float | None,
    descriptor_order: int | None,
) -> str: ...
def vector_mean(
    common: Mapping[str, Any],
    points: Mapping[str, Any],
    file: str,
    space: str,
    center: str | None,
    private_center: bool,
    radius: float | None,
    first_radius: float | None,
) -> str: ...
def face_plan(plan: Mapping[str, Any]) -> str: ...
def functional_mean(common: Mapping[str, Any], functions: Mapping[str, Any]) -> str: ...
def site_key(file: str) -> Any: ...
def site_plan(agreed: Mapping[str, Any]) -> str: ...
def site_answer(
    common: Mapping[str, Any],
    inputs: Mapping[str, Any],
    public: str,
    site: str,
    key: str | None,
    groups: str | None,
    pooled: bool,
    progress: _Told,
) -> str: ...
def site_verify(
    common: Mapping[str, Any],
    public: str,
    aggregator: str,
    key: str,
    inbox: list[str],
    without: list[str],
    template: str | None,
) -> str: ...
def site_close(
    public: str,
    inbox: list[str],
    without: list[str],
    template: str | None,
    out: str,
    pooled: bool,
    force: bool,
) -> str: ...
def optimize(
    common: Mapping[str, Any],
    file: str,
    task: str,
    space: str | None,
    rank: int | None,
    descent: Mapping[str, Any],
    progress: _Told,
) -> str: ...
