"""Budgets against formulas; ledgers and certificates."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

import visard


def delta_of(mu, epsilon):
    """Dong, Roth and Su (2022), Corollary 2.13."""
    return ndtr(-epsilon / mu + mu / 2) - math.exp(epsilon + log_ndtr(-epsilon / mu - mu / 2))


@pytest.mark.parametrize("mu", [0.1, 0.5, 1, 3, 8])
def test_convert(mu):
    for epsilon in (0.1, 1, 5):
        expected = delta_of(mu, epsilon)
        if expected > 1e-12:
            assert visard.convert(mu=mu, epsilon=epsilon).delta == pytest.approx(expected, rel=1e-6)
    found = visard.convert(mu=mu, delta=1e-6)
    assert delta_of(mu, found.epsilon) == pytest.approx(1e-6, rel=1e-5)
    assert visard.convert(epsilon=found.epsilon, delta=1e-6).mu == pytest.approx(mu, rel=1e-6)
    assert visard.Mu.of(found.epsilon, 1e-6) == pytest.approx(mu, rel=1e-6)
    assert visard.Mu(mu).epsilon(1e-6) == found.epsilon


def test_compose():
    assert visard.compose(mu=[3, 4]).loss["mu"] == pytest.approx(5)
    assert visard.compose(epsilon=[0.5, 0.25]).loss["epsilon"] == pytest.approx(0.75)
    assert visard.compose(mu=[1], delta=1e-5).epsilon == visard.convert(mu=1, delta=1e-5).epsilon
    with pytest.raises(visard.InputError, match="at least one"):
        visard.compose()


def test_calibrate():
    sigma = visard.calibrate(sensitivity=2.0, epsilon=1.0, delta=1e-6)
    # The analytic Gaussian mechanism (Balle and Wang 2018) is (Delta/sigma)-GDP.
    exact = 2 / brentq(lambda mu: delta_of(mu, 1.0) - 1e-6, 0.01, 3)
    assert sigma == pytest.approx(exact, rel=1e-6)
    classical = visard.calibrate(sensitivity=2.0, epsilon=0.9, delta=1e-6, calibration="classical")
    assert classical == pytest.approx(2 * math.sqrt(2 * math.log(1.25e6)) / 0.9, rel=1e-9)
    found = visard.calibrate("riemannian-gaussian", manifold="euclidean", dim=3, sensitivity=0.5, mu=1)
    assert found.sigma == pytest.approx(0.5, rel=1e-6)
    back = visard.calibrate("riemannian-gaussian", manifold="sphere", dim=2, sensitivity=0.05, sigma=0.1)
    assert 0 < back.mu < 1


BAD = [
    (lambda: visard.convert(mu=1), "exactly two"),
    (lambda: visard.convert(mu=1, epsilon=1, delta=1e-6), "exactly two"),
    (lambda: visard.convert(mu=-1, epsilon=1), "mu"),
    (lambda: visard.Mu(0), "mu"),
    (lambda: visard.Mu(math.nan), "mu"),
    (lambda: visard.compose(mu=[math.inf]), "mu"),
    (lambda: visard.calibrate(sensitivity=1), "epsilon, delta"),
    (lambda: visard.calibrate(sensitivity=-1, epsilon=1, delta=1e-6), "sensitivity"),
    (lambda: visard.calibrate(sensitivity=1, epsilon=1, delta=1e-6, calibration="x"), "calibration.*analytic, classical"),
    (lambda: visard.calibrate("laplace", sensitivity=1), "mechanism"),
    (lambda: visard.calibrate("riemannian-gaussian", sensitivity=1, manifold="torus", dim=2, mu=1), "manifold"),
    (lambda: visard.calibrate("riemannian-gaussian", sensitivity=1, manifold="sphere", dim=2), "exactly one"),
    (lambda: visard.audit("nothing"), "nothing"),
    (lambda: visard.audit("gaussian", runs=10), "runs"),
    (lambda: visard.Certificate("nowhere.json"), "certificate"),
]


@pytest.mark.parametrize(("call", "said"), BAD)
def test_bad_arguments(call, said):
    with pytest.raises(visard.InputError, match=said):
        call()


def test_audit():
    found = visard.audit("gaussian", runs=20_000)
    assert found["verdict"] == "held" and found["passed"] is True
    assert 0 < found["lower_bound_mu"] <= found["claimed_mu"]
    assert "joint" in visard.audit_names()


def test_a_ledger_adds_up_and_refuses(tmp_path, matrices):
    ledger = visard.Ledger(tmp_path / "people.jsonl", ceiling_mu=1.2)
    assert (ledger.releases, ledger.total, ledger.epsilon(1e-6)) == ([], None, 0.0)
    first = visard.spd_mean(matrices, radius=2, mu=0.6, ledger=ledger)
    visard.spd_mean(matrices, radius=2, mu=0.8, ledger=ledger.path)
    assert ledger.total["mu"] == pytest.approx(1.0)
    assert ledger.epsilon(1e-6) == pytest.approx(visard.convert(mu=1, delta=1e-6).epsilon, rel=1e-9)
    with pytest.raises(visard.BudgetError, match="ceiling mu = 1.2; nothing was charged"):
        visard.spd_mean(matrices, radius=2, mu=0.8, ledger=ledger)
    assert len(ledger.releases) == 2
    assert visard.verify(first.path, ledger=ledger)["ledger"] == str(ledger.path)
    with pytest.raises(visard.BudgetError, match="vacuous_budget"):
        visard.spd_mean(matrices, radius=2, mu=25, out=tmp_path / "vacuous")


def test_certificates_and_what_was_changed(tmp_path, matrices):
    release = visard.spd_mean(matrices, radius=2, mu=1, out=tmp_path / "study")
    certificate = release.certificate
    assert certificate.private and certificate.mu == pytest.approx(1) and certificate["n"] == 300
    assert dict(certificate) == json.loads((release.path / "certificate.json").read_text())
    assert "differentially private" in certificate.explain()
    assert "NOT" not in repr(certificate)
    assert visard.verify(tmp_path / "study")["files"] == len(certificate["files"])
    np.save(release.path / "mean.npy", np.eye(4))
    with pytest.raises(visard.VisardError, match="mean.npy is not the file that was released"):
        visard.verify(release.path)
