"""Modes, regression and groups of matrices, directions, hyperbolic points and functions: the same as the command's, bit for bit."""

import json

import numpy as np
import pytest

import visard

N = 120


@pytest.fixture(scope="module")
def kinds():
    """Made-up records of every kind: what the functions take, what the command takes, the shape of one."""
    rng = np.random.default_rng(4)
    a = rng.normal(size=(N, 2, 6))
    rows = rng.normal(scale=0.2, size=(N, 3)) + [1, 0, 0]
    waves = rng.normal(size=(N, 1)) * np.sin(2 * np.pi * np.arange(20) / 20) + 0.1 * rng.normal(size=(N, 1))
    return {
        "spd": (a @ a.transpose(0, 2, 1) / 6, {"radius": 2, "metric": "affine-invariant"}, (2, 2)),
        "sphere": (rows / np.linalg.norm(rows, axis=1, keepdims=True), {"radius": 0.6, "center": [1.0, 0, 0]}, (3,)),
        "hyperbolic": (rows / 4, {"radius": 2.0}, (3,)),
        "function": (waves, {"domain": "circle", "bound": 4, "center": 0.1 * np.ones(20)}, (20,)),
    }


@pytest.mark.parametrize("kind", ["spd", "sphere", "hyperbolic", "function"])
def test_every_statistic_as_the_command_has_it(tmp_path, command, same_files, kinds, kind):
    X, options, one = kinds[kind]
    ages, labels = np.linspace(4, 38, N), ["a" if i % 3 else "b" for i in range(N)]
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "ages.csv").write_text("record,age\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(ages.tolist())))
    (tmp_path / "labels.csv").write_text("record,group\n" + "".join(f"{i},{x}\n" for i, x in enumerate(labels)))
    known = []
    for name, value in options.items():
        if name == "center":
            value = np.asarray(value)
            np.save(tmp_path / "center.npy", value if kind == "function" else value[None])
            value = tmp_path / "center.npy"
        known += [f"--{name}", value]
    cases = {
        "modes": (["--modes", 3], {"modes": 3}),
        "regress": (
            ["--covariates", tmp_path / "ages.csv", "--bounds", "age=3.0:40.0"],
            {"covariates": {"age": ages}, "bounds": {"age": (3, 40)}},
        ),
        "compare": (["--groups", tmp_path / "labels.csv"], {"groups": labels}),
    }
    for statistic, (words, more) in cases.items():
        out = tmp_path / f"{statistic}-command"
        done = command(kind, statistic, tmp_path / "X.npy", *known, *words, "--mu", 3, "--seed", 5, "--out", out, "--json")
        assert done.returncode == 0, (statistic, done.stderr)
        function = getattr(visard, f"{kind}_{statistic}")
        release = function(X, mu=3, seed=5, out=tmp_path / f"{statistic}-python", **options, **more)
        same_files(out / "release", release.path)
        said = json.loads(done.stdout)
        assert all(release.summary[key] == said[key] for key in said if key not in ("out", "release", "report"))
        if statistic == "compare":
            assert set(release.means) == {"a", "b"} and release.difference.shape == release.means["a"].shape == one
            assert 0 < release.test["p_value"] <= 1 and release.band.shape == (2, *one)
            continue
        assert release.mean.shape == one
        if statistic == "modes":
            assert release.modes.shape == (len(release.variances), *one) and len(release.modes) <= 3
        else:
            assert release.names == ["reference", "age"] and release.fields.shape == (2, *one)
            np.testing.assert_array_equal(release.fields[0], release.mean)


def test_bad_input_charges_nothing_and_names_the_argument(tmp_path, kinds):
    ledger = tmp_path / "ledger.jsonl"
    matrices, rows = kinds["spd"][0], kinds["sphere"][0]
    for i, (call, said) in enumerate(
        [
            (lambda: visard.spd_modes(matrices, radius=2, ledger=ledger), "give mu="),
            (lambda: visard.spd_modes(matrices, mu=1, ledger=ledger), "bound.*radius"),
            (lambda: visard.spd_modes(matrices, radius=2, modes=0, mu=1, ledger=ledger), "modes"),
            (lambda: visard.spd_modes(matrices, radius="descriptor", mu=1, ledger=ledger), "9 × 9"),
            (lambda: visard.sphere_regress(rows, {"age": [1] * N}, radius=0.6, center=[1.0, 0, 0], mu=1, ledger=ledger), "bounds"),
            (lambda: visard.sphere_compare(rows, ["a"] * 3, radius=0.6, center=[1.0, 0, 0], mu=1, ledger=ledger), "groups: 3 labels"),
            (lambda: visard.hyperbolic_modes(rows, radius=2, model="flat", mu=1, ledger=ledger), "model.*poincare"),
            (lambda: visard.function_modes(rows, domain="line", bound=2, mu=1, ledger=ledger), "domain.*circle"),
        ]
    ):
        with pytest.raises(visard.InputError, match=f"(?s){said}") as caught:
            call()
        assert "--" not in str(caught.value) and "visard-" not in str(caught.value), (i, str(caught.value))
    with pytest.raises(TypeError, match="unexpected argument 'oot'"):
        visard.spd_modes(matrices, mu=1, oot=tmp_path, ledger=ledger)
    assert not ledger.exists()


def test_options_of_the_command_come_along(tmp_path, kinds):
    matrices = kinds["spd"][0]
    priced = visard.spd_modes(matrices, radius=2, mu=1, dry_run=True, out=tmp_path / "study")
    assert priced.summary["loss"] == {"mu": 1.0} and not priced.released and not (tmp_path / "study").exists()
    one = visard.spd_modes(matrices, radius=2, mu=1, seed=1, threads=1, out=tmp_path / "one")
    two = visard.spd_modes(matrices, radius=2, mu=1, seed=1, threads=2, out=tmp_path / "two")
    np.testing.assert_array_equal(one.mean, two.mean)
