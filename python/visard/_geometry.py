"""Scans, meshes, disk maps and registration: no privacy here, every scan on its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _visard
from ._arrays import Array, PathLike, as_path, indices, is_path, numbers
from ._errors import InputError
from ._progress import Progress, watch

if TYPE_CHECKING:
    import pyvista
    import trimesh

__all__ = ["DiskMap", "Mesh", "Prepared", "Registered", "ScanLike", "Template", "flatten", "mesh", "prepare", "read_scan", "register"]

#: A file, a :class:`Mesh`, points (n, 3), a pair (vertices, triangles), or anything with `vertices` and `faces` (a trimesh).
ScanLike: TypeAlias = Union[PathLike, "Mesh", ArrayLike, Any]

#: Face radial curves of a record, and samples on each.
CURVES, SAMPLES = 23, 80


@dataclass(frozen=True, repr=False)
class Mesh:
    """A triangle mesh, or a bare point cloud. The order of vertices is that of the file: never merged, dropped or reordered."""

    #: (V, 3), in the units of the file.
    vertices: Array
    #: (F, 3), vertex numbers from 0, counter-clockwise from outside; None for a bare point cloud.
    triangles: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        what = "bare points" if self.triangles is None else f"{len(self.triangles)} triangles"
        return f"Mesh({len(self.vertices)} vertices, {what})"

    def _faces(self) -> NDArray[np.int64]:
        if self.triangles is None:
            raise InputError("mesh: is a bare point cloud; visard.mesh(points) makes triangles")
        return self.triangles

    def save(self, path: PathLike) -> None:
        """Writes a binary PLY file."""
        _visard.write_ply(as_path("path", path), self.vertices, self._faces())

    def to_trimesh(self) -> trimesh.Trimesh:
        """As a trimesh (where that is installed), vertices as they are."""
        import trimesh

        return trimesh.Trimesh(self.vertices, self._faces(), process=False)

    def to_pyvista(self) -> pyvista.PolyData:
        """As a PyVista mesh (where that is installed)."""
        import pyvista

        return pyvista.PolyData.from_regular_faces(self.vertices, self._faces())


@dataclass(frozen=True)
class DiskMap:
    """A disk-conformal map of a mesh."""

    #: (V, 2): where every vertex lies in the closed unit disk; NaN for vertices that repairs dropped.
    points: Array
    #: How conformal it is: angle_distortion_deg {mean, median, sd}, beltrami {mean, max}, flipped_triangles.
    quality: dict[str, Any]
    #: What was repaired first, in words.
    repairs: str | None


@dataclass(frozen=True)
class Registered:
    """A template brought onto a scan."""

    #: The template's triangles, its vertices at their places on the scan, in the scan's coordinates.
    mesh: Mesh
    #: The share of vertices that lie on the scan; the others, where there is none, continue smoothly.
    on_scan: float
    #: Root-mean-square distance of those from the scan, in its units.
    distance: float
    #: What was repaired first, in words.
    repairs: str


@dataclass(frozen=True, repr=False)
class Prepared:
    """Records of a study of faces."""

    #: (n, J, m, 3): unit-area faces in the template's frame; the template itself where a scan could not be processed.
    curves: Array
    #: What was wrong with each scan; None: nothing. Do not publish.
    problems: list[str | None]

    @property
    def failed(self) -> int:
        """How many scans could not be processed. Do not publish."""
        return sum(problem is not None for problem in self.problems)

    def __repr__(self) -> str:
        n, curves, samples, _ = self.curves.shape
        return f"Prepared({n} records of {curves} curves of {samples} samples, {self.failed} scans failed)"


def read_scan(path: PathLike) -> Mesh:
    """Reads a scan: PLY, OBJ, STL, and points as CSV, XYZ or NPY.

    Raises :class:`InputError`, naming the file and the place in it.
    """
    vertices, triangles = _visard.read_scan(as_path("path", path))
    return Mesh(vertices, triangles)


def mesh(points: ArrayLike) -> Mesh:
    """A Delaunay mesh, one disk, of a bare point cloud (n, 3); vertices are the points, in their order."""
    cloud = numbers("points", points, ("n", 3))
    return Mesh(cloud, _visard.cloud_mesh(cloud))


def flatten(scan: ScanLike, *, repair: bool = False) -> DiskMap:
    """The disk-conformal map of a mesh that is a disk: one piece, one border, no handles.

    The surface's area is balanced around 0, and the first vertex on the border is at 1. `repair` fills holes, drops debris and cuts small
    handles first. Raises :class:`InputError` for a mesh that is no disk.
    """
    given = _in_memory("scan", scan)
    points, quality, repairs = _visard.disk_of(given.vertices, given._faces(), bool(repair))
    return DiskMap(points, json.loads(quality), repairs)


class Template:
    """The public template face: the built-in one, or that of a mesh file, whose nose tip is found.

    >>> import visard
    >>> visard.Template().curves().shape
    (23, 80, 3)
    """

    def __init__(self, path: PathLike | None = None) -> None:
        self._path = None if path is None else as_path("path", path)
        self._template = _visard.Template(self._path)

    @property
    def mesh(self) -> Mesh:
        """The face."""
        return Mesh(self._template.vertices, self._template.triangles)

    @property
    def nose_tip(self) -> int:
        """The number of the nose-tip vertex."""
        return self._template.nose_tip

    @property
    def sha256(self) -> str:
        """What certificates know it by."""
        return self._template.sha256

    def curves(self, curves: int = CURVES, samples: int = SAMPLES) -> Array:
        """Its own face radial curves (J, m, 3): centred, of unit area."""
        return self._template.curves(curves, samples).reshape(curves, samples, 3)

    def __repr__(self) -> str:
        return "Template()" if self._path is None else f"Template({self._path!r})"


def register(
    scan: ScanLike,
    template: Template | PathLike | None = None,
    *,
    registration: str = "elastic",
    crop_radius: float | None = None,
) -> Registered:
    """Where the template's vertices lie on a scan: dense correspondence.

    `registration`: "elastic" or "srnf". `crop_radius`: how much is kept around the nose tip of a bust, in units of the template. A landmark
    file beside a scan's file is used. Raises :class:`InputError` for a scan that cannot be registered.
    """
    own = _template(template)
    positions, on_scan, distance, repairs = own._template.register(_given("scan", scan), registration, crop_radius)
    return Registered(Mesh(positions, own._template.triangles), on_scan, distance, repairs)


def prepare(
    scans: PathLike | Iterable[ScanLike],
    template: Template | PathLike | None = None,
    *,
    registration: str = "elastic",
    crop_radius: float | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    progress: Progress = False,
) -> Prepared:
    """Scans made records, each on its own: what :func:`face_mean` and its kin take as `scans`.

    `scans`: a folder, or files, meshes, arrays. A scan that cannot be processed contributes zero to a study. `progress`: True for a bar, or a
    function of (what, done, total).
    """
    items = list(_visard.list_scans([as_path("scans", scans)])) if is_path(scans) else _items(scans)
    given = [_given(f"scans[{i}]", item) for i, item in enumerate(items)]
    own = _template(template)
    with watch(progress) as shown:
        data, problems = own._template.prepare(given, registration, crop_radius, curves, samples, shown)
    return Prepared(data.reshape(-1, curves, samples, 3), [problem or None for problem in problems])


def _items(scans: Any) -> Sequence[ScanLike]:
    try:
        items = list(scans)
    except TypeError:
        raise InputError(f"scans: expected a folder or a list of scans, not {type(scans).__name__}") from None
    if not items:
        raise InputError("scans: is empty")
    return items


def _template(template: Template | PathLike | None) -> Template:
    return template if isinstance(template, Template) else Template(template)


def _given(name: str, scan: ScanLike) -> Any:
    """A file as it is; anything else as a pair of arrays."""
    if is_path(scan):
        return as_path(name, scan)
    found = _in_memory(name, scan)
    return found.vertices, found.triangles


def _in_memory(name: str, scan: Any) -> Mesh:
    vertices: Any
    triangles: Any
    if isinstance(scan, Mesh):
        vertices, triangles = scan.vertices, scan.triangles
    elif is_path(scan):
        return read_scan(scan)
    elif hasattr(scan, "vertices") and hasattr(scan, "faces"):
        vertices, triangles = scan.vertices, scan.faces
    elif isinstance(scan, tuple) and len(scan) == 2:
        vertices, triangles = scan
    else:
        vertices, triangles = scan, None
    points = numbers(f"{name}: vertices", vertices, ("V", 3))
    return Mesh(points, None if triangles is None else indices(f"{name}: triangles", triangles, 3))
