"""The `n5_default` codec: a chunk as an N5 block, with a header that states its shape.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default
N5's Java writers may truncate blocks at the edge; zom writes whole blocks, as the specification permits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.codecs.n5_default.block import N5Coder
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.chain import check_chain
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.definition import name_of
from zom.extension.inner_codecs import HoldsCodecs, InnerCodecs
from zom.extension.link import parse_links
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Form
    from zom.extension.codec import Representation
    from zom.json.value import JSONDict

__all__ = ["N5DefaultCodec", "N5DefaultConfiguration", "n5_default"]

_SOURCE = "zarr-extensions, n5_default codec"

CODECS = rule(
    "codec/n5-codecs",
    "the codecs of n5_default are a full transpose, big-endian bytes, and at most one bytes->bytes codec",
    source=f"{_SOURCE}, configuration parameters",
)
TYPE = rule(
    "codec/n5-type",
    "the n5_default codec takes integers of 8 to 64 bits, float32 and float64",
    source=f"{_SOURCE}, limitations",
)
SIZE = rule(
    "codec/n5-size",
    "the header of an N5 block has at most 65535 dimensions of at most 4294967295 elements",
    source=f"{_SOURCE}, limitations",
)

_TYPES = frozenset(
    {"float32", "float64"} | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
_LONGEST = 2**32 - 1
_MOST_RANK = 2**16 - 1


class N5DefaultConfiguration(HoldsCodecs):
    """The codecs of a block's data.

    >>> N5DefaultConfiguration(codecs=["bytes"]).canonical()
    {'codecs': [{'name': 'bytes', 'configuration': {}}]}
    """

    codecs: InnerCodecs


class N5DefaultCodec(Codec):
    """`n5_default`: array -> bytes."""

    name = "n5_default"
    kind = "array->bytes"
    configuration = N5DefaultConfiguration

    def thread(
        self,
        configuration: N5DefaultConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size: blocks may be shorter than the chunk."""
        inside = (*path, "configuration", "codecs")
        if not isinstance(before, Elements):
            return Bytes()
        lengths, data_type = before.lengths, before.data_type
        if data_type is not None and data_type.name not in _TYPES:
            wanted = "an integer of 8 to 64 bits, float32 or float64"
            faults.append(Fault(TYPE, path, wanted, f"the data type {show(data_type.name)}"))
        if lengths is not None:
            _check_size(lengths, faults, path)
        check_chain(configuration.codecs, before, faults, inside)
        _check_codecs(configuration.codecs, None if lengths is None else len(lengths), faults, inside)
        return Bytes()

    def bind(self, configuration: N5DefaultConfiguration, before: Form, after: Form) -> N5Coder:
        """Return a coder that binds the codecs for the shape in each header."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the n5_default codec expects elements")
        return N5Coder(before, parse_links(configuration.codecs, ("configuration", "codecs")))

    def inspect(self, configuration: JSONDict, faults: list[Fault], path: Path) -> None:
        """Check the list of codecs, without knowing the chunks."""
        if isinstance(configuration.get("codecs"), list):
            check_chain(
                configuration["codecs"], Elements(None, None), faults, (*path, "configuration", "codecs")
            )


def _check_size(lengths: tuple[tuple[int, ...], ...], faults: list[Fault], path: Path) -> None:
    if len(lengths) > _MOST_RANK:
        faults.append(Fault(SIZE, path, f"at most {_MOST_RANK} dimensions", f"{len(lengths)}"))
    longest = max((max(choices, default=0) for choices in lengths), default=0)
    if longest > _LONGEST:
        faults.append(
            Fault(SIZE, path, f"chunks of at most {_LONGEST} elements along each dimension", f"{longest}")
        )


def _check_codecs(values: list[Any], rank: int | None, faults: list[Fault], path: Path) -> None:
    """Add faults for lists that the rules of chains permit but N5 doesn't."""
    names = [name_of(value) for value in values]
    for place, wanted in enumerate(("transpose", "bytes")):
        if place >= len(names):
            faults.append(Fault(CODECS, path, f"the codec {show(wanted)} in place {place}", "nothing"))
        elif names[place] != wanted:
            faults.append(Fault(CODECS, (*path, place), f"the codec {show(wanted)}", show(names[place])))
    order: Any = _member(values[0], "order") if names[:1] == ["transpose"] else None
    if is_list(order):
        full = list(range(len(order) if rank is None else rank))[::-1]
        if order != full:
            wanted = f"[{','.join(map(str, full))}]"
            faults.append(Fault(CODECS, (*path, 0, "configuration", "order"), wanted, show(order)))
    if names[1:2] == ["bytes"] and _member(values[1], "endian") == "little":
        faults.append(Fault(CODECS, (*path, 1, "configuration", "endian"), '"big"', '"little"'))
    if len(values) > 3:
        faults.append(Fault(CODECS, (*path, 3), "at most one codec after bytes", show(names[3])))


def _member(value: Any, name: str) -> Any:
    configuration = value.get("configuration") if is_dict(value) else None
    return configuration.get(name) if is_dict(configuration) else None


n5_default = codecs.register(N5DefaultCodec())
"""The `n5_default` codec."""
