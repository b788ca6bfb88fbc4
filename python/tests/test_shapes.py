"""Private statistics of landmark shapes: the same as the command's, bit for bit; roads, arrays, exceptions, warnings."""

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import visard


def unit(x):
    """A shape centred, of unit size."""
    x = x - x.mean(-2, keepdims=True)
    return x / np.linalg.norm(x, axis=(-2, -1), keepdims=True)


def apart(x, y):
    """Riemannian distance of two shapes, reflections left out (Kendall 1984)."""
    u, s, v = np.linalg.svd(unit(x).T @ unit(y))
    s[-1] *= np.sign(np.linalg.det(u @ v))
    return np.arccos(min(1.0, s.sum()))


def test_the_same_release_as_the_command(tmp_path, command, same_files, outlines, skulls):
    (shapes, atlas), (solid, public), t = outlines, skulls, tmp_path
    for name, array in (("shapes", shapes), ("solid", solid), ("center", atlas[None]), ("links", [[1, 2], [2, 3]]), ("sliders", [[1, 2, 3]])):
        np.save(t / f"{name}.npy", np.asarray(array, dtype=float))
    np.save(t / "pairs.npy", np.array([[2.0, 20.0], [3.0, 19.0]]))
    labels, ages = ["a" if i % 3 else "b" for i in range(200)], np.linspace(4, 38, 200)
    (t / "groups.csv").write_text("record,group\n" + "".join(f"{i},{x}\n" for i, x in enumerate(labels)))
    (t / "covariates.csv").write_text("record,age\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(ages.tolist())))
    both = {"mu": 1, "seed": 5}
    plane, space = t / "shapes.npy", t / "solid.npy"
    known = ("--center", t / "center.npy", "--radius", 0.2)
    about = {"center": atlas, "radius": 0.2}
    sizes = ("--allometry", "--size-bounds", "50.0:150.0")
    cases = {
        "joint": (("mean", plane, *known), lambda out: visard.shape_mean(shapes, out=out, **about, **both)),
        "band": (("mean", space, "--band", "--mechanism", "joint"), lambda out: visard.shape_mean(solid, mechanism="joint", band=True, out=out, **both)),
        "outline": (("mean", plane, "--outline"), lambda out: visard.shape_mean(shapes, outline=True, out=out, **both)),
        "outlines": (("mean", plane, "--outline=2"), lambda out: visard.shape_mean(shapes, outline=2, out=out, **both)),
        "treated": (
            ("mean", plane, *known, *(x for name in ("links", "sliders", "pairs") for x in (f"--{name}", t / f"{name}.npy")), "--unmirror"),
            lambda out: visard.shape_mean(
                shapes, links=[[0, 1], [1, 2]], sliders=[[0, 1, 2]], pairs=[[1, 19], [2, 18]], unmirror=True, out=out, **about, **both
            ),
        ),
        "single": (
            ("mean", plane, *known, "--smooth", "shrink"),
            lambda out: visard.shape_mean(shapes, smooth="shrink", out=out, **about, **both),
        ),
        "modes": (("modes", space, "--modes", 3), lambda out: visard.shape_modes(solid, modes=3, out=out, **both)),
        "regress": (
            ("regress", space, "--covariates", t / "covariates.csv", "--bounds", "age=3.0:40.0", *sizes),
            lambda out: visard.shape_regress(
                solid, {"age": ages}, bounds={"age": (3, 40)}, allometry=True, size_bounds=(50, 150), out=out, **both
            ),
        ),
        "compare": (
            ("compare", plane, *known, "--groups", t / "groups.csv"),
            lambda out: visard.shape_compare(shapes, labels, out=out, **about, **both),
        ),
    }
    for name, ((verb, file, *more), call) in cases.items():
        done = command("shape", verb, file, "--mu", 1, *more, "--seed", 5, "--out", t / f"{name}-command")
        assert done.returncode == 0, (name, done.stderr)
        release = call(t / f"{name}-python")
        same_files(t / f"{name}-command" / "release", release.path)
        assert not release.certificate.private and "srcdoc" in release._repr_html_()


def test_which_road_a_mean_takes(tmp_path, outlines):
    shapes, atlas = outlines

    def mechanism(name, **more):
        return visard.shape_mean(shapes, center=atlas, out=tmp_path / name, **more).certificate["mechanism"]

    joint = mechanism("joint", mu=1)
    assert joint == mechanism("asked", mechanism="joint", epsilon=1, delta=1e-6)
    single = mechanism("single", mechanism="tangent-gaussian", mu=1)
    assert single != joint
    assert single == mechanism("draws", mu=1, draws=2, radius=0.3) == mechanism("classical", epsilon=0.5, delta=1e-6, calibration="classical")
    assert "laplace" in mechanism("pure", epsilon=1, radius=0.3).lower()


def test_what_shapes_have(tmp_path, outlines, skulls):
    (shapes, atlas), (solid, public) = outlines, skulls
    plain = visard.shape_mean(shapes, mechanism="none")
    space = visard.Kendall(len(atlas))
    assert space.dist(plain.mean, space.frechet_mean(shapes)) < 1e-6
    private = visard.shape_mean(shapes, mu=1, pairs=[[1, 19], [2, 18]], out=tmp_path / "shapes")
    assert space.dist(private.mean, plain.mean) < 0.1 and private.band is None
    np.testing.assert_allclose(private.symmetric + private.asymmetry, private.mean, atol=1e-12)

    mean = visard.shape_mean(solid, mu=2, band=True, out=tmp_path / "mean")
    assert mean.mean.shape == (12, 3) and mean.band.shape == (2, 12, 3) and (mean.band[0] < mean.band[1]).all()
    assert apart(mean.mean, public) < 0.1
    assert apart(visard.shape_mean(solid, mechanism="none").mean, public) < 0.05
    assert mean.save(tmp_path / "copy").is_dir()

    modes = visard.shape_modes(solid, modes=3, mu=3, out=tmp_path / "modes")
    assert modes.modes.shape[1:] == (12, 3) and len(modes.variances) == len(modes.modes) <= 3 and apart(modes.mean, public) < 0.1

    fit = visard.shape_regress(solid, allometry=True, size_bounds=(50, 150), mu=2, out=tmp_path / "fit")
    assert len(fit.names) == len(fit.fields) == 2 and fit.names[1] == "log_size"
    np.testing.assert_array_equal(fit.fields[0], fit.mean)

    groups = visard.shape_compare(solid, {str(i): "ab"[i % 2] for i in range(200)}, mu=2, out=tmp_path / "groups")
    assert set(groups.means) == {"a", "b"} and groups.difference.shape == (12, 3) and groups.band.shape == (2, 12, 3)
    assert 0 < groups.test["p_value"] <= 1
    assert visard.shape_compare(solid, ["a", "b"] * 100, want="test", mu=2, out=tmp_path / "test").difference is None


def test_missing_landmarks_and_remarks(tmp_path, outlines):
    shapes, atlas = outlines
    holed, coded = shapes.copy(), shapes.copy()
    holed[3, 4], coded[3, 4] = np.nan, -9
    both = {"center": atlas, "radius": 0.2, "mu": 1, "seed": 5}
    with pytest.warns(visard.RecordsWarning, match=r"1 record has missing landmarks.*do not publish") as seen:
        filled = visard.shape_mean(holed, out=tmp_path / "filled", **both)
    assert seen[0].filename == __file__ and len(filled.summary["secret"]["remarks"]) == 1
    with pytest.warns(visard.RecordsWarning, match="missing"):
        same = visard.shape_mean(coded, missing=-9, out=tmp_path / "coded", **both)
    np.testing.assert_array_equal(filled.mean, same.mean)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", visard.RecordsWarning)
        dropped = visard.shape_mean(holed, drop_missing=True, out=tmp_path / "dropped", **both)
    assert dropped.summary["secret"]["unusable"] == 1 and not np.array_equal(dropped.mean, same.mean)
    # Where warnings are exceptions, what has been paid for is not lost.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(visard.RecordsWarning) as raised:
            visard.shape_mean(holed, ledger=tmp_path / "ledger.jsonl", **both)
    np.testing.assert_array_equal(raised.value.release.mean, same.mean)
    # Far from its own mirror image, as an outline that is nearly symmetric is not; the last record is taken from the other side.
    bump = np.where(np.isin(np.arange(len(atlas)), [3, 4, 5])[:, None], [0.6, 0], 0)
    turned = shapes + bump
    turned[-1, :, 0] *= -1
    with pytest.warns(visard.RecordsWarning, match="nearer to the mirror image") as seen:
        visard.shape_mean(turned, mechanism="none", center=atlas + bump)
    assert not any("--" in str(one.message) for one in seen)


def bad_shapes(shapes, atlas, face):
    hole = shapes.copy()
    hole[3, 1, 1] = np.nan

    def mean(**more):
        return lambda: visard.shape_mean(shapes, **{**face, **more})

    return [
        (lambda: visard.shape_mean(np.zeros((5, 2, 2)), **face), "X|landmarks"),
        (lambda: visard.shape_mean(np.zeros((5, 4, 4)), **face), "X"),
        (lambda: visard.shape_mean(shapes[0], **face), r"X: expected an array of shape \(n, k, d\)"),
        (lambda: visard.shape_mean(hole, unusable="refuse", drop_missing=True, **face), "X: record 4"),
        (lambda: visard.shape_mean("nowhere.tps", **face), "nowhere.tps: there is no such file"),
        (lambda: visard.shape_mean(shapes, ledger=face["ledger"]), "give mu="),
        (mean(mechanism="x"), "mechanism.*joint.*kng"),
        (mean(mechanism="joint", draws=2), "draws.*joint"),
        (mean(mechanism="joint", mu=None, epsilon=1), "epsilon"),
        (mean(mechanism="kng", mu=None, epsilon=1, outline=True), "outline"),
        (mean(smooth="x"), "smooth.*shrink"),
        (mean(smooth="shrink", mechanism="laplace"), "smooth"),
        (mean(calibration="x"), "calibration"),
        (mean(radius="large"), "radius"),
        (mean(radius=-1), "radius"),
        (mean(radius=[1, 2]), "radius"),
        (mean(center=atlas[:5]), "20 landmarks where 5 are expected"),
        (mean(center=atlas, public_records="some.tps"), "center.*public_records"),
        (mean(center="nowhere.tps"), "nowhere.tps"),
        (mean(landmarks=7), "20 landmarks where 7 are expected"),
        (mean(dimensions=4), "dimensions"),
        (mean(dimensions=3), "dimensions=3 does not agree"),
        (mean(missing=["a"]), "missing"),
        (mean(sliders=[[0, 1, 2]]), "sliding needs a public shape.*center="),
        (mean(unmirror=True), "unmirror needs a public shape"),
        (mean(center=atlas, sliders="curves"), "sliders curves"),
        (mean(center=atlas, sliders=[[0, 1]]), r"sliders: expected an array of shape \(n, 3\)"),
        (mean(center=atlas, sliders=[[0, 1, 20]]), r"sliders: landmark 21 \(counting from 1\) does not exist"),
        (mean(links=[[-1, 2]]), "links: -1 is not a landmark"),
        (mean(links=[[0.5, 2]]), "links"),
        (mean(pairs=[[0, 1], [1, 2]]), "pairs"),
        (mean(people=["a"]), "people: 1 labels for 200 records"),
        (lambda: visard.shape_modes(shapes, modes=0, **face), "modes"),
        (lambda: visard.shape_modes(shapes, modes=201, **face), "modes"),
        (lambda: visard.shape_modes(shapes, radius="private", **face), "radius"),
        (lambda: visard.shape_modes(shapes, ledger=face["ledger"]), "give mu="),
        (lambda: visard.shape_regress(shapes, **face), "covariates"),
        (lambda: visard.shape_regress(shapes, {"age": [1] * 200}, **face), "bounds.*levels"),
        (lambda: visard.shape_regress(shapes, {"age": [1]}, bounds={"age": (3, 40)}, **face), "age has 1 values for 200"),
        (lambda: visard.shape_regress(shapes, bounds={"age": (3, 40)}, allometry=True, size_bounds=(1, 9), **face), "covariates"),
        (lambda: visard.shape_regress(shapes, allometry=True, **face), "size_bounds"),
        (lambda: visard.shape_regress(shapes, size_bounds=(1, 9), **face), "allometry"),
        (lambda: visard.shape_regress(shapes, allometry=True, size_bounds=(9, 1), **face), "size_bounds"),
        (lambda: visard.shape_regress(shapes, allometry=True, size_bounds=7, **face), "size_bounds"),
        (lambda: visard.shape_compare(shapes, ["a"] * 199, **face), "groups: 199 labels for 200 records"),
        (lambda: visard.shape_compare(shapes, ["a", "b"] * 100, want="x", **face), "want.*test"),
    ]


def test_bad_input_charges_nothing_and_names_the_argument(tmp_path, outlines):
    ledger = tmp_path / "ledger.jsonl"
    for i, (call, said) in enumerate(bad_shapes(*outlines, {"mu": 1, "ledger": ledger})):
        with pytest.raises(visard.InputError, match=f"(?s){said}") as caught:
            call()
        assert "visard-" not in str(caught.value) and "--" not in str(caught.value), (i, str(caught.value))
        assert not ledger.exists(), i
    with pytest.raises(TypeError, match="unexpected argument 'oot' found"):
        visard.shape_modes(outlines[0], mu=1, out=tmp_path / "out", oot=tmp_path)


def test_landmarks_for_other_packages(tmp_path, outlines, skulls):
    (shapes, _), (solid, _) = outlines, skulls
    modes = visard.shape_modes(shapes, modes=2, mu=5, seed=1, out=tmp_path / "modes")
    table = modes.to_pandas()
    assert list(table.columns) == ["x", "y"]
    np.testing.assert_array_equal(table.to_numpy(), modes.mean)
    cloud = modes.to_trimesh()
    np.testing.assert_array_equal(cloud.vertices, np.c_[modes.mean, np.zeros(len(modes.mean))])
    mean = visard.shape_mean(solid, mu=5, seed=1, out=tmp_path / "mean")
    assert list(mean.to_pandas().columns) == ["x", "y", "z"]
    np.testing.assert_array_equal(mean.to_trimesh().vertices, mean.mean)


class PolyData:
    """What is used of PyVista's class, which brings 100 MB: points, and arrays for them."""

    def __init__(self, points):
        self.points, self.n_points, self.point_data = points, len(points), {}


def test_points_for_pyvista(tmp_path, outlines, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvista", SimpleNamespace(PolyData=PolyData))
    modes = visard.shape_modes(outlines[0], modes=2, mu=5, seed=1, out=tmp_path / "modes")
    found = modes.to_pyvista()
    assert found.n_points == len(modes.mean) and len(modes.modes)
    assert found.points.shape == (found.n_points, 3)
    np.testing.assert_array_equal(found.point_data["mode_1"][:, :2], modes.modes[0])
