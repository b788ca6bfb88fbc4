"""Private statistics: the same as the command's, bit for bit; arrays, exceptions, interruption."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import visard


def test_the_same_release_as_the_command(tmp_path, command, same_files, faces, matrices):
    labels = ["a" if i % 3 else "b" for i in range(80)]
    ages = np.linspace(4, 38, 80)
    np.save(tmp_path / "records.npy", faces)
    np.save(tmp_path / "matrices.npy", matrices)
    (tmp_path / "groups.csv").write_text("record,group\n" + "".join(f"{i},{x}\n" for i, x in enumerate(labels)))
    (tmp_path / "covariates.csv").write_text("record,age\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(ages.tolist())))
    t = tmp_path
    rows = np.random.default_rng(2).normal(size=(150, 3)) + [4, 0, 0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.save(t / "points.npy", rows)
    prepared = ("--prepared", t / "records.npy", "--mu", 1)
    both = {"mu": 1, "seed": 5}
    cases = {
        "mean": (("face", "mean", *prepared, "--band"), lambda out: visard.face_mean(faces, band=True, out=out, **both)),
        "modes": (("face", "modes", *prepared), lambda out: visard.face_modes(faces, out=out, **both)),
        "both": (
            ("face", "modes", *prepared, "--with", "mean"),
            lambda out: visard.face_modes(faces, with_mean=True, out=out, **both),
        ),
        "regress": (
            ("face", "regress", *prepared, "--covariates", t / "covariates.csv", "--bounds", "age=3.0:40.0"),
            lambda out: visard.face_regress(faces, {"age": ages}, bounds={"age": (3, 40)}, out=out, **both),
        ),
        "compare": (
            ("face", "compare", *prepared, "--groups", t / "groups.csv"),
            lambda out: visard.face_compare(faces, labels, out=out, **both),
        ),
        "spd": (
            ("spd", "mean", t / "matrices.npy", "--mu", 1, "--radius", 2, "--metric", "affine-invariant"),
            lambda out: visard.spd_mean(matrices, radius=2, metric="affine-invariant", out=out, **both),
        ),
        "sphere": (
            ("sphere", "mean", t / "points.npy", "--mu", 1, "--radius", 0.6, "--center", "private"),
            lambda out: visard.sphere_mean(rows, radius=0.6, center="private", out=out, **both),
        ),
        "hyperbolic": (
            ("hyperbolic", "mean", t / "half.npy", "--epsilon", 1, "--radius", 2),
            lambda out: visard.hyperbolic_mean(rows / 2, radius=2, epsilon=1, seed=5, out=out),
        ),
        "optimize": (
            ("optimize", "frechet-mean", t / "matrices.npy", "--space", "affine-invariant", "--method", "rgd", "--clip-radius", 2, "--mu", 1),
            lambda out: visard.optimize("frechet-mean", matrices, space="affine-invariant", clip_radius=2, out=out, **both),
        ),
        "optimize-moment": (
            ("optimize", "subspace", t / "points.npy", "--rank", 2, "--method", "moment", "--unit-records", "--mu", 1),
            lambda out: visard.optimize("subspace", rows, rank=2, method="moment", unit_records=True, out=out, **both),
        ),
    }
    np.save(t / "half.npy", rows / 2)
    for name, (arguments, call) in cases.items():
        done = command(*arguments, "--seed", 5, "--out", t / f"{name}-command")
        assert done.returncode == 0, (name, done.stderr)
        release = call(t / f"{name}-python")
        same_files(t / f"{name}-command" / "release", release.path)
        assert not release.certificate.private
        # An optimization has no page to show.
        page = release._repr_html_()
        assert name.startswith("optimize") or ("srcdoc" in page and "\n" not in page)


def test_what_faces_have(tmp_path, faces):
    mean = visard.face_mean(faces, mu=2, band=True, out=tmp_path / "mean")
    assert mean.curves.shape == (23, 80, 3) and mean.band.shape == (2, 23, 80, 3)
    assert mean.error.shape == (len(mean.mesh.vertices),)
    # Better than the template, and within three of its own statement of the error.
    truth = faces.mean(0)
    error = np.sqrt(((mean.curves - truth) ** 2).sum(-1).mean())
    assert error < 3 * mean.accuracy["rms"]
    mesh = mean.to_trimesh()
    assert mesh.vertices.shape == mean.mesh.vertices.shape and mesh.euler_number == 1
    table = mean.to_pandas()
    assert list(table.columns) == ["x", "y", "z", "error"] and len(table) == len(mean.mesh.vertices)
    saved = mean.save(tmp_path / "copy")
    assert visard.Certificate(saved).mu == 2
    with pytest.raises(visard.InputError, match="exists"):
        mean.save(tmp_path / "copy")

    plain = visard.face_mean(faces, mechanism="none")
    np.testing.assert_allclose(plain.curves, truth, atol=1e-12)
    with pytest.raises(visard.VisardError, match="nothing was released"):
        plain.certificate

    modes = visard.face_modes(faces, modes=3, mu=3, out=tmp_path / "modes")
    assert modes.modes.shape[1:] == (23, 80, 3) and len(modes.variances) == len(modes.modes) <= 3
    assert modes.error is None
    with_mean = visard.face_modes(faces, modes=3, with_mean=True, mu=3, out=tmp_path / "with-mean")
    assert with_mean.error.shape == (len(with_mean.mesh.vertices),) and 0 < with_mean.error.mean() < 0.05
    drawn = visard.face_sample(modes, 4)
    assert drawn.shape == (4, 23, 80, 3) and np.array_equal(drawn, visard.face_sample(tmp_path / "modes", 4))

    ages = np.linspace(4, 38, 80)
    sexes = ["F", "M"] * 40
    fit = visard.face_regress(
        faces, {"age": ages, "sex": sexes}, bounds={"age": (3, 40)}, levels={"sex": ("F", "M")}, mu=3, out=tmp_path / "fit"
    )
    assert fit.fields.shape == (3, 23, 80, 3) and len(fit.names) == 3
    face, expected = visard.face_predict(fit, {"age": 8, "sex": "M"})
    assert len(face.vertices) == len(mean.mesh.vertices) and expected > 0
    with pytest.raises(visard.InputError, match="age"):
        visard.face_predict(fit, {"age": 50})

    groups = visard.face_compare(faces, {str(i): "ab"[i % 2] for i in range(80)}, mu=3, out=tmp_path / "groups")
    assert set(groups.means) == {"a", "b"} and groups.difference.shape == (23, 80, 3)
    assert 0 < groups.test["p_value"] <= 1


def test_pandas(tmp_path, faces):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": np.linspace(4, 38, 80), "sex": ["F", "M"] * 40}, index=[str(i) for i in range(80)])
    table.loc["3", "age"] = np.nan
    fit = visard.face_regress(faces, table[["age"]], bounds={"age": (3, 40)}, mu=1, seed=1, out=tmp_path / "fit")
    assert fit.fields.shape[0] == 2
    found = visard.face_compare(faces, table["sex"], want="test", mu=1, seed=1, out=tmp_path / "groups")
    assert found.difference is None and found.test is not None
    space = visard.Sphere(1)
    frame = pandas.DataFrame({"x": [1, 0.6], "y": [0, 0.8]})
    assert space.frechet_mean(frame) == pytest.approx(space.projection([1.6, 0.8]))


def test_points(tmp_path, matrices):
    several = visard.spd_mean(matrices, radius=2, mu=1, draws=3, out=tmp_path / "draws")
    assert several.mean.shape == (3, 4, 4)
    assert len(visard.Ledger(tmp_path / "draws").releases) >= 1
    # A mean without noise needs neither a budget, nor a centre, nor a radius.
    plain = visard.spd_mean(matrices, metric="affine-invariant", mechanism="none")
    np.testing.assert_allclose(plain.mean, visard.Spd(4).frechet_mean(matrices), atol=1e-8)
    rows = np.random.default_rng(2).normal(size=(150, 3)) + [4, 0, 0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(visard.sphere_mean(rows, mechanism="none").mean, visard.Sphere(2).frechet_mean(rows), atol=1e-8)
    space = visard.Hyperbolic(3)
    assert space.dist(visard.hyperbolic_mean(rows / 2, mechanism="none").mean, space.frechet_mean(rows / 2)) < 1e-6


def bad_studies(folder, faces, matrices):
    hole = matrices.copy()
    hole[3, 1, 1] = np.nan
    ledger = folder / "ledger.jsonl"
    face = {"mu": 1, "ledger": ledger}
    lists = folder / "lists.parquet"
    lists.write_bytes(b"PAR1")
    return [
        (lambda: visard.spd_mean(matrices, radius=2, mu=1), "out, ledger"),
        (lambda: visard.spd_mean(matrices, radius=2, ledger=ledger), "give mu="),
        (lambda: visard.spd_mean(matrices, radius=2, mu=1, epsilon=1, ledger=ledger), "mu"),
        (lambda: visard.spd_mean(hole, radius=2, unusable="refuse", **face), r"X: record 4 \(counting from 1\): has an entry that is NaN"),
        (lambda: visard.spd_mean(matrices[:, :3], radius=2, **face), "X"),
        (lambda: visard.spd_mean(-matrices, radius=2, **face), "positive definite"),
        (lambda: visard.spd_mean(matrices, radius=-2, **face), "radius"),
        (lambda: visard.spd_mean(matrices, **face), "a release needs.*radius="),
        (lambda: visard.hyperbolic_mean([[0.2, 0.0]] * 5, **face), "a release needs.*radius="),
        (lambda: visard.sphere_mean([[1.0, 0.0]] * 5, radius=[1, 2], center=[1.0, 0.0], **face), "radius"),
        (lambda: visard.spd_mean(matrices, radius="large", **face), "radius"),
        (lambda: visard.spd_mean(matrices, radius="descriptor", **face), "9 × 9"),
        (lambda: visard.spd_mean(matrices, radius=2, center=np.eye(3), **face), "center|order|3"),
        (lambda: visard.spd_mean(matrices, radius=2, center="private", **face), "first"),
        (lambda: visard.spd_mean(matrices, radius=2, metric="x", **face), "metric.*log-euclidean"),
        (lambda: visard.spd_mean(matrices, radius=2, mechanism="x", **face), "mechanism.*kng"),
        (lambda: visard.spd_mean(matrices, radius=2, draws=0, **face), "draws"),
        (lambda: visard.spd_mean(matrices, radius=2, people=["a"], **face), "people: 1 labels for 300 records"),
        (lambda: visard.sphere_mean([[1.0, 1.0]] * 5, radius=0.5, center=[1.0, 0.0], **face), "none of the 5 records.*sphere"),
        (lambda: visard.hyperbolic_mean([[2.0, 0.0]] * 5, radius=1, **face), "none of the 5 records"),
        (lambda: visard.optimize("mean", matrices, clip_radius=1, **face), "task"),
        (lambda: visard.optimize("subspace", matrices, clip_radius=1, **face), "rank"),
        (lambda: visard.optimize("eigenvector", matrices, **face), "clip_radius"),
        (lambda: visard.optimize("eigenvector", matrices, method="moment", **face), "clip_radius.*unit_records"),
        (lambda: visard.optimize("eigenvector", matrices, method="moment", unit_records=True, steps=3, **face), "steps"),
        (lambda: visard.optimize("frechet-mean", matrices, space="affine-invariant", method="moment", clip_radius=1, **face), "method"),
        (lambda: visard.optimize("frechet-mean", matrices, clip_radius=1, **face), "space"),
        (lambda: visard.face_mean(faces[:, :, :, :2], **face), r"scans: expected an array of shape \(n, J, m, 3\)"),
        (lambda: visard.face_mean(2 * faces, **face), "none of the 80 records.* times as large"),
        (lambda: visard.face_mean([], **face), "scans"),
        (lambda: visard.face_mean(7, **face), "scans"),
        (lambda: visard.face_mean(["a.ply", 3], **face), r"scans\[1\]"),
        (lambda: visard.face_mean("nowhere", **face), "nowhere: there is no such file"),
        (lambda: visard.face_mean(lists, **face), "damaged Parquet file"),
        (lambda: visard.face_mean(faces, clip_radius="large", **face), "clip_radius"),
        (lambda: visard.face_mean(faces, mechanism="x", **face), "mechanism.*joint-1"),
        (lambda: visard.face_mean(faces, band=True, mechanism="curves", **face), "band"),
        (lambda: visard.face_mean(faces, seed=-1, **face), "seed"),
        (lambda: visard.face_mean(faces, progress="yes", **face), "progress"),
        (lambda: visard.face_modes(faces, modes=0, **face), "modes"),
        (lambda: visard.face_compare(faces, ["a"] * 79, **face), "groups: 79 labels for 80 records"),
        (lambda: visard.face_compare(faces, 5, **face), "groups"),
        (lambda: visard.face_regress(faces, {"age": [1] * 80}, **face), "bounds"),
        (lambda: visard.face_regress(faces, {"age": [1]}, bounds={"age": (3, 40)}, **face), "age has 1 values for 80"),
        (lambda: visard.face_regress(faces, {"age": [1] * 80}, bounds={"age": (40, 3)}, **face), "age"),
    ]


def test_bad_studies_charge_nothing_and_leave_nothing(tmp_path, faces, matrices):
    for i, (call, said) in enumerate(bad_studies(tmp_path, faces, matrices)):
        with pytest.raises(visard.InputError, match=f"(?s){said}") as caught:
            call()
        assert "visard-" not in str(caught.value), (i, str(caught.value))
        assert not (tmp_path / "ledger.jsonl").exists(), i
    with pytest.raises(TypeError, match="unexpected argument 'oot' found"):
        visard.face_mean(faces, mu=1, out=tmp_path / "out", oot=tmp_path)


def test_a_result_is_not_replaced_unasked(tmp_path, matrices):
    out = tmp_path / "study"
    visard.spd_mean(matrices, radius=2, mu=1, out=out)
    with pytest.raises(visard.VisardError, match="already holds a release.*force=True"):
        visard.spd_mean(matrices, radius=2, mu=1, out=out)
    visard.spd_mean(matrices, radius=2, mu=1, out=out, force=True)
    assert len(visard.Ledger(out).releases) == 2


def test_progress_and_its_exceptions(tmp_path, capsys):
    mesh = visard.Template().mesh
    seen = []
    made = visard.prepare([mesh, mesh.vertices[:5], (mesh.vertices + 10, mesh.triangles)], progress=lambda *at: seen.append(at))
    assert sorted(seen) == [("scans", 1, 3), ("scans", 2, 3), ("scans", 3, 3)]
    assert made.failed == 1 and made.problems[1] and made.curves.shape == (3, 23, 80, 3)
    np.testing.assert_allclose(made.curves[2], made.curves[0], atol=1e-9)

    def broken(*at):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        visard.prepare([mesh] * 3, progress=broken)
    visard.prepare([mesh], progress=True)
    assert "1/1" in capsys.readouterr().err


def test_an_exception_after_the_charge_loses_nothing(tmp_path, matrices):
    def run(**more):
        return visard.optimize(
            "frechet-mean", matrices, space="affine-invariant", clip_radius=2, steps=300, mu=1, out=tmp_path / "study", **more
        )

    def broken(what, done, total):
        if done >= 2:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        run(progress=broken)
    if sys.version_info >= (3, 11):
        assert "the charge had been made" in caught.value.__notes__[0]
    for _ in range(100):
        try:
            found = run(resume=True)
            break
        except visard.VisardError as error:
            # The study goes on unseen: its folder is busy until it is done.
            assert "another process is working" in str(error)
            time.sleep(0.1)
    assert found.solution.shape == (4, 4) and len(visard.Ledger(tmp_path / "study").releases) == 1


# A run of tests in the background of a shell ignores SIGINT, and so would its children.
SCRIPT = """
import signal, sys, time, visard
signal.signal(signal.SIGINT, signal.default_int_handler)
mesh = visard.Template().mesh
told = []
def tell(what, done, total):
    if not told:
        print("running", flush=True)
    told.append(done)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
