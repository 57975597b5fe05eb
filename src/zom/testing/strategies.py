"""Hypothesis strategies: documents and specs of every format, in every valid spelling.

For the tests of zom, and of software that uses it. The results are valid at the level "strict", without
warnings; small, but varied: short-hand names and objects, members that are absent, empty or spelled out,
members that may be ignored, unregistered names, keys in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hypothesis import strategies as st

from zom.formats.families import FAMILIES
from zom.paths import name_faults
from zom.testing.array_documents import draft_arrays, v2_arrays, v3_arrays
from zom.testing.json_values import attributes, json_values, shuffled

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from zom.extension.datatype import Format
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = [
    "array_documents",
    "array_specs",
    "attributes",
    "group_documents",
    "group_specs",
    "json_values",
    "node_names",
]

Members = Literal["known", "unknown", "any"]
"""Whether groups know their members: all, none, or some of them."""

_ARRAYS = {"v2": v2_arrays, "v3": v3_arrays, "draft": draft_arrays}
_ODD_NAMES = ("0", "c", "a", "a.b", "ab", "members", "attributes", "_members", "-", "A")
_ODD_V3_NAMES = (
    "~",
    "a~1b",
    "a b",
    "x:y",
    "*",
    "zarr.json.",
    "\N{LATIN SMALL LETTER E WITH ACUTE}",
    "\U0001f40d",
)


def node_names(form: Format) -> SearchStrategy[str]:
    """Names that a node of the format may have without a warning.

    >>> node_names("draft").filter(lambda name: "/" in name).is_empty
    False
    """

    def allowed(name: str) -> bool:
        faults: list[Fault] = []
        name_faults(name, form, faults)
        return not faults

    if form == "draft":
        letters = st.text("abcXYZ019._-", min_size=1, max_size=6)
    elif form == "v2":
        letters = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=6)
    else:
        letters = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
    odd = st.sampled_from((*_ODD_NAMES, *_ODD_V3_NAMES) if form == "v3" else _ODD_NAMES)
    return (odd | letters).filter(allowed)


def array_documents(form: Format) -> SearchStrategy[dict[str, Any]]:
    """Documents of arrays.

    >>> array_documents("v3").is_empty
    False
    """
    return _ARRAYS[form]()


def array_specs(form: Format = "v3") -> SearchStrategy[Any]:
    """Specs of arrays.

    >>> array_specs("v2").is_empty
    False
    """
    return array_documents(form).map(FAMILIES[form].classes["array"].parse)


@st.composite
def _groups(draw: st.DrawFn, form: Format, members: Members, depth: int, width: int) -> dict[str, Any]:
    document: dict[str, Any] = dict(FAMILIES[form].constants["group"])
    if draw(st.booleans()):
        document["attributes"] = draw(attributes())
    if form == "v3" and draw(st.integers(0, 3)) == 0:
        document["x-extra"] = {"must_understand": False, "value": draw(json_values(depth=1))}
    if members == "known" or (members == "any" and draw(st.booleans())):
        node: SearchStrategy[dict[str, Any]] = array_documents(form)
        if depth > 1:
            deeper: SearchStrategy[dict[str, Any]] = _groups(form, members, depth - 1, width)
            node = st.one_of(node, deeper)
        names = draw(st.lists(node_names(form), max_size=width, unique=True))
        document["members"] = {name: draw(node) for name in names}
    return draw(shuffled(document))


def group_documents(
    form: Format = "v3", *, members: Members = "any", max_depth: int = 3, max_members: int = 3
) -> SearchStrategy[dict[str, Any]]:
    """Documents of groups, with everything below them.

    >>> group_documents("draft", members="known").is_empty
    False
    """
    return _groups(form, members, max_depth, max_members)


def group_specs(
    form: Format = "v3", *, members: Members = "any", max_depth: int = 3, max_members: int = 3
) -> SearchStrategy[Any]:
    """Specs of groups, with everything below them.

    >>> group_specs(max_depth=1).is_empty
    False
    """

    def parsed(document: dict[str, Any]) -> Spec:
        return FAMILIES[form].classes["group"].parse(document)

    return group_documents(form, members=members, max_depth=max_depth, max_members=max_members).map(parsed)
