"""Writes the pages that are made from the registries: rules.md, data-types.md, codecs.md; and support.md.

Of conventions.md, it writes the table of conventions only, and of reliability.md the tables of what was
measured, which the scripts in tests/faults keep in tests/faults/figures.json.

support.md tells what tests/interop/arrays.py saw, which keeps it in tests/interop/support.json, and what
tests/interop/defaults.py saw, which keeps it in defaults.json beside it.

Run it after a change of rules, data types, codecs or support: `python docs/generate.py`. With `--check` nothing
is written, and the exit code is 1 where a page is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runs import codec_runs, type_runs

import zom
from zom.conventions import conventions
from zom.errors import ConversionError
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.json.write import write_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom import Rule
    from zom.conventions import Convention
    from zom.extension.codec import Codec
    from zom.extension.datatype import DataType, Format

DIRECTORY = Path(__file__).parent
SUPPORT = DIRECTORY.parent / "tests" / "interop" / "support.json"
FIGURES = DIRECTORY.parent / "tests" / "faults" / "figures.json"
DEFAULTS = SUPPORT.with_name("defaults.json")
GENERATED = "<!-- Written by docs/generate.py: change what it is made from. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(escaped(cell) for cell in line)} |" for line in lines)


def escaped(cell: str) -> str:
    """The text of a cell, in which a bar would start the next one."""
    return cell.replace("|", r"\|").replace("<", "&lt;") if "`" not in cell else cell.replace("|", r"\|")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def severity(rule: Rule) -> str:
    """The severities at the three levels: one word where they are the same."""
    levels = [rule.severity("lenient"), rule.severity("strict"), rule.severity("closed")]
    words = [level or "allowed" for level in levels]
    return words[0] if len(set(words)) == 1 else " / ".join(words)


def rules_page() -> str:
    known = zom.rules()
    parts = [
        "# Rules",
        GENERATED,
        (
            f"The {len(known)} rules of Zarr that zom checks, and below them [those of conventions](#conventions). A "
            "severity stands for all levels, or for lenient / strict / closed. See [problems.md](problems.md)."
        ),
    ]
    for area, members in groupby(known.values(), key=lambda rule: rule.code.partition("/")[0]):
        rows = [(code(rule.code), rule.text, severity(rule), rule.source) for rule in members]
        parts.append(f"## {area}\n\n" + table(("Code", "Rule", "Severity", "Source"), rows))
    return "\n\n".join([*parts, *convention_rules()]) + "\n"


def by_id() -> dict[str, list[Convention]]:
    """The conventions that come with zom, all versions of one together."""
    found: dict[str, list[Convention]] = {}
    for convention in sorted(conventions, key=lambda each: each.name):
        found.setdefault(convention.id, []).append(convention)
    return found


def convention_rules() -> list[str]:
    """A section with a table for each convention; a rule that versions share is one row."""
    parts = [
        "## Conventions",
        (
            "The rules of [conventions](conventions.md). Who states a rule: the text of the specification, the JSON "
            "Schema that it publishes, or both. A portable rule is data, which programs in other languages run; the "
            "others are functions in Python."
        ),
    ]
    for name, versions in by_id().items():
        rows: dict[tuple[str, ...], list[str]] = {}
        for convention in versions:
            for full, rule in convention.codes():
                row = (code(full), rule.text, rule.level, rule.source, "yes" if rule.is_portable else "no")
                rows.setdefault(row, []).append(convention.version or "")
        head: tuple[str, ...] = ("Code", "Rule", "Level", "Source", "Portable")
        if len(versions) == 1:
            parts += [f"### {versions[0].name}", table(head, rows)]
            continue
        all_versions = [each.version for each in versions]
        said = {
            row: "all" if known == all_versions else ", ".join(dict.fromkeys(known))
            for row, known in rows.items()
        }
        lines = sorted(said.items(), key=lambda line: line[0][0])
        parts += [f"### {name}", table((*head, "Versions"), ((*row, known) for row, known in lines))]
    return parts


def conventions_page() -> str:
    """The page as it is, with a new table."""
    page = (DIRECTORY / "conventions.md").read_text(encoding="utf-8")
    before, begin, rest = page.partition(f"{GENERATED}\n\n")
    _, end, after = rest.partition("\n\n<!-- The end of the table. -->")
    return f"{before}{begin}{convention_table()}{end}{after}"


def convention_table() -> str:
    rows = [
        (
            code(convention.name),
            f"[{convention.title or convention.id}]({convention.link})" if convention.link else "",
            str(len(found := [rule for _, rule in convention.codes()])),
            f"{100 * sum(rule.is_portable for rule in found) // max(len(found), 1)} %",
        )
        for versions in by_id().values()
        for convention in versions
    ]
    return table(("Name", "Convention", "Rules", "Portable"), rows)


def spelling(made: DataType, form: Format) -> str:
    """How a format writes the type; empty where it can't."""
    try:
        value = made.to_json(form)
    except ConversionError:
        return ""
    text = code(value if isinstance(value, str) else write_json(value))
    return f"{text} and the filter `{made.object_codec}`" if form == "v2" and made.object_codec else text


