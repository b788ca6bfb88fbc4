"""Many sites, nothing pooled: the steps of the command, over the same files."""

import json
import re
import shutil

import numpy as np
import pytest

import visard

SITES = ("berlin", "lyon", "oslo")


@pytest.fixture(scope="module")
def people(own):
    """Forty people of each site, whose mean is far enough from the template to be told from it."""
    rng = np.random.default_rng(7)
    shift = rng.normal(size=(len(SITES), 40, 23, 1, 3))
    return dict(zip(SITES, own * (1.04, 1, 0.96) + 0.004 * shift))


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
    # Better than publishing the template unread, by a margin that noise does not make up for.
    assert rms(release.curves - exact) < 0.5 * rms(own - exact)
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


@pytest.mark.parametrize("want", ["map", "test"])
def test_groups_the_same_as_the_command(tmp_path, people, command, want):
    public, other, tray = tmp_path / "public", tmp_path / "other", tmp_path / "tray"
    sizes = {"berlin": (25, 15), "lyon": (10, 30), "oslo": (40, 0)}
    # In another order than that of the labels.
    sites = {name: {"patient": b, "control": a} for name, (a, b) in sizes.items()}
    visard.site_plan(public, sites, mu=2, want=want)
    options = [word for name, (a, b) in sizes.items() for word in ("--site", f"{name}={a}+{b}")]
    done = command("site", "plan", other, "--mu", 2, "--groups", "control,patient", "--want", want, *options)
    assert done.returncode == 0, done.stderr
    assert (public / "plan.json").read_bytes() == (other / "plan.json").read_bytes()
    groups = {name: ["control"] * a + ["patient"] * b for name, (a, b) in sizes.items()}
    np.save(tmp_path / "lyon.npy", people["lyon"])
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(groups["lyon"]))
    (tmp_path / "lyon.csv").write_text(f"record,group\n{rows}")
    closed = visard.SiteRound(0, 1, None)
    while closed.release is None:
        assert closed.round < closed.rounds
        for name, records in people.items():
            said = visard.site_sum(public, records, site=name, groups=groups[name], out=tmp_path / name, seed=3)
            carried(said, tray)
            # A site that answered the first round under another ledger may not answer the second.
            if name != "lyon" or closed.round > 0:
                continue
            given = ("--prepared", tmp_path / "lyon.npy", "--groups", tmp_path / "lyon.csv")
            done = command("site", "sum", public, *given, "--site", name, "--out", tmp_path / "b", "--seed", 3, "--json")
            assert done.returncode == 0, done.stderr
            [mine], [theirs] = said["files"], json.loads(done.stdout.splitlines()[-1])["files"]
            with open(mine, "rb") as a, open(theirs, "rb") as b:
                # The first line names the ledger's receipt, which is this party's own.
                assert a.read().split(b"\n", 1)[1] == b.read().split(b"\n", 1)[1]
        closed = visard.site_merge(public, tray, out=tmp_path / "study")
    release = closed.release
    assert isinstance(release, visard.FaceComparison) and release.n == 120 and release.certificate.mu == 2
    assert release.summary["groups"] == [{"label": "control", "n": 75}, {"label": "patient", "n": 45}]
    if want == "map":
        assert release.difference.shape == (23, 80, 3) and set(release.means) == {"control", "patient"}
    else:
        assert 0 <= release.test["p_value"] <= 1 and release.difference is None


def test_a_regression_the_same_as_the_command(tmp_path, people, command):
    public, other, tray = tmp_path / "public", tmp_path / "other", tmp_path / "tray"
    sites = {name: 40 for name in SITES}
    visard.site_plan(public, sites, mu=3, bounds={"age": (3, 40)}, levels={"sex": ("F", "M")}, residuals=True)
    options = [word for name in SITES for word in ("--site", f"{name}=40")]
    done = command("site", "plan", other, "--mu", 3, "--bounds", "age=3.0:40.0", "--levels", "sex=F|M", "--residuals", *options)
    assert done.returncode == 0, done.stderr
    assert (public / "plan.json").read_bytes() == (other / "plan.json").read_bytes()
    # One of the sites has girls only.
    table = lambda name: {"age": np.linspace(4, 39, 40), "sex": ["F"] * 40 if name == "oslo" else ["F", "M"] * 20}  # noqa: E731
    with pytest.raises(visard.VisardError, match="covariates"):
        visard.site_sum(public, people["oslo"], site="oslo", out=tmp_path / "oslo")
    with pytest.raises(visard.InputError, match="sex has 39 values for 40 records"):
        short = table("lyon") | {"sex": ["F"] * 39}
        visard.site_sum(public, people["lyon"], site="lyon", covariates=short, out=tmp_path / "lyon")
    closed = visard.SiteRound(0, 1, None)
    while closed.release is None:
        assert closed.round < closed.rounds
        for name, records in people.items():
            carried(visard.site_sum(public, records, site=name, covariates=table(name), out=tmp_path / name), tray)
        closed = visard.site_merge(public, tray, out=tmp_path / "study")
    release = closed.release
    assert isinstance(release, visard.FaceRegression) and release.n == 120 and release.certificate.mu == 3
    assert release.names[:2] == ["reference", "age"] and release.fields.shape == (3, 23, 80, 3)
    assert release.band.shape[1] == 2 and all(field["error_rms"] > 0 for field in release.summary["fields"])


