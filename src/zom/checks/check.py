"""Checks: what a rule asks, as data: a name from a small vocabulary, and JSON parameters.

A program in another language that knows the names can run the rules of a convention. Only `python`, for
rules that no name expresses, is opaque.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, NamedTuple, ParamSpec, TypeAlias, cast

from zom.checks.selector import EVERY, parse_selector, select
from zom.dataclass import dataclass
from zom.errors import ExtensionError, ZomError
from zom.problems import Path, given_text, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.checks.selector import At
    from zom.formats.node_view import Node

__all__ = [
    "AROUND",
    "LACKING",
    "NOT_READ",
    "Breach",
    "Check",
    "Outcome",
    "Site",
    "Skip",
    "Value",
    "check_called",
    "named",
    "names_of_checks",
    "of_document",
    "python",
    "unpublished",
]

P = ParamSpec("P")


class Value(NamedTuple):
    """A value that a selector found, with its node and its path in the node's document.

    >>> from zom.formats.node_view import attributes_node
    >>> Value(attributes_node({"a": 1}), ("attributes", "a"), 1).value
    1
    """

    node: Node
    path: Path
    value: Any


class Breach(NamedTuple):
    """One breach of a rule: where, what was expected, what was found.

    >>> from zom.formats.node_view import attributes_node
    >>> Breach(attributes_node({"a": 1}), ("attributes", "a"), "a string", "1").found
    '1'
    """

    node: Node
    path: Path
    expected: str
    found: str
    fix: str | None = None
    """What to do; None if the rule says it."""
    related: tuple[str, ...] = ()
    """Paths of other nodes that explain the breach."""
    cause: tuple[str, str] | None = None
    """A common cause of breaches, mostly a missing node: its name, and the path of the searched group."""
    slip: tuple[str, Path] | None = None
    """For a missing key: the path of a node, and the path of the misspelt key in its document."""
    copied: tuple[str, Path] | None = None
    """For a differing copy: the path of another node, and the place in its document that should be equal."""


class Skip(NamedTuple):
    """A rule that doesn't apply, and why.

    >>> Skip("nothing at coordinates").why
    'nothing at coordinates'
    """

    why: str


Outcome: TypeAlias = "Sequence[Breach] | Skip"
"""What a check found: nothing, breaches, or why it doesn't apply."""

LACKING: Final = "not checked: "
"""Prefix of the reason if a rule would apply, but something that it needs is missing."""

NOT_READ: Final = Skip("the members of the group are unknown")


