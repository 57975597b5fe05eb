"""Specs as short declarations: sizes and defaults stated once, loops for repeated members.

Every result is compiled again and compared: a word is left out only if the array stays the same without it,
and an array that words can't express stays a Zarr document.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from zom.declaration.array import array_of
from zom.declaration.array_words import all_words
from zom.declaration.built_words import built_words
from zom.declaration.compile import empty_group
from zom.declaration.expression import escaped, unescaped
from zom.declaration.repeated import gathered
from zom.declaration.scope import Scope
from zom.declaration.source import At, Problems, source_of_mapping
from zom.declaration.words import is_document
from zom.errors import DeclarationError, SpecError, SpecWarning
from zom.formats.parsing import parse_as
from zom.formats.resolve import resolve
from zom.json.exact import exact_text
from zom.json.python_value import is_dict
from zom.json.value import thaw
from zom.model import compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.extension.datatype import Format
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["shortened"]

_FORMATS: Final = {"v2": 2, "v3": 3, "draft": "draft"}
_SHARED: Final = ("dtype", "compress", "checksum", "separator", "order")
_OPTIONAL: Final = ("checksum", "compress", "chunks", "fill_value", "order", "separator", "dtype")
"""The words that may be left out, in the order of trying."""


def shortened(spec: Spec, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the shortest declaration of `spec` found; `values` are stated values of arrays, by path.

    >>> from zom import v3
    >>> t = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",), compress="gzip")
    >>> shortened(v3.GroupSpec(members={"a": t, "b": t, "c": t}))["members"]
    {'${name}': {'for': {'name': ['a', 'b', 'c']}, 'dims': ['x']}}
    """
    with warnings.catch_warnings():
        # Compiling the declaration issues these warnings again.
        warnings.simplefilter("ignore", SpecWarning)
        made = _Shortening(spec, values or {})
        said = made.root()
    if made.broken:
        raise DeclarationError(made.broken, "a document that breaks rules of Zarr can't be declared")
    return said


