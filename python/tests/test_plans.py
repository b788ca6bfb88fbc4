"""Plans: the rows of the command, and arguments that make none."""

import json

import pytest

import visard

SMALL = {"curves": 8, "samples": 24}
GRID = ("--curves", 8, "--samples", 24)


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (("--n", 60, 200, "--mu", 0.5, 2), lambda: visard.face_plan([60, 200], mu=[0.5, 2], **SMALL)),
        (("--n", 100, "--epsilon", 5, "--delta", 1e-6, "--band"), lambda: visard.face_plan(100, epsilon=5, delta=1e-6, band=True, **SMALL)),
        (("--want", 3, "--mu", 1), lambda: visard.face_plan(want=3, mu=1, **SMALL)),
        (("--n", 300, "--mu", 1, "--modes"), lambda: visard.face_plan(300, mu=1, kind="modes", **SMALL)),
        (("--n", 300, "--mu", 1, "--regress", 2), lambda: visard.face_plan(300, mu=1, kind="regress", covariates=2, **SMALL)),
        (("--n", 4, "--mu", 1, "--compare"), lambda: visard.face_plan(4, mu=1, kind="compare", **SMALL)),
    ],
)
def test_the_same_rows_as_the_command(command, arguments, call):
    done = command("face", "plan", *arguments, *GRID, "--json")
    assert done.returncode == 0, done.stderr
    assert call() == json.loads(done.stdout)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: visard.face_plan(), "n"),
        (lambda: visard.face_plan(10, want=1), "want"),
        (lambda: visard.face_plan(0), "n.*1..=1000000"),
        (lambda: visard.face_plan(2, kind="compare"), "two groups of two people at least"),
        (lambda: visard.face_plan(2.5), "2.5.*n"),
        (lambda: visard.face_plan("many"), "many.*n"),
        (lambda: visard.face_plan([]), "n"),
        (lambda: visard.face_plan(10, mu=-1), "mu"),
        (lambda: visard.face_plan(10, mu=1, epsilon=1), "mu.*epsilon"),
        (lambda: visard.face_plan(10, epsilon=1), "delta"),
        (lambda: visard.face_plan(10, kind="median"), "kind"),
        (lambda: visard.face_plan(10, kind="modes", band=True), "band.*modes"),
        (lambda: visard.face_plan(10, kind="regress"), "covariates"),
        (lambda: visard.face_plan(10, covariates=2), "covariates"),
        (lambda: visard.face_plan(want=float("nan")), "want"),
        (lambda: visard.face_plan(10, mechanism="best"), "mechanism.*joint"),
        (lambda: visard.face_plan(10, mechanism="paper"), "bounds come from the data"),
        (lambda: visard.face_plan(10, curves=1), "curves"),
    ],
)
def test_bad_plans_are_named(call, said):
    with pytest.raises(visard.InputError, match=f"(?s){said}"):
        call()
