"""What studies return: the arrays of a release, its certificate, its folder."""

from __future__ import annotations

import csv
import json
import shutil
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Array, PathLike, as_path
from ._errors import InputError, VisardError
from ._geometry import Mesh, read_scan
from ._privacy import Certificate

if TYPE_CHECKING:
    import pandas
    import pyvista
    import trimesh

__all__ = [
    "FaceComparison",
    "FaceMean",
    "FaceModes",
    "FaceRegression",
    "FunctionComparison",
    "FunctionModes",
    "FunctionRegression",
    "FunctionalMean",
    "PointComparison",
    "PointMean",
    "PointModes",
    "PointRegression",
    "Release",
    "ShapeComparison",
    "ShapeMean",
    "ShapeModes",
    "ShapeRegression",
    "Solution",
    "SurfaceComparison",
    "SurfaceMean",
    "SurfaceModes",
    "SurfaceRegression",
]


class Release:
    """A release, or with `mechanism="none"` a mean without noise, which is only for the data holder.

    Arrays are read from the files of its folder when they are asked for: what is published is exactly what is seen here.
    """

    #: The study's folder.
    folder: Path
    #: What the run said: n, accuracy and the like. `secret` in it is for the data holder only.
    summary: dict[str, Any]

    def __init__(self, summary: dict[str, Any], keep: Any = None) -> None:
        self.folder = Path(summary["out"])
        self.summary = summary
        # A temporary folder lives as long as this.
        self._keep = keep

    @property
    def released(self) -> bool:
        """Whether anything was released."""
        return self.path.is_dir()

    @property
    def path(self) -> Path:
        """The folder that may be published, where the certificate says so."""
        return self.folder / "release"

    @property
    def certificate(self) -> Certificate:
        """What is guaranteed. Raises :class:`VisardError` where nothing was released."""
        if not self.released:
            raise VisardError("nothing was released (mechanism=\"none\"): there is no certificate")
        return Certificate(self.path)

    @property
    def n(self) -> int:
        """How many people."""
        return self.summary["n"]

    @property
    def accuracy(self) -> dict[str, Any] | None:
        """How good it is, from the release alone."""
        return self.summary.get("accuracy")

    @property
    def files(self) -> list[str]:
        """The files of the release."""
        return sorted(p.relative_to(self.path).as_posix() for p in self.path.rglob("*") if p.is_file())

    def array(self, name: str) -> Array:
        """An array of the release by the name of its file, as in "curves" for curves.npy."""
        file = self.path / f"{name}.npy"
        if not file.is_file():
            known = [f.removesuffix(".npy") for f in self.files if f.endswith(".npy")]
            raise InputError(f"name: the release has no array {name!r}, but {', '.join(known) or 'none'}")
        return np.load(file)

    def _optional(self, name: str) -> Array | None:
        return self.array(name) if (self.path / f"{name}.npy").is_file() else None

    def _mean_array(self, name: str) -> Array:
        return self.array(name) if self.released else np.load(self.folder / "internal" / f"nonprivate_{name}.npy")

    def save(self, folder: PathLike) -> Path:
        """Copies the study's folder, as the command writes it: release/ may be published, internal/ may not. The ledger stays where it is.

        Raises :class:`InputError` where the folder exists.
        """
        target = Path(as_path("folder", folder))
        if target.exists():
            raise InputError(f"folder: {target} exists; choose another")
        shutil.copytree(self.folder, target, ignore=shutil.ignore_patterns(".visard.lock"))
        return target

    def _repr_html_(self) -> str:
        page = (self.path if self.released else self.folder / "internal") / "report.html"
        if not page.is_file():
            return f"<pre>{escape(repr(self))}</pre>"
        # In one line: Markdown, into which notebooks are exported, takes an empty line for the end of the element.
        source = escape(page.read_text("utf-8")).replace("\n", "&#10;")
        return f'<iframe srcdoc="{source}" title="the release\'s page" width="100%" height="640" style="border:0"></iframe>'

    def __repr__(self) -> str:
        name = type(self).__name__
        if not self.released:
            return f"{name}(n={self.n}, without privacy, for the data holder only, {str(self.folder)!r})"
        certificate = self.certificate
        private = "" if certificate.private else ", NOT PRIVATE"
        return f"{name}(n={self.n}, {certificate['mechanism']}, {certificate['loss']}{private}, {str(self.folder)!r})"


class _Face(Release):
    @property
    def mesh(self) -> Mesh:
        """The mean face."""
        file = self.path / "mean.ply" if self.released else self.folder / "internal" / "nonprivate_mean.ply"
        return read_scan(file)

    def to_trimesh(self) -> trimesh.Trimesh:
        """The mean face as a trimesh (where that is installed)."""
        return self.mesh.to_trimesh()

    def to_pandas(self) -> pandas.DataFrame:
        """The mean face as a table (where pandas is installed): x, y, z of every vertex, and its error where there is one."""
        found = _table(self.mesh.vertices)
        error = self._optional("error") if self.released else None
        return found if error is None else found.assign(error=error)

    def to_pyvista(self) -> pyvista.PolyData:
        """The mean face as a PyVista mesh (where that is installed), its error as point data."""
        found = self.mesh.to_pyvista()
        error = self._optional("error") if self.released else None
        if error is not None:
            found.point_data["error"] = error
        return found


