"""The JSON Schema of declarations under ajv, in strict mode, and under Python: good and bad documents.

python declarations_check.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from engines import missing_ajv, verdicts

from zom.declaration.schema import declaration_schema

DOCUMENTS = Path(__file__).parents[1] / "declaration" / "documents.json"


def main() -> int:
    missing = missing_ajv()
    if missing:
        print(missing, file=sys.stderr)
        return 2
    documents = json.loads(DOCUMENTS.read_text(encoding="utf-8"))
    texts = [json.dumps(document) for document in (*documents["good"], *documents["bad"])]
    wanted = [True] * len(documents["good"]) + [False] * len(documents["bad"])
    wrong = 0
    for engine in ("ajv2020", "jsonschema"):
        found = verdicts(engine, declaration_schema(), texts)
        for text, verdict, good in zip(texts, found, wanted, strict=True):
            if (not verdict) != good:
                wrong += 1
                print(f"{engine}: expected {'no error' if good else 'an error'}, found {verdict}: {text}")
    print(f"{len(texts)} declarations by 2 validators, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
