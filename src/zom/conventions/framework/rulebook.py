"""Rulebooks: conventions as TOML files, which experts of a specification can review without knowing zom.

A rulebook has the identity of a convention and its rules. The rest is in Python: the model of attributes, and
the functions that `check.python` names. docs/rulebooks.md explains each key.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, overload

from zom.checks.check import Check, python
from zom.checks.checked_rule import CheckedRule
from zom.checks.written import WrongEntry, made_check
from zom.conventions.framework.convention import Convention
from zom.conventions.framework.rulebook_tables import tables_of
from zom.errors import ExtensionError
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.checks.check import Breach, Site, Skip
    from zom.conventions.framework.attributes import Attributes
    from zom.conventions.framework.convention import DefineModel, Detect, Followed, Kind
    from zom.conventions.framework.rulebook_tables import RulebookTables, StoredTables

__all__ = ["Functions", "read_rulebook"]

Function: TypeAlias = "Callable[..., Iterable[Breach] | Skip] | Check"
"""The target of `check.python`: a function of a Site and the rulebook's parameters, or a check."""

Functions: TypeAlias = "Mapping[str, Function]"
"""Functions for rules by name."""

C = TypeVar("C", bound=Convention)


@overload
def read_rulebook(
    path: str | Path,
    *,
    attributes: type[Attributes] | Mapping[Kind, type[Attributes]] | DefineModel | None = None,
    functions: Functions | Iterable[Function] = (),
    detect: Detect | None = None,
    followed: Followed | None = None,
) -> Convention: ...
@overload
def read_rulebook(
    path: str | Path,
    *,
    attributes: type[Attributes] | Mapping[Kind, type[Attributes]] | DefineModel | None = None,
    functions: Functions | Iterable[Function] = (),
    detect: Detect | None = None,
    followed: Followed | None = None,
    kind: type[C],
) -> C: ...
def read_rulebook(  # noqa: PLR0913 - each is a part of the convention that TOML can't express
    path: str | Path,
    *,
    attributes: type[Attributes] | Mapping[Kind, type[Attributes]] | DefineModel | None = None,
    functions: Functions | Iterable[Function] = (),
    detect: Detect | None = None,
    followed: Followed | None = None,
    kind: type[Convention] = Convention,
) -> Convention:
    """The convention in the rulebook at `path`; raises ExtensionError if the file is not a valid rulebook.

    `attributes` are the models of its attributes. `functions` are the functions that rules call by
    `check.python`: by name, or in a list, where each has its own name without a leading underscore. The error
    gives the file, the rule, the key, and what was expected and found. A function that no rule calls is an
    error, too. `followed` returns the version that a node follows, if rules have `since` or `until`.

    >>> from tempfile import TemporaryDirectory
    >>> text = '''
    ... id = "dggs"
    ... owns = ["dggs"]
    ... [[rule]]
    ... id = "name-lower"
    ... must = "the name is in lower case"
    ... check.pattern = { regex = "[a-z0-9_-]+", at = "dggs.name" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "dggs.toml")
    ...     _ = path.write_text(text)
    ...     dggs = read_rulebook(path)
    >>> [(rule.id, rule.level, rule.check.name) for rule in dggs.rules]
    [('name-lower', 'MUST', 'pattern')]
    """
    tables = tables_of(Path(path))
    try:
        maker = _Maker(tables, functions)
        identity = tables.identity()
        identity["signs"] = tuple(tuple(each) for each in identity["signs"])
        rules = tuple(maker.rules())
        maker.refuse_unused()
    except WrongEntry as error:
        raise ExtensionError(f"{tables.path}: {tables.place}{error}") from error
    return kind(**identity, attributes=attributes, detect=detect, followed=followed, rules=rules)


def _by_name(functions: Functions | Iterable[Function]) -> Functions:
    if isinstance(functions, Mapping):
        return cast("Functions", functions)
    found: dict[str, Function] = {}
    for each in functions:
        name = (each.function if isinstance(each, Check) else each).__name__.lstrip("_")
        if found.setdefault(name, each) is not each:
            raise WrongEntry(
                "functions", "functions with different names", name, "give them by name, as a dict"
            )
    return found


class _Maker:
    """Makes rules from the tables of a rulebook."""

    def __init__(
        self, tables: RulebookTables | StoredTables, functions: Functions | Iterable[Function]
    ) -> None:
        self.tables, self.functions = tables, _by_name(functions)
        self.called: set[str] = set()

    def rules(self) -> Iterator[CheckedRule]:
        for facts in self.tables.rules():
            name, parameters = facts["check"]
            check = self._call(parameters) if name == "python" else made_check(name, parameters)
            rule: dict[str, Any] = {
                key: tuple(each) if is_list(each) else each for key, each in facts.items()
            }
            rule["check"] = check
            yield CheckedRule(**rule)

    def _call(self, parameters: dict[str, Any]) -> Check:
        """A check that calls a function with the site and the given parameters."""
        given = dict(parameters)
        name = given.pop("function")
        if name not in self.functions:
            known = ", ".join(self.functions) or "none, as read_rulebook was given no functions"
            raise WrongEntry(
                "check.python", f"a function among {known}", name, did_you_mean(near(name, self.functions))
            )
        self.called.add(name)
        function = self.functions[name]
        if isinstance(function, Check):
            return function
        if not given:
            return python(function)

        @wraps(function)
        def with_parameters(site: Site) -> Iterable[Breach] | Skip:
            return function(site, **given)

        return python(with_parameters)

    def refuse_unused(self) -> None:
        """Raise WrongEntry if a given function is not called by any rule."""
        self.tables.place = ""
        for name in self.functions:
            if name not in self.called:
                expected = "functions that rules call by check.python"
                raise WrongEntry("functions", expected, name, "remove it, or write a rule that calls it")
