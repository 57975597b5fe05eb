"""Writes src/zom/conventions/examples.json: for each rule of a convention, what keeps it and what breaks it.

The examples are cut out of the conformance cases: of one that breaks the rule, the smallest part around the
finding that tells it from all that keep the rule; of one that keeps it, the same part.

Run it after a change of cases: `python docs/generate_examples.py`. With `--check` nothing is written, and the
exit code is 1 where the file is out of date.
"""

from __future__ import annotations

import json
import sys
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.problems import split_pointer
from zom.testing.convention_cases import load_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.testing.convention_cases import Case

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "conformance" / "conventions"
FILE = ROOT / "src" / "zom" / "conventions" / "examples.json"

PLAIN = {
    *("zarr_format", "node_type", "chunk_grid", "chunks", "chunk_key_encoding", "codecs", "fill_value"),
    *("compressor", "filters", "order", "dimension_separator", "consolidated_metadata"),
}
"""Members that say nothing where the finding isn't in one of them."""

FACTS = ("/shape", "/data_type", "/dtype", "/chunk")
"""Findings there are about an array among others."""

SHORT = 300
"""An example longer than this is shown without most of what is the same in what is right and what is wrong."""

LONG = 900
"""An example longer than this is taken only where there is no shorter one."""


class Place(NamedTuple):
    """A part of a document: the path of a node, and a pointer into its own document."""

    node: str
    pointer: str


class Pair(NamedTuple):
    """What breaks a rule, and what keeps it, at the same place."""

    place: Place
    wrong: Any
    right: Any

    @property
    def size(self) -> int:
        return len(text(self.wrong)) + len(text(self.right))


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def examples() -> dict[str, dict[str, Any]]:
    """The examples of each rule, by convention and code."""
    made: dict[str, dict[str, Any]] = {}
    for path in sorted(CASES.glob("*.json")):
        by_rule: dict[tuple[str, str], list[Case]] = {}
        for case in load_cases(path):
            by_rule.setdefault((case.convention, case.rule["rule"]), []).append(case)
        for (convention, code), cases in by_rule.items():
            pair = best(cases)
            made.setdefault(convention, {})[code] = {
                "node": pair.place.node,
                "pointer": pair.place.pointer,
                "right": pair.right,
                "wrong": pair.wrong,
            }
    return dict(sorted(made.items()))


def best(cases: Sequence[Case]) -> Pair:
    """The first short pair, for the first case is the most telling one; or the shortest."""
    kept = [case for case in cases if case.findings is None]
    found: list[Pair] = []
    for case in cases:
        for node, pointer in case.findings or ():
            for pair in islice(pairs(case, Place(node, pointer), kept), 2):
                if pair.size <= LONG:
                    return pair
                found.append(pair)
    return min(found, key=lambda pair: pair.size)


def pairs(case: Case, finding: Place, kept: Sequence[Case]) -> Iterator[Pair]:
    """What tells right from wrong, the smallest part first."""
    for plain in (PLAIN - {*split_pointer(finding.pointer)}, set[str]()):
        for place in around(finding):
            wrong = part(case.document, place, plain)
            rights = [part(each.document, place, plain) for each in kept]
            there = [each for each in rights if each is not ABSENT]
            if wrong is ABSENT or not there or any(text(each) == text(wrong) for each in there):
                continue
            pair = Pair(place, wrong, nearest(there, text(wrong)))
            yield shortened(pair) if pair.size > SHORT else pair
    # Whatever tells them apart is nothing that stands in the documents at this place: show them whole.
    yield Pair(Place("/", ""), case.document, nearest([each.document for each in kept], text(case.document)))


def shortened(pair: Pair) -> Pair:
    """The pair without what is long and the same in both; nodes only where it is long still."""
    for nodes in (False, True):
        wrong, right = differing(pair.wrong, pair.right, nodes=nodes)
        if text(wrong) == text(right):  # they differ in nothing but the order of their members
            return pair
        made = Pair(pair.place, wrong, right)
        if made.size <= LONG:
            break
    return made


def differing(wrong: Any, right: Any, *, nodes: bool) -> tuple[Any, Any]:
    if not isinstance(wrong, dict) or not isinstance(right, dict):
        return wrong, right
    made: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name in dict.fromkeys([*wrong, *right]):
        both = differing(wrong[name], right[name], nodes=nodes) if name in wrong and name in right else None
        if both is not None and text(both[0]) == text(both[1]) and name not in {"members", "attributes"}:
            is_node = isinstance(both[0], dict) and bool({"shape", "members"} & both[0].keys())
            if nodes if is_node else len(text(both[0])) > 60:
                continue
        for place, given in enumerate((wrong, right)):
            if name in given:
                made[place][name] = given[name] if both is None else both[place]
    return made


def nearest(values: Sequence[Any], wrong: str) -> Any:
    """The value that is most like what is wrong."""
    texts = [text(value) for value in values]
    if len(wrong) > LONG:  # likeness takes the square of the length
        return values[min(range(len(values)), key=lambda place: abs(len(texts[place]) - len(wrong)))]
    likeness = [SequenceMatcher(None, each[:LONG], wrong, autojunk=False).ratio() for each in texts]
    return values[likeness.index(max(likeness))]


def around(finding: Place) -> Iterator[Place]:
    """The place of the finding, then what is around it, up to the whole hierarchy."""
    pointer, node = finding.pointer, finding.node
    if pointer.startswith("/members"):
        pointer = ""
    elif pointer.startswith(FACTS):
        # A length says nothing without the names of the dimensions, and the arrays that it is held against.
        pointer, node = "", node.rpartition("/")[0] or "/"
    if pointer.rpartition("/")[2].isdecimal():
        yield Place(node, pointer.rpartition("/")[0])  # what is wrong with an item is seen beside the others
    while pointer:
        yield Place(node, pointer)
        pointer = pointer.rpartition("/")[0]
    yield Place(node, "")
    while node != "/":
        node = node.rpartition("/")[0] or "/"
        yield Place(node, "")


ABSENT = object()


def part(document: Any, place: Place, plain: set[str]) -> Any:
    """What stands at the place; ABSENT where nothing does."""
    here = document
    for name in place.node.strip("/").split("/") if place.node != "/" else ():
        members = here.get("members") if isinstance(here, dict) else None
        if not isinstance(members, dict) or name not in members:
            return ABSENT
        here = members[name]
    if not place.pointer:
        return without(here, plain)
    for step in split_pointer(place.pointer):
        if isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return ABSENT
    return here


def without(node: Any, plain: set[str]) -> Any:
    """A node and all below it, without the members that say nothing here."""
    if not isinstance(node, dict):
        return node
    kept = {name: value for name, value in node.items() if name not in plain}
    if isinstance(kept.get("members"), dict):
        kept["members"] = {name: without(member, plain) for name, member in kept["members"].items()}
    return kept


def generated() -> str:
    """The text of the file: a line for each rule."""
    conventions = [
        f"{text(name)}: {{\n"
        + ",\n".join(f"{text(code)}: {text(each)}" for code, each in rules.items())
        + "\n}"
        for name, rules in examples().items()
    ]
    return "{\n" + ",\n".join(conventions) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    made = generated()
    if FILE.exists() and FILE.read_text(encoding="utf-8") == made:
        return 0
    if "--check" in arguments:
        name = FILE.relative_to(ROOT)
        print(f"{name} is out of date: run python docs/generate_examples.py", file=sys.stderr)
        return 1
    FILE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
