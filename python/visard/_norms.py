"""A patient or a specimen held against a released norm: free, never a diagnosis. What comes out is the patient's own: internal."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import PathLike, as_path, is_path
from ._command import run
from ._faces import template_of
from ._geometry import Template
from ._inputs import Inputs
from ._release import FaceModes, FaceRegression, PointModes, PointRegression, ShapeModes, SurfaceModes, SurfaceRegression

__all__ = ["face_assess", "shape_assess", "spd_assess", "surface_assess"]


def face_assess(
    scan: ArrayLike | PathLike,
    norm: FaceModes | FaceRegression | PathLike,
    *,
    at: Mapping[str, float | str] | None = None,
    template: Template | PathLike | None = None,
    registration: str = "elastic",
    out: PathLike | None = None,
) -> dict[str, Any]:
    """A patient's face held against a released norm; `visard face assess`.

    Parameters
    ----------
    scan : a file, or a registered face (J, m, 3) as the norm's records are.
    norm : a release with modes, of :func:`face_modes` or of :func:`face_regress` with residuals, or its folder.
    at : the patient's values of all covariates of a regression.
    template, registration : those of the norm.
    out : a folder for the page, the map and the numbers; without it, nothing is kept.

    Returns what ``--json`` says: "percentile" (None where no mode is clear of the noise) with "percentile_interval", "distance", "parts" (mode by
    mode, the most unusual first), "beyond", "z_rms", "notes", "verified"; and "map", an array with a row for each vertex of the expected face, whose
    names are vertex, x, y, z, z_value, along_normal_mm and one_sd_mm.
    """
    options = {"template": template_of(template), "registration": registration}
    return _with_map("face assess", scan, (1, "J", "m", 3), norm, at, out, options)


def shape_assess(
    specimen: ArrayLike | PathLike,
    norm: ShapeModes | PathLike,
    *,
    negative: str | None = None,
    out: PathLike | None = None,
) -> dict[str, Any]:
    """A specimen's landmarks held against a released norm; `visard shape assess`.

    Parameters
    ----------
    specimen : landmarks (k, d), numbered as the norm's, those that are missing NaN; or a file with one specimen.
    norm : a release of :func:`shape_modes`, or its folder.
    negative : what a negative coordinate in a TPS file with IMAGE= is: "valid" or "missing".
    out : a folder for the page, the table and the numbers; without it, nothing is kept.

    Returns what ``--json`` says: "percentile" (None where no mode is clear of the noise) with "percentile_interval", "distance",
    "riemannian_distance", "parts", "places" (landmark by landmark, counted from 1), "beyond", "notes", "verified".
    """
    with Inputs() as inputs, tempfile.TemporaryDirectory(prefix="visard-") as place:
        options = {"norm": _folder(norm), "negative": negative, "out": place if out is None else as_path("out", out)}
        found: dict[str, Any] = run("shape assess", [inputs.array("specimen", specimen, ("k", "d"))], options)
        return found


def spd_assess(
    matrix: ArrayLike | PathLike,
    norm: PointModes | PointRegression | PathLike,
    *,
    at: Mapping[str, float | str] | None = None,
    center: ArrayLike | PathLike | None = None,
    out: PathLike | None = None,
) -> dict[str, Any]:
    """A symmetric positive definite matrix held against a released norm; `visard spd assess`.

    Parameters
    ----------
    matrix : (k, k), or a file with one.
    norm : a release with modes, of :func:`spd_modes` or of :func:`spd_regress` with residuals, or its folder.
    at : the values of all covariates of a regression.
    center : the public centre of the norm, where that was given as a file.
    out : a folder for the page, the table and the numbers; without it, nothing is kept.

    Returns what ``--json`` says: "percentile" (None where no mode is clear of the noise) with "percentile_interval", "distance",
    "tangent_distance", "parts", "entries" (on and above the diagonal, counted from 1), "beyond", "notes", "verified".
    """
    with Inputs() as inputs, tempfile.TemporaryDirectory(prefix="visard-") as place:
        options: dict[str, Any] = {
            "norm": _folder(norm),
            "at": _values(at),
            "center": None if center is None else inputs.array("center", center, (1, "k", "k")),
            "out": place if out is None else as_path("out", out),
        }
        found: dict[str, Any] = run("spd assess", [inputs.array("matrix", matrix, ("k", "k"))], options)
        return found


def surface_assess(
    scan: ArrayLike | PathLike,
    norm: SurfaceModes | SurfaceRegression | PathLike,
    *,
    template: PathLike,
    at: Mapping[str, float | str] | None = None,
    allow_mirrored: bool = False,
    out: PathLike | None = None,
) -> dict[str, Any]:
    """A surface held against a released norm of surfaces; `visard surface assess`.

    Parameters
    ----------
    scan : a file, or registered vertices (V, 3) in the order and frame of the template.
    norm : a release with modes, of :func:`surface_modes` or of :func:`surface_regress` with residuals, or its folder.
    template : the public template of the norm.
    at : the values of all covariates of a regression.
    allow_mirrored : takes a scan that only fits as a mirror image, mirrored.
    out : a folder for the page, the map and the numbers; without it, nothing is kept.

    Returns what :func:`face_assess` does, with lengths in the template's units: in "parts" a "displacement", in "map" along_normal and one_sd.
    """
    options = {"template": as_path("template", template), "allow_mirrored": allow_mirrored}
    return _with_map("surface assess", scan, (1, "vertices", 3), norm, at, out, options)


def _with_map(
    command: str,
    scan: Any,
    axes: tuple[int | str, ...],
    norm: Any,
    at: Mapping[str, float | str] | None,
    out: PathLike | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Runs the command on a file or a registered array, and reads the map that it wrote."""
    with Inputs() as inputs, tempfile.TemporaryDirectory(prefix="visard-") as place:
        folder = place if out is None else as_path("out", out)
        options |= {
            "norm": _folder(norm),
            "at": _values(at),
            "out": folder,
        }
        files: list[str] = []
        if is_path(scan):
            files.append(as_path("scan", scan))
        else:
            options["prepared"] = inputs.array("scan", np.asarray(scan)[None], axes)
        found: dict[str, Any] = run(command, files, options)
        found["map"] = np.genfromtxt(Path(folder) / "internal" / "map.csv", delimiter=",", names=True)
        return found


def _values(at: Mapping[str, float | str] | None) -> list[str]:
    return [f"{name}={value}" for name, value in (at or {}).items()]


def _folder(norm: Any) -> str:
    return as_path("norm", norm.folder if hasattr(norm, "folder") else norm)
