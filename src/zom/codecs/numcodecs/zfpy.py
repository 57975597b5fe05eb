"""The codec `zfpy`: zfp with its header; `numcodecs.zfpy` in v3.

`mode` is zfp's number: 2 fixed rate, 3 fixed precision, 4 fixed accuracy, 5 reversible. numcodecs
writes 2, 3 and 4; readers only need the header. numcodecs also writes `compression_kwargs`, which
repeats other members.

https://numcodecs.readthedocs.io/en/stable/compression/zfpy.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.zfpy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from zom.codecs.numcodecs.dtype import KIND
from zom.codecs.zfp.coder import ZfpyCoder
from zom.codecs.zfp.library import Mode
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Bytes, Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import WHOLE, ForEncoding
from zom.problems import Fault, Path, rule

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form

__all__ = ["ZfpyConfiguration", "zfpy"]

RANK = rule(
    "codec/zfpy-rank",
    "zfp takes chunks of one to four dimensions",
    source="https://zfp.readthedocs.io/en/latest/introduction.html",
)

_TYPES = frozenset({"int32", "int64", "float32", "float64", "numpy.datetime64", "numpy.timedelta64"})


class ZfpyConfiguration(Configuration):
    """The mode, and its parameter; the other parameters are -1.

    >>> ZfpyConfiguration(tolerance=0.01).canonical()
    {'mode': 4, 'tolerance': 0.01, 'rate': -1, 'precision': -1}
    """

    mode: ForEncoding[Annotated[Literal[2, 3, 4, 5], WHOLE]] = 4
    tolerance: ForEncoding[int | float] = -1
    rate: ForEncoding[int | float] = -1
    precision: ForEncoding[int] = -1
    compression_kwargs: ForEncoding[dict[str, int | float] | None] = Field(default=None, exclude=True)


class Zfpy(Codec):
    """A zfp stream, which states its type and shape."""

    name = "numcodecs.zfpy"
    kind: ClassVar[CodecKind] = "array->bytes"
    configuration = v2_configuration = ZfpyConfiguration
    v2_id = "zfpy"

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        del configuration
        if isinstance(before, Elements):
            if before.data_type is not None and before.data_type.name not in _TYPES:
                words = "elements of int32, int64, float32 or float64"
                faults.append(Fault(KIND, path, words, before.data_type.name))
            if before.lengths is not None and not 1 <= len(before.lengths) <= 4:
                faults.append(Fault(RANK, path, "one to four dimensions", f"{len(before.lengths)}"))
        return Bytes()

    def bind(self, configuration: ZfpyConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that uses the zfp library in the package zfpy."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the zfpy codec expects elements")
        return ZfpyCoder(before, _mode(configuration))


def _mode(configuration: ZfpyConfiguration) -> Mode:
    numbers = {
        2: ("fixed_rate", configuration.rate),
        3: ("fixed_precision", configuration.precision),
        4: ("fixed_accuracy", configuration.tolerance),
    }
    name, number = numbers.get(configuration.mode, ("reversible", -1))
    # For a number below 0, the default, zfpy uses the reversible mode.
    return Mode(name, (number,)) if number >= 0 else Mode()


zfpy = codecs.register(Zfpy())
