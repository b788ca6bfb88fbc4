"""A software bill of materials (CycloneDX 1.5) of what is linked into the command, from `cargo metadata` on standard input."""

import json
import sys

metadata = json.load(sys.stdin)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
root = next(id for id, package in packages.items() if package["name"] == "visard" and package["source"] is None)

# What is built into it: neither development nor build dependencies.
linked, left = set(), [root]
while left:
    id = left.pop()
    if id in linked:
        continue
    linked.add(id)
    for dependency in nodes[id]["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            left.append(dependency["pkg"])


def component(package):
    url = f"pkg:cargo/{package['name']}@{package['version']}"
    found = {"type": "library", "bom-ref": url, "name": package["name"], "version": package["version"], "purl": url}
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return found


bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": {"type": "application", "name": "visard", "version": sys.argv[1]}},
    "components": [component(packages[id]) for id in sorted(linked - {root})],
}
json.dump(bill, sys.stdout, indent=1)