def data_types_page() -> str:
    rows = [
        (
            code(family.name),
            made.kind,
            "varies" if made.itemsize is None else str(made.itemsize),
            *(spelling(made, form) for form in ("v3", "v2", "draft")),
            "yes" if family.registered else "no",
            "yes" if type_runs(made) else "no",
        )
        for family in data_types
        for made in list(family.examples())[:1]
    ]
    head = ("Data type", "Kind", "Bytes", "in v3", "in v2", "in the draft", "Registered", "Runs")
    return (
        "\n\n".join(
            [
                "# Data types",
                GENERATED,
                (
                    "The data types that zom knows, each with an example of its spelling in every format that has it; "
                    "an empty cell is a format that doesn't. Names that zom doesn't know are kept and not checked. "
                    "A registered name stands in the core specification or in zarr-extensions. A type runs if an array "
                    "of it was written and read when this page was made. The complex types that numpy doesn't have are "
                    "records of two fields, `real` and `imag`; `bfloat16` and the types of 2 to 8 bits that numpy lacks need ml_dtypes "
                    "(`pip install 'zom[codecs]'`)."
                ),
                table(head, sorted(rows)),
            ]
        )
        + "\n"
    )


def codecs_page() -> str:
    rows = [
        (
            code(codec.name),
            codec.kind,
            code(codec.v2_id or ""),
            code(codec.draft_name or ""),
            ", ".join(map(code, parameters(codec))),
            "yes" if codec.registered else "no",
            "yes" if codec_runs(codec) else "no",
        )
        for codec in codecs
    ]
    head = ("Codec in v3", "Kind", "id in v2", "in the draft", "Parameters", "Registered", "Runs")
    return (
        "\n\n".join(
            [
                "# Codecs",
                GENERATED,
                (
                    "The codecs that zom knows and checks. A registered name stands in the core specification or in "
                    "zarr-extensions. A codec runs if a chunk was encoded and decoded by it when this page was made; "
                    "pickle never does, because it can run code."
                ),
                table(head, sorted(rows)),
            ]
        )
        + "\n"
    )


def parameters(codec: Codec) -> list[str]:
    """The members of the codec's configuration."""
    return [field.alias or name for name, field in codec.configuration.model_fields.items()]


COLUMNS = 9
"""How many codecs stand side by side in a table of support."""

FORMS = {
    "v3": "Zarr v3",
    "v2": "Zarr v2",
    "draft": "The draft of v3, as software wrote it from 2021 on",
}


def support_page() -> str:
    seen: dict[str, Any] = json.loads(SUPPORT.read_text(encoding="utf-8"))
    marks: dict[str, str] = seen["marks"]
    counted = [
        (peer, seen["peers"][peer], code(marks[peer]), FORMS[form], *(str(cell[way]) for way in WAYS))
        for peer in marks
        if peer in seen["peers"]
        for form, cell in sorted(seen["counts"].get(peer, {}).items(), reverse=True)
    ]
    total = [str(sum(int(row[column]) for row in counted)) for column in (4, 5, 6)]
    head = ("Peer", "Version", "Mark", "Format", *WAYS.values())
    parts = [
        "# What zom exchanges with whom",
        GENERATED,
        (
            "Arrays that other software wrote and zom read, bit for bit, and the other way round; the last column "
            "counts arrays of theirs that zom wrote a part into, and that they read again. "
            "`tests/interop/arrays.py` does it on every change."
        ),
        table(head, [*counted, ("all", "", "", "", *total)]),
        (
            "In the tables below, a mark says that arrays of this data type and codec went in both directions; in "
            "parentheses, in one direction only. `zom` alone: zom reads what it writes, and no peer takes such "
            "arrays. An empty cell: the codec isn't for such elements, or zom can't run it."
        ),
    ]
    parts += default_tables()
    for form, title in FORMS.items():
        parts += support_tables(title, seen["cells"][form], marks)
    return "\n\n".join(parts) + "\n"


