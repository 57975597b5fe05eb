"""Conversions: the spec in the new format, and what was lost.

Every loss is a `Problem` that points into the source document. Anything that the other format can't
express is refused: each refusal points at its cause, and all of them are raised together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zom.brief import notebook_html, short
from zom.dataclass import dataclass
from zom.problems import Path, Problem, pointer_of, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.model.spec import Spec
    from zom.problems import Rule

__all__ = ["Conversion", "Fill", "Report"]

Fill: TypeAlias = "Literal['default', 'refuse'] | Callable[[str, Spec], Any]"
"""How to convert an undefined fill value: to the data type's default, not at all, or to the result of
a function of the node's path and spec, spelled as in the target format."""

_V3 = "https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html"
_V2 = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html"

FORMATS = rule(
    "convert/formats",
    "v2 and the draft convert to v3, and v3 converts to v2",
    source="zom",
)
NAME = rule(
    "convert/node-name",
    "a node has a name that the other format allows",
    source=f"{_V3}#node-names",
)
ASCII_NAME = rule(
    "convert/ascii-name",
    "a v2 node has a name of ASCII characters",
    source=f"{_V2}#logical-storage-paths",
    lenient="warning",
    strict="warning",
    closed="warning",
)
INVALID = rule(
    "convert/invalid",
    "a converted node follows every rule of the other format",
    source="zom",
)
EXTRA_MEMBER = rule(
    "convert/extra-member",
    "a document has only members that the other format can store",
    source=f"{_V3}#extension-points; {_V2}#metadata",
    lenient="warning",
    strict="warning",
    closed="warning",
)
CONSOLIDATED = rule(
    "convert/consolidated-metadata",
    "consolidated metadata contains documents of its own format",
    source="https://github.com/zarr-developers/zarr-specs/pull/309",
    lenient="warning",
    strict="warning",
    closed="warning",
)
UNDEFINED_FILL = rule(
    "convert/undefined-fill",
    "a fill value is defined; otherwise zom chooses one",
    source=f"{_V3}#fill-value; {_V2}#metadata: if null, the initial contents are undefined",
    lenient="warning",
    strict="warning",
    closed="warning",
)
NO_FILL = rule(
    "convert/no-fill",
    "a fill value is defined if the conversion may not choose one",
    source=f"{_V3}#fill-value",
)
FILL_VALUE = rule(
    "convert/fill-value",
    "a fill value chosen for an array is a value of its data type",
    source=f"{_V3}#fill-value",
)
FILL_BITS = rule(
    "convert/fill-bits",
    "a fill value keeps its bits; v2 has no spelling for the payload of a NaN",
    source=f"{_V2}#fill-value-encoding",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DIMENSIONS_LEFT = rule(
    "convert/array-dimensions",
    "_ARRAY_DIMENSIONS is a list with a name or null for each dimension; otherwise it stays an attribute",
    source="https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DIMENSIONS_TAKEN = rule(
    "convert/array-dimensions-taken",
    "the attribute _ARRAY_DIMENSIONS is unused, or equals the dimension names",
    source="https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html",
)
FILL_MASK = rule(
    "convert/fill-mask",
    "xarray masks the fill_value of Zarr v2; in v3 it masks only the value of the attribute _FillValue",
    source="https://docs.xarray.dev/en/stable/user-guide/io.html: use_zarr_fill_value_as_mask",
    lenient="note",
    strict="note",
    closed="note",
)
DATA_TYPE = rule(
    "convert/data-type",
    "the other format has the data type",
    source=f"{_V3}#data-types; {_V2}#data-type-encoding",
)
BARE_DTYPE = rule(
    "convert/dtype-name",
    "a v2 dtype is a type string; few readers support a bare name",
    source=f"{_V2}#data-type-encoding; tensorstore writes such names",
    lenient="warning",
    strict="warning",
    closed="warning",
)
FALLBACK = rule(
    "convert/data-type-fallback",
    "a data type is converted itself, not as its fallback",
    source="Zarr core specification 3.0, draft of 2022, data_type",
    lenient="warning",
    strict="warning",
    closed="warning",
)
MIXED_ORDER = rule(
    "convert/mixed-byte-order",
    "all fields of a struct have one byte order: v3 has one for the whole chunk",
    source="zarr-extensions, struct data type",
)
BYTE_ORDER = rule(
    "convert/byte-order",
    "the other format can express the byte order of the chunks",
    source=f"{_V2}#data-type-encoding",
)
UNKNOWN_CODEC = rule(
    "convert/unknown-codec",
    "zom knows the codec: its place in the other format depends on its effect",
    source="zom",
)
CODEC = rule(
    "convert/codec",
    "the other format has a codec that gives the same bytes",
    source=f"{_V3}#codecs; {_V2}#filters",
)
CODEC_ORDER = rule(
    "convert/codec-order",
    "codecs come in an order that the other format allows",
    source=f"{_V3}#codecs: array->array, one array->bytes, bytes->bytes",
)
CODEC_TYPE = rule(
    "convert/codec-type",
    "a codec gets elements of the type in its configuration",
    source="https://numcodecs.readthedocs.io/en/stable/",
)
CODEC_PARAMETER = rule(
    "convert/codec-parameter",
    "the other format has all parameters of a codec; decoding doesn't need this one",
    source="https://numcodecs.readthedocs.io/en/stable/",
    lenient="warning",
    strict="warning",
    closed="warning",
)
UNREGISTERED = rule(
    "convert/unregistered-codec",
    "a codec has a registered v3 name; few readers support zom's own name for it",
    source="https://github.com/zarr-developers/zarr-extensions",
    lenient="warning",
    strict="warning",
    closed="warning",
)
TRANSPOSE = rule(
    "convert/transpose",
    "dimensions are kept or reversed, before all other codecs: v2 has the orders C and F",
    source=f"{_V2}#chunks",
)
CHUNK_GRID = rule(
    "convert/chunk-grid",
    "chunks have one shape: the other format has only regular grids",
    source=f"{_V2}#chunks",
)
KEY_ENCODING = rule(
    "convert/chunk-key-encoding",
    "zom knows the chunk key encoding",
    source=f"{_V3}#chunk-key-encoding",
)
CHUNK_KEYS = rule(
    "convert/chunk-keys",
    "chunks keep their keys; if the other format has other keys, chunks must be moved",
    source=f"{_V2}#chunks",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DRAFT_KEYS = rule(
    "convert/draft-chunk-keys",
    "chunks keep their keys; those of the draft (data/a/c0/0) must always be moved",
    source="Zarr core specification 3.0, draft of 2022, Storage protocol",
    lenient="note",
    strict="note",
    closed="note",
)
TRANSFORMER = rule(
    "convert/storage-transformer",
    "the array has no storage transformer, except sharding in the draft",
    source=f"{_V3}#storage-transformers",
)
EXTENSION = rule(
    "convert/extension",
    "the other format has every extension that must be understood",
    source=f"{_V3}#extension-points; Zarr core specification 3.0, draft of 2022, extensions",
)
DROPPED_EXTENSION = rule(
    "convert/dropped-extension",
    "v3 has every extension of the draft; others are dropped",
    source="Zarr core specification 3.0, draft of 2022, extensions",
    lenient="warning",
    strict="warning",
    closed="warning",
)
LAYOUT = rule(
    "convert/chunk-memory-layout",
    "the memory layout of chunks is C or F",
    source="Zarr core specification 3.0, draft of 2022, chunk_memory_layout",
)
IMPLICIT_GROUP = rule(
    "convert/implicit-group",
    "every group has its own document; a group without one gets one",
    source=f"{_V3}#groups; the draft, Group metadata",
    lenient="note",
    strict="note",
    closed="note",
)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A spec in its new format, its losses, and whether the chunks can stay in place.

    `losses` point into the source document. `same_chunks` maps the path of each array to whether
    every chunk has the same key, below the node, and the same bytes as before.

    >>> from zom import v2
    >>> from zom.conversion.trees import convert
    >>> old = v2.ArraySpec(shape=(4,), chunks=(2,), dtype="<i2", compressor=None, fill_value=None,
    ...                    order="C", filters=None)
    >>> made = convert(old, "v3")
    >>> made.same_chunks, made.losses[0].code
    ({'/': True}, 'convert/undefined-fill')
    """

    spec: Any
    losses: tuple[Problem, ...]
    same_chunks: Mapping[str, bool]

    def __repr__(self) -> str:
        moved = sum(not same for same in self.same_chunks.values())
        lost = f"{len(self.losses):,} loss{'' if len(self.losses) == 1 else 'es'}"
        spec = f"{self.spec.family.form} {self.spec.kind}"
        return short(
            "Conversion", f"to a {spec}: {lost}, chunks of {moved:,} of {len(self.same_chunks):,} arrays move"
        )

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return notebook_html("conversion", self)


class Report:
    """The losses and refusals of one node."""

    __slots__ = ("losses", "node", "refusals", "steps")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.node = "/" + "/".join(names)
        self.steps = tuple(step for name in names for step in ("members", name))
        self.losses: list[Problem] = []
        self.refusals: list[Problem] = []

    def add(self, rule_: Rule, path: Path, expected: str, found: str, fix: str | None = None) -> None:
        """Add a breach of `rule_` at `path` in the node's document: a loss, or a refusal.

        >>> report = Report(("a",))
        >>> report.add(CHUNK_GRID, ("chunk_grid",), "a regular grid", "another")
        >>> report.refusals[0].pointer
        '/members/a/chunk_grid'
        """
        severity = rule_.strict or "note"
        pointer = pointer_of((*self.steps, *path))
        problem = Problem(rule_.code, severity, self.node, pointer, path, expected, found, fix)
        (self.refusals if severity == "error" else self.losses).append(problem)

    @property
    def refused(self) -> bool:
        """Whether the node can't be converted.

        >>> Report(()).refused
        False
        """
        return bool(self.refusals)
