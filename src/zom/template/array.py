"""What an array template asks of an array, as functions that add faults.

A template is compiled once, into the checks that it needs; most arrays of a hierarchy share a few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.extension.registry import did_you_mean, near
from zom.formats.resolve import canonical_codec_name
from zom.formats.resolved import ResolvedArray
from zom.json.value import exact_key
from zom.problems import Fault, rule, show
from zom.template.attributes import attribute_check
from zom.template.definition import KINDS
from zom.template.models import Codecs, Names, Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.template.models import ArrayTemplate

__all__ = ["ArrayCheck", "array_checks"]

ArrayCheck = Callable[[ResolvedArray, list[Fault]], None]
"""Adds the faults of an array, each located inside of its document."""

_SOURCE = "the template"
Extent: TypeAlias = int | tuple[int, ...] | Range

RANK = rule("template/rank", "an array has as many dimensions as its template asks for", source=_SOURCE)
NAMES = rule(
    "template/dimension-names", "an array has the dimension names that its template asks for", source=_SOURCE
)
DTYPE = rule("template/dtype", "an array's data type is one that its template allows", source=_SOURCE)
SHAPE = rule("template/shape", "an array is as long as its template allows", source=_SOURCE)
CHUNKS = rule("template/chunks", "chunks are as long as the template allows", source=_SOURCE)
SHARDS = rule("template/shards", "shards are as long as the template allows", source=_SOURCE)
SHARDED = rule("template/sharded", "an array has shards, or none, as its template asks", source=_SOURCE)
CODECS = rule("template/codecs", "an array has the codecs that its template asks for", source=_SOURCE)
FILL = rule("template/fill-value", "the fill value is the template's, bit for bit", source=_SOURCE)
UNTOLD = rule(
    "template/unknown-layout",
    "the chunks and shards of an array can be told, so that a template can bound them",
    source=_SOURCE,
    lenient="warning",
    strict="warning",
    closed="warning",
)

# v2 has no `bytes`, and shards have bounds of their own.
_ALWAYS = frozenset({"bytes", "sharding_indexed"})


def array_checks(template: ArrayTemplate) -> list[ArrayCheck]:
    """The checks that `template` needs.

    >>> from zom import v3
    >>> from zom.formats.resolve import resolve
    >>> from zom.template.models import ArrayTemplate
    >>> view = resolve(v3.ArraySpec.build(shape=(4,), dtype="int8"))
    >>> [check(view, faults := []) for check in array_checks(ArrayTemplate(rank=2))]; faults[0].found
    [None]
    '1 dimension'
    """
    checks: list[ArrayCheck] = []
    if template.rank is not None or template.dimension_names is not None:
        names = cast("tuple[str | None, ...] | Names | None", template.dimension_names)
        checks.append(_dimension_check(cast("Extent | None", template.rank), names))
    if template.dtype is not None:
        checks.append(_type_check(_listed(cast("str | tuple[str, ...]", template.dtype))))
    if template.shape:
        checks.append(_shape_check(_extents(template.shape)))
    if template.chunks:
        checks.append(_chunk_check(_extents(template.chunks)))
    if template.shards or template.sharded is not None:
        checks.append(_shard_check(_extents(template.shards), wanted=template.sharded is not False))
    if template.codecs is not None:
        checks.append(_codec_check(cast("tuple[str, ...] | Codecs", template.codecs)))
    if "fill_value" in template.model_fields_set:
        checks.append(_fill_check(template.fill_value))
    if template.attributes is not None:
        checks.append(_attribute_check(template.attributes))
    return checks


def _attribute_check(wanted: Mapping[str, Any]) -> ArrayCheck:
    inner = attribute_check(wanted)

    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        found: list[Fault] = []
        inner(view.attributes, found)
        faults.extend(fault._replace(path=("attributes", *fault.path)) for fault in found)

    return check


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _either(texts: Sequence[str], word: str = "or") -> str:
    return f"{', '.join(texts[:-1])} {word} {texts[-1]}" if len(texts) > 1 else texts[0]


# --- lengths -----------------------------------------------------------------------------------------


def _extents(value: Any) -> dict[str, Extent]:
    return dict(cast("Mapping[str, Extent]", value))


def _fits(extent: Extent, length: int) -> bool:
    if isinstance(extent, int):
        return length == extent
    if isinstance(extent, tuple):
        return length in extent
    low = extent.min is None or length >= extent.min
    high = extent.max is None or length <= extent.max
    return low and high and (extent.multiple_of is None or length % extent.multiple_of == 0)


def _length_words(extent: Extent) -> str:
    """What follows "a length" in a message."""
    words = _extent_words(extent)
    words = words if words.startswith("from ") else f"of {words}"
    return words.replace("of a multiple", "that is a multiple")


def _extent_words(extent: Extent) -> str:
    if isinstance(extent, int):
        return str(extent)
    if isinstance(extent, tuple):
        return _either([str(length) for length in extent])
    texts: list[str] = []
    if extent.min is not None and extent.max is not None:
        texts.append(f"from {extent.min} to {extent.max}")
    elif extent.min is not None:
        texts.append(f"at least {extent.min}")
    elif extent.max is not None:
        texts.append(f"at most {extent.max}")
    if extent.multiple_of is not None:
        texts.append(f"a multiple of {extent.multiple_of}")
    return " and ".join(texts) or "any number"


_INDEX = re.compile(r"-?[0-9]+")


def _places(view: ResolvedArray, name: str) -> tuple[int, ...]:
    """The dimensions that a template calls `name`: by name or by place."""
    if not _INDEX.fullmatch(name):
        return view.indexes(name)
    index = int(name)
    index += view.rank if index < 0 else 0
    return (index,) if 0 <= index < view.rank else ()


def _shape_check(extents: dict[str, Extent]) -> ArrayCheck:
    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        for name, extent in extents.items():
            for index in _places(view, name):
                length = view.shape[index]
                if not _fits(extent, length):
                    words = f"a length {_length_words(extent)} along {view.dimension(index)}"
                    faults.append(Fault(SHAPE, ("shape", index), words, str(length)))

    return check


def _chunk_check(extents: dict[str, Extent]) -> ArrayCheck:
    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        for name, extent in extents.items():
            for index in _places(view, name):
                if view.chunks is None:
                    found = "chunks that can't be told"
                    faults.append(Fault(UNTOLD, view.chunks_path, "chunks of known lengths", found))
                    return
                wrong = [length for length in view.chunks[index] if not _fits(extent, length)]
                if wrong:
                    words = f"a chunk length {_length_words(extent)} along {view.dimension(index)}"
                    path = (*view.chunks_path, view.places[index])
                    faults.append(Fault(CHUNKS, path, words, _either([str(x) for x in wrong], "and")))

    return check


def _shard_check(extents: dict[str, Extent], *, wanted: bool) -> ArrayCheck:
    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        if view.sharded is None or (view.sharded and view.shards is None and extents):
            found = "shards that can't be told"
            faults.append(Fault(UNTOLD, view.shards_path, "shards of known lengths", found))
            return
        if view.sharded is not wanted:
            texts = ("shards", "no shards")
            path = ("codecs",) if view.form == "v3" else view.shards_path
            faults.append(Fault(SHARDED, path, texts[not wanted], texts[wanted]))
            return
        for name, extent in extents.items():
            for index in _places(view, name):
                wrong = [length for length in (view.shards or ())[index] if not _fits(extent, length)]
                if wrong:
                    words = f"a shard length {_length_words(extent)} along {view.dimension(index)}"
                    found = _either([str(x) for x in wrong], "and")
                    faults.append(Fault(SHARDS, (*view.shards_path, index), words, found))

    return check


# --- dimensions --------------------------------------------------------------------------------------


def _dimension_check(rank: Extent | None, names: tuple[str | None, ...] | Names | None) -> ArrayCheck:
    required = names.required if isinstance(names, Names) else ()

    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        right = rank is None or _fits(rank, view.rank)
        if rank is not None and not right:
            words = _extent_words(rank)
            words += " dimension" if words.split()[-1] == "1" else " dimensions"
            found = f"{view.rank} dimension{'s' * (view.rank != 1)}"
            faults.append(Fault(RANK, ("shape",), words, found))
        if isinstance(names, tuple):
            # Another rank can't have the names: that is told already.
            if view.names != names and (right or view.rank == len(names)):
                faults.append(Fault(NAMES, view.names_path, show(list(names)), _names(view)))
            return
        known = [name for name in view.names or () if name is not None]
        for name in required:
            if name not in known:
                fix = did_you_mean(near(name, [other for other in known if other not in required]))
                words = f"a dimension {show(name)}"
                faults.append(Fault(NAMES, view.names_path, words, _names(view), fix))

    return check


def _names(view: ResolvedArray) -> str:
    return "nothing" if view.names is None else show(list(view.names))


# --- types, fill values and codecs -------------------------------------------------------------------


def _type_check(allowed: tuple[str, ...]) -> ArrayCheck:
    kinds = frozenset(allowed) & frozenset(KINDS)
    names = frozenset(allowed) - kinds
    words = _either([f"a data type of kind {name}" if name in kinds else show(name) for name in allowed])

    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        found = view.data_type
        if found is not None and found.kind in kinds:
            return
        if view.type_name not in names:
            shown = show(view.type_name) if view.type_name is not None else "one that zom does not know"
            faults.append(Fault(DTYPE, view.type_path, words, shown))

    return check


def _codec_check(rules: tuple[str, ...] | Codecs) -> ArrayCheck:
    allowed = rules if isinstance(rules, tuple) else cast("tuple[str, ...] | None", rules.allowed)
    known = None if allowed is None else {canonical_codec_name(name) or name for name in allowed} | _ALWAYS
    required = () if isinstance(rules, tuple) else tuple(rules.required)
    needed = {name: canonical_codec_name(name) or name for name in required}
    words = f"only the codecs {', '.join(allowed)}" if allowed else "no codec"

    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        strangers = [codec for codec in view.codecs if known is not None and codec.name not in known]
        faults.extend(Fault(CODECS, codec.path, words, show(codec.written)) for codec in strangers)
        names = {codec.name for codec in view.codecs}
        for name, canonical in needed.items():
            if canonical not in names:
                written = ", ".join(show(codec.written) for codec in view.codecs)
                path = ("compressor",) if view.form == "v2" else ("codecs",)
                faults.append(Fault(CODECS, path, f"the codec {show(name)}", written or "no codec"))

    return check


def _fill_check(wanted: Any) -> ArrayCheck:
    verdicts: dict[Any, bool] = {}

    def check(view: ResolvedArray, faults: list[Fault]) -> None:
        key = (view.form, view.data_type, repr(view.fill_value))
        right = verdicts.get(key)
        if right is None:
            right = verdicts[key] = _scalar_key(view, wanted) == _scalar_key(view, view.fill_value)
        if not right:
            faults.append(Fault(FILL, ("fill_value",), show(wanted), show(view.fill_value)))

    return check


def _scalar_key(view: ResolvedArray, value: Any) -> Any:
    """The scalar that a fill value stands for, to be compared bit for bit; else the value itself."""
    if view.data_type is None or value is None:
        return ("json", exact_key(value))
    scalar = view.data_type.parse_fill(value, view.form, [])
    if scalar is None:
        return ("json", exact_key(value))
    return ("scalar", exact_key(view.data_type.fill_json(scalar, view.form)))
