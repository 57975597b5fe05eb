"""The codec `categorize`: a number for each label, 0 for anything else. v2, for strings.

An object codec where `dtype` is `|O`, a plain filter where it is `<U8`.

https://numcodecs.readthedocs.io/en/stable/filter/categorize.html
"""

from __future__ import annotations

from typing import Any, ClassVar

from zom.codecs.numcodecs_dtype import KIND, StatedType, check_kind, check_type, stated_type, typestr
from zom.model.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.model.configuration import Configuration
from zom.problems import Fault, rule, show

__all__ = ["CategorizeConfiguration", "categorize"]

LABELS = rule(
    "codec/categorize-labels",
    "every label has a number that the stored type can hold",
    source="https://numcodecs.readthedocs.io/en/stable/filter/categorize.html",
)


class CategorizeConfiguration(Configuration):
    """The labels, numbered from 1, and the types before and after.

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
        """All three members, the types as typestrs."""
        dtype, astype = typestr(self.dtype), typestr(self.astype)
        return {"labels": self.labels, "dtype": dtype, "astype": astype}


class Categorize(Codec):
    """Integers, in a chunk of the same shape."""

    name = "numcodecs.categorize"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = CategorizeConfiguration
    needs_configuration = True
    v2_id = "categorize"
    holds_objects = True
    registered = False

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """Integers of the stored type."""
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

    def _check_input(
        self,
        configuration: CategorizeConfiguration,
        before: Elements,
        faults: list[Fault],
        path: tuple[str | int, ...],
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


categorize = codecs.register(Categorize())