def test_groups_of_other_numbers_are_refused(tmp_path, people):
    public = tmp_path / "public"
    pair = {"a": 20, "b": 20}
    for arguments, named in [
        (dict(sites={"berlin": pair, "lyon": 40}), "sites['lyon']"),
        (dict(sites={"berlin": pair, "lyon": {"a": 20, "c": 20}}), "sites['lyon']"),
        (dict(sites={"berlin": pair, "lyon": {"a": 20, "b": "many"}}), "sites['lyon']['b']"),
        (dict(sites={"berlin": pair, "lyon": {"a": -1, "b": 41}}), "sites['lyon']['a']"),
        (dict(sites={"berlin": {}, "lyon": {}}), "sites['berlin']"),
        (dict(sites={"berlin": {"a": 40}, "lyon": {"a": 40}}), "group"),
        (dict(sites={"berlin": {"a": 20, "b": 1}, "lyon": {"a": 20, "b": 0}}), "b has fewer than two people"),
        (dict(sites={"berlin": {"a b": 20, "b": 20}, "lyon": {"a b": 20, "b": 20}}), "a b"),
        (dict(sites={"berlin": pair, "lyon": pair}, modes=2), "modes"),
        (dict(sites={"berlin": pair, "lyon": pair}, want="both"), "need two plans"),
        (dict(sites={"berlin": pair, "lyon": pair}, want="loud"), "want"),
        (dict(sites={"berlin": 40, "lyon": 40}, want="map"), "groups"),
    ]:
        with pytest.raises(visard.VisardError, match=re.escape(named)):
            visard.site_plan(public, mu=1, **arguments)
    assert not public.exists()
    visard.site_plan(public, {"berlin": pair, "lyon": pair}, mu=1)
    out = tmp_path / "s"
    for groups, named in [
        (None, "groups"),
        (["a"] * 19 + ["b"] * 21, "20 of a, 20 of b; here are 19 of a, 21 of b"),
        (["a"] * 20 + ["c"] * 20, "'c'|\"c\""),
        (["a"] * 20 + ["b"] * 19, "39 labels for 40 records"),
        ({"0": "a"}, "record"),
        (7, "groups"),
    ]:
        with pytest.raises(visard.VisardError, match=named):
            visard.site_sum(public, people["berlin"], site="berlin", groups=groups, out=out)
    assert not (out / "visard.ledger.jsonl").exists()
    plain = tmp_path / "plain"
    visard.site_plan(plain, {"berlin": 40, "lyon": 40}, mu=1)
    with pytest.raises(visard.InputError, match="groups"):
        visard.site_sum(plain, people["berlin"], site="berlin", groups=["a", "b"] * 20, out=out)


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
        (dict(site="berlin"), "out"),
        (dict(site="paris", out=tmp_path / "s"), "paris"),
    ]:
        with pytest.raises(visard.VisardError, match=named):
            visard.site_sum(public, people["berlin"], **arguments)
    # The budget is the plan's.
    with pytest.raises(TypeError, match="mu"):
        visard.site_sum(public, people["berlin"], site="berlin", out=tmp_path / "s", mu=1)
    with pytest.raises(visard.VisardError, match="40"):
        visard.site_sum(public, people["berlin"][:39], site="berlin", out=tmp_path / "s")
    with pytest.raises(visard.VisardError, match="site_sum"):
        visard.site_share(public, people["berlin"], site="berlin", key=tmp_path / "k", out=tmp_path / "s")
    assert not (tmp_path / "s" / "visard.ledger.jsonl").exists()
    with pytest.raises(visard.VisardError):
        visard.site_merge(public, tmp_path / "nothing", out=tmp_path / "study")
