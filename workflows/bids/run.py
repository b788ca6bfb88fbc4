#!/usr/bin/env python3
"""A BIDS-App's arguments for a study of faces.

    run.py BIDS_DIR OUT_DIR participant [--participant-label 01 02]
    run.py BIDS_DIR OUT_DIR group [--statistic mean] -- --mu 1

Scans are the files below sub-LABEL/ folders with endings .ply, .obj and .stl; all of one label are one person's. The first call writes
OUT_DIR/manifest.csv (columns file, person, and those of participants.tsv), and later ones keep to it: n is what it lists, so no scan that
comes or goes afterwards changes the study. Look at it before the first `group`. `participant` makes records, for all or some labels, many at
once if wanted; `group` opens no scan and charges the ledger. Needs `visard` on the PATH, and nothing else.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

ENDINGS = {".ply", ".obj", ".stl"}


def participants(bids: pathlib.Path) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Columns and rows of participants.tsv, by label."""
    table = bids / "participants.tsv"
    if not table.exists():
        return [], {}
    with table.open(newline="", encoding="utf-8-sig") as lines:
        reader = csv.DictReader(lines, delimiter="\t")
        columns = [name for name in reader.fieldnames or [] if name not in {"participant_id", "file", "person", "record"}]
        return columns, {row["participant_id"]: row for row in reader if row.get("participant_id")}


def scans(bids: pathlib.Path) -> list[tuple[str, pathlib.Path]]:
    """Label and file of every scan, in an order that is the same everywhere."""
    found = []
    for subject in sorted(path for path in bids.glob("sub-*") if path.is_dir()):
        for path in sorted(subject.rglob("*")):
            if path.suffix.lower() in ENDINGS and not path.name.startswith(".") and path.is_file():
                found.append((subject.name, path))
    return found


def write_manifest(bids: pathlib.Path, manifest: pathlib.Path) -> None:
    """Writes the manifest, whole, unless one is there: whoever comes first settles n."""
    columns, rows = participants(bids)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "person", *columns])
    listed = scans(bids)
    if not listed:
        sys.exit(f"{bids}: no scans ({', '.join(sorted(ENDINGS))}) below folders sub-LABEL")
    for person, path in listed:
        values = rows.get(person, {})
        told = ["" if values.get(name) in (None, "n/a") else values[name] for name in columns]
        writer.writerow([path.resolve(), person, *told])
    with tempfile.NamedTemporaryFile("w", dir=manifest.parent, prefix=".manifest", delete=False, encoding="utf-8") as draft:
        draft.write(text.getvalue())
    try:
        os.link(draft.name, manifest)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft.name)


def rows_of(manifest: pathlib.Path, labels: list[str] | None) -> tuple[list[int], int]:
    """Rows of the manifest, from 0, of these labels or all; and how many it has."""
    with manifest.open(newline="", encoding="utf-8") as lines:
        persons = [row["person"] for row in csv.DictReader(lines)]
    wanted = None if labels is None else {label if label.startswith("sub-") else f"sub-{label}" for label in labels}
    unknown = sorted((wanted or set()) - set(persons))
    if unknown:
        sys.exit(f"{manifest}: lists no {', '.join(unknown)}; n was settled when it was written")
    return [row for row, person in enumerate(persons) if wanted is None or person in wanted], len(persons)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bids_dir", type=pathlib.Path)
    parser.add_argument("output_dir", type=pathlib.Path)
    parser.add_argument("analysis_level", choices=["participant", "group"])
    parser.add_argument("--participant-label", "--participant_label", nargs="+", metavar="LABEL")
    parser.add_argument("--statistic", default="mean", choices=["mean", "modes", "regress", "compare"])
    parser.add_argument("--threads", default="1")
    # What follows `--` is for visard.
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1 :]
    os.umask(0o077)
    out = arguments.output_dir
    out.mkdir(parents=True, exist_ok=True)
    manifest, records = out / "manifest.csv", out / "records"
    if not manifest.exists():
        write_manifest(arguments.bids_dir, manifest)
    common = ["--manifest", str(manifest), "--threads", arguments.threads]
    if arguments.analysis_level == "group":
        command = ["visard", "face", arguments.statistic, "--records", str(records), "--out", str(out / "study"), *common, *options]
        return subprocess.run(command, check=False).returncode
    rows, n = rows_of(manifest, arguments.participant_label)
    prepare = ["visard", "face", "prepare", "--out", str(records), *common, *options]
    if arguments.participant_label is None:
        return subprocess.run(prepare, check=False).returncode
    # A row by itself is a shard: of n, the one after it.
    codes = [subprocess.run([*prepare, "--shard", f"{row + 1}/{n}"], check=False).returncode for row in rows]
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())
