"""`zom demo`: run zom's main job on a small climate dataset.

All printed results are real; the same calls work in any program.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from zom.cli.outcome import CLEAN, UNREADABLE, CommandError
from zom.cli.printing import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from zom import Group, v3
    from zom.problems import Problem

__all__ = ["climate", "declare", "run"]

_DECLARATION, _STORE = "climate.toml", "climate.zarr"
_SPEC, _SCHEMA, _REPORT = "spec.json", "schema.json", "report.html"
_LEFT = (_DECLARATION, _STORE, _SPEC, _SCHEMA, _REPORT)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "directory",
        nargs="?",
        default="zom-demo",
        metavar="DIR",
        help=f"where to write {', '.join(_LEFT[:-1])} and {_REPORT} (default: zom-demo)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print each step, and write the store, the documents and the report."""
    directory: str = arguments.directory
    _prepare(directory)
    for title, line in _steps(directory):
        say(f"{title:<12}  {line}", flush=True)
    from zom.cli.operand import spec_at  # noqa: PLC0415 - slow to import
    from zom.cli.terminal import fitted, width  # noqa: PLC0415 - slow to import
    from zom.formats.tree_text import tree_lines  # noqa: PLC0415 - slow to import

    store = os.path.join(directory, _STORE)  # noqa: PTH118 - pathlib is slow to import
    say()
    for line in tree_lines(spec_at(store)):
        say(fitted(line, width()))
    say()
    say(f"The report is {os.path.join(directory, _REPORT)}: open it in a browser.")  # noqa: PTH118 - as above
    say(f"Next: zom info {store}::t2m")
    return CLEAN


def climate() -> str:
    """The declaration of the demonstration, in TOML.

    >>> climate().splitlines()[1]
    'zom = 1'
    """
    from importlib.resources import files  # noqa: PLC0415 - slow to import

    return files("zom.cli").joinpath(_DECLARATION).read_text(encoding="utf-8")


def _values() -> dict[str, Any]:
    """The values of the arrays: temperature by latitude, and a wave that circles the earth each day."""
    import numpy as np  # noqa: PLC0415 - slow to import

    time, lat, lon = np.arange(48), np.linspace(90, -90, 181), np.arange(360.0)
    wave = np.cos(2 * np.pi * (time[:, None] / 24 + lon / 360))
    field = 300 - 45 * np.sin(np.radians(lat))[:, None] ** 2 + 6 * wave[:, None, :]
    # Round to a sixteenth of a degree: measured fields aren't exact to the last bit, and compress.
    field = (np.round(field * 16) / 16).astype("float32")
    daily = field.reshape(2, 24, 181, 360).mean(axis=1)
    return {"time": time, "lat": lat, "lon": lon, "t2m": field, "daily/t2m": daily}


def _steps(directory: str) -> Iterator[tuple[str, str]]:
    """Run the steps, and yield the name and result of each."""
    import zom  # noqa: PLC0415 - slow to import
    from zom.cli.file import write_text  # noqa: PLC0415 - slow to import
    from zom.formats.facts import byte_text  # noqa: PLC0415 - slow to import
    from zom.handles.comparing import diff  # noqa: PLC0415 - slow to import

    place = os.path.join(directory, _STORE)  # noqa: PTH118 - pathlib is slow to import
    file = os.path.join(directory, _DECLARATION)  # noqa: PTH118 - as above
    write_text(file, climate())
    declared = zom.declare(file)
    spec: v3.GroupSpec = declared.spec
    values = _values()
    size = byte_text(sum(value.nbytes for value in values.values()))
    nodes = len(list(spec.walk()))
    yield "declared", f"{nodes} nodes in {file}: {nodes - len(values)} groups, {len(values)} arrays, {size}"
    report = zom.validate(spec, conventions=["xarray", "cf"])
    kept = sum(rule.passed > 0 and not rule.failed for rule in report.rules)
    yield (
        "validated",
        f"Zarr metadata and {kept} rules of xarray and CF: {_count(report.problems)}",
    )
    if os.path.lexists(place):
        zom.repair(place)
    root = cast("Group", zom.materialize(declared, place, on_conflict="replace"))
    yield "materialized", f"{place}: all or nothing, with the values of time, lat and lon"
    yield "filled", _fill(root, values)
    _compare(root, values)
    if not diff(spec, place):
        yield "read back", "identical, bit for bit; the store's spec equals the declared one"
    problems = zom.validate(place, conventions=["xarray", "cf"], data="all").problems
    yield "checked", f"the store, every chunk decoded, coordinates in order: {_count(problems)}"
    yield "exported", _export(directory, spec, problems, root)


