"""A patient or a specimen held against a released norm."""

import numpy as np
import pytest

import visard


def test_a_specimen_is_held_against_a_norm(tmp_path, outlines):
    shapes, _ = outlines
    norm = visard.shape_modes(shapes, mu=10, modes=3, out=tmp_path / "norm", seed=1)
    found = visard.shape_assess(shapes[0], norm)
    assert 0 <= found["percentile"] <= 100 and len(found["places"]) == shapes.shape[1]
    gap = shapes[0].copy()
    gap[4] = np.nan
    filled = visard.shape_assess(gap, tmp_path / "norm", out=tmp_path / "patient")
    assert [place["landmark"] for place in filled["places"] if place["filled"]] == [5]
    assert (tmp_path / "patient/internal/report.html").exists()
    with pytest.raises(visard.InputError, match="mirror image"):
        visard.shape_assess(shapes[0] * [-1, 1], norm)


def test_a_face_is_held_against_a_norm(tmp_path, faces):
    norm = visard.face_modes(faces, mu=15, modes=3, out=tmp_path / "norm", seed=1)
    found = visard.face_assess(faces[0], norm)
    assert found["percentile"] is None or 0 <= found["percentile"] <= 100
    assert found["map"].dtype.names == ("vertex", "x", "y", "z", "z_value", "along_normal_mm", "one_sd_mm")
    assert np.isclose(np.sqrt(np.mean(found["map"]["z_value"] ** 2)), found["z_rms"])


def test_a_matrix_is_held_against_a_norm(tmp_path):
    rng = np.random.default_rng(4)
    logs = rng.normal(size=(300, 2, 2)) * [[0.3, 0.1], [0.1, 0.05]]
    values, vectors = np.linalg.eigh(logs + logs.swapaxes(1, 2))
    matrices = (vectors * np.exp(values)[:, None]) @ vectors.swapaxes(1, 2)
    norm = visard.spd_modes(matrices, mu=15, modes=2, radius=2, out=tmp_path / "norm", seed=1)
    found = visard.spd_assess(matrices[0], norm)
    assert 0 <= found["percentile"] <= 100 and len(found["entries"]) == 3
    with pytest.raises(visard.InputError, match="leave out"):
        visard.spd_assess(matrices[0], norm, center=np.eye(2)[None])
