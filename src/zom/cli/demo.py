"""`zom demo`: what zom does, shown on a small climate hierarchy.

Everything that is printed was just computed; the same calls work in any program.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, UNREADABLE, CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from zom import v2, v3

__all__ = ["climate", "declare", "run"]

_FILES = ("spec.json", "report.html")


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "directory",
        nargs="?",
        default="zom-demo",
        metavar="DIR",
        help="where to write spec.json and report.html (default: zom-demo)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints each step, and writes the document and the report."""
    directory = Path(arguments.directory)
    _check_directory(directory)
    spec = climate()
    for number, (title, lines) in enumerate(_steps(spec), 1):
        print(f"{number}. {title}")
        print(*(f"   {line}" if line else "" for line in lines), "", sep="\n")
    _write(directory, spec)
    print(f"Wrote {directory / 'spec.json'} and {directory / 'report.html'}: open the report in a browser.")
    print(f"Next: zom tree {directory / 'spec.json'}")
    return CLEAN


def climate() -> v3.GroupSpec:
    """The hierarchy of the demonstration.

    >>> [path for path, node in climate().walk()][:3]
    ['/', '/time', '/lat']
    """
    from zom import v3  # noqa: PLC0415 - slow to import

    array = v3.ArraySpec.build
    hours = {"units": "hours since 2026-01-01", "calendar": "standard"}
    kelvin = {"long_name": "temperature at 2 m", "units": "K"}
    return v3.GroupSpec(
        attributes={"title": "a small climate", "institution": "zom demo"},
        members={
            "time": array(shape=(48,), dtype="int64", dimension_names=("time",), attributes=hours),
            "lat": array(shape=(181,), dtype="float64", dimension_names=("lat",)),
            "lon": array(shape=(360,), dtype="float64", dimension_names=("lon",)),
            "t2m": array(
                shape=(48, 181, 360),
                dtype="float32",
                chunks=(12, 91, 90),
                shards=(24, 182, 360),
                dimension_names=("time", "lat", "lon"),
                fill_value=float("nan"),
                attributes=kelvin,
            ),
            "monthly": v3.GroupSpec(
                attributes={"cell_methods": "time: mean"},
                members={
                    "t2m": array(
                        shape=(2, 181, 360),
                        dtype="float32",
                        chunks=(1, 181, 360),
                        dimension_names=("month", "lat", "lon"),
                        compress="gzip:6",
                    ),
                    "quality": array(
                        shape=(2, 181, 360), dtype="uint8", dimension_names=("month", "lat", "lon")
                    ),
                },
            ),
        },
    )


def _old_station() -> v2.GroupSpec:
    from zom import v2  # noqa: PLC0415 - slow to import

    wind = v2.ArraySpec.build(
        shape=(1000,), dtype=">f4", dimension_names=("time",), compress="zlib:1", fill_value=None
    )
    return v2.GroupSpec(attributes={"station": "Fröya"}, members={"wind": wind})


def _steps(spec: v3.GroupSpec) -> Iterator[tuple[str, list[str]]]:
    """The title and the lines of each step."""
    import zom  # noqa: PLC0415 - slow to import
    from zom.model.tree_text import tree_lines  # noqa: PLC0415 - slow to import

    yield "A hierarchy, declared in Python: one document, no data", list(tree_lines(spec))
    yield "Checked: every problem, once, with its place", _check_lines(spec)
    text = spec.to_json()
    again = "equal" if zom.parse(text) == spec else "DIFFERENT"
    yield "To JSON and back", [f"{len(text):,} characters of JSON, read again: {again}"]
    flat = spec.flatten()
    again = "equal" if zom.unflatten(flat) == spec else "DIFFERENT"
    yield "Flattened to paths and raised again", [f"{' '.join(flat)}: {again}"]
    yield "Compared with its next version", str(spec.diff(_next_version(spec))).splitlines()
    yield "Converted: a v2 hierarchy becomes v3, losses named", _convert_lines()
    yield "Held against a template", _template_lines(spec)


def _check_lines(spec: v3.GroupSpec) -> list[str]:
    import zom  # noqa: PLC0415 - slow to import

    document = spec.to_dict()
    document["members"]["t2m"]["shape"][1] = -181
    document["members"]["time"]["codecs"][1]["name"] = "zsdt"
    document["members"]["lat"]["fill_value"] = "zero"
    lines = [f"as declared: {len(zom.check(spec))} problems", "with three mistakes put in:"]
    return [*lines, *(f"  {problem} [{problem.code}]" for problem in zom.check(document, "closed"))]


def _next_version(spec: v3.GroupSpec) -> v3.GroupSpec:
    longer = spec["t2m"].replace(shape=(96, 181, 360))
    members = {name: member for name, member in (spec.members or {}).items() if name != "monthly"}
    return spec.replace(members={**members, "t2m": longer})


def _convert_lines() -> list[str]:
    from zom.model.convert import convert  # noqa: PLC0415 - slow to import
    from zom.model.tree_text import tree_lines  # noqa: PLC0415 - slow to import

    old = _old_station()
    made = convert(old, "v3")
    lines = [*tree_lines(old), *tree_lines(made.spec)]
    lines.extend(f"lost: {problem}" for problem in made.losses)
    kept = "stay where they are" if all(made.same_chunks.values()) else "must be moved"
    return [*lines, f"the chunks {kept}"]


def _template_lines(spec: v3.GroupSpec) -> list[str]:
    from zom.model.template import ArrayTemplate, GroupTemplate  # noqa: PLC0415 - slow to import

    template = GroupTemplate(
        members={
            "t2m": ArrayTemplate(dtype="float", chunks={"time": {"max": 6}}, attributes={"units": "string"}),
            "pressure": ArrayTemplate(),
        },
    )
    return [str(problem) for problem in template.check(spec)]


def _check_directory(directory: Path) -> None:
    if directory.is_dir():
        foreign = sorted(file.name for file in directory.iterdir() if file.name not in _FILES)
        if foreign:
            message = f"{directory} holds other files ({foreign[0]}); name a new directory: zom demo DIR"
            raise CommandError(message, UNREADABLE)
    elif directory.exists():
        message = f"{directory} is no directory; name a new one: zom demo DIR"
        raise CommandError(message, UNREADABLE)


def _write(directory: Path, spec: v3.GroupSpec) -> None:
    import zom  # noqa: PLC0415 - slow to import
    from zom.views.html import html_page  # noqa: PLC0415 - slow to import

    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "spec.json").write_text(spec.to_json(indent=2) + "\n", encoding="utf-8")
        page = html_page(spec, zom.check(spec))
        (directory / "report.html").write_text(page, encoding="utf-8")
    except OSError as cause:
        message = f"{directory}: can't be written: {cause.strerror}; name another directory: zom demo DIR"
        raise CommandError(message, UNREADABLE) from None