class Site:
    """Where a rule is judged: a node, and the node whose attributes describe it, usually the same."""

    __slots__ = ("_scopes", "_values", "holder", "node", "place", "scope")

    def __init__(self, node: Node, holder: Node, place: Path = (), scope: Any = None) -> None:
        self.node = node
        self.holder = holder
        """The node itself, or a group whose attributes it inherits."""
        self.place = place
        """Path from the holder's attributes to the scope, the value that the rule's `each` selected."""
        self.scope = scope
        self._values: dict[At, list[Value]] = {}
        """Cached results of selectors; many rules use the same ones."""
        self._scopes: dict[str, list[Site]] = {}

    def values(self, selector: At) -> list[Value]:
        """The values that `selector` finds here.

        >>> from zom.formats.node_view import attributes_node
        >>> node = attributes_node({"a": [{"b": 1}, {"b": 2}]})
        >>> [(value.path, value.value) for value in Site(node, node).values("a[*].b")]
        [(('attributes', 'a', 0, 'b'), 1), (('attributes', 'a', 1, 'b'), 2)]
        """
        found = self._values.get(selector)
        if found is None:
            found = self._values[selector] = self._selected(selector)
        return found

    def _selected(self, selector: At) -> list[Value]:
        parsed = parse_selector(selector)
        steps = parsed.steps
        if parsed.start == "attributes" and len(steps) == 1:
            # Most selectors are a single key, and need no path search.
            attributes, key = self.holder.attributes, str(steps[0])
            return [Value(self.holder, ("attributes", key), attributes[key])] if key in attributes else []
        node, start, base = self._start(parsed.start, steps)
        steps = steps[1:] if parsed.start == "fact" else steps
        if start is None:
            return []
        if not steps:
            return [Value(node, base, start)]
        return [Value(node, (*base, *path), value) for path, value in select(start, steps)]

    def missing(self, selector: At) -> list[Value]:
        """The places where `selector` expects a value but finds none, each with the value around it.

        >>> from zom.formats.node_view import attributes_node
        >>> node = attributes_node({"a": [{"b": 1}, {}]})
        >>> [value.path for value in Site(node, node).missing("a[*].b")]
        [('attributes', 'a', 1, 'b')]
        """
        parsed = parse_selector(selector)
        node, start, base = self._start(parsed.start, parsed.steps)
        steps = parsed.steps[1:] if parsed.start == "fact" else parsed.steps
        if not steps:
            return [Value(node, base, None)] if start is None else []
        *before, last = steps
        found: list[Value] = []
        for path, around in select(start, before):
            if last == EVERY:
                if isinstance(around, list) and not around:
                    found.append(Value(node, (*base, *path), around))
            elif isinstance(around, dict) and last not in around:
                found.append(Value(node, (*base, *path, last), around))
        return found

    def _start(self, start: str, steps: Sequence[str | int]) -> tuple[Node, Any, Path]:
        if start == "fact":
            name = str(steps[0])
            known = self.node.fact(name)
            if known is None:
                return self.node, None, self.node.dims_path if name == "dims" else ()
            return self.node, known[1], known[0]
        if start == "scope":
            return self.holder, self.scope, ("attributes", *self.place)
        return self.holder, self.holder.attributes, ("attributes",)

    def scopes(self, each: str) -> list[Site]:
        """A site for each value that `each` selects from the attributes."""
        found = self._scopes.get(each)
        if found is None:
            values = select(self.holder.attributes, parse_selector(each).steps)
            found = [Site(self.node, self.holder, path, value) for path, value in values]
            self._scopes[each] = found
        return found

    @property
    def group(self) -> Node | None:
        """The group that names in the attributes refer to: the holder, or the parent of an array."""
        return self.holder.parent if self.holder.is_array else self.holder

    def at(self, *steps: str | int) -> Path:
        """The path from the holder's document to `steps` within the scope."""
        return ("attributes", *self.place, *steps)

    def breach(  # noqa: PLR0913 - a breach has this many facts
        self,
        path: Path,
        expected: str,
        found: object,
        *,
        fix: str | None = None,
        node: Node | None = None,
        related: Iterable[Node] = (),
        cause: tuple[str, str] | None = None,
        slip: tuple[str, Path] | None = None,
        copied: tuple[str, Path] | None = None,
    ) -> Breach:
        """Return a breach in the document of `node` (default: the holder), with a non-string `found` as JSON.

        An empty string is also shown as JSON, so that it is visible.
        """
        text = found if isinstance(found, str) and found else show(found)
        paths = tuple(each.path for each in related)
        subject = self.holder if node is None else node
        return Breach(subject, path, expected, text, fix, paths, cause, slip, copied)


@dataclass(frozen=True, slots=True)
class Check:
    """A named check with its parameters.

    >>> from zom.checks.values import pattern
    >>> pattern("[a-z]+", at="name")
    Check(name='pattern', params={'regex': '[a-z]+', 'at': 'name'})
    """

    name: str
    params: Mapping[str, Any]
    function: Callable[..., Outcome]
    is_local: bool = False
    """Whether it reads the document of one node only, and so gives equal results for equal documents."""
    needs: str | None = None
    """Selector that must find something for the check to apply; it isn't run otherwise."""
    reads_values: bool = False
    """Whether it reads array values; it doesn't apply if only documents are known."""

    def __repr__(self) -> str:
        return f"Check(name={self.name!r}, params={dict(self.params)!r})"

    @property
    def is_portable(self) -> bool:
        """Whether a program in another language can run it."""
        return self.name != "python"

    def run(self, site: Site) -> Outcome:
        """The outcome of the check at `site`."""
        return self.function(site, **self.params)


_vocabulary: dict[str, Callable[..., Check]] = {}


def names_of_checks() -> tuple[str, ...]:
    """The names of the vocabulary."""
    return tuple(sorted(_vocabulary))


def check_called(name: str) -> Callable[..., Check] | None:
    """The function that makes the check `name` from its parameters, or None if the name is unknown.

    >>> check_called("no-such-check")
    """
    return _vocabulary.get(name)


def named(function: Callable[Concatenate[Site, P], Outcome]) -> Callable[P, Check]:
    """Make a check with the name of `function`; its parameters are those of the function without the site."""
    return _named(function, is_local=False)


def local(function: Callable[Concatenate[Site, P], Outcome]) -> Callable[P, Check]:
    """Like `named`, for a function that reads the document of one node only."""
    return _named(function, is_local=True)