class FaceMean(_Face):
    """A mean face."""

    @property
    def curves(self) -> Array:
        """(J, m, 3): its curves, in the frame of the records, unit area."""
        return self._mean_array("curves")

    @property
    def error(self) -> Array | None:
        """(V,): root-mean-square error at every vertex of :attr:`mesh`, bias included."""
        return self._optional("error")

    @property
    def band(self) -> Array | None:
        """(2, J, m, 3): lower and upper end of the 95 % band for the population's mean, with band=True."""
        return self._optional("band")


class FaceModes(_Face):
    """Modes of variation, with the mean."""

    @property
    def curves(self) -> Array:
        """(J, m, 3): the mean."""
        return self.array("curves")

    @property
    def error(self) -> Array | None:
        """(V,): root-mean-square error at every vertex of :attr:`mesh`, bias included, with with_mean=True; the mean that comes with the modes
        alone has none."""
        return self._optional("error")

    @property
    def modes(self) -> Array:
        """(K, J, m, 3): one standard deviation of each mode."""
        return self.array("modes")

    @property
    def variances(self) -> list[dict[str, float]]:
        """Each mode's variance, with its 95 % interval and its share."""
        return _variances(self.path)


class FaceRegression(_Face):
    """Faces on covariates."""

    @property
    def band(self) -> Array | None:
        """(2, columns, …): lower and upper end of the 95 % bands of the columns' fields, simultaneous over all numbers of one; None in releases of
        older versions."""
        return self._optional("band")

    @property
    def fields(self) -> Array:
        """(1 + covariates, J, m, 3): the face at the reference values, and what every column adds; see summary["fields"]."""
        return self.array("fields")

    @property
    def names(self) -> list[str]:
        """What the fields are: "reference", the face at the reference values, then the columns' names."""
        return ["reference", *(field["column"] for field in self.summary["fields"])]


class PointMean(Release):
    """A mean of shapes, matrices, directions or hyperbolic points."""

    @property
    def mean(self) -> Array:
        """The mean: landmarks (k, d), a matrix (k, k), or a vector; of several draws the first axis counts draws."""
        folder, name = (self.path, "mean") if self.released else (self.folder / "internal", "nonprivate_mean")
        if (folder / f"{name}.npy").is_file():
            return np.load(folder / f"{name}.npy")
        return _tps(folder / f"{name}.tps")

    def to_pandas(self) -> pandas.DataFrame:
        """The mean as a table (where pandas is installed): landmarks in rows with x, y and z; rows and columns of a matrix; a vector's numbers
        in the column "mean". Raises :class:`InputError` for several draws."""
        return _table(self.mean)


class PointModes(PointMean):
    """Modes of variation, with the mean."""

    @property
    def modes(self) -> Array:
        """(K, …), each of the mean's shape: one standard deviation of each mode, in the tangent space at the centre."""
        return self.array("modes")

    @property
    def variances(self) -> list[dict[str, float]]:
        """Each mode's variance, with its 95 % interval and its share."""
        return _variances(self.path)


class PointRegression(PointMean):
    """A regression on covariates; the mean is what is expected at the reference values."""

    @property
    def band(self) -> Array | None:
        """(2, columns, …): lower and upper end of the 95 % bands of the columns' fields, simultaneous over all numbers of one; None in releases of
        older versions."""
        return self._optional("band")

    @property
    def fields(self) -> Array:
        """(1 + columns, …): the mean at the reference values, and what every column adds."""
        return self.array("fields")

    @property
    def names(self) -> list[str]:
        """What the fields are: "reference", the mean at the reference values, then the columns' names."""
        return ["reference", *(field["column"] for field in self.summary["fields"])]


class PointComparison(Release):
    """Groups compared."""

    @property
    def means(self) -> dict[str, Any]:
        """The mean of every group, by label; without them where only a test was wanted."""
        return {f.stem.removeprefix("mean_"): np.load(f) for f in sorted(self.path.glob("mean_*.npy"))}

    @property
    def difference(self) -> Array | None:
        """Of the mean's shape, the second group less the first in sorted order; (G − 1, …) for more, against the first."""
        return self._optional("difference")

    @property
    def band(self) -> Array | None:
        """The 95 % band of the difference: lower and upper end."""
        return self._optional("band")

    @property
    def test(self) -> dict[str, Any] | None:
        """statistic, p_value, per_pair; None where only a map was wanted."""
        file = self.path / "test.json"
        return json.loads(file.read_text("utf-8")) if file.is_file() else None


