"""The checks of values of one node: their presence, types, texts, numbers and counts.

A check of texts skips values of other types, and so on: the schema, or the check `json_type`, checks that
a value has the right type.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from zom.checks.check import Breach, Outcome, Site, Skip, local
from zom.checks.equality import equal, is_whole, key_of
from zom.checks.selector import Selector, readable
from zom.count import count_of
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.json.types import TYPE_WORDS, is_of_type
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.checks.check import Value
    from zom.checks.selector import At

__all__ = [
    "any_of",
    "between",
    "count",
    "equal",
    "equals",
    "forbidden",
    "json_type",
    "length",
    "member_of",
    "nothing_at",
    "one_of",
    "pattern",
    "required",
    "sequence",
    "unique",
]


@lru_cache(maxsize=1024)  # repeated at every node without a value there
def nothing_at(*selectors: At) -> Skip:
    """The outcome of a check that found no value."""
    return Skip(
        f"nothing at {' or '.join(map(str, selectors))}" if selectors != (".",) else "nothing to check"
    )


@local
def required(site: Site, at: At, *, expected: str | None = None) -> Outcome:
    """Check that `at` finds a value wherever its holder exists; a list isn't empty if `at` ends in [*].

    `expected` describes the missing value in words.

    >>> required("ome.version").params
    {'at': 'ome.version'}
    """
    found = site.values(at)
    if found and (isinstance(at, Selector) or "[*]" not in at):
        return ()  # there is one place only
    missing = site.missing(at)
    if not missing:
        return () if found else nothing_at(at)
    return tuple(
        Breach(
            m.node,
            m.path,
            "an item" if is_list(m.value) else expected or f"a value at {_last(m)}",
            _nothing(m),
        )
        for m in missing
    )


def _last(value: Value) -> str:
    return show(value.path[-1]) if value.path else "the node"


def _nothing(value: Value) -> str:
    """The text of what was found instead of a missing value, with near names."""
    name = value.path[-1] if value.path else ""
    if is_dict(value.value) and isinstance(name, str):
        close = near(name, value.value)
        if close:
            return f"nothing, but {' or '.join(map(repr, close))}"
    return "an empty list" if is_list(value.value) else "nothing"


@local
def forbidden(site: Site, at: str) -> Outcome:
    """Check that nothing is at `at`.

    >>> forbidden("_FillValue").name
    'forbidden'
    """
    return tuple(Breach(v.node, v.path, f"no {_last(v)}", show(v.value)) for v in site.values(at))


@local
def json_type(site: Site, types: list[str], *, at: At = ".") -> Outcome:
    """Check that each value at `at` has one of the JSON Schema `types`.

    >>> json_type(["string"], at="coordinates").params
    {'types': ['string'], 'at': 'coordinates'}
    """
    values = site.values(at)
    if not values:
        return nothing_at(at)
    wrong = [v for v in values if not _is_of_any(v.value, types)]
    if not wrong:
        return ()
    expected = " or ".join(TYPE_WORDS[each] for each in types)
    return tuple(Breach(v.node, v.path, expected, show(v.value)) for v in wrong)


def _is_of_any(value: object, types: list[str]) -> bool:
    for each in types:  # noqa: SIM110 - a generator would take twice the time, for every value
        if is_of_type(value, each):
            return True
    return False


@local
def pattern(site: Site, regex: str, *, at: str = ".", expected: str | None = None) -> Outcome:
    r"""Check that each text at `at` matches the regular expression as a whole.

    The syntax is the part shared with ECMA 262. Messages show `expected`, or else the sentence of the rule.

    >>> pattern("[0-9A-Fa-f]{6}", at="ome.omero.channels[*].color").name
    'pattern'
    """
    values = [v for v in site.values(at) if isinstance(v.value, str)]
    if not values:
        return nothing_at(at)
    wrong = (v for v in values if not is_whole(regex, v.value))
    # Users don't read regular expressions: an empty text stands for the rule's own sentence.
    said = expected or ""
    return tuple(Breach(v.node, v.path, said, show(v.value)) for v in wrong)


@local
def one_of(site: Site, values: list[Any], *, at: str = ".") -> Outcome:
    """Check that each value at `at` is one of `values`; objects and lists are skipped.

    >>> one_of(["up", "down"], at="positive").params["values"]
    ['up', 'down']
    """
    found = [v for v in site.values(at) if not is_dict(v.value) and not is_list(v.value)]
    if not found:
        return nothing_at(at)
    breaches: list[Breach] = []
    for value in found:
        if not any(equal(value.value, each) for each in values):
            texts = [each for each in values if isinstance(each, str)]
            expected = (
                " or ".join(map(show, values)) if len(values) <= 12 else "one of the names that are known"
            )
            fix = did_you_mean(near(value.value, texts))
            breaches.append(Breach(value.node, value.path, expected, show(value.value), fix))
    return breaches


@local
def equals(site: Site, value: Any = None, *, at: str, like: str | None = None) -> Outcome:
    """Check that each value at `at` equals `value`, or the value at `like`; numbers compare by value.

    >>> equals("0.5", at="ome.version").params
    {'value': '0.5', 'at': 'ome.version'}
    """
    found = site.values(at)
    if not found:
        return nothing_at(at)
    wanted = value
    if like is not None:
        others = site.values(like)
        if not others:
            return nothing_at(like)
        wanted = others[0].value
    wrong = (v for v in found if not equal(v.value, wanted))
    return tuple(Breach(v.node, v.path, show(wanted), show(v.value)) for v in wrong)


@local
def between(
    site: Site,
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    above: float | None = None,
    at: str = ".",
) -> Outcome:
    """Check that each number at `at` is at least `minimum`, at most `maximum`, and more than `above`.

    >>> between(0, 255, at="color[*]").params
    {'minimum': 0, 'maximum': 255, 'at': 'color[*]'}
    """
    values = [v for v in site.values(at) if is_of_type(v.value, "number")]
    if not values:
        return nothing_at(at)
    breaches: list[Breach] = []
    for v in values:
        fits = (
            (minimum is None or v.value >= minimum)
            and (maximum is None or v.value <= maximum)
            and (above is None or v.value > above)
        )
        if not fits:
            breaches.append(Breach(v.node, v.path, _range(minimum, maximum, above), show(v.value)))
    return breaches


def _range(minimum: float | None, maximum: float | None, above: float | None) -> str:
    parts = [f"at least {minimum}"] if minimum is not None else []
    parts += [f"more than {above}"] if above is not None else []
    parts += [f"at most {maximum}"] if maximum is not None else []
    return f"a number of {' and '.join(parts)}"


@local
def length(site: Site, at: str, *, like: str | None = None, equals: int | None = None) -> Outcome:
    """Check that each list at `at` has `equals` items, or as many as the list or the values at `like`.

    >>> length("scale", like="@shape").params
    {'at': 'scale', 'like': '@shape'}
    """
    found = [v for v in site.values(at) if is_list(v.value)]
    if not found:
        return nothing_at(at)
    wanted = equals
    why = ""
    if like is not None:
        others = site.values(like)
        if not others:
            return nothing_at(like)
        wanted = len(others[0].value) if len(others) == 1 and is_list(others[0].value) else len(others)
        why = f", as many as at {like.lstrip('@.')}"
    wrong = (v for v in found if len(v.value) != wanted)
    return tuple(
        Breach(v.node, v.path, f"{count_of(wanted or 0, 'item')}{why}", f"{len(v.value)}: {show(v.value)}")
        for v in wrong
    )


@local
def unique(site: Site, at: str, *, fold: bool = False) -> Outcome:
    """Check that no two values at `at` are equal; with `fold`, texts that differ only in case are equal.

    >>> unique("axes[*].name").params
    {'at': 'axes[*].name', 'fold': False}
    """
    values = site.values(at)
    if not values:
        return nothing_at(at)
    seen: dict[Any, Value] = {}
    breaches: list[Breach] = []
    for v in values:
        key = key_of(v.value.casefold() if fold and isinstance(v.value, str) else v.value)
        first = seen.setdefault(key, v)
        if first is not v:
            breaches.append(Breach(v.node, v.path, "a value that is listed once", f"{show(v.value)} again"))
    return breaches


@local
def count(
    site: Site,
    at: str,
    *,
    minimum: int = 0,
    maximum: int | None = None,
    values: list[Any] | None = None,
) -> Outcome:
    """Check the number of values at `at`; with `values`, only these count.

    The finding is at the holder of the values: the list, for `axes[*].type`.

    >>> count("ome.axes[*].type", values=["space"], minimum=2, maximum=3).params["minimum"]
    2
    """
    holder = at.rpartition("[*]")[0]
    lists = [v for v in site.values(holder) if is_list(v.value)] if holder else []
    if holder and not lists:
        return nothing_at(holder)
    found = [v for v in site.values(at) if values is None or any(equal(v.value, each) for each in values)]
    if minimum <= len(found) and (maximum is None or len(found) <= maximum):
        return ()
    what = "" if values is None else f" of {' or '.join(map(show, values))}"
    path = lists[0].path if lists else site.at()
    return (
        Breach(
            lists[0].node if lists else site.holder,
            path,
            f"{_number(minimum, maximum)}{what}",
            str(len(found)),
        ),
    )


def _number(minimum: int, maximum: int | None) -> str:
    if maximum is None:
        return f"at least {minimum}"
    if minimum == maximum:
        return f"{minimum}"
    return f"{minimum} to {maximum}" if minimum else f"at most {maximum}"


@local
def any_of(site: Site, selectors: list[str], *, minimum: int = 1, maximum: int | None = None) -> Outcome:
    """Check that `minimum` to `maximum` of the `selectors` find something.

    >>> any_of(["proj:code", "proj:wkt2", "proj:projjson"]).params["minimum"]
    1
    """
    if not is_dict(site.holder.attributes if site.scope is None and not site.place else site.scope):
        return Skip("not an object")  # the schema reports it
    found = [selector for selector in selectors if site.values(selector)]
    if len(found) >= minimum and (maximum is None or len(found) <= maximum):
        return ()
    names = ", ".join(readable(selector) for selector in selectors)
    shown = " and ".join(readable(selector) for selector in found) or "none"
    return (Breach(site.holder, site.at(), f"{_number(minimum, maximum)} of {names}", shown),)


@local
def sequence(site: Site, at: str, key: str, order: list[list[str]]) -> Outcome:
    """Check that the items at `at`, classified by their `key`, are in the order of the lists in `order`.

    "*" in a list stands for everything that no list names, including items without `key`.

    >>> sequence("axes[*]", "type", [["time"], ["*"], ["space"]]).params["key"]
    'type'
    """
    items = site.values(at)
    if not items:
        return nothing_at(at)
    rank = {name: place for place, names in enumerate(order) for name in names}
    breaches: list[Breach] = []
    highest, before = -1, ""
    for item in items:
        kind = item.value.get(key) if is_dict(item.value) else None
        place = rank.get(kind if isinstance(kind, str) else "*", rank.get("*", 0))
        if place < highest:
            breaches.append(
                Breach(item.node, item.path, f"{_class(order[place])} before {before}", show(item.value))
            )
        else:
            highest, before = place, _class(order[place])
    return breaches


def _class(names: Sequence[str]) -> str:
    return " or ".join("others" if name == "*" else show(name) for name in names)


@local
def member_of(site: Site, at: str, values_of: str) -> Outcome:
    """Check that each value at `at` is one of those that `values_of` selects.

    >>> member_of("spatial:dimensions[*]", "@dims[*]").params
    {'at': 'spatial:dimensions[*]', 'values_of': '@dims[*]'}
    """
    values = site.values(at)
    if not values:
        return nothing_at(at)
    known = [v.value for v in site.values(values_of)]
    if not known and not site.values(values_of.removesuffix("[*]")):
        return nothing_at(values_of)
    breaches: list[Breach] = []
    for v in values:
        if not any(equal(v.value, each) for each in known):
            fix = did_you_mean(near(v.value, [each for each in known if isinstance(each, str)]))
            shown = ", ".join(map(show, known[:12])) or "nothing"
            breaches.append(Breach(v.node, v.path, f"one of {shown}", show(v.value), fix))
    return breaches
