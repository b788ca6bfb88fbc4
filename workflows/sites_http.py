#!/usr/bin/env python3
"""Many sites over HTTP: a mailbox of Python's own http.server, and parties who know its address and nothing of each other.

    sites_http.py mailbox FOLDER [PORT]          anywhere that all can reach; sees ciphertext and public results only
    sites_http.py site URL PUBLIC NAME [OPTION…] at a hospital: answers every round (options are those of `visard site share` or `sum`)
    sites_http.py aggregator URL PUBLIC NAME KEY at each of the two who add up
    sites_http.py close URL PUBLIC OUT           whoever writes the results of rounds: `visard site unshare`, or merge without aggregators

PUBLIC is the folder with plan.json, which everybody has before. Put TLS and passwords of your own in front of the mailbox: what it holds is sealed or
public, but who may write into it is for you to say. `visard` (or VISARD) does all the work; this only carries files.
"""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

NAME = re.compile(r"round-[0-9]+[A-Za-z0-9_.-]*")
LARGEST = 1 << 28


class Mailbox(http.server.BaseHTTPRequestHandler):
    """PUT /name keeps a file for good, GET / lists the names, GET /name has one."""

    folder = pathlib.Path()

    def answer(self, code: int, body: bytes = b"") -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self) -> pathlib.Path | None:
        name = self.path.lstrip("/")
        return self.folder / name if NAME.fullmatch(name) else None

    def do_GET(self) -> None:
        if self.path == "/":
            names = sorted(path.name for path in self.folder.iterdir() if NAME.fullmatch(path.name))
            self.answer(200, json.dumps(names).encode())
        elif (file := self.file()) and file.is_file():
            self.answer(200, file.read_bytes())
        else:
            self.answer(404)

    def do_PUT(self) -> None:
        file, length = self.file(), int(self.headers.get("Content-Length", "0"))
        if file is None or length > LARGEST:
            self.answer(400)
            return
        body = self.rfile.read(length)
        if file.is_file():
            # What stands there stays: the same again is fine, another message of the same name is not. Only the first aggregator's
            # check may come again, when it begins again with fewer sites.
            same = file.read_bytes() == body or file.suffix == ".check"
            if not same:
                self.answer(409)
                return
        part = file.with_name("." + file.name)
        part.write_bytes(body)
        part.replace(file)
        self.answer(201)

    def log_message(self, *_: object) -> None:
        pass


def fetch(url: str, folder: pathlib.Path, results: bool) -> None:
    """What is new in the mailbox: the results of rounds, or the messages."""
    folder.mkdir(parents=True, exist_ok=True)
    with urllib.request.urlopen(url) as names:
        listed = json.load(names)
    for name in listed:
        wanted = NAME.fullmatch(name) and results == bool(re.fullmatch(r"round-[0-9]+\.json", name))
        if wanted and (name.endswith(".check") or not (folder / name).exists()):
            with urllib.request.urlopen(f"{url}/{name}") as body:
                (folder / name).write_bytes(body.read())


def send(url: str, files: list[str]) -> None:
    for file in map(pathlib.Path, files):
        request = urllib.request.Request(f"{url}/{file.name}", data=file.read_bytes(), method="PUT")
        urllib.request.urlopen(request).close()


def visard(*words: str) -> dict:
    """The command's result; `{}` with its message shown if it has to wait or cannot."""
    program = os.environ.get("VISARD", "visard")
    done = subprocess.run([program, "site", *words, "--json"], capture_output=True, text=True, check=False)
    said = json.loads(done.stdout.strip().splitlines()[-1]) if done.stdout.strip() else {}
    if done.returncode == 0:
        return said
    message = said.get("error", {}).get("message", done.stderr.strip())
    if "all rounds of this plan are done" in message:
        return {"done": True}
    print(message, file=sys.stderr)
    return {}


def rounds(url: str, public: pathlib.Path, step) -> None:
    """Takes the step that can be taken, until all rounds are done."""
    while True:
        fetch(url, public, results=True)
        said = step()
        if said.get("done") or said.get("released"):
            return
        send(url, said.get("files", []))
        time.sleep(0.5)


def main() -> None:
    part, *words = sys.argv[1:] or ["help"]
    if part == "mailbox":
        Mailbox.folder = pathlib.Path(words[0])
        Mailbox.folder.mkdir(parents=True, exist_ok=True)
        port = int(words[1]) if len(words) > 1 else 8440
        http.server.ThreadingHTTPServer(("127.0.0.1", port), Mailbox).serve_forever()
    elif part in ("site", "aggregator", "close"):
        url, public, rest = words[0].rstrip("/"), pathlib.Path(words[1]), words[2:]
        inbox = public.with_name(f"{public.name}-{rest[0]}-inbox")
        sealed = "aggregators" in json.loads((public / "plan.json").read_text()) and bool(
            json.loads((public / "plan.json").read_text())["aggregators"]
        )

        def step() -> dict:
            if part == "site":
                return visard("share" if sealed else "sum", str(public), "--site", rest[0], *rest[1:])
            fetch(url, inbox, results=False)
            if part == "aggregator":
                folder = ["--out", f"{public.name}-{rest[0]}"]
                return visard("verify", str(public), "--aggregator", rest[0], "--key", rest[1], "--inbox", str(inbox), *folder)
            said = visard("unshare" if sealed else "merge", str(public), str(inbox), "--out", rest[0])
            said["files"] = [str(file) for file in sorted(public.glob("round-*.json"))]
            if said.get("released"):
                send(url, said["files"])
            return said

        rounds(url, public, step)
    else:
        print(__doc__)


if __name__ == "__main__":
    main()
