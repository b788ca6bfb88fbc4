"""Many sites, nothing pooled: the steps of the command, over the same files."""

import json
import shutil

import numpy as np
import pytest

import visard

SITES = ("berlin", "lyon", "oslo")


@pytest.fixture(scope="module")
def people(own):
    """Forty people of each site."""
    rng = np.random.default_rng(7)
    shift = rng.normal(size=(len(SITES), 40, 1, 1, 3))
    return dict(zip(SITES, own + 0.004 * shift))


def carried(said, tray):
    """What is handed on, brought to a folder that all see."""
    tray.mkdir(exist_ok=True)
    for file in said["files"]:
        shutil.copy(file, tray)


def test_sealed_shares_give_one_mean(tmp_path, people, own):
    keys = {name: visard.site_key(tmp_path / f"{name}.key") for name in (*SITES, "ministry", "registry")}
    sites = {name: (40, keys[name]) for name in SITES}
    public, tray = tmp_path / "public", tmp_path / "tray"
    planned = visard.site_plan(public, sites, {n: keys[n] for n in ("ministry", "registry")}, mu=3)
    assert planned["n"] == 120 and planned["mu"] == 3 and len(planned["sha256"]) == 64
    closed = visard.SiteRound(0, 1, None)
    while closed.release is None:
        assert closed.round < closed.rounds
        for name, records in people.items():
            given = {"site": name, "key": tmp_path / f"{name}.key", "out": tmp_path / name}
            said = visard.site_share(public, records, **given)
            again = visard.site_share(public, records, **given)
            assert said["n"] == 40 and not said["again"] and again["again"] and again["files"] == said["files"]
            carried(said, tray)
        for name in ("ministry", "registry", "ministry"):
            said = visard.site_verify(
                public, tray, aggregator=name, key=tmp_path / f"{name}.key", out=tmp_path / f"at-{name}"
            )
            carried(said, tray)
        assert said["finished"] and said["sites"] == sorted(SITES)
        closed = visard.site_unshare(public, [tray], out=tmp_path / "study")
    release = closed.release
    assert release.n == 120 and release.certificate.mu == 3 and release.certificate.private
    assert visard.verify(release.path)["private"]
    exact = np.concatenate(list(people.values())).mean(axis=0)
    rms = lambda x: np.sqrt((x**2).sum(axis=-1).mean())  # noqa: E731
    # What is said to be expected, and what publishing the template unread would give.
    assert rms(release.curves - exact) < rms(own - exact)
    # Each site was charged once, for all rounds.
    for name in SITES:
        assert visard.Ledger(tmp_path / name / "visard.ledger.jsonl").total["mu"] == pytest.approx(3)


def test_the_same_sums_as_the_command(tmp_path, people, command):
    public = tmp_path / "public"
    visard.site_plan(public, {name: 40 for name in SITES}, mu=1)
    other = tmp_path / "other"
    done = command("site", "plan", other, "--mu", 1, *(word for name in SITES for word in ("--site", f"{name}=40")))
    assert done.returncode == 0, done.stderr
    assert (public / "plan.json").read_bytes() == (other / "plan.json").read_bytes()
    np.save(tmp_path / "berlin.npy", people["berlin"])
    said = visard.site_sum(public, people["berlin"], site="berlin", out=tmp_path / "a", seed=3)
    done = command("site", "sum", public, "--prepared", tmp_path / "berlin.npy", "--site", "berlin", "--out", tmp_path / "b", "--seed", 3, "--json")
    assert done.returncode == 0, done.stderr
    [mine], [theirs] = said["files"], json.loads(done.stdout.splitlines()[-1])["files"]
    with open(mine, "rb") as a, open(theirs, "rb") as b:
        # The first line names the ledger's receipt, which is this party's own.
        assert a.read().split(b"\n", 1)[1] == b.read().split(b"\n", 1)[1]


def test_modes_without_aggregators(tmp_path, people):
    public, tray = tmp_path / "public", tmp_path / "tray"
    visard.site_plan(public, {name: 40 for name in SITES}, mu=2, modes=2)
    closed = visard.SiteRound(0, 1, None)
    while closed.release is None:
        assert closed.round < closed.rounds
        for name, records in people.items():
            carried(visard.site_sum(public, records, site=name, out=tmp_path / name), tray)
        closed = visard.site_merge(public, tray, out=tmp_path / "study")
    release = closed.release
    assert isinstance(release, visard.FaceModes) and release.n == 120 and release.certificate.private
    assert len(release.modes) <= 2 and release.curves.shape == (23, 80, 3)


def test_what_is_wrong_is_named_and_charges_nothing(tmp_path, people):
    public = tmp_path / "public"
    wrong = [
        (dict(sites={"berlin": 40, "lyon": 40}), "mu"),
        (dict(sites={"berlin": "many", "lyon": 40}, mu=1), "sites['berlin']"),
        (dict(sites=["berlin"], mu=1), "sites"),
        (dict(sites={"berlin": 40, "lyon": 40}, mu=1, noise="loud"), "noise"),
        (dict(sites={"berlin": 40, "lyon": 40}, mu=1, honest=1), "honest"),
        (dict(sites={"berlin": (40, tmp_path / "no.pub"), "lyon": 40}, mu=1), "no.pub"),
    ]
    for arguments, named in wrong:
        with pytest.raises((visard.InputError, visard.VisardError), match=named.replace("[", r"\[").replace("]", r"\]")):
            visard.site_plan(public, **arguments)
    assert not public.exists()
    visard.site_plan(public, {name: 40 for name in SITES}, mu=1)
    for arguments, named in [
        (dict(site="berlin", out=tmp_path / "s", mu=1), "mu"),
        (dict(site="berlin"), "out"),
        (dict(site="paris", out=tmp_path / "s"), "paris"),
    ]:
        with pytest.raises(visard.VisardError, match=named):
            visard.site_sum(public, people["berlin"], **arguments)
    with pytest.raises(visard.VisardError, match="40"):
        visard.site_sum(public, people["berlin"][:39], site="berlin", out=tmp_path / "s")
    with pytest.raises(visard.VisardError, match="site_sum"):
        visard.site_share(public, people["berlin"], site="berlin", key=tmp_path / "k", out=tmp_path / "s")
    assert not (tmp_path / "s" / "visard.ledger.jsonl").exists()
    with pytest.raises(visard.VisardError):
        visard.site_merge(public, tmp_path / "nothing", out=tmp_path / "study")
