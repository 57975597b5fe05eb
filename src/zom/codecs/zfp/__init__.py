"""The `zfp` codec: arrays of one to four dimensions, compressed by zfp without its header.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from zom.codecs.zfp.coder import ZfpCoder
from zom.codecs.zfp.library import Mode
from zom.count import count_of
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.configuration import Configuration, field_words
from zom.extension.field import Interval, OrAbsent
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.extension.codec import Representation

__all__ = ["ZfpCodec", "ZfpConfiguration", "zfp"]

_SOURCE = "zarr-extensions, zfp codec"

PARAMETERS = rule(
    "codec/zfp-parameters",
    "the zfp codec has the parameters of its mode, and no others",
    source=f"{_SOURCE}, configuration parameters",
    schema=True,
)
TYPE = rule(
    "codec/zfp-type",
    "the zfp codec takes integers and floats of 32 or 64 bits, or types that can be promoted to one of them",
    source=f"{_SOURCE}, supported data types",
)
RANK = rule(
    "codec/zfp-rank",
    "the zfp codec takes chunks of at most four dimensions",
    source=f"{_SOURCE}, supported chunk shapes",
)

_OF_MODE: Final[dict[str, tuple[str, ...]]] = {
    "reversible": (),
    "expert": ("minbits", "maxbits", "maxprec", "minexp"),
    "fixed_accuracy": ("tolerance",),
    "fixed_rate": ("rate",),
    "fixed_precision": ("precision",),
}
_KINDS = frozenset({"int", "uint", "float", "datetime", "timedelta"})

NotNegative = Annotated[int, Interval(0)]


class ZfpConfiguration(Configuration):
    """The mode of zfp, and the parameters of that mode."""

    strict_schema: ClassVar[Mapping[str, Any]] = {
        # Each mode is closed, and there are no others: closing the whole would report unknown members twice.
        "additionalProperties": True,
        "allOf": [
            {
                "if": {"properties": {"mode": {"const": mode, "type": "string"}}, "required": ["mode"]},
                "then": {
                    "properties": dict.fromkeys(("mode", *members), True),
                    "required": list(members),
                    "additionalProperties": False,
                },
            }
            for mode, members in _OF_MODE.items()
        ],
    }

    mode: Literal["reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"]
    minbits: OrAbsent[NotNegative] = None
    maxbits: OrAbsent[NotNegative] = None
    maxprec: OrAbsent[NotNegative] = None
    minexp: OrAbsent[int] = None
    tolerance: OrAbsent[float] = None
    rate: OrAbsent[float] = None
    precision: OrAbsent[NotNegative] = None


class ZfpCodec(Codec):
    """`zfp`: array -> bytes."""

    name = "zfp"
    kind = "array->bytes"
    configuration = ZfpConfiguration

    def thread(
        self,
        configuration: ZfpConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size."""
        _check_parameters(configuration, faults, (*path, "configuration"))
        if not isinstance(before, Elements):
            return Bytes()
        data_type = before.data_type
        if data_type is not None and data_type.kind not in _KINDS:
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(TYPE, path, "an integer or float data type", found))
        if before.lengths is not None and len(before.lengths) > 4:
            found = count_of(len(before.lengths), "dimension")
            fix = "put the reshape codec before it"
            faults.append(Fault(RANK, path, "a chunk of at most 4 dimensions", found, fix))
        return Bytes()

    def bind(self, configuration: ZfpConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that uses the zfp library in the package zfpy."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the zfp codec expects elements")
        members = configuration.model_dump()
        numbers = [members[name] for name in _OF_MODE[configuration.mode]]
        if None in numbers:
            raise ExtensionError(f"zfp lacks the parameters of its mode {configuration.mode!r}")
        return ZfpCoder(before, Mode(configuration.mode, tuple(numbers)))


def _check_parameters(configuration: ZfpConfiguration, faults: list[Fault], path: Path) -> None:
    mode = configuration.mode
    wanted = _OF_MODE[mode]
    spelled: dict[str, Any] = {
        name: value for name, value in configuration if name != "mode" and value is not None
    }
    for name in wanted:
        if name not in spelled:
            expected = f"{field_words(ZfpConfiguration, name)}, for mode {show(mode)}"
            faults.append(Fault(PARAMETERS, (*path, name), expected, "nothing"))
    for name in spelled:
        if name not in wanted:
            only = ", ".join(("mode", *wanted))
            expected = f"only {only} for mode {show(mode)}"
            faults.append(Fault(PARAMETERS, (*path, name), expected, show(name)))


zfp = codecs.register(ZfpCodec())
"""The `zfp` codec."""
