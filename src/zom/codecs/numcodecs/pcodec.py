"""The codec `pcodec`: lossless compression of numbers; `numcodecs.pcodec` in v3.

https://numcodecs.readthedocs.io/en/stable/compression/pcodec.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.pcodec
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import model_validator
from typing_extensions import override

from zom.codecs.numcodecs.dtype import KIND
from zom.count import count_of
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Bytes, Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import ForEncoding, Interval
from zom.numpy_later import np
from zom.packages import import_package
from zom.problems import Fault, Path

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from zom.extension.bound import Array, Data, Form

__all__ = ["PcodecCoder", "PcodecConfiguration", "pcodec"]

# Dates are passed to it as integers.
_TYPES = frozenset(
    {"uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32", "float64"}
    | {"numpy.datetime64", "numpy.timedelta64"}
)


class PcodecConfiguration(Configuration):
    """The parameters of pcodec's compression; only writing needs them.

    `no_op` is the name of `none` since numcodecs 0.17.

    >>> PcodecConfiguration().equal_pages_up_to
    262144
    """

    strict_schema: ClassVar[Mapping[str, Any]] = {
        # The condition requires valid values: invalid ones have their own error already.
        "if": {
            "properties": {
                "delta_encoding_order": {"enum": list(range(8))},
                "delta_spec": {"enum": ["none", "no_op", "try_lookback"]},
            },
            "required": ["delta_encoding_order", "delta_spec"],
        },
        "then": {"properties": {"delta_spec": {"enum": ["auto", "try_consecutive"]}}},
    }

    level: ForEncoding[Annotated[int, Interval(0, 12)]] = 8
    mode_spec: ForEncoding[Literal["auto", "classic"]] = "auto"
    delta_spec: ForEncoding[Literal["auto", "none", "no_op", "try_consecutive", "try_lookback"]] = "auto"
    paging_spec: ForEncoding[Literal["equal_pages_up_to"]] = "equal_pages_up_to"
    delta_encoding_order: ForEncoding[Annotated[int, Interval(0, 7)] | None] = None
    equal_pages_up_to: ForEncoding[Annotated[int, Interval(1)]] = 262144

    @model_validator(mode="after")
    def _order_is_used(self) -> Self:
        if self.delta_encoding_order is not None and self.delta_spec not in {"auto", "try_consecutive"}:
            raise ValueError('a delta_encoding_order only with the delta_spec "auto" or "try_consecutive"')
        return self


class Pcodec(Codec):
    """A pcodec file, which states its type and length."""

    name = "numcodecs.pcodec"
    kind: ClassVar[CodecKind] = "array->bytes"
    configuration = v2_configuration = PcodecConfiguration
    v2_id = "pcodec"

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        del configuration
        if isinstance(before, Elements) and before.data_type is not None:
            name = before.data_type.name
            if name not in _TYPES:
                faults.append(Fault(KIND, path, "integers or floats of 16, 32 or 64 bits", name))
        return Bytes()

    def bind(self, configuration: PcodecConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that uses the package pcodec."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the pcodec codec expects elements")
        return PcodecCoder(before, configuration)


class PcodecCoder(Coder[Any, Any]):
    """Numbers as one pcodec file."""

    def __init__(self, block: Block, configuration: PcodecConfiguration) -> None:
        try:
            self._library: Any = import_package("pcodec")
            self._standalone: Any = import_package("pcodec.standalone")  # no attribute of pcodec 1.0.0
        except ImportError as cause:
            raise ExtensionError('pcodec needs the package pcodec: pip install "pcodec>=1,<2"') from cause
        self._block = block
        stored = block.dtype.newbyteorder("=")
        self._native = np.dtype(np.int64) if stored.kind in "mM" else stored
        self._settings = self._settings_of(configuration)

    def _settings_of(self, configuration: PcodecConfiguration) -> Any:
        library, order = self._library, configuration.delta_encoding_order
        delta, kinds = configuration.delta_spec, library.DeltaSpec
        if delta == "try_consecutive" or order is not None:
            spec = kinds.try_consecutive(1 if order is None else order)
        elif delta in {"none", "no_op"}:
            spec = kinds.no_op()
        else:
            spec = kinds.try_lookback() if delta == "try_lookback" else kinds.auto()
        modes = library.ModeSpec
        return library.ChunkConfig(
            compression_level=configuration.level,
            delta_spec=spec,
            mode_spec=modes.classic() if configuration.mode_spec == "classic" else modes.auto(),
            paging_spec=library.PagingSpec.equal_pages_up_to(configuration.equal_pages_up_to),
        )

    @override
    def encode(self, chunk: Array) -> Data:
        native = np.ascontiguousarray(chunk, chunk.dtype.newbyteorder("=")).reshape(-1).view(self._native)
        made: bytes = _calling(self._standalone.simple_compress, native, self._settings)
        return made

    @override
    def decode(self, chunk: Data) -> Array:
        count = self._block.count
        # With room for one more number, pcodec reads on and so detects a missing end.
        room = np.zeros(count + 1, self._native)
        progress = _calling(self._standalone.simple_decompress_into, bytes(chunk), room)
        if progress.n_processed != count or not progress.finished:
            found = "more" if progress.n_processed > count else progress.n_processed
            raise CodecError(f"expected {count_of(count, 'number')}, found {found}")
        if chunk[-1]:
            raise CodecError("trailing bytes: a pcodec file ends with a byte 0")
        stored = self._block.dtype
        made = room[:count].view(stored.newbyteorder("=")).astype(stored, copy=False)
        return made.reshape(self._block.shape)


def _calling(function: Callable[..., Any], *given: Any) -> Any:
    """Call `function`; convert its exceptions, including Rust panics, to CodecError."""
    try:
        return function(*given)
    except MemoryError:
        raise
    except Exception as cause:
        raise CodecError(" ".join(str(cause).split())) from cause
    except BaseException as cause:
        # pyo3 derives PanicException from BaseException, so `except Exception` misses it.
        if type(cause).__name__ != "PanicException":
            raise
        raise CodecError(f"pcodec panicked: {cause}") from cause


pcodec = codecs.register(Pcodec())