def default_tables() -> list[str]:
    """Who reads what zom writes by default."""
    seen: dict[str, Any] = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    parts = [
        "## Who reads the defaults",
        (
            f"Arrays of {len(seen['types'])} data types, made by `build` with each `compress` that it knows by name, and "
            "how many of those types each reader reads, bit for bit. Each reader reads zstd, the default, for every "
            "data type that it reads at all, as it does gzip and blosc (but netCDF-C, which calls deflate zlib); the others "
            "have fewer readers. `tests/interop/defaults.py` does it on every change."
        ),
    ]
    for form, rows in seen["read"].items():
        names = list(rows["none"])
        lines = [(row, *(str(len(cells.get(name, ()))) for name in names)) for row, cells in rows.items()]
        types = [
            (kind, *("yes" if kind in rows["zstd"].get(name, ()) else "" for name in names))
            for kind in seen["types"]
        ]
        head = [seen["readers"][name].partition(" on ")[0] for name in names]
        parts += [f"### {FORMS[form]}", table(("Compression", *head), lines)]
        parts += ["Data types, compressed by zstd:", table(("Data type", *head), types)]
    return parts


WAYS = {"theirs": "Read by zom", "ours": "Written by zom", "part": "Changed by zom"}


def support_tables(title: str, cells: dict[str, Any], marks: dict[str, str]) -> list[str]:
    """A heading, and as many tables as the codecs of a format need."""
    names = sorted({name for row in cells.values() for name in row}, key=lambda name: (kind_of(name), name))
    parts = [f"## {title}"]
    for kind, members in groupby(names, key=kind_of):
        group = list(members)
        for start in range(0, len(group), COLUMNS):
            columns = group[start : start + COLUMNS]
            rows = [
                (code(data_type), *(support_cell(row.get(name, {}), marks) for name in columns))
                for data_type, row in cells.items()
                if any(row.get(name) for name in columns)
            ]
            parts.append(f"{kind}\n\n" + table(("Data type", *map(code, columns)), rows))
    return parts


def support_cell(cell: dict[str, str], marks: dict[str, str]) -> str:
    """Who takes such arrays."""
    ways = [(mark, cell[peer]) for peer, mark in marks.items() if peer in cell]
    both = "".join(mark for mark, way in ways if way == "both")
    one = "".join(mark for mark, way in ways if way != "both")
    text = f"{both} ({one})".strip() if one else both
    return text or ("zom" if cell else "")


def kind_of(name: str) -> str:
    """What the codec makes of what, as the heading of its table."""
    for codec in codecs:
        if name in {codec.name, codec.v2_id}:
            return f"Codecs {codec.kind}"
    return "Chunks"


VERDICTS = {
    "trials": "Trials",
    "old": "Old",
    "new": "New",
    "lost": "Lost or torn",
    "unreadable": "Unreadable",
    "crashed": "Crashed or hung",
}


def reliability_page() -> str:
    """The page as it is, with new tables."""
    page = (DIRECTORY / "reliability.md").read_text(encoding="utf-8")
    before, begin, rest = page.partition(f"{GENERATED}\n\n")
    _, end, after = rest.partition("\n\n<!-- The end of the tables. -->")
    seen: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    parts = [*fault_tables(seen["faults"]), *soak_table(seen), *fuzz_table(seen), *peer_tables(seen["peers"])]
    return before + begin + "\n\n".join(parts) + end + after


def fault_tables(seen: dict[str, Any]) -> list[str]:
    """What was tried by kind of fault, and by kind of change."""
    operations: dict[str, Any] = seen["operations"]
    kinds: dict[str, int] = {}
    for made in operations.values():
        for kind, count in made["faults"].items():
            kinds[kind] = kinds.get(kind, 0) + count
    wrong = sum(made["wrong"] for made in operations.values())
    calls = (
        "Every call was tried"
        if seen["every"] == seen["early"] == 1
        else (
            f"Of the calls from the first change on, each {seen['every']}th was tried, of those before it each "
            f"{seen['early']}th"
        )
    )
    groups: dict[str, list[Any]] = {}
    for name, made in operations.items():
        groups.setdefault(name.partition(",")[0], []).append(made)
    head = ("Change", "Variants", "System calls", "Faults", "Returned", "Raised", "Killed", "Wrong")
    rows = [
        (
            name,
            str(len(members)),
            str(sum(made["calls"] for made in members)),
            str(sum(sum(made["faults"].values()) for made in members)),
            *(
                str(sum(made["outcomes"].get(end, 0) for made in members))
                for end in ("done", "raised", "killed")
            ),
            str(sum(made["wrong"] for made in members)),
        )
        for name, members in groups.items()
    ]
    return [
        "### Faults at system calls",
        (
            f"{sum(kinds.values()):,} faults in {len(operations)} operations. Wrong: {wrong}, which means neither the old "
            f"state nor the new one, or an error that did not say what to do. {calls}."
        ),
        table(("Fault", "Times"), ((kind, str(count)) for kind, count in kinds.items())),
        table(head, rows),
    ]


