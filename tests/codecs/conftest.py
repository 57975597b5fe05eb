from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from zom.extension.bound import Stream
from zom.extension.chain import check_chain
from zom.extension.codec import Elements, codecs
from zom.extension.resolve import parse_v3
from zom.json.value import freeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.problems import Fault


class Verdict(NamedTuple):
    """What a chain makes of a chunk, and what is wrong with it."""

    result: Any
    faults: list[Fault]

    @property
    def codes(self) -> list[str]:
        return [fault.rule.code for fault in self.faults]

    @property
    def places(self) -> list[tuple[str | int, ...]]:
        return [fault.path for fault in self.faults]

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(fault.expected, fault.found) for fault in self.faults]


def elements(lengths: Any, data_type: Any, fill: Any = None) -> Elements:
    """A chunk of a v3 type, with one length for each dimension where it is an int."""
    made = None if data_type is None else parse_v3(freeze(data_type, []), [], ())
    scalar = None if made is None or fill is None else made.parse_fill(fill, "v3", [], ())
    choices = None
    if lengths is not None:
        choices = tuple((item,) if isinstance(item, int) else item for item in lengths)
    return Elements(choices, made, scalar)


@pytest.fixture
def chain() -> Callable[..., Verdict]:
    """A function that judges a list of codecs for chunks of a shape, a type and a fill value."""

    def judge(
        codecs: Any, lengths: Any = (4, 6), data_type: Any = "int32", fill: Any = None, **options: Any
    ) -> Verdict:
        faults: list[Fault] = []
        before = elements(lengths, data_type, fill)
        result = check_chain(freeze(codecs, []), before, faults, ("codecs",), **options)
        return Verdict(result, faults)

    return judge


@pytest.fixture
def through() -> Callable[..., Verdict]:
    """A function that judges one array->array codec, and gives what comes out of it."""

    def judge(
        name: str, configuration: Any, lengths: Any = (4, 6), data_type: Any = "int32", fill: Any = None
    ) -> Verdict:
        faults: list[Fault] = []
        codec = codecs[name]
        model = codec.configuration.model_validate(configuration)
        before = elements(lengths, data_type, fill)
        return Verdict(codec.thread(model, before, faults, ("codecs", 0)), faults)

    return judge


@pytest.fixture
def stream_coder() -> Callable[..., Any]:
    """A function that binds a codec to chunks of `nbytes`, or of `most` at most where that is None."""

    def bind(
        name: str, nbytes: int | None, configuration: Any = None, *, most: int = 0, v2: bool = False
    ) -> Any:
        codec = codecs[name]
        model = codec.v2_configuration if v2 else codec.configuration
        before = Stream(nbytes, most if nbytes is None else nbytes)
        return codec.bind(model.model_validate(configuration or {}), before, Stream(None, 1 << 30))

    return bind