class _Shortening:
    def __init__(self, spec: Any, values: Mapping[str, Any]) -> None:
        self.spec, self.values = spec, values
        self.form: Format = spec.family.form
        self.words = {path: all_words(node, self.form) for path, node in spec.walk() if node.kind == "array"}
        self.sizes = _agreed(self.words.values())
        self.defaults = self._defaults()
        self.known: dict[Any, dict[str, Any]] = {}
        self.builders: dict[Any, tuple[str, dict[str, Any], Any] | None] = {}
        self.covered: set[str] = set()
        """The arrays that builders create."""
        self.broken: list[Problem] = []
        """The problems of documents that would be refused."""

    def root(self) -> dict[str, Any]:
        said: dict[str, Any] = {"zom": 1}
        if self.form != "v3":
            said["format"] = _FORMATS[self.form]
        scope = Scope(self.form, {}, self.sizes, self.defaults)
        node = self.node("/", self.spec, scope, 0)
        if self.covered and self.covered.issuperset(self.words):
            # No array is left to use defaults, and builders choose the same without them.
            self.defaults = {}
            node = self.node("/", self.spec, Scope(self.form, {}, self.sizes), 0)
        used = {
            dim
            for path, each in self.words.items()
            if each and path not in self.covered
            for dim in each.get("dims", ())
        }
        sizes = {name: size for name, size in self.sizes.items() if name in used}
        if sizes:
            said["sizes"] = sizes
        if self.defaults:
            said["defaults"] = self.defaults
        return {**said, **node}

    def node(self, path: str, spec: Any, scope: Scope, depth: int) -> dict[str, Any]:
        """Return the declaration of one node."""
        if spec.kind == "array":
            return self.array(path, spec, scope)
        if spec.members is None or not _is_plain_group(spec):
            return self.document(path, spec)
        built = self.built(path, spec, scope, depth)
        if built is not None:
            return built
        said: dict[str, Any] = {}
        if spec.attributes:
            said["attributes"] = escaped(thaw(spec.attributes))
        own = self._own_sizes(path, spec, scope)
        if own:
            said["sizes"] = own
        below = scope.inside(own, {})
        prefix = path.rstrip("/")
        members = {
            name: self.node(f"{prefix}/{name}", member, below, depth + 1)
            for name, member in spec.members.items()
        }
        said["members"] = gathered(members, depth)
        return said

    def built(self, path: str, spec: Any, scope: Scope, depth: int) -> dict[str, Any] | None:
        """Return a builder's arguments for the group, and its other words; None if no builder creates it."""
        key = (spec, exact_text(scope.defaults))
        if key not in self.builders:
            # Images state their shapes, since levels have no common lengths for sizes.
            self.builders[key] = built_words(spec, Scope(self.form, {}, {}, scope.defaults))
        found = self.builders[key]
        prefix = path.rstrip("/")
        if found is None or any(inner.startswith(f"{prefix}/") for inner in self.values):
            return None  # only the words of arrays can state values
        word, arguments, made = found
        said: dict[str, Any] = {word: escaped(arguments)}
        attributes = {
            name: each for name, each in thaw(spec.attributes).items() if name not in made.attributes
        }
        if attributes:
            said["attributes"] = escaped(attributes)
        if word == "multiscales":
            below = spec.members[next(iter(made.members))].members
            members = {
                name: self.array(f"{prefix}/{next(iter(made.members))}/{name}", each, scope)
                for name, each in below.items()
            }
        else:
            rest = {name: each for name, each in spec.members.items() if name not in made.members}
            members = {
                name: self.node(f"{prefix}/{name}", each, scope, depth + 1) for name, each in rest.items()
            }
        if members:
            said["members"] = gathered(members, depth)
        whole = made.members if word != "multiscales" else list(made.members)[1:]
        for name in whole:
            below = f"{prefix}/{name}"
            self.covered |= {each for each in self.words if each == below or each.startswith(f"{below}/")}
        return said

    def array(self, path: str, spec: Any, scope: Scope) -> dict[str, Any]:
        full = self.words[path]
        values = self.values.get(path)
        if full is None:
            return self.document(path, spec)
        # Documents may differ in parts that no word expresses.
        said = (spec.to_dict(), scope.sizes, values)
        key = exact_text(said)
        if key not in self.known:
            words = self._fewest(spec, full, scope, values)
            self.known[key] = self.document(path, spec) if words is None else words
        return dict(self.known[key])

    def document(self, path: str, spec: Any) -> dict[str, Any]:
        """Return the document of a node, which is its own declaration."""
        document = dict(spec.to_dict())
        try:
            parse_as(spec.family, document)
        except SpecError as error:
            for problem in error.problems:
                node = path.rstrip("/") + problem.node
                fix = problem.fix or "correct the document; a declaration follows the rules of Zarr"
                self.broken.append(replace(problem, node=node.rstrip("/") or "/", fix=fix))
        # A document of the draft has no member that identifies it.
        return document if is_document(document) else {"document": document}

    def _fewest(self, spec: Any, full: dict[str, Any], scope: Scope, values: Any) -> dict[str, Any] | None:
        """Return the fewest words for an array, or None if words can't express it."""
        words = self._placed(self._named(full, spec), scope)
        if words is None or not self._says(words, spec, scope):
            return None
        for word in _OPTIONAL:
            fewer = {name: each for name, each in words.items() if name != word}
            if word in words and self._says(fewer, spec, scope):
                words = fewer
        chunks = words.get("chunks")
        for dim in list(chunks) if is_dict(chunks) else ():
            fewer = {**words, "chunks": {name: each for name, each in words["chunks"].items() if name != dim}}
            if self._says(fewer, spec, scope):
                words = fewer
        return words if values is None else {**words, "values": values}

    def _named(self, full: dict[str, Any], spec: Any) -> dict[str, Any]:
        """Replace the data type by its name, and drop filters that it implies, if the spec stays the same."""
        name = resolve(spec).type_name
        plain = {word: each for word, each in full.items() if word != "filters"}
        for named in ({**plain, "dtype": name}, {**full, "dtype": name}):
            if self._says(named, spec, Scope(self.form)):
                return named
        return full

    @staticmethod
    def _placed(words: dict[str, Any], scope: Scope) -> dict[str, Any] | None:
        """Return the words, without the shape if sizes give it; None if sizes contradict it."""
        dims, shape = words.get("dims", ()), words["shape"]
        if dims and all(scope.sizes.get(dim) == size for dim, size in zip(dims, shape, strict=True)):
            return {name: each for name, each in words.items() if name != "shape"}
        return None if any(dim in scope.sizes for dim in dims) else words

    def _says(self, words: dict[str, Any], spec: Any, scope: Scope) -> bool:
        """Whether the words compile to the spec."""
        problems = Problems()
        plain = {name: unescaped(each) if name == "attributes" else each for name, each in words.items()}
        made = array_of(plain, scope, At(source_of_mapping(plain)), problems)
        return made is not None and not any(compare.document_changes(made[0], spec))

    def _own_sizes(self, path: str, spec: Any, scope: Scope) -> dict[str, int]:
        """Return the sizes that the arrays of a group agree on and that it doesn't inherit."""
        prefix = path.rstrip("/")
        listed = [self.words.get(f"{prefix}/{name}") for name in spec.members]
        return {name: size for name, size in _agreed(listed).items() if name not in scope.sizes}

    def _defaults(self) -> dict[str, Any]:
        """Return the words that most arrays share."""
        said: dict[str, Any] = {}
        listed = [each for each in self.words.values() if each]
        for word in _SHARED:
            counts = Counter(exact_text(each[word]) for each in listed if word in each)
            (text, count), *_ = counts.most_common(1) or [("", 0)]
            if count >= 2 and 2 * count > len(listed):
                said[word] = next(
                    each[word] for each in listed if word in each and exact_text(each[word]) == text
                )
        said = self._needed(said)
        chunks = self._shared_chunks(listed)
        return {**said, **({"chunks": chunks} if chunks else {})}

    def _shared_chunks(self, listed: list[dict[str, Any]]) -> dict[str, int]:
        """Return equal chunk lengths along dimensions that at least two arrays split into chunks."""
        lengths: dict[str, list[int]] = {}
        for each in listed:
            if is_dict(each.get("chunks")):
                sizes = dict(zip(each["dims"], each["shape"], strict=True))
                for dim, length in each["chunks"].items():
                    if length != max(1, sizes[dim]):
                        lengths.setdefault(dim, []).append(length)
        return {dim: found[0] for dim, found in lengths.items() if len(found) > 1 and len(set(found)) == 1}

    def _needed(self, said: dict[str, Any]) -> dict[str, Any]:
        """Return the defaults that make declarations shorter."""
        listed = [(path, each) for path, each in self.words.items() if each]
        kept = dict(said)
        for word, shared in said.items():
            sample = next((item for item in listed if item[1].get(word) == shared), None)
            if sample is None or word == "dtype":
                continue
            spec, full = self.spec[sample[0]] if sample[0] != "/" else self.spec, dict(sample[1])
            full.pop(word, None)
            if self._says(full, spec, Scope(self.form)):
                del kept[word]  # zom's own default
        return kept


def _agreed(listed: Iterable[dict[str, Any] | None]) -> dict[str, int]:
    """Return the lengths of dimensions on which all arrays with these dimensions agree."""
    found: dict[str, int] = {}
    wrong: set[str] = set()
    for each in filter(None, listed):
        for name, size in zip(each.get("dims", ()), each["shape"], strict=False):
            if name is not None and found.setdefault(name, size) != size:
                wrong.add(name)
    return {name: size for name, size in found.items() if name not in wrong}


def _is_plain_group(spec: Any) -> bool:
    """Whether a group has nothing but attributes and members."""
    made = empty_group(spec.family, spec.attributes or None)
    return not any(compare.document_changes(made, spec.replace(members={})))