print("releases", len(visard.Ledger({ledger!r}).releases), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
@pytest.mark.parametrize("kind", ["scans", "prepare", "mean", "logs", "register"])
def test_ctrl_c_is_answered_and_charges_nothing(tmp_path, kind):
    scans = tmp_path / "scans"
    scans.mkdir()
    visard.Template().mesh.save(scans / "000.ply")
    for i in range(1, 200):
        shutil.copy(scans / "000.ply", scans / f"{i:03}.ply")
    ledger = str(tmp_path / "ledger.jsonl")
    call = {
        "scans": f"visard.face_mean({str(scans)!r}, mu=1, out={str(tmp_path / 'out')!r}, ledger={ledger!r}, allow_identical=True, progress=tell)",
        "prepare": f"visard.prepare({str(scans)!r}, progress=tell)",
        "mean": "import numpy as np; a = np.random.default_rng(1).normal(size=(4000, 40, 60)); X = a @ a.transpose(0, 2, 1); tell('', 1, 1); "
        "visard.Spd(40).frechet_mean(X)",
        "logs": "import numpy as np; a = np.random.default_rng(1).normal(size=(4000, 40, 60)); X = a @ a.transpose(0, 2, 1); tell('', 1, 1); "
        "[visard.Spd(40).log(X, X[0]) for _ in range(20)]",
        "register": f"scans = [visard.read_scan({str(scans / '000.ply')!r})] * 200; tell('', 1, 1); "
        "[visard.register(scan, visard.Template()) for scan in scans]",
    }[kind]
    script = textwrap.dedent(SCRIPT).format(call=call, ledger=ledger)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "running\n"
        time.sleep(0.3)
        sent = time.time()
        os.kill(process.pid, signal.SIGINT)
        word, at = process.stdout.readline().split()
        # Half a second where nothing else runs; machines that test have more to do.
        assert word == "interrupted" and float(at) - sent < 2.0, float(at) - sent
        assert process.stdout.readline() == "releases 0\n"
        process.kill()
    if kind == "scans":
        # What was done is kept: the study can be taken up again.
        assert (tmp_path / "out" / "internal").is_dir()
