"""`zom stats`: count the stored chunks and bytes of each array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.printing import say, say_data, tell
from zom.count import count_of

if TYPE_CHECKING:
    import argparse

    from zom.cli.operand import Operand

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "stores",
        nargs="+",
        metavar="STORE",
        help="stores, or nodes in them; patterns such as '*.zarr' are expanded",
    )
    parser.add_argument("--missing", action="store_true", help="show only arrays with missing chunks")
    parser.add_argument("--format", choices=["text", "json", "csv"], default="text", help="output format")


def run(arguments: argparse.Namespace) -> int:
    """Print a line per array, and a sum, from listed keys; return FINDINGS if a node can't be read."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.cli.places import expanded  # noqa: PLC0415 - slow to import

    rows: list[dict[str, Any]] = []
    broken: dict[str, str] = {}
    for name in expanded(arguments.stores):
        found, lost = _measured(store_at(name))
        rows.extend(found)
        broken.update(lost)
    if arguments.missing:
        rows = [row for row in rows if row["stored"] != row["chunks"]]
    {"text": _text, "json": _json, "csv": _csv}[arguments.format](rows, broken)
    return FINDINGS if broken else CLEAN


def _measured(place: Operand) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The facts of each array, and why nodes can't be measured."""
    from zom.errors import ZomError  # noqa: PLC0415 - slow to import
    from zom.formats.facts import array_facts  # noqa: PLC0415 - slow to import
    from zom.handles.handles import open as open_node  # noqa: PLC0415 - slow to import
    from zom.hierarchy.stored.read import read_tree  # noqa: PLC0415 - slow to import
    from zom.model.tree import walk  # noqa: PLC0415 - slow to import

    rows: list[dict[str, Any]] = []
    with place.opened() as store:
        tree = read_tree(store, place.path, on_error="skip")
        base = place.path.strip("/")
        broken = {f"{place.name}{path}": reason for path, reason in tree.reasons().items()}
        for path, spec in walk(tree.spec):
            if spec.kind != "array":
                continue
            facts = array_facts(spec)
            try:
                array: Any = open_node(store, f"{base}/{path.strip('/')}".strip("/"))
                stored = array.stored()
            except ZomError as error:
                broken[f"{place.name}{path}"] = str(error)
                continue
            rows.append(
                {
                    "store": place.name,
                    "array": path,
                    "type": facts.type,
                    "shape": list(array.shape),
                    "chunk_shape": facts.chunks,
                    "stored": stored.count,
                    "chunks": stored.total,
                    "bytes_in_memory": facts.size,
                    "bytes_stored": stored.nbytes,
                    "ratio": stored.ratio,
                }
            )
    return rows, broken


def _json(rows: list[dict[str, Any]], broken: dict[str, str]) -> None:
    from zom.json.write import facts_json  # noqa: PLC0415 - slow to import

    say_data(facts_json({"arrays": rows, "broken": broken}, indent=2))


def _csv(rows: list[dict[str, Any]], broken: dict[str, str]) -> None:
    import csv  # noqa: PLC0415 - only on request
    import sys  # noqa: PLC0415 - as above

    names = (
        "store",
        "array",
        "type",
        "shape",
        "chunk_shape",
        "stored",
        "chunks",
        "bytes_in_memory",
        "bytes_stored",
    )
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow((*names, "ratio"))
    for row in rows:
        shape = "×".join(map(str, row["shape"]))
        table.writerow([*(shape if name == "shape" else row[name] for name in names), row["ratio"]])
    _tell(broken)


def _text(rows: list[dict[str, Any]], broken: dict[str, str]) -> None:
    from zom.cli.terminal import fitted, width  # noqa: PLC0415 - slow to import
    from zom.columns import column_width, padded  # noqa: PLC0415 - as above
    from zom.formats.facts import byte_text  # noqa: PLC0415 - slow to import
    from zom.problems import one_line  # noqa: PLC0415 - slow to import

    several = len({row["store"] for row in rows}) > 1
    head = ("array", "type", "shape", "chunks", "stored", "", "raw", "bytes", "ratio")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        raw = row["bytes_in_memory"]
        lines.append(
            (
                one_line(f"{row['store']}{row['array']}" if several else row["array"]),
                row["type"],
                "×".join(map(str, row["shape"])) or "scalar",
                row["chunk_shape"],
                f"{row['stored']:,}/{row['chunks']:,}",
                _bar(row["stored"], row["chunks"]),
                "?" if raw is None else byte_text(raw),
                byte_text(row["bytes_stored"]),
                "" if row["ratio"] is None else f"{row['ratio']:.2f}",
            )
        )
    widths = [column_width(line[place] for line in lines) for place in range(len(head))]
    columns = width()
    for line in lines:
        shown = "  ".join(padded(cell, room) for cell, room in zip(line, widths, strict=True)).rstrip()
        say(fitted(shown, columns))
    nbytes = sum(row["bytes_stored"] for row in rows)
    say(f"{count_of(len(rows), 'array')}, {byte_text(nbytes)} stored")
    _tell(broken)


def _bar(stored: int, total: int) -> str:
    """A bar for the stored share: full only if all chunks are stored, empty only if none is.

    >>> _bar(1, 1000), _bar(999, 1000), _bar(4, 4)
    ('█░░░░░', '█████░', '██████')
    """
    full = 6 * stored // total if total else 6
    if stored:
        full = max(full, 1)
    return "█" * full + "░" * (6 - full)


def _tell(broken: dict[str, str]) -> None:
    for path, reason in broken.items():
        tell(f"left out: {path}: {reason}")
