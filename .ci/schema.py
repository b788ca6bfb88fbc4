"""`python .ci/schema.py FOLDER`: certificates that the tests wrote to FOLDER, held against docs/certificate.schema.json by the package
jsonschema. Those in FOLDER/taken must be valid, those in FOLDER/refused must not."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

schema = json.loads((Path(__file__).parent.parent / "docs/certificate.schema.json").read_text())
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
wrong = []
for folder, valid, at_least in [("taken", True, 5), ("refused", False, 40)]:
    files = sorted((Path(sys.argv[1]) / folder).glob("*.json"))
    if len(files) < at_least:
        sys.exit(f"{sys.argv[1]}/{folder} holds {len(files)} certificates, not {at_least}: run the tests first")
    for file in files:
        errors = [error.message for error in validator.iter_errors(json.loads(file.read_text()))]
        if valid and errors:
            wrong.append(f"{file.name} is refused: {errors[0]}")
        if not valid and not errors:
            wrong.append(f"{file.name} is taken")
    print(f"{len(files)} certificates {folder}")
if wrong:
    sys.exit("\n".join(wrong))
