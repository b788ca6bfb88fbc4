"""Writes docs/dependencies.md from `cargo metadata` on standard input; fails for a source or a licence that is not allowed."""

import json
import re
import sys
import tomllib
from collections import defaultdict

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def allowed(expression, licences):
    """Whether one of the alternatives of an SPDX expression consists of these licences only."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    at = 0

    def term():
        nonlocal at
        token, at = tokens[at], at + 1
        if token == "(":
            value = either()
            at += 1
            return value
        if at < len(tokens) and tokens[at] == "WITH":
            token, at = f"{token} WITH {tokens[at + 1]}", at + 2
        return token in licences

    def both():
        nonlocal at
        value = term()
        while at < len(tokens) and tokens[at] == "AND":
            at += 1
            value = term() and value
        return value

    def either():
        nonlocal at
        value = both()
        while at < len(tokens) and tokens[at] == "OR":
            at += 1
            value = both() or value
        return value

    return either()


def reached(root, nodes):
    """Packages that this one is built from; those of tests and benches are not followed."""
    seen, stack = set(), [root]
    while stack:
        here = stack.pop()
        if here not in seen:
            seen.add(here)
            stack += [d["pkg"] for d in nodes[here]["deps"] if any(k["kind"] != "dev" for k in d["dep_kinds"])]
    return seen


def main():
    data = json.load(sys.stdin)
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)["licenses"]
    with open("Cargo.lock", "rb") as file:
        locked = {(p["name"], p["version"]): p for p in tomllib.load(file)["package"]}
    exceptions = {e["crate"]: e["allow"] for e in rules["exceptions"]}
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    own = {p["name"]: p["id"] for p in data["packages"] if p["source"] is None}
    roots = {"The command and the library": "visard", "Beside these, the viewer": "visard-viewer", "Beside these, the Python module": "visard-python"}
    built = {title: reached(own[root], nodes) for title, root in roots.items()}
    parts = {title: {} for title in [*roots, "Beside these, tests and benches"]}
    wrong = []
    for package in data["packages"]:
        name, version, licence = package["name"], package["version"], package["license"]
        if package["source"] is None:
            continue
        if package["source"] != REGISTRY or "checksum" not in locked[name, version]:
            wrong.append(f"{name} {version} comes from {package['source']}")
        if licence is None or not allowed(licence, set(rules["allow"]) | set(exceptions.get(name, []))):
            wrong.append(f"{name} {version} has the licence {licence}")
        title = next((title for title in roots if package["id"] in built[title]), "Beside these, tests and benches")
        parts[title].setdefault(licence, []).append(f"{name} {version}")
    if wrong:
        sys.exit("\n".join(wrong))
    count = sum(len(names) for part in parts.values() for names in part.values())
    print("# Dependencies\n")
    print(f"All {count} crates of Cargo.lock, for any system, by the licence they state. Each comes from crates.io with a checksum.")
    print("`.ci/dependencies --write` writes this list; [security.md](security.md) says when it was last reviewed.")
    for title, part in parts.items():
        print(f"\n## {title}\n")
        grouped = defaultdict(list)
        for licence, names in part.items():
            grouped[licence.replace("/", " OR ").replace("  ", " ")] += names
        for licence, names in sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0])):
            print(f"* {licence} ({len(names)}): {', '.join(sorted(names))}")


main()
