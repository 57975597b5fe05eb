"""The codec `shuffle`: first bytes of all elements, then second bytes; `numcodecs.shuffle` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.shuffle
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from zom.model.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.model.configuration import Configuration
from zom.problems import Fault, rule

__all__ = ["ShuffleConfiguration", "ShuffleV2Configuration", "shuffle"]

MULTIPLE = rule(
    "codec/shuffle-size",
    "the bytes of a chunk that is shuffled are a whole number of elements",
    source="https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html",
)


class ShuffleConfiguration(Configuration):
    """How many bytes an element has; where v3 does not say, as many as the array's data type has.

    >>> ShuffleConfiguration().elementsize is None
    True
    """

    elementsize: Annotated[int, Field(ge=1)] | None = None


class ShuffleV2Configuration(Configuration):
    """How many bytes an element has: 4 where v2 does not say, whatever the data type.

    >>> ShuffleV2Configuration().elementsize
    4
    """

    elementsize: Annotated[int, Field(ge=1)] = 4


class Shuffle(Codec):
    """Shuffled bytes: as many as before."""

    name = "numcodecs.shuffle"
    kind: ClassVar[CodecKind] = "bytes->bytes"
    configuration = ShuffleConfiguration
    v2_id = "shuffle"
    v2_configuration = ShuffleV2Configuration

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """As many bytes as before."""
        size = before.size if isinstance(before, Bytes) else None
        width: int | None = configuration.elementsize
        if size is not None and width is not None and size % width:
            where = (*path, "configuration", "elementsize")
            found = f"{width}, where a chunk has {size} bytes"
            faults.append(Fault(MULTIPLE, where, f"a divisor of {size}", found))
        return Bytes(size)


shuffle = codecs.register(Shuffle())
