"""Runs one peer in a process of its own: jobs come in on standard input, a line of JSON each.

    python worker.py by_tensorstore

A job is `{"act": "write" | "read" | "versions", ...}` and the answer `{"error": null | text}`. What a peer
prints goes to standard error, so that it can't be taken for an answer.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

import numpy as np
import values


def dtype_of(job: dict[str, Any]) -> Any:
    """What zom holds the elements as; None where this numpy has no such type."""
    told = job["dtype"]
    if isinstance(told, list):
        return np.dtype(_descr(told))
    try:
        return np.dtype(told)
    except TypeError:
        try:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, told))
        except (ImportError, AttributeError):
            return None


def _descr(told: list[Any]) -> list[Any]:
    return [
        (name, _descr(kind) if isinstance(kind, list) else kind, *(tuple(shape) for shape in rest))
        for name, kind, *rest in told
    ]


def run(peer: Any, job: dict[str, Any]) -> dict[str, Any]:
    if job["act"] == "versions":
        return {"error": None, "versions": peer.versions()}
    place = (job["folder"], job["form"], job["document"])
    if job["act"] == "write":
        data = values.load(job["data"], dtype_of(job))
        region = tuple(slice(*ends) for ends in job["region"]) or Ellipsis
        peer.write(*place, data, region)
    else:
        values.save(job["result"], peer.read(*place, dtype_of(job)))
    return {"error": None}


def main() -> None:
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peer = importlib.import_module(sys.argv[1])
    for line in sys.stdin:
        try:
            answer = run(peer, json.loads(line))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - panics of Rust are no Exception; the answer tells
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"}
        out.write(json.dumps(answer) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
