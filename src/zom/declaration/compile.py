"""Compile declarations to specs: nodes by path, and problems with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.xarray.dataset import auxiliary
from zom.declaration.array import array_of
from zom.declaration.built import BUILDERS, built
from zom.declaration.expression import UNFILLED, filled
from zom.declaration.loop import MOST_NODES, turns
from zom.declaration.scope import scope_below
from zom.declaration.words import ARRAY, FORM, GROUP, ROOT, WORD, check_words, hint_for, is_document
from zom.errors import PathError, SpecError
from zom.extension.registry import did_you_mean, near
from zom.formats.detection import family_of
from zom.formats.parsing import parse_as
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict
from zom.paths import parse_path
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from zom.declaration.scope import Scope
    from zom.declaration.source import At, Problems
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["Compiler", "empty_group"]

TWICE = rule(
    "declaration/path",
    "each path has one node, and nothing is below an array",
    source="declarations, docs/declaring.md",
)

_ONLY_GROUP: Final = GROUP.keys() - ARRAY.keys()
_ONLY_ARRAY: Final = ARRAY.keys() - GROUP.keys()


class Compiler:
    """Compiles nodes; collects them without members, with their values and places."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.nodes: dict[str, Any] = {}
        self.values: dict[str, np.ndarray[Any, Any]] = {}
        self.places: dict[str, At] = {}
        self.waiting: list[tuple[list[str], At]] = []
        """The `coordinates` of groups, to add to variables once all of these are known."""

    def finish(self) -> dict[str, Any]:
        """Add coordinates; return all compiled nodes by path."""
        for named, at in self.waiting:
            self._coordinates(named, at)
        return self.nodes

    def node(self, declared: Any, scope: Scope, at: At) -> None:
        """Compile the node `declared` at the path `at.node`."""
        if not is_dict(declared):
            self.problems.add(at.problem(FORM, "a mapping: an array or a group", show(declared)))
            return
        if "document" in declared:
            self._stated_document(declared, scope, at)
            return
        if is_document(declared):
            self._document({name: each for name, each in declared.items() if name != "for"}, scope, at)
            return
        if "for" in declared and not at.path:
            self.problems.add(
                at.child("for").problem(WORD, "no loop at the root", "for", "move it to a member")
            )
        kind = self._kind(declared, at)
        if kind == "array":
            self._array(declared, scope, at)
        elif kind == "group":
            self._group(declared, scope, at)

    def _kind(self, declared: Mapping[str, Any], at: At) -> str | None:
        words = {*ARRAY, *GROUP} if at.path else {*ARRAY, *GROUP, *ROOT}
        for name in sorted(declared.keys() - words):
            hint = "move it to the root" if name in ROOT else hint_for(name, words)
            self.problems.add(
                at.child(name).problem(WORD, "a word for an array or a group", show(name), hint)
            )
        of_array, of_group = declared.keys() & _ONLY_ARRAY, declared.keys() & _ONLY_GROUP
        if of_array and of_group:
            found = f"{min(of_array)} and {min(of_group)}"
            self.problems.add(at.problem(WORD, "the words of an array, or those of a group", found))
            return None
        return "array" if of_array else "group"

    def _stated_document(self, declared: Mapping[str, Any], scope: Scope, at: At) -> None:
        document = declared["document"]
        for name in sorted(declared.keys() - {"document", "for"} - (ROOT.keys() if not at.path else set())):
            self.problems.add(at.child(name).problem(WORD, "nothing beside a document", show(name)))
        if not is_dict(document):
            self.problems.add(at.child("document").problem(FORM, "a document of Zarr", show(document)))
            return
        self._document(document, scope, at.child("document"))

    def _document(self, document: Mapping[str, Any], scope: Scope, at: At) -> None:
        family = family_of(document)
        if family is not None and family.form != scope.form:
            found = f"one of {family.form}"
            self.problems.add(
                at.problem(FORM, f"a document of {scope.form}, like the whole hierarchy", found)
            )
            return
        try:
            spec: Spec = parse_as(scope.family, document)
        except SpecError as error:
            for problem in error.problems:
                place = at.inside(problem.pointer)
                self.problems.add(place.problem(FORM, problem.expected, problem.found, problem.fix))
            return
        self._tree(spec, at)

    def _tree(self, spec: Spec, at: At) -> None:
        for path, node in spec.flatten(at.node.strip("/")).items():
            self._keep(path, node, at.of(path))

    def _keep(self, path: str, spec: Spec, at: At) -> None:
        if path in self.nodes:
            self.problems.add(at.problem(TWICE, "each path once", f"{path} a second time"))
        elif len(self.nodes) >= MOST_NODES:
            self.problems.add(at.problem(TWICE, f"at most {MOST_NODES} nodes", "more"))
        else:
            self.nodes[path] = spec
            self.places[path] = at

    def _array(self, declared: Mapping[str, Any], scope: Scope, at: At) -> None:
        full = {
            name: filled(each, scope.names, at.child(name), self.problems)
            for name, each in declared.items()
            if name in ARRAY
        }
        made = array_of(full, scope, at, self.problems)
        if made is None:
            self.places.setdefault(at.node, at)
            return
        self._keep(at.node, made[0], at)
        if made[1] is not None:
            self.values[at.node] = made[1]

    def _group(self, declared: Mapping[str, Any], scope: Scope, at: At) -> None:
        own = {
            name: each if name == "members" else filled(each, scope.names, at.child(name), self.problems)
            for name, each in declared.items()
            if name in GROUP and name != "for"
        }
        said = check_words(own, GROUP, at, self.problems, "a group")
        below = scope_below(scope, said, at, self.problems)
        words = [name for name in BUILDERS if name in said]
        if len(words) > 1:
            self.problems.add(at.problem(WORD, "one builder of a group", " and ".join(words)))
        elif words:
            self._built(words[0], said, below, at)
        else:
            attributes = said.get("attributes")
            self._keep(at.node, empty_group(scope.family, attributes), at)
            self.members(said.get("members", {}), below, at.child("members"))
        if "coordinates" in said:
            self.waiting.append((said["coordinates"], at))

    def _built(self, word: str, said: Mapping[str, Any], scope: Scope, at: At) -> None:
        inner: dict[str, Any] = {}
        if word == "multiscales":
            alone = Compiler(self.problems)
            before = len(self.problems.found)
            alone.members(said.get("members", {}), scope, at.child("members").of("/"))
            if len(self.problems.found) > before:
                return
            inner = {path.strip("/"): node for path, node in alone.nodes.items()}
            for path in alone.values:
                place = alone.places[path].child("values")
                self.problems.add(place.problem(FORM, "no values: there is one array per level", "values"))
        made = built(word, said[word], inner, scope, at.child(word), self.problems)
        if made is None:
            return
        if "attributes" in said:
            for name in sorted(said["attributes"].keys() & made.attributes.keys()):
                place = at.child("attributes", name)
                self.problems.add(
                    place.problem(FORM, f"attributes that {word} doesn't build", show(name), "leave it out")
                )
            attributes = {**said["attributes"], **made.attributes}
            made = made.replace(attributes=attributes)
        self._tree(made, at.child(word))
        if word != "multiscales":
            self.members(said.get("members", {}), scope, at.child("members"))

    def members(self, members: Mapping[str, Any], scope: Scope, at: At) -> None:
        """Compile the members of a group; `at` is their place."""
        for name, declared in members.items():
            place = at.child(name)
            if is_dict(declared) and "for" in declared:
                before = len(self.problems.found)
                for names in turns(declared["for"], scope, place.child("for"), self.problems):
                    if len(self.problems.found) > before:
                        break  # each turn would repeat the problem
                    self._member(name, declared, scope.turn(names), place)
            else:
                self._member(name, declared, scope, place)

    def _member(self, name: str, declared: Any, scope: Scope, at: At) -> None:
        path = filled(name, scope.names, at, self.problems)
        if path is UNFILLED:
            return
        try:
            steps = parse_path(str(path))
        except PathError as error:
            self.problems.add(at.problem(TWICE, "a path of names", str(error)))
            return
        if not steps:
            self.problems.add(at.problem(TWICE, "the name of a member", show(path)))
            return
        self.node(declared, scope, at.of("/".join([at.node.rstrip("/"), *steps])))

    def _coordinates(self, named: list[str], at: At) -> None:
        """Write non-index coordinates into the `coordinates` attributes that xarray reads."""
        prefix = at.node.rstrip("/")
        arrays = {
            path.rpartition("/")[2]: node
            for path, node in self.nodes.items()
            if path.rpartition("/")[0] == prefix and node.kind == "array"
        }
        dims = {name: resolve(node).names or () for name, node in arrays.items()}
        for index, name in enumerate(named):
            if name not in arrays:
                hint = did_you_mean(near(name, arrays), arrays)
                place = at.child("coordinates", index)
                self.problems.add(place.problem(FORM, "an array of this group", show(name), hint))
        known = {name: dims[name] for name in named if name in arrays}
        data = {name: each for name, each in dims.items() if name not in known and each != (name,)}
        found = auxiliary(data, known)
        for name, those in found.items():
            if those and "coordinates" not in arrays[name].attributes:
                attributes = {**arrays[name].attributes, "coordinates": " ".join(those)}
                self.nodes[f"{prefix}/{name}"] = arrays[name].replace(attributes=attributes)
        alone = sorted(name for name in known if not any(name in each for each in found.values()))
        group = self.nodes.get(at.node)
        if alone and group is not None and "coordinates" not in group.attributes:
            self.nodes[at.node] = group.replace(
                attributes={**group.attributes, "coordinates": " ".join(alone)}
            )


def empty_group(family: Family, attributes: Mapping[str, Any] | None) -> Any:
    """Return a group without members, in a format.

    >>> from zom.formats.families import V3
    >>> empty_group(V3, None).members
    {}
    """
    group: Any = family.classes["group"]
    return group(members={}) if attributes is None else group(attributes=attributes, members={})
