"""The v2 codec `categorize` for strings: a number for each label, 0 for anything else.

It is an object codec if `dtype` is `|O`, and a plain filter if it is `<U8`.

https://numcodecs.readthedocs.io/en/stable/filter/categorize.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from zom.codecs.numcodecs.dtype import (
    KIND,
    StatedType,
    check_kind,
    check_type,
    stated_type,
    typestr,
)
from zom.codecs.vlen import place_of
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Form

__all__ = ["CategorizeCoder", "CategorizeConfiguration", "categorize"]

LABELS = rule(
    "codec/categorize-labels",
    "every label has a number that the stored type can hold",
    source="https://numcodecs.readthedocs.io/en/stable/filter/categorize.html",
)


class CategorizeConfiguration(Configuration):
    """The labels, numbered from 1, and the types before and after encoding.

    >>> CategorizeConfiguration(labels=["f", "m"], dtype="|O").canonical()
    {'labels': ['f', 'm'], 'dtype': '|O', 'astype': '|u1'}
    """

    labels: list[str]
    dtype: StatedType
    astype: StatedType = "|u1"

    @property
    def holds_objects(self) -> bool:
        """Whether the elements are Python objects."""
        return typestr(self.dtype) == "|O"

    def canonical(self) -> dict[str, Any]:
        """Return all three members, with types as typestrs."""
        dtype, astype = typestr(self.dtype), typestr(self.astype)
        return {"labels": self.labels, "dtype": dtype, "astype": astype}


class Categorize(Codec):
    """Integers, in a chunk of the same shape."""

    name = "numcodecs.categorize"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = CategorizeConfiguration
    v2_id = "categorize"
    holds_objects = True
    registered = False

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return integers of the stored type."""
        if not isinstance(before, Elements):
            return None
        inside = (*path, "configuration")
        self._check_input(configuration, before, faults, (*inside, "dtype"))
        stored = stated_type(configuration.astype, faults, (*inside, "astype"))
        check_kind(stored, ("int", "uint"), "a type of integers", faults, (*inside, "astype"))
        if stored is not None and stored.kind in {"int", "uint"} and stored.itemsize:
            most = 2 ** (8 * stored.itemsize - (stored.kind == "int")) - 1
            if len(configuration.labels) > most:
                words = f"at most {most} labels, as many as {stored.name} can number"
                found = f"{len(configuration.labels)}"
                faults.append(Fault(LABELS, (*inside, "labels"), words, found))
        return Elements(before.lengths, stored)

    def bind(self, configuration: CategorizeConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that maps labels to numbers."""
        if not isinstance(before, Block) or not isinstance(after, Block):
            raise ExtensionError("the categorize codec expects elements")
        if before.dtype.kind not in {"O", "T", "U"}:
            raise ExtensionError(f"categorize takes text, not {before.data_type.name}")
        return CategorizeCoder(before, after, configuration.labels)

    def _check_input(
        self,
        configuration: CategorizeConfiguration,
        before: Elements,
        faults: list[Fault],
        path: Path,
    ) -> None:
        reach = before.data_type
        if configuration.holds_objects:
            if reach is not None and reach.object_codec is None and reach.kind != "string":
                words = f"{reach.name}, as the elements are"
                faults.append(Fault(KIND, path, words, show(configuration.dtype)))
            return
        stated = stated_type(configuration.dtype, faults, path)
        check_kind(stated, ("string",), "a type of text", faults, path)
        check_type(before, stated, configuration.dtype, faults, path)


class CategorizeCoder(Coder[Any, Any]):
    """Text as the number of its label.

    numcodecs decodes a number without a label as empty text; here it raises CodecError.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> text, number = Block((2,), data_type("string"), ""), Block((2,), data_type("uint8"), 0)
    >>> CategorizeCoder(text, number, ["f", "m"]).encode(np.array(["m", "?"], "T")).tolist()
    [2, 0]
    """

    def __init__(self, before: Block, after: Block, labels: list[str]) -> None:
        self._stored = after.dtype
        # Of duplicate labels the last one counts, as in numcodecs.
        self._numbers = {label: index for index, label in enumerate(labels, 1)}
        self._texts: Array = np.array(["", *labels], before.dtype)
        self._most = len(labels)

    @override
    def encode(self, chunk: Array) -> Array:
        number = self._numbers.get
        found = [number(item, 0) for item in chunk.reshape(-1).tolist()]
        return np.array(found, np.int64).astype(self._stored).reshape(chunk.shape)

    @override
    def decode(self, chunk: Array) -> Array:
        wrong = (chunk < 0) | (chunk > self._most)
        if wrong.any():
            index = int(wrong.reshape(-1).argmax())
            found = int(chunk.reshape(-1)[index])
            where = place_of(index, chunk.shape)
            raise CodecError(f"expected the number of a label, 0 to {self._most}, found {found} at {where}")
        return self._texts[chunk.astype(np.intp)]


categorize = codecs.register(Categorize())