class FaceComparison(PointComparison):
    """Groups of faces compared, as curves (J, m, 3)."""

    @property
    def means(self) -> dict[str, Mesh]:
        """The mean face of every group, by label; without them where only a test was wanted."""
        return {f.stem.removeprefix("mean_"): read_scan(f) for f in sorted(self.path.glob("mean_*.ply"))}


class FunctionalMean(PointMean):
    """A mean function."""

    @property
    def error(self) -> Array | None:
        """Of the mean's shape: the expected error of each sample, bias included."""
        return self._optional("error")

    @property
    def band(self) -> Array | None:
        """(2, …): lower and upper end of the 95 % band for the population's mean, with band=True."""
        return self._optional("band")

    @property
    def positions(self) -> Array | None:
        """(m,): where the samples are, where positions were given."""
        return self._optional("positions")


class FunctionModes(FunctionalMean, PointModes):
    """Modes of variation of functions, with the mean."""


class FunctionRegression(FunctionalMean, PointRegression):
    """Functions on covariates."""


class FunctionComparison(PointComparison):
    """Groups of functions compared."""


class SurfaceMean(PointMean):
    """A mean surface."""

    @property
    def mesh(self) -> Mesh:
        """The mean with the template's triangles."""
        return read_scan(self.path / "mean.ply")

    @property
    def error(self) -> Array | None:
        """(vertices,): the expected error of each vertex, bias included; None beside modes and covariates."""
        return self._optional("error")

    @property
    def band(self) -> Array | None:
        """(2, vertices, 3): lower and upper end of the 95 % band for the population's mean, with band=True; (2, columns, vertices, 3) of the
        fields of a regression."""
        return self._optional("band")


class SurfaceModes(SurfaceMean, PointModes):
    """Modes of variation of surfaces, with the mean."""


class SurfaceRegression(SurfaceMean, PointRegression):
    """Surfaces on covariates."""


class SurfaceComparison(PointComparison):
    """Groups of surfaces compared."""


class _Shape(PointMean):
    """Landmarks."""

    def to_trimesh(self) -> trimesh.PointCloud:
        """The mean's landmarks as a cloud (where trimesh is installed); in the plane with z = 0."""
        from trimesh import PointCloud

        return PointCloud(_in_space(self.mean))

    def to_pyvista(self) -> pyvista.PolyData:
        """The mean's landmarks as a PyVista cloud (where that is installed); each mode as vectors, one standard deviation, called mode_1 and on."""
        from pyvista import PolyData

        found = PolyData(_in_space(self.mean))
        modes = self._optional("modes") if self.released else None
        for k, mode in enumerate([] if modes is None else modes, 1):
            found.point_data[f"mode_{k}"] = _in_space(mode)
        return found


class ShapeMean(_Shape):
    """A mean shape."""

    @property
    def band(self) -> Array | None:
        """(2, k, d): lower and upper end of the 95 % band for the population's mean, with band=True; deviations from the centre."""
        return self._optional("band")

    @property
    def symmetric(self) -> Array | None:
        """(k, d): the mean's symmetric part, with pairs."""
        return self._optional("mean_symmetric")

    @property
    def asymmetry(self) -> Array | None:
        """(k, d): what is added to the symmetric part to give the mean, with pairs."""
        return self._optional("asymmetry")


class ShapeModes(_Shape, PointModes):
    """Modes of variation of shapes (K, k, d), with the mean."""


class ShapeRegression(_Shape, PointRegression):
    """Shapes (k, d) on covariates."""


class ShapeComparison(PointComparison):
    """Groups of shapes (k, d) compared."""


class Solution(Release):
    """What a private optimization found."""

    @property
    def solution(self) -> Array:
        """A point of the space, an eigenvector, or an orthonormal frame."""
        return self.array("solution")

    @property
    def converged(self) -> bool | None:
        """Whether it stopped because its noised gradient was small; None where there were no steps."""
        return self.summary["converged"]


def _variances(release: Path) -> list[dict[str, float]]:
    with (release / "variances.csv").open(encoding="utf-8", newline="") as file:
        return [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(file)]


def _table(array: Array) -> pandas.DataFrame:
    from pandas import DataFrame

    if array.ndim > 2:
        raise InputError("to_pandas: there are several draws; take one of release.mean")
    if array.ndim == 1:
        return DataFrame({"mean": array})
    is_square = array.shape[0] == array.shape[1]
    return DataFrame(array, columns=None if is_square else list("xyz"[: array.shape[1]]))


def _in_space(points: Array) -> Array:
    if points.ndim != 2:
        raise InputError("there are several draws; take one of release.mean")
    return np.pad(points, [(0, 0), (0, 3 - points.shape[1])])


def _tps(file: Path) -> Array:
    shapes: list[list[list[float]]] = []
    left = 0
    for line in file.read_text("utf-8").splitlines():
        key = line[:3].upper()
        if key in ("LM=", "LM3"):
            left = int(line.split("=")[1])
            shapes.append([])
        elif left:
            shapes[-1].append([float(x) for x in line.split()])
            left -= 1
    array = np.array(shapes)
    return array[0] if len(array) == 1 else array
