"""Compile declarations to specs, with all checks.

docs/declaring.md describes the form of declarations. Functions that take a spec also accept a declaration:
`zom.plan`, `zom.materialize`, `zom.validate`, `zom.diff`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from zom.conventions.framework.detection import judge
from zom.conventions.framework.registered import conventions
from zom.declaration.compile import Compiler
from zom.declaration.declaration import Declaration
from zom.declaration.expression import filled
from zom.declaration.include import included
from zom.declaration.kept_template import template_problems
from zom.declaration.parameters import parameters_of
from zom.declaration.scope import Scope, scope_below
from zom.declaration.source import At, Problems, read_source, source_of_mapping
from zom.declaration.words import FORM, GROUP, ROOT, check_words
from zom.errors import DeclarationError, SpecError, UnknownName
from zom.formats.node_view import spec_tree
from zom.json.python_value import is_dict
from zom.model.tree import unflatten
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from zom.declaration.source import Source
    from zom.extension.datatype import Format
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["compiled", "declare"]

VERSION = rule(
    "declaration/version",
    "a declaration states its version: zom is 1",
    source="declarations, docs/declaring.md",
    schema=True,
)

_FORMS: Final[Mapping[object, Format]] = {2: "v2", 3: "v3", "draft": "draft"}
_OWN = frozenset(ROOT) | {"sizes", "defaults"}


def declare(source: str | Path | Mapping[str, Any], /, **parameters: Any) -> Declaration:
    """Compile a declaration, a YAML, TOML or JSON file or a mapping, with these parameters.

    If the declaration breaks rules, a DeclarationError lists every problem with its file, line and column.

    >>> import zom
    >>> made = zom.declare({
    ...     "zom": 1,
    ...     "parameters": {"days": 365},
    ...     "sizes": {"time": "${days}", "lat": 3},
    ...     "members": {
    ...         "lat": {"dims": ["lat"], "dtype": "float64", "values": {"start": 90, "stop": -90}},
    ...         "t2m": {"dims": ["time", "lat"], "dtype": "float32", "units": "K"},
    ...     },
    ... }, days=10)
    >>> made.spec.members["t2m"].shape, made.values["/lat"].tolist()
    ((10, 3), [90.0, 0.0, -90.0])
    """
    read = source_of_mapping(source) if isinstance(source, Mapping) else read_source(source)
    return compiled(read, parameters)


def compiled(source: Source, parameters: Mapping[str, Any]) -> Declaration:
    """Compile the hierarchy that a source declares."""
    problems = Problems()
    sources = included(source, problems)
    names = parameters_of(sources, parameters, problems)
    roots = [_root(each, names, problems) for each in sources]
    compiler = Compiler(problems)
    forms: list[Format] = [_FORMS[root["format"]] for root in roots if "format" in root]
    scope = _scope(sources, Scope(forms[0] if forms else "v3", names), problems)
    _compile(compiler, sources, scope)
    spec = _assembled(compiler, source.name, problems)
    asked = tuple(dict.fromkeys(name for root in roots for name in root.get("conventions", ())))
    made = Declaration(spec, compiler.values, asked, (), compiler.places)
    found = [
        *_judged(made, sources, roots, problems),
        *template_problems(made.spec, sources, roots, problems),
    ]
    found = [made.located(problem) for problem in found]
    for problem in found:
        if problem.severity == "error":
            problems.add(problem)
    problems.raise_any(source.name or "declaration")
    return replace(made, warnings=tuple(problem for problem in found if problem.severity == "warning"))


def _root(source: Source, names: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    """Return the root words of a source, which apply to the whole declaration."""
    at = At(source)
    if source.value.get("zom") != 1 or source.value.get("zom") is True:
        found = show(source.value["zom"]) if "zom" in source.value else "nothing"
        problems.add(at.child("zom").problem(VERSION, "1", found, "begin with zom: 1"))
    said = {name: source.value[name] for name in ROOT if name in source.value}
    plain = {
        name: each if name == "parameters" else filled(each, names, at.child(name), problems)
        for name, each in said.items()
    }
    plain.pop("zom", None)
    return check_words(plain, ROOT, at, problems, "the root")


def _scope(sources: Sequence[Source], scope: Scope, problems: Problems) -> Scope:
    """Return the scope that all nodes inherit; earlier sources take precedence."""
    for source in reversed(sources):
        at = At(source)
        own = {
            name: filled(source.value[name], scope.names, at.child(name), problems)
            for name in ("sizes", "defaults")
            if name in source.value
        }
        scope = scope_below(scope, check_words(own, GROUP, at, problems, "a group"), at, problems)
    return scope


def _compile(compiler: Compiler, sources: Sequence[Source], scope: Scope) -> None:
    first = sources[0]
    root = {name: each for name, each in first.value.items() if name not in _OWN}
    attributes: dict[str, Any] = {}
    for source in reversed(sources):
        said = source.value.get("attributes", {})
        attributes |= said if is_dict(said) else {}
    if attributes and is_dict(first.value.get("attributes", {})):
        root["attributes"] = attributes
    compiler.node(root, scope, At(first))
    taken = set(root["members"]) if is_dict(root.get("members")) else set[str]()
    for source in sources[1:]:
        members = source.value.get("members", {})
        at = At(source, ("members",))
        if not is_dict(members):
            compiler.problems.add(at.problem(FORM, GROUP["members"].expected, show(members)))
            continue
        compiler.members({name: each for name, each in members.items() if name not in taken}, scope, at)
        taken |= set(members)


def _assembled(compiler: Compiler, name: str, problems: Problems) -> Spec:
    nodes = compiler.finish()
    problems.raise_any(name or "declaration")
    try:
        return cast("Spec", unflatten(nodes))
    except SpecError as error:
        for problem in error.problems:
            at = compiler.places.get(problem.node) or compiler.places["/"]
            problems.add(
                replace(at.problem(VERSION, problem.expected, problem.found, problem.fix), code=problem.code)
            )
    raise DeclarationError(problems.found, name or "declaration")


def _judged(
    made: Declaration, sources: Sequence[Source], roots: Sequence[Mapping[str, Any]], problems: Problems
) -> list[Problem]:
    asked: list[Any] = []
    for source, root in zip(sources, roots, strict=True):
        for index, name in enumerate(root.get("conventions", ())):
            try:
                asked += conventions.of_id(name)
            except UnknownName as error:
                message, _, fix = str(error).partition("; ")
                problems.add(
                    At(source, ("conventions", index)).problem(FORM, "the name of a convention", message, fix)
                )
    return list(judge(spec_tree(made.spec), asked).problems) if asked else []
