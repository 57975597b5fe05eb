"""Contracts: all required members of an extension, checked at registration and reported in one message.

They find errors that Python itself doesn't, before any chunk is processed: a missing member, a member of
the wrong type, a method with other arguments.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from zom.extension.configuration import Configuration
from zom.extension.definition import is_name
from zom.problems import cause_text, given_text, one_of_words, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["BOOLEAN", "CONFIGURATION", "NAME", "NAMES", "Contract", "Member", "method", "one_of", "optional"]


class Member(NamedTuple):
    """One member of an extension: `holds` checks its value, and `words` describes valid values."""

    name: str
    words: str
    holds: Callable[[Any], bool]
    is_own: bool = False
    """Whether the extension must override the base class's member."""


class Contract(NamedTuple):
    """The required members of instances of `base`.

    >>> contract = Contract(object, (Member("name", "a string", lambda value: isinstance(value, str)),))
    >>> contract.faults(object())
    ['name: expected a string, found nothing']
    """

    base: type
    members: tuple[Member, ...]

    def faults(self, extension: object) -> list[str]:
        """Return all missing and invalid members."""
        if isinstance(extension, type):
            if not issubclass(extension, self.base):
                return [f"expected an instance of {self.base.__name__}, found the class {extension.__name__}"]
            call = f"{extension.__name__}()"
            return [f"expected an instance, found the class: write {call}", *self._members(extension)]
        if not isinstance(extension, self.base):
            return [
                f"expected an instance of {self.base.__name__}, found an instance of {type(extension).__name__}"
            ]
        return list(self._members(extension))

    def _members(self, extension: object) -> Iterator[str]:
        for member in self.members:
            if isinstance(extension, type) and isinstance(vars(self.base).get(member.name), property):
                continue  # a property of instances
            try:
                value: Any = getattr(extension, member.name)
            except AttributeError:
                yield f"{member.name}: expected {member.words}, found nothing"
                continue
            except Exception as cause:  # noqa: BLE001 - a property may raise anything
                yield f"{member.name}: expected {member.words}, found {cause_text(cause)}"
                continue
            if member.is_own and getattr(value, "__func__", value) is vars(self.base).get(member.name):
                yield f"{member.name}: expected {member.words}, found nothing"
            elif not member.holds(value):
                yield f"{member.name}: expected {member.words}, found {_shown(value)}"


def _shown(value: object) -> str:
    if inspect.isroutine(value):
        kind = "async " if inspect.iscoroutinefunction(value) else ""
        return f"{kind}{value.__name__}{inspect.signature(value)}"
    return show(value) if value is None or isinstance(value, (str, int, float, bool)) else given_text(value)


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_name, cast("tuple[object, ...]", value)))


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_configuration(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Configuration)


NAME = Member("name", "a name of lower case letters, digits, '-', '_' and '.', or a URI", is_name)
"""The name in documents."""

NAMES = Member("aliases", "a tuple of names", _are_names)
"""The other names."""

BOOLEAN = Member("registered", "true or false", _is_boolean)
"""Whether zarr-extensions lists the name."""

CONFIGURATION = Member("configuration", "a subclass of Configuration", _is_configuration)
"""The model of the configuration."""


def one_of(name: str, literal: Any) -> Member:
    """Return a member that must be one of the values of a literal type.

    >>> from typing import Literal
    >>> one_of("kind", Literal["a", "b"]).words
    "'a' or 'b'"
    """
    values: tuple[object, ...] = get_args(literal)
    words = [repr(value) for value in values]

    def holds(value: object) -> bool:
        return value in values

    return Member(name, one_of_words(words), holds)


def optional(name: str, words: str, kind: type) -> Member:
    """Return a member that may be None.

    >>> optional("v2_id", "a string", str).holds(None)
    True
    """

    def holds(value: object) -> bool:
        return value is None or isinstance(value, kind)

    return Member(name, f"{words}, or None", holds)


def method(name: str, *arguments: str, is_own: bool = False) -> Member:
    """Return a method that takes these positional arguments; with `is_own`, the class must override it.

    >>> method("bind", "configuration", "before", "after").words
    'a method bind(configuration, before, after)'
    """

    def holds(value: Any) -> bool:
        if not callable(value) or inspect.iscoroutinefunction(value):
            return False
        given: tuple[object, ...] = (*arguments,)
        try:
            found = inspect.signature(value)
            if inspect.isfunction(value) and next(iter(found.parameters), "") == "self":
                given = ("self", *given)  # of a class, not of an instance
            found.bind(*given)
        except (TypeError, ValueError):
            return False
        return True

    return Member(name, f"a method {name}({', '.join(arguments)})", holds, is_own)
