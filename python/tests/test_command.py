"""The command that the package brings: installed, without a compiler on the path."""

import json
import os
import subprocess
import sys
from pathlib import Path


def command(*words, cwd):
    installed = Path(sys.executable).with_name("visard.exe" if os.name == "nt" else "visard")
    environment = os.environ | {"PATH": str(installed.parent)}
    return subprocess.run([installed, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_a_study_by_the_command_of_the_package(tmp_path):
    done = command("shape", "demo", "--out", "first", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "first/release/certificate.json").read_text())["private"] is True
    assert command("privacy", "verify", "first/release", cwd=tmp_path).returncode == 0


def test_exit_codes_are_those_of_the_command(tmp_path):
    assert command("nonsense", cwd=tmp_path).returncode == 2
    assert command("privacy", "verify", "nowhere", cwd=tmp_path).returncode == 1
    answer = command("nonsense", "--json", cwd=tmp_path)
    assert json.loads(answer.stdout)["error"]["code"] == 2
