"""`python .ci/schema.py FOLDER`: what the tests wrote to FOLDER, held against the schemas in docs/ by the package jsonschema. Certificates and
plans in a folder `taken` must be valid, those in a folder `refused` must not; answers of commands in FOLDER/answers must be."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def validator(name):
    schema = json.loads((Path(__file__).parent.parent / f"docs/{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


wrong = []
for name, folder, valid, at_least in [
    ("certificate", "certificates/taken", True, 5),
    ("certificate", "certificates/refused", False, 40),
    ("answers", "answers", True, 40),
    ("plan", "plans/taken", True, 1),
    ("plan", "plans/refused", False, 6),
    ("site-plan", "site-plans/taken", True, 3),
    ("site-plan", "site-plans/refused", False, 18),
]:
    form = validator(name)
    files = sorted((Path(sys.argv[1]) / folder).glob("*.json"))
    if len(files) < at_least:
        sys.exit(f"{sys.argv[1]}/{folder} holds {len(files)} files, not {at_least}: run the tests first")
    for file in files:
        errors = [error.message for error in form.iter_errors(json.loads(file.read_text()))]
        if valid and errors:
            wrong.append(f"{file.name} is refused: {errors[0]}")
        if not valid and not errors:
            wrong.append(f"{file.name} is taken")
    print(f"{len(files)} files in {folder}")
if wrong:
    sys.exit("\n".join(wrong))
