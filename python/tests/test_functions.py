"""Private means of functions: against the mean without noise, the command, independent transforms; bad input."""

import numpy as np
import pytest

import visard


@pytest.fixture(scope="module")
def waves():
    """Four hundred functions about 5 + sin, (400, 50), two numbers a record apart."""
    rng = np.random.default_rng(8)
    t = 2 * np.pi * np.arange(50) / 50
    return 5 + np.sin(t) + 0.3 * rng.normal(size=(400, 1)) + 0.2 * rng.normal(size=(400, 1)) * np.cos(t)


def test_the_same_release_as_the_command(tmp_path, command, same_files, waves):
    np.save(tmp_path / "waves.npy", waves)
    center, positions = waves[:5].mean(0), np.linspace(0, 1, 50) ** 2
    np.save(tmp_path / "center.npy", center)
    np.save(tmp_path / "positions.npy", positions)
    cases = {
        "circle": ((), {}),
        "interval": (("--center", tmp_path / "center.npy", "--band"), {"center": tmp_path / "center.npy", "band": True}),
        "uneven": (
            ("--positions", tmp_path / "positions.npy", "--length", 0.3, "--smoothness", 3),
            {"positions": tmp_path / "positions.npy", "length": 0.3, "smoothness": 3},
        ),
    }
    for name, (arguments, more) in cases.items():
        domain = "circle" if name == "circle" else "interval"
        words = ("function", "mean", tmp_path / "waves.npy", "--domain", domain, "--bound", 8, "--mu", 1, "--seed", 5)
        done = command(*words, *arguments, "--out", tmp_path / f"{name}-command")
        assert done.returncode == 0, (name, done.stderr)
        release = visard.functional_mean(waves, domain=domain, bound=8, mu=1, seed=5, out=tmp_path / f"{name}-python", **more)
        same_files(tmp_path / f"{name}-command" / "release", release.path)
        assert "srcdoc" in release._repr_html_()


def test_what_functions_have(tmp_path, waves):
    release = visard.functional_mean(waves, domain="circle", bound=8, mu=2, band=True, out=tmp_path / "a")
    assert release.mean.shape == release.error.shape == (50,) and release.band.shape == (2, 50) and release.positions is None
    apart = np.sqrt(((release.mean - waves.mean(0)) ** 2).mean())
    assert apart < 4 * release.accuracy["rms"] < 0.2
    assert release.certificate.private and release.certificate.mu == pytest.approx(2)
    plain = visard.functional_mean(waves, domain="circle", mechanism="none")
    assert plain.mean == pytest.approx(waves.mean(0), abs=1e-12) and plain.accuracy is None
    disk = waves.reshape(400, 5, 10)
    release = visard.functional_mean(disk, domain="disk", bound=8, mu=2, out=tmp_path / "b")
    assert release.mean.shape == (5, 10)
    both = np.stack([waves, -waves], axis=-1)
    release = visard.functional_mean(both, domain="circle", bound=12, mu=2, out=tmp_path / "c", people=[i // 2 for i in range(400)])
    assert release.mean.shape == (50, 2) and release.n == 200
    uneven = visard.functional_mean(waves, domain="interval", bound=8, mu=2, positions=np.arange(50.0) ** 1.5, out=tmp_path / "d")
    assert uneven.positions == pytest.approx(np.linspace(0, 49**1.5, 50))


@pytest.mark.parametrize("given", ["list", "integers", "fortran", "read-only", "single"])
def test_arrays_of_every_kind(tmp_path, waves, given):
    X = {
        "list": lambda: waves.tolist(),
        "integers": lambda: np.round(100 * waves).astype(int),
        "fortran": lambda: np.asfortranarray(waves)[:, ::2],
        "read-only": lambda: np.broadcast_to(waves, waves.shape),
        "single": lambda: waves.astype(np.float32),
    }[given]()
    release = visard.functional_mean(X, domain="circle", bound=1000, mu=1, out=tmp_path / "a")
    assert np.isfinite(release.mean).all()


def test_bad_input_is_named_and_charges_nothing(tmp_path, waves):
    good = {"domain": "circle", "bound": 8, "mu": 1, "out": tmp_path / "study"}
    hole = waves.copy()
    hole[3, 4] = np.nan
    for X, change, words in [
        (waves[0], {}, "X: expected an array of shape"),
        (waves[:, :, None, None], {}, "X: expected"),
        (hole, {"unusable": "refuse"}, r"X: record 4 \(counting from 1\): number 5 is not finite"),
        ([[1.0, 2.0], [3.0]], {}, "X: "),
        (np.array([["a", "b"]]), {}, "X: holds"),
        ([], {}, "X: "),
        (np.empty((0, 50)), {}, "X: is empty"),
        (np.vstack([waves, waves[:1]]), {}, "identical"),
        (waves, {"domain": "torus"}, "torus.*domain"),
        (waves, {"domain": "disk"}, "X: expected"),
        (waves, {"bound": None}, "bound="),
        (waves, {"bound": 0}, "bound"),
        (waves, {"bound": "much"}, "much.*bound"),
        (waves, {"center": np.zeros(49)}, "center: the public centre is one function of shape"),
        (waves, {"center": [np.nan] * 50}, "center: "),
        (waves, {"positions": np.zeros(50)}, "positions: position 2"),
        (waves, {"positions": np.arange(49) / 10}, "positions: 49 positions for 50 samples"),
        (waves, {"length": -1}, "length"),
        (waves, {"mechanism": "magic"}, "magic.*mechanism"),
        (waves, {"mu": -1}, "mu"),
        (str(tmp_path / "gone.npy"), {}, "gone.npy"),
    ]:
        with pytest.raises(ValueError, match=words):
            visard.functional_mean(X, **{**good, **change})
        assert not (tmp_path / "study").exists(), (words, change)
    with pytest.raises(TypeError, match="unexpected argument 'boundary'"):
        visard.functional_mean(waves, **good, boundary=3)
    one = visard.functional_mean(waves[:1], **good)
    assert one.n == 1 and one.mean.shape == (50,)
    with pytest.warns(visard.RecordsWarning, match="1 record could not be used"):
        dropped = visard.functional_mean(hole, **{**good, "out": tmp_path / "dropped"})
    assert dropped.summary["secret"]["unusable"] == 1 and dropped.n == 400


def test_the_noise_is_as_large_as_stated(tmp_path):
    """Records that are all zero: what is released is noise, and how far the private centre lies from zero, so no less than the certificate states."""
    X = np.zeros((60, 40))
    release = visard.functional_mean(
        X, domain="circle", bound=1, mu=1, seed=1, out=tmp_path / "a", allow_identical=True
    )
    import json

    drawn = json.loads((release.folder / "internal" / "drawn.json").read_text())["released"]["value"]
    sigma = release.certificate["noise"]["scale"]
    ratio = np.std(drawn["coordinates"]) / sigma
    assert drawn["sigma"] == pytest.approx(sigma) and 0.75 < ratio < 3