def unpublished(function: Callable[Concatenate[Site, P], Outcome]) -> Callable[P, Check]:
    """A check for unpublished rules: those of templates, whose own documents say the same."""

    @wraps(function)
    def made(*args: P.args, **kwargs: P.kwargs) -> Check:
        return Check(function.__name__, signature.bind(*args, **kwargs).arguments, function)

    signature = _own_signature(function)
    return _shown(made, signature)


AROUND: Final = ("@members", "@arrays", "@groups", "@name")
"""Prefixes of selectors that look beyond the node's document."""


_SPEAK_OF_NOTHING: Final = frozenset({"any_of", "count", "forbidden", "required"})
"""The checks that can report something if a selector finds nothing."""


def _named(function: Callable[Concatenate[Site, P], Outcome], *, is_local: bool) -> Callable[P, Check]:
    name = function.__name__
    own = _own_signature(function)

    @wraps(function)
    def made(*args: P.args, **kwargs: P.kwargs) -> Check:
        bound = own.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {name: value for name, value in bound.arguments.items() if value is not None}
        selectors = [
            given[key] for key in ("at", "like", "has", "values_of") if isinstance(given.get(key), str)
        ]
        selectors += given.get("selectors", ())
        for selector in selectors:
            parse_selector(selector)  # an invalid selector raises at once
        stays = not any(selector.startswith(AROUND) for selector in selectors)
        needs = None if name in _SPEAK_OF_NOTHING else given.get("at")
        return Check(name, given, function, is_local and stays, needs)

    _vocabulary[name] = made
    return _shown(made, own)


def _own_signature(function: Callable[..., Outcome]) -> inspect.Signature:
    """The parameters of a check: those of its function, without the site."""
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _shown(made: Callable[P, Check], own: inspect.Signature) -> Callable[P, Check]:
    """Make doctest and help show the check with its own parameters."""
    vars(made).pop("__wrapped__")
    vars(made)["__signature__"] = own
    return made


class UnreadValues(Exception):
    """Raised if array values can't be read. The report says why, and no rule judges them."""


VALUES_UNREADABLE: Final = Skip("the values can't be read")


def python(function: Callable[[Site], Iterable[Breach] | Skip], needs: str | None = None) -> Check:
    """A check that the vocabulary can't express: a function that yields breaches, or returns a Skip.

    The rule is published with its text, and marked as not portable. It runs only if the selector `needs`
    finds something.

    >>> def titled(site):
    ...     if not site.holder.attributes.get("title", "").strip():
    ...         yield site.breach(("attributes", "title"), "a title", "nothing")
    >>> python(titled).is_portable
    False
    """

    @wraps(function)
    def run(site: Site) -> Outcome:
        try:
            found = function(site)
            if isinstance(found, Skip):
                return found
            return _checked(function, tuple(found))
        except UnreadValues:
            return VALUES_UNREADABLE
        except ZomError:
            raise  # an unreadable store reports itself
        except Exception as cause:
            # Rules may come from other packages, so the message names the function.
            where = f"{function.__module__}.{function.__qualname__}"
            message = f"the rule's function {where} failed at {site.node.path}: {cause!r}"
            raise ExtensionError(message) from cause

    return Check("python", {}, run, needs=needs)


def _checked(function: Callable[..., object], found: tuple[object, ...]) -> tuple[Breach, ...]:
    for each in found:
        if not isinstance(each, Breach):
            where = f"{function.__module__}.{function.__qualname__}"
            wanted = "breaches, as site.breach(...) makes them"
            raise ExtensionError(f"the rule's function {where}: expected {wanted}, found {given_text(each)}")
    return cast("tuple[Breach, ...]", found)


def of_document(function: Callable[[Site], Iterable[Breach] | Skip], needs: str | None = None) -> Check:
    """Like `python`, for a function that reads the document of one node only, and not its name.

    It is judged once for all equal documents.

    >>> of_document(lambda site: ()).is_local
    True
    """
    return replace(python(function, needs), is_local=True)


VALUES_UNREAD: Final = Skip("the values of arrays were not read: ask with data=True")


def of_values(function: Callable[[Site], Iterable[Breach] | Skip]) -> Check:
    """Like `python`, for a function that asks nodes for `blocks()`; VALUES_UNREAD if these are None.

    >>> of_values(lambda site: VALUES_UNREAD if site.node.blocks() is None else ()).reads_values
    True
    """
    return replace(python(function), reads_values=True)
