"""What zom makes of a store that another program wrote: a list of findings, empty where all is well."""

# ruff: noqa: BLE001 - whatever goes wrong is a finding

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import values

import zom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DIMENSIONS = "_ARRAY_DIMENSIONS"
OTHER = {"v2": "v3", "draft": "v3", "v3": "v2"}


class Job(NamedTuple):
    """A store for the writer to read: as it wrote it, says `original`."""

    act: str
    place: str
    form: str
    original: str


class Judged(NamedTuple):
    findings: list[str]
    jobs: list[Job]


def judge(record: dict[str, Any], *, groups: bool, consolidated: bool, migrated: bool) -> Judged:
    """Open, read and check a store; copy, consolidate and migrate it, for the writer to read.

    `groups` says whether the writer lists groups, `consolidated` and `migrated` whether it reads such
    metadata and the other format, too.
    """
    findings: dict[str, None] = {}
    jobs: list[Job] = []
    place, form, nodes = record["place"], record["form"], record["nodes"]

    def attempt(what: str, act: Callable[[], Iterable[str]]) -> bool:
        try:
            told = [f"{what}{each}" for each in act()]
        except Exception as error:
            told = [f"{what}{type(error).__name__}: {_plain(error, place)}"]
        findings.update(dict.fromkeys(told))
        return not told

    attempt("", lambda: problems(place))
    attempt("", lambda: tree(place, nodes, groups=groups))
    attempt("", lambda: elements(place, nodes))
    stem, suffix = str(Path(place).with_suffix("")), Path(place).suffix
    copied, whole, other = (f"{stem}-{name}{suffix}" for name in ("copied", "consolidated", "migrated"))
    if attempt("copy: ", lambda: copy(place, copied)):
        jobs.append(Job("copy", copied, form, place))
        (shutil.copy if suffix else shutil.copytree)(copied, whole)
        is_group = nodes.get("/", {}).get("elements", "") is None and form != "draft"
        sound = is_group and attempt("consolidate: ", lambda: consolidate(whole, nodes, groups=groups))
        if sound and consolidated:
            jobs.append(Job("consolidated", whole, form, place))
    if attempt("migrate: ", lambda: migrate(place, other, nodes, form, groups=groups)) and migrated:
        jobs.append(Job("migrated", other, OTHER[form], place))
    return Judged(list(findings), jobs)


def problems(place: str) -> list[str]:
    """What `check` finds, and what `read`, `open` and `validate` say beyond that."""
    found = zom.validate(place, conventions=(), data="all").problems
    checked = {f"{each.severity} {each.code}" for each in found if each.severity != "note"}
    codes = {each.code for each in found}
    told: list[Any] = []
    zom.read(place, on_warning=told.append)
    zom.open(place, on_warning=told.append)
    more = {f"read warns: {each.code}" for each in told if each.code not in codes}
    report = zom.validate(place, conventions=())
    more |= {
        f"validate: {each.severity} {each.code}"
        for each in report.problems
        if each.code not in codes and each.severity != "note"
    }
    return sorted(checked | more)


def tree(place: str, nodes: dict[str, Any], *, groups: bool, form: str = "") -> list[str]:
    """Nodes that one of both doesn't list, and those with other attributes."""
    spec = zom.read(place, on_warning=lambda _: None)
    found = {path: node for path, node in spec.walk() if groups or node.kind == "array"}
    made = [f"not listed: {path}" for path in nodes if path not in found]
    made += [f"the writer doesn't list {path}" for path in found if path not in nodes]
    for path, node in nodes.items():
        if node["attributes"] is not None and path in found:
            mine, theirs = dict(found[path].attributes or {}), dict(node["attributes"])
            if form:
                # v3 has a member for what is an attribute in v2, by the convention of xarray.
                # The filters of the draft of 2021 are attributes.
                for key in (DIMENSIONS, "filters") if form == "draft" else (DIMENSIONS,):
                    mine.pop(key, None)
                    theirs.pop(key, None)
            if json.dumps(mine) != json.dumps(theirs):
                made.append(f"{path}: other attributes: {json.dumps(mine, ensure_ascii=False)[:200]}")
    return made


def elements(place: str, nodes: dict[str, Any]) -> list[str]:
    """Arrays whose elements differ from what the writer says, bit for bit."""
    made: list[str] = []
    store = zom.store(place, read_only=True)
    for path, node in nodes.items():
        if node["elements"] is None:
            continue
        try:
            array = zom.open_array(store, path[1:], on_warning=lambda _: None)
            told = values.difference(array[...], values.load(node["elements"], array.dtype))
        except Exception as error:
            made.append(f"{type(error).__name__}: {_plain(error, place)}")
            continue
        if told is not None:
            made.append(f"{path}: {told}")
    return made


def copy(place: str, target: str) -> list[str]:
    report = zom.copy(place, target)
    return [] if report is not None else ["no report"]


def consolidate(place: str, nodes: dict[str, Any], *, groups: bool) -> list[str]:
    """Consolidated metadata is written, gives the same tree, and is sound."""
    with zom.store(place, read_only=False) as store:
        zom.consolidate(store)
    told: list[Any] = []
    whole = zom.read(place, consolidated="only", on_warning=told.append)
    listed = {path for path, node in whole.walk() if groups or node.kind == "array"}
    made = [f"not listed: {path}" for path in nodes if path not in listed]
    return made + [
        f"{each.severity} {each.code}"
        for each in zom.validate(place, conventions=(), data="keys").problems
        if "consolidated" in each.code
    ]


def migrate(place: str, target: str, nodes: dict[str, Any], form: str, *, groups: bool) -> list[str]:
    """The hierarchy in another format: the same nodes and elements, by zom itself."""
    try:
        zom.migrate(place, OTHER[form], target=target)  # type: ignore[arg-type]
    except zom.ConversionError as error:
        return sorted({f"refused: {each.code}: {_kind(each)}" for each in error.problems})
    return [*tree(target, nodes, groups=groups, form=form), *elements(target, nodes)]


def _kind(problem: Any) -> str:
    """What was found, without numbers, which differ from array to array."""
    return re.sub(r"[0-9]+", "N", str(problem.found))[:80]


def answers(job: Job, answer: dict[str, Any], nodes: dict[str, Any]) -> list[str]:
    """What the writer finds otherwise in what zom made of its store."""
    if "error" in answer:
        return [f"the writer can't read it {job.act}: {_plain(answer['error'], job.place)}"]
    found = answer["nodes"]
    made = [f"{path} is missing" for path in nodes if path not in found]
    made += [f"{path} is new" for path in found if path not in nodes]
    for path in nodes.keys() & found.keys():
        one, two = found[path], nodes[path]
        if job.act != "migrated" and json.dumps(one["attributes"]) != json.dumps(two["attributes"]):
            made.append(f"{path}: other attributes")
        if (one["elements"] is None) != (two["elements"] is None):
            made.append(f"{path}: another kind of node")
        elif one["elements"] is not None:
            told = values.difference(values.load(one["elements"], None), values.load(two["elements"], None))
            made += [f"{path}: {told}"] if told else []
    if answer.get("differs"):
        made.append(answer["differs"])
    return [f"the writer reads it {job.act}: {each}" for each in sorted(made)]


def _plain(error: Any, place: str) -> str:
    """The message without what differs from run to run, and without advice."""
    text = " ".join(str(error).split()).replace(f"{place}: ", "").replace(str(Path(place).parent), "")
    return text.partition("; ")[0][:300]