def _count(problems: tuple[Problem, ...]) -> str:
    return "no problems" if not problems else f"{len(problems)} problems, such as {problems[0]}"


def _fill(root: Group, values: Mapping[str, Any]) -> str:
    """Write the data: the field a day at a time, and its means at once."""
    from zom.formats.facts import byte_text  # noqa: PLC0415 - slow to import

    t2m: Any = root["t2m"]
    for hour in range(0, 48, 24):
        t2m[hour : hour + 24] = values["t2m"][hour : hour + 24]
    daily: Any = root["daily/t2m"]
    daily[...] = values["daily/t2m"]
    stored = t2m.stored(inner=True)
    place = f"{stored.inner_count} chunks in {stored.count} shards"
    return f"t2m a day at a time, into {place}: {byte_text(stored.nbytes)}"


def _compare(root: Group, values: Mapping[str, Any]) -> None:
    """Raise RuntimeError if the values read differ from those written."""
    for path, value in values.items():
        array: Any = root[path]
        if array[...].tobytes() != value.astype(array.dtype).tobytes():
            raise RuntimeError(f"{path}: the values read differ from the values written")


def _export(directory: str, spec: v3.GroupSpec, problems: tuple[Problem, ...], root: Group) -> str:
    import zom  # noqa: PLC0415 - slow to import
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.file import write_text  # noqa: PLC0415 - slow to import
    from zom.cli.schema_check import schema_problems  # noqa: PLC0415 - slow to import
    from zom.json.write import write_json  # noqa: PLC0415 - as the others

    document = os.path.join(directory, _SPEC)  # noqa: PTH118 - pathlib is slow to import
    schema = zom.json_schema(zom.template.infer(spec))
    write_text(document, spec.to_json(indent=2) + "\n")
    write_text(
        os.path.join(directory, _SCHEMA),  # noqa: PTH118 - as above
        write_json(schema, indent=2) + "\n",
    )
    write_text(os.path.join(directory, _REPORT), _page(spec, problems, root))  # noqa: PTH118 - as above
    wrong = schema_problems(read_document(document), schema)
    fits = "does not fit" if wrong else "fits"
    return f"{_SPEC}, which {fits} {_SCHEMA}, a JSON Schema for other languages"


def _page(spec: v3.GroupSpec, problems: tuple[Problem, ...], root: Group) -> str:
    """The report: problems, sizes of arrays, stored chunks, and a picture of the field."""
    from zom.cli.pictures import picture_of, stored_arrays  # noqa: PLC0415 - slow to import
    from zom.views.html.page import Seen, hierarchy_page  # noqa: PLC0415 - slow to import

    stored = stored_arrays(root.store, "", spec)
    # The field comes first: each coordinate has only one chunk.
    stored = {path: stored[path] for path in sorted(stored, key=lambda path: -stored[path].nbytes)}
    return hierarchy_page(spec, problems, seen=Seen(stored, {}, {"/t2m": picture_of(root["t2m"])}))


def _prepare(directory: str) -> None:
    """Create the directory, or check that it holds only files of an earlier demo."""
    try:
        os.makedirs(directory, exist_ok=True)  # noqa: PTH103 - pathlib is slow to import
        foreign = sorted(set(os.listdir(directory)) - {*_LEFT})  # noqa: PTH208 - as above
    except FileExistsError:
        message = f"{directory} is not a directory; name a new one: zom demo DIR"
        raise CommandError(message, UNREADABLE) from None
    except (OSError, ValueError) as cause:
        from zom.reason import reason_of  # noqa: PLC0415 - only on errors

        message = f"{directory}: can't be written: {reason_of(cause)}; name another directory: zom demo DIR"
        raise CommandError(message, UNREADABLE) from None
    if foreign:
        message = f"{directory} holds other files ({foreign[0]}); name a new directory: zom demo DIR"
        raise CommandError(message, UNREADABLE)
