"""The checks of one array in any format: its dimensions, type, chunks, codecs and fill value.

They read the resolved array, so they only see the view of a spec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.checks.check import Breach, Outcome, Site, Skip, unpublished
from zom.checks.dimensions import names_breach
from zom.count import count_of
from zom.extension.registry import did_you_mean, near
from zom.json.exact import exact_key
from zom.problems import Path, one_of_words, show

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from zom.formats.resolved import ResolvedArray

__all__ = [
    "Bounds",
    "chunk_lengths",
    "codecs_allowed",
    "codecs_required",
    "data_type",
    "dimension_names",
    "fill_value",
    "has_shards",
    "known_chunks",
    "known_shards",
    "lengths",
    "rank",
    "required_names",
    "shard_lengths",
]


class Bounds(NamedTuple):
    """Allowed lengths or numbers of dimensions: one of `values`, if any; otherwise the other bounds.

    >>> Bounds(minimum=256, multiple_of=256).words, Bounds((1, 2)).fits(3)
    ('at least 256 and a multiple of 256', False)
    """

    values: tuple[int, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    multiple_of: int | None = None

    def fits(self, length: int) -> bool:
        """Whether `length` is allowed."""
        if self.values:
            return length in self.values
        return (
            (self.minimum is None or length >= self.minimum)
            and (self.maximum is None or length <= self.maximum)
            and (self.multiple_of is None or length % self.multiple_of == 0)
        )

    @property
    def words(self) -> str:
        """The bounds as the expected value in a message."""
        if self.values:
            return one_of_words([str(length) for length in self.values])
        texts: list[str] = []
        if self.minimum is not None and self.maximum is not None:
            texts.append(f"from {self.minimum} to {self.maximum}")
        elif self.minimum is not None:
            texts.append(f"at least {self.minimum}")
        elif self.maximum is not None:
            texts.append(f"at most {self.maximum}")
        if self.multiple_of is not None:
            texts.append(f"a multiple of {self.multiple_of}")
        return " and ".join(texts) or "any number"

    @property
    def length_words(self) -> str:
        """The text after "a length" in a message."""
        words = self.words if self.words.startswith("from ") else f"of {self.words}"
        return words.replace("of a multiple", "that is a multiple")


# --- dimensions --------------------------------------------------------------------------------------


@unpublished
def rank(site: Site, bounds: Bounds) -> Outcome:
    """Check that the number of dimensions is within the bounds."""
    found = site.node.resolved.rank
    if bounds.fits(found):
        return ()
    words = bounds.words
    words += " dimension" if words.split()[-1] == "1" else " dimensions"
    return (site.breach(("shape",), words, count_of(found, "dimension")),)


@unpublished
def dimension_names(site: Site, names: tuple[str | None, ...], bounds: Bounds | None) -> Outcome:
    """Check that the dimensions have these names, in this order.

    An array whose rank is not within `bounds` is skipped: the check `rank` reports it.
    """
    view = site.node.resolved
    if view.names == names:
        return ()
    if bounds is not None and view.rank != len(names) and not bounds.fits(view.rank):
        return Skip("the array has a different rank")
    return (names_breach(site.node, names),)


@unpublished
def required_names(site: Site, names: tuple[str, ...]) -> Outcome:
    """Check that the dimension names include these."""
    view = site.node.resolved
    known = [name for name in view.names or () if name is not None]
    breaches: list[Breach] = []
    for name in names:
        if name not in known:
            fix = did_you_mean(near(name, [other for other in known if other not in names]))
            found = "none" if view.names is None else show(list(view.names))
            breaches.append(site.breach(view.names_path, f"a dimension {show(name)}", found, fix=fix))
    return breaches


@unpublished
def lengths(site: Site, bounds: Mapping[str, Bounds]) -> Outcome:
    """Check that dimensions, by name or index, have lengths within the bounds."""
    shape = site.node.resolved.shape
    paths = [("shape", place) for place in range(len(shape))]
    return _wrong_lengths(site, bounds, "a length", [(length,) for length in shape], paths)


# --- chunks and shards -------------------------------------------------------------------------------


@unpublished
def known_chunks(site: Site, names: Collection[str]) -> Outcome:
    """Check that chunk lengths are known along these dimensions, if the array has them."""
    view = site.node.resolved
    if view.chunks is not None or not any(view.indexes(name) for name in names):
        return ()
    return (site.breach(view.chunks_path, "chunks of known lengths", "unknown chunks"),)


@unpublished
def chunk_lengths(site: Site, bounds: Mapping[str, Bounds]) -> Outcome:
    """Check that the lengths of chunks, the smallest pieces that can be read, are within the bounds."""
    view = site.node.resolved
    if view.chunks is None:
        return Skip("the chunk lengths are unknown")
    paths = [(*view.chunks_path, place) for place in view.places]
    return _wrong_lengths(site, bounds, "a chunk length", view.chunks, paths)


def _wrong_lengths(
    site: Site, bounds: Mapping[str, Bounds], what: str, found: Sequence[Sequence[int]], paths: Sequence[Path]
) -> list[Breach]:
    """A breach for each dimension with lengths outside the bounds; `paths` has one path per dimension."""
    view = site.node.resolved
    return [
        site.breach(
            paths[index],
            f"{what} {wanted.length_words} along {view.dimension(index)}",
            one_of_words([str(length) for length in wrong], "and"),
        )
        for name, wanted in bounds.items()
        for index in view.indexes(name)
        if (wrong := [length for length in found[index] if not wanted.fits(length)])
    ]


@unpublished
def known_shards(site: Site, *, with_lengths: bool) -> Outcome:
    """Check that it is known whether there are shards, and, if `with_lengths`, how long they are."""
    view = site.node.resolved
    if view.sharded is None or (view.sharded and view.shards is None and with_lengths):
        return (site.breach(view.shards_path, "shards of known lengths", "unknown shards"),)
    return ()


@unpublished
def has_shards(site: Site, *, wanted: bool) -> Outcome:
    """Check that the array has shards, or has none."""
    view = site.node.resolved
    if view.sharded is None or view.sharded is wanted:
        return ()
    texts = ("shards", "no shards")
    path = ("codecs",) if view.form == "v3" else view.shards_path
    return (site.breach(path, texts[not wanted], texts[wanted]),)


@unpublished
def shard_lengths(site: Site, bounds: Mapping[str, Bounds]) -> Outcome:
    """Check that shard lengths are within the bounds."""
    view = site.node.resolved
    if view.shards is None:
        return Skip("the array has no shards of known lengths")
    paths = [(*view.shards_path, place) for place in range(view.rank)]
    return _wrong_lengths(site, bounds, "a shard length", view.shards, paths)


# --- types, codecs and fill values -------------------------------------------------------------------


@unpublished
def data_type(site: Site, kinds: frozenset[str], names: frozenset[str], words: str) -> Outcome:
    """Check that the data type has one of the kinds or names; `words` describe them."""
    view = site.node.resolved
    known = view.data_type
    if (known is not None and known.kind in kinds) or view.type_name in names:
        return ()
    shown = show(view.type_name) if view.type_name is not None else "an unknown type"
    return (site.breach(view.type_path, words, shown),)


@unpublished
def codecs_allowed(site: Site, names: frozenset[str], words: str) -> Outcome:
    """Check that all codecs have one of these canonical names."""
    strangers = (codec for codec in site.node.resolved.codecs if codec.name not in names)
    return [site.breach(codec.path, words, show(codec.written)) for codec in strangers]


@unpublished
def codecs_required(site: Site, names: Mapping[str, str]) -> Outcome:
    """Check that each of these codecs is present; `names` maps them to canonical names."""
    view = site.node.resolved
    known = {codec.name for codec in view.codecs}
    missing = [name for name, canonical in names.items() if canonical not in known]
    if not missing:
        return ()
    path = ("compressor",) if view.form == "v2" else ("codecs",)
    written = ", ".join(show(codec.written) for codec in view.codecs) or "no codec"
    return [site.breach(path, f"the codec {show(name)}", written) for name in missing]


def _scalar_key(view: ResolvedArray, value: Any) -> Any:
    """A key to compare fill values bit for bit: of the scalar, or of the value if it can't be parsed."""
    if view.data_type is None or value is None:
        return ("json", exact_key(value))
    scalar = view.data_type.parse_fill(value, view.form, [])
    if scalar is None:
        return ("json", exact_key(value))
    return ("scalar", exact_key(view.data_type.fill_json(scalar, view.form)))


@unpublished
def fill_value(site: Site, wanted: Any) -> Outcome:
    """Check that the fill value is `wanted`, bit for bit, however both are spelled."""
    view = site.node.resolved
    if _scalar_key(view, wanted) == _scalar_key(view, view.fill_value):
        return ()
    return (site.breach(("fill_value",), show(wanted), show(view.fill_value)),)