def soak_table(seen: dict[str, Any]) -> list[str]:
    """What the soaks did; one that found a difference writes no figures."""
    soaks = {name.removeprefix("soak "): facts for name, facts in seen.items() if name.startswith("soak ")}
    kills = ("SIGKILL", "SIGTERM", "SIGINT")
    rows = [
        (
            FORMS[form],
            f"{facts['seconds']:.0f}",
            str(sum(count for name, count in facts["done"].items() if name.islower() and name not in CHECKS)),
            str(sum(facts["done"].get(kill, 0) for kill in kills)),
            str(sum(facts["done"].get(check, 0) for check in CHECKS)),
            "0",
        )
        for form, facts in soaks.items()
    ]
    return ["### Soak", table(("Format", "Seconds", "Changes", "Kills", "Comparisons", "Differences"), rows)]


CHECKS = ("checked", "settled", "rests")


def fuzz_table(seen: dict[str, Any]) -> list[str]:
    """What the fuzzers saw; one that found anything else writes no figures."""
    rows = [
        (name.removeprefix("fuzz "), str(counts["read"]), str(counts["refused"]), "0")
        for name, facts in seen.items()
        if name.startswith("fuzz ")
        for counts in [facts["counts"]]
    ]
    return ["### Fuzzers", table(("Mutated", "Read", "Refused", "Anything else"), rows)]


def peer_tables(seen: dict[str, Any]) -> list[str]:
    """The same faults for zom and its peers: all changes together, then what was lost by each change."""
    subjects: dict[str, Any] = seen["subjects"]
    titles = {
        name: facts["version"] if name in facts["version"] else f"{name.partition(' ')[0]} {facts['version']}"
        for name, facts in subjects.items()
    }
    rows = [
        (
            titles[name],
            *(
                str(sum(made["counts"].get(verdict, 0) for made in facts["changes"].values()))
                for verdict in VERDICTS
            ),
        )
        for name, facts in subjects.items()
    ]
    changes = list(dict.fromkeys(what for facts in subjects.values() for what in facts["changes"]))
    lines = [
        (what, *(bad_cell(facts["changes"].get(what)) for facts in subjects.values())) for what in changes
    ]
    return [
        "### zom and its peers",
        (
            "One change of a small local hierarchy, with a fault at every system call: SIGKILL, a torn write and a "
            "kill, a short write, EIO, ENOSPC, a disk that stays full until the process has ended. A fresh process of "
            "the same library reads the store afterwards. Nothing is repaired first. *Old* and *new* are the states before and after the "
            "change. *Lost or torn* is everything else that is read, and a call that returned without an error though the "
            "state is the old one. The peers promise less: most of them do not say what a kill leaves."
        ),
        table(("Library", *VERDICTS.values()), rows),
        "Trials that ended lost, torn, unreadable, crashed or hung, of all trials:",
        table(("Change", *titles.values()), lines),
    ]


def bad_cell(made: dict[str, Any] | None) -> str:
    if made is None:
        return ""
    counts: dict[str, int] = made["counts"]
    return f"{sum(counts.get(bad, 0) for bad in ('lost', 'unreadable', 'crashed'))} of {counts['trials']}"


PAGES = {
    "reliability.md": reliability_page,
    "rules.md": rules_page,
    "data-types.md": data_types_page,
    "codecs.md": codecs_page,
    "support.md": support_page,
    "conventions.md": conventions_page,
}


QUOTED = re.compile(r"^(<!-- (examples/\S+) -->\n```\w+\n).*?^```", re.DOTALL | re.MULTILINE)


def quoting(page: str) -> str:
    """A page with the files of examples that it quotes, as they are."""

    def quoted(match: re.Match[str]) -> str:
        return f"{match[1]}{(DIRECTORY.parent / match[2]).read_text(encoding='utf-8')}```"

    return QUOTED.sub(quoted, (DIRECTORY / page).read_text(encoding="utf-8"))


def pages() -> Iterator[tuple[str, str]]:
    """Each page that is generated, with its text."""
    yield from ((name, page()) for name, page in PAGES.items())
    yield from ((each.name, quoting(each.name)) for each in sorted(DIRECTORY.glob("extending*.md")))


def main(arguments: Sequence[str]) -> int:
    stale = 0
    for name, text in pages():
        file = DIRECTORY / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"docs/{name} is out of date: run python docs/generate.py", file=sys.stderr)
            stale = 1
        else:
            file.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
