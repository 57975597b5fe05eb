"""Metadata documents, as other software writes them.

    python write_documents zarr-python OUT.jsonl        zarr-python 3: v2 and v3
    python write_documents zarr-python-2 OUT.jsonl      zarr-python 2: v2, and the draft of v3
    python write_documents tensorstore OUT.jsonl        v2 and v3
    python write_documents zarrs OUT.jsonl              zarr-python 3 with the codecs of zarrs

Stores are written in memory, or in a temporary folder; each line of OUT is one document that was found
in them: the writer, its version, the key without the path of its node, and the document's text. Only
documents that differ are kept. What a writer refuses is counted, not an error.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from collected import Collected

if TYPE_CHECKING:
    from collections.abc import Callable

WRITERS = {
    "zarr-python": ("zarr", "by_zarr_python", "write"),
    "zarr-python-2": ("zarr", "by_zarr_python_2", "write"),
    "tensorstore": ("tensorstore", "by_tensorstore", "write"),
    "zarrs": ("zarrs", "by_zarr_python", "write_with_zarrs"),
}
"""The package, the module and its function: none can be imported beside all others."""


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in WRITERS:
        print(f"usage: python write_documents {{{','.join(WRITERS)}}} OUT.jsonl", file=sys.stderr)
        return 2
    writer, out = arguments
    package, module, function = WRITERS[writer]
    write: Callable[[Collected], None] = getattr(import_module(module), function)
    collected = Collected(writer, package)
    write(collected)
    Path(out).write_text("".join(f"{line}\n" for line in collected.lines), encoding="utf-8")
    print(
        f"{writer} {collected.version}: {len(collected.lines)} documents, {sum(collected.refused.values())} refusals",
        file=sys.stderr,
    )
    for reason, count in collected.refused.most_common(8):
        print(f"    {count:6d} x {reason}", file=sys.stderr)
    return 0 if collected.lines else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
