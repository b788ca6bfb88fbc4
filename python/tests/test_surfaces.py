"""Surfaces of any kind: the same releases as the command's, and what they hold."""

import numpy as np
import pytest

import visard


@pytest.fixture
def bowls(tmp_path):
    """A lopsided open surface, and the same of sixty people."""
    rings, around = 9, 24
    r, t = np.meshgrid(np.arange(1, rings + 1) / rings, 2 * np.pi * np.arange(around) / around, indexing="ij")
    x, y = (40 * r * np.cos(t)).ravel(), (25 * r * np.sin(t)).ravel()
    flat = np.vstack([[0, 0], np.stack([x, y], 1)])
    template = np.column_stack([flat, 0.02 * flat[:, 0] ** 2 + 0.01 * flat[:, 0] * flat[:, 1] + 0.1 * flat[:, 1]])
    at = lambda j, l: 1 + j * around + l % around  # noqa: E731
    triangles = [[0, at(0, l), at(0, l + 1)] for l in range(around)]
    for j in range(rings - 1):
        for l in range(around):
            triangles += [[at(j, l), at(j + 1, l), at(j + 1, l + 1)], [at(j, l), at(j + 1, l + 1), at(j, l + 1)]]
    file = tmp_path / "template.ply"
    head = f"ply\nformat ascii 1.0\nelement vertex {len(template)}\nproperty float x\nproperty float y\nproperty float z\n"
    head += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    lines = [" ".join(map(repr, map(float, p))) for p in template] + [f"3 {a} {b} {c}" for a, b, c in triangles]
    file.write_text(head + "\n".join(lines) + "\n")
    rng = np.random.default_rng(2)
    waves = np.stack([np.zeros(len(template)), np.sin(template[:, 0] / 20), np.cos(template[:, 1] / 15)], 1)
    return file, template + [1.0, 0, 0] + rng.normal(size=(60, 1, 1)) * waves


def test_the_same_release_as_the_command(tmp_path, command, same_files, bowls):
    template, records = bowls
    np.save(tmp_path / "records.npy", records)
    words = ("surface", "mean", "--prepared", tmp_path / "records.npy", "--template", template, "--mu", 3, "--seed", 5, "--band")
    done = command(*words, "--out", tmp_path / "command")
    assert done.returncode == 0, done.stderr
    release = visard.surface_mean(records, template=template, band=True, mu=3, seed=5, out=tmp_path / "python")
    same_files(tmp_path / "command" / "release", release.path)
    assert release.mean.shape == records.shape[1:] and release.error.shape == records.shape[1:2]
    assert release.band.shape == (2, *records.shape[1:]) and np.all(release.band[0] <= release.band[1])
    modes = visard.surface_modes(records, template=template, modes=1, mu=8, out=tmp_path / "modes")
    assert modes.modes.shape[1:] == records.shape[1:]
    found = visard.surface_assess(records[0], modes, template=template)
    assert found["map"].dtype.names == ("vertex", "x", "y", "z", "z_value", "along_normal", "one_sd") and len(found["map"]) == records.shape[1]
    assert np.isclose(np.sqrt(np.mean(found["map"]["z_value"] ** 2)), found["z_rms"])
    groups = visard.surface_compare(records, ["a", "b"] * 30, template=template, mu=4, out=tmp_path / "groups")
    assert groups.difference.shape == records.shape[1:]
    fields = visard.surface_regress(records, {"age": np.arange(60.0)}, bounds={"age": (0, 60)}, template=template, mu=8, out=tmp_path / "ages")
    assert fields.fields.shape == (2, *records.shape[1:])


def test_a_plan_reads_the_template_only(bowls):
    template, records = bowls
    few, many = visard.surface_plan([60, 600], template=template, mu=1, spread=2, distance=1)
    assert (few["n"], many["n"]) == (60, 600) and many["error"] < few["error"]


def test_bad_input_is_refused(tmp_path, bowls):
    template, records = bowls
    with pytest.raises(visard.InputError, match="n, vertices, 3"):
        visard.surface_mean(records[0], template=template, mu=1, out="never")
    np.save(tmp_path / "others.npy", records)
    with pytest.raises(visard.InputError, match="is one of the prior's"):
        visard.surface_mean(records, template=template, prior=tmp_path / "others.npy", mu=1, out=tmp_path / "never")
