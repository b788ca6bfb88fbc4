"""What tests share: the command beside the package, made-up records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import visard

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command():
    """Runs the command `visard` (VISARD_COMMAND, or the repository's build); returns the finished process."""
    found = os.environ.get("VISARD_COMMAND") or ROOT / "target" / "release" / "visard"
    program = shutil.which(str(found))
    if program is None:
        pytest.fail(f"{found} is not there: cargo build --release")

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)

    return run


@pytest.fixture(scope="session")
def same_files():
    """Asserts that two releases are the same."""

    def same(a, b):
        """All files of two releases, but for what names the ledger and its line: that is in the certificate, and in the report's copy of it."""
        names = sorted(p.name for p in a.iterdir())
        assert names == sorted(p.name for p in b.iterdir())
        for name in names:
            first, second = (a / name).read_bytes(), (b / name).read_bytes()
            if name == "report.html":
                assert len(first) == len(second)
                continue
            if name == "certificate.json":
                first, second = json.loads(first), json.loads(second)
                for certificate in (first, second):
                    assert certificate.pop("ledger")["line"] == 1
                    certificate["files"] = [file for file in certificate["files"] if file["name"] != "report.html"]
            assert first == second, name

    return same


@pytest.fixture(scope="session")
def own():
    """The template's own curves."""
    return visard.Template().curves()


@pytest.fixture(scope="session")
def faces(own):
    """Eighty made-up records: the template moved smoothly, (80, 23, 80, 3)."""
    rng = np.random.default_rng(7)
    fields = np.stack([own[..., i : i + 1] * np.eye(3)[j] for i in range(3) for j in range(3)])
    return own + np.tensordot(0.03 * rng.normal(size=(80, 9)), fields, axes=1)


@pytest.fixture(scope="session")
def matrices():
    """Three hundred made-up positive definite matrices, (300, 4, 4)."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=(300, 4, 8))
    return a @ a.transpose(0, 2, 1) / 8


@pytest.fixture(scope="session")
def outlines():
    """Two hundred made-up outlines, (200, 20, 2), and a public one."""
    rng = np.random.default_rng(5)
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    atlas = np.column_stack([1.5 * np.cos(angle), np.sin(angle) + 0.2 * np.cos(2 * angle)])
    return atlas + 0.03 * rng.normal(size=(200, 20, 2)), atlas


@pytest.fixture(scope="session")
def skulls():
    """Two hundred made-up specimens in space, (200, 12, 3), of various sizes, and a public one."""
    rng = np.random.default_rng(9)
    atlas = rng.normal(size=(12, 3))
    sizes = np.exp(rng.normal(scale=0.1, size=(200, 1, 1)))
    return 20 * sizes * (atlas + 0.1 * rng.normal(size=(200, 12, 3))), atlas
