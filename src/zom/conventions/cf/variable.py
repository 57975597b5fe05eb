"""Variables: arrays as CF's rules see them, and the checks made from functions of them.

The kind of a variable follows from the attributes that name it, as in CF 1.3:
https://cfconventions.org/cf-conventions/cf-conventions.html#terminology
"""

from __future__ import annotations

from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from zom.checks.check import Breach, Check, Site, Skip, of_document, python
from zom.checks.near_names import NearNames
from zom.conventions.cf.dataset import Dataset, dataset_of, resolve
from zom.conventions.cf.units import axis_of_units
from zom.formats.node_view import Node, remembered
from zom.json.python_value import is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


__all__ = [
    "INTEGERS",
    "NOT_READ",
    "NUMBERS",
    "TEXTS",
    "TYPED",
    "Coordinates",
    "Only",
    "Variable",
    "judged",
    "judged_text",
    "listed",
    "only",
    "section",
]

INTEGERS: Final = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
NUMBERS: Final = (*INTEGERS, "float32", "float64")
TEXTS: Final = ("string", "fixed_length_utf32", "null_terminated_bytes")

NOT_READ: Final = Skip("the members of the group are unknown")

Reach = Literal["document", "name", "dataset"]
"""How far a check looks: at the variable's document, also at its name, or at other variables."""

_SPECIFICATION: Final = "https://cfconventions.org/cf-conventions/cf-conventions.html"

_AXES_BY_NAME: Final = {
    "latitude": "Y", "grid_latitude": "Y", "projection_y_coordinate": "Y", "projection_y_angular_coordinate": "Y",
    "longitude": "X", "grid_longitude": "X", "projection_x_coordinate": "X", "projection_x_angular_coordinate": "X",
    "time": "T", "height": "Z", "altitude": "Z", "depth": "Z", "air_pressure": "Z",
}  # fmt: skip


_PLACES: Final = (
    "node_coordinates",
    "edge_coordinates",
    "face_coordinates",
    "volume_coordinates",
    "tie_points",
)
"""Attributes that name coordinates without a dimension: of geometries, UGRID meshes, and tie points."""
_BOUNDS: Final = ("bounds", "climatology", "bounds_tie_points")
_CONTAINER_ROLES: Final = ("grid_mapping", "geometry", "quantization", "interpolation")
_COUNTS: Final = (
    "node_count", "part_node_count", "interior_ring", "interpolation_parameters", "formula_terms", "aggregated_data",
)  # fmt: skip
_ROLES_WITHOUT_DATA: Final = frozenset((*_PLACES, *_BOUNDS, *_CONTAINER_ROLES, *_COUNTS))
"""The attributes that name variables other than data variables."""
_CONTAINER_KEYS: Final = frozenset(
    {
        "grid_mapping_name",
        "geometry_type",
        "interpolation_name",
        "interpolation_description",
        "algorithm",
        "aggregated_data",  # its values are those of the fragments, and its dimensions those that it names
    }
)
_KEYS_WITHOUT_DATA: Final = _CONTAINER_KEYS | {
    "compress",
    "sample_dimension",
    "instance_dimension",
    "cf_role",
}
"""The attributes that data variables don't have."""


def section(anchor: str) -> str:
    """The link to a section of the specification.

    >>> section("flags")
    'https://cfconventions.org/cf-conventions/cf-conventions.html#flags'
    """
    return f"{_SPECIFICATION}#{anchor}"


def listed(value: Any) -> list[Any]:
    """An attribute's values as a list: netCDF has vectors of one value, which become scalars in JSON.

    >>> listed(1), listed([1, 2])
    ([1], [1, 2])
    """
    return value if is_list(value) else [value]


class Variable:
    """A variable of a dataset, or a group whose attributes are checked."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.attributes = self.node.attributes
        self.name = self.node.name
        self.dims = self.node.dims
        self.shape = self.node.shape
        self.dtype = self.node.dtype

    def of(self, node: Node) -> Variable:
        """The `Variable` of another node."""
        return remembered(node, Variable)

    @cached_property
    def dataset(self) -> Dataset:
        """Its dataset; rules that need it don't run without one."""
        return Dataset(self.node) if self.whole is None else self.whole

    @cached_property
    def whole(self) -> Dataset | None:
        """The dataset if the members around the variable were read, else None."""
        return dataset_of(self.node)

    def text(self, name: str) -> str | None:
        """The attribute `name` if it is a string, else None."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else None

    @property
    def is_text(self) -> bool:
        """Whether its values are strings or characters."""
        return self.dtype in TEXTS

    @property
    def is_char(self) -> bool:
        """Whether its values are single characters, so that its last dimension is the length of strings."""
        return self.dtype == "null_terminated_bytes" and getattr(self.node.data_type, "itemsize", None) == 1

    @cached_property
    def is_coordinate(self) -> bool:
        """Whether it is a coordinate variable: it has one dimension, with its own name."""
        return self.dims == (self.name,) and not self.is_text

    @cached_property
    def is_auxiliary(self) -> bool:
        """Whether an attribute `coordinates` names it, and it is not a coordinate variable."""
        if self.is_coordinate:
            return False
        return "coordinates" in self._roles or self.name in self.dataset.group_coordinates

    @property
    def is_coordinate_of_any_sort(self) -> bool:
        """Whether it holds coordinates: of an axis, auxiliary ones, or of nodes or tie points."""
        return self.is_coordinate or self.is_auxiliary or self.is_named(*_PLACES)

    def is_named(self, *attributes: str) -> bool:
        """Whether another variable names it in one of these attributes."""
        return not self._roles.isdisjoint(attributes)

    @cached_property
    def _roles(self) -> frozenset[str]:
        """The attributes of other variables that name it."""
        return self.dataset.roles(self.node)

    @cached_property
    def is_boundary(self) -> bool:
        """Whether it holds the bounds of another variable."""
        return self.is_named(*_BOUNDS)

    @cached_property
    def is_container(self) -> bool:
        """Whether it only holds attributes."""
        return (
            not _CONTAINER_KEYS.isdisjoint(self.attributes)
            or self.is_domain
            or self.is_named(*_CONTAINER_ROLES)
        )

    @property
    def is_domain(self) -> bool:
        """Whether it is a domain variable."""
        return "dimensions" in self.attributes and not self.shape

    @cached_property
    def is_data(self) -> bool:
        """Whether it is a data variable."""
        return not (
            self.dims == (self.name,)
            or not self._roles.isdisjoint(_ROLES_WITHOUT_DATA)
            or not _KEYS_WITHOUT_DATA.isdisjoint(self.attributes)
            or self.is_auxiliary
            or self.is_domain
        )

    @cached_property
    def axis(self) -> str | None:
        """The axis that its attributes identify: X, Y, Z, T, or None."""
        said = self.text("axis")
        if said is not None and said.upper() in {"X", "Y", "Z", "T"}:
            return said.upper()
        by_units = axis_of_units(self.attributes.get("units"))
        if by_units is None and str(self.attributes.get("positive")).lower() in {"up", "down"}:
            return "Z"
        name = self.text("standard_name")
        return by_units or (None if name is None else _AXES_BY_NAME.get(name))

    @cached_property
    def coordinates(self) -> Coordinates:
        """The coordinates of a data variable, those of its dimensions and those of the attribute apart."""
        group = self.node.parent
        if group is None:
            return self._coordinates()
        # Most variables of a group have the same coordinates.
        known = remembered(group, _known_coordinates)
        key = (self.dims, self.text("coordinates"))
        if key not in known:
            known[key] = self._coordinates()
        return known[key]

    def _coordinates(self) -> Coordinates:
        targets = ((dim, self.variable(dim)) for dim in self.dims or () if dim is not None)
        of_dimensions = dict.fromkeys(
            each for dim, each in targets if each is not None and each.dims == (dim,)
        )
        words = (self.text("coordinates") or "").split()
        named = dict.fromkeys(each for each in map(self.variable, words) if each is not None)
        return Coordinates(
            tuple(map(self.of, of_dimensions)),
            tuple(self.of(each) for each in named if each not in of_dimensions),
        )

    def variable(self, word: str) -> Node | None:
        """The variable that `word` names here, or None."""
        found, _ = resolve(self.node, word)
        return found if isinstance(found, Node) else None

    def is_missing(self, word: str) -> bool:
        """Whether `word` names no variable; False if members on the way were not read."""
        return resolve(self.node, word)[0] is None

    def breach(  # noqa: PLR0913 - a breach has that many facts
        self,
        name: str | Path,
        expected: str,
        found: object,
        *,
        fix: str | None = None,
        related: Iterable[Node] = (),
        cause: tuple[str, str] | None = None,
        copied: tuple[str, Path] | None = None,
    ) -> Breach:
        """A breach at the attribute `name`, or at a path of the document."""
        path = ("attributes", name) if isinstance(name, str) else name
        text = found if isinstance(found, str) else show(found)
        others = tuple(each.path for each in related)
        return Breach(self.node, path, expected, text, fix, others, cause, None, copied)

    def unknown(self, name: str, word: str) -> Breach:
        """The breach of naming a missing variable, with similar names as a hint."""
        group = self.node.parent
        hint = None if group is None else remembered(group, _names_above).hint(word, but=self.name)
        cause = None if group is None else (word, group.path)
        return self.breach(name, "the name of a variable of the dataset", repr(word), fix=hint, cause=cause)


class Coordinates:
    """The coordinates shared by data variables of a group with the same dimensions and `coordinates`."""

    def __init__(self, of_dimensions: tuple[Variable, ...], named: tuple[Variable, ...]) -> None:
        self.of_dimensions = of_dimensions
        """The coordinates with the name of a dimension."""
        self.named = named
        """The other coordinates, named by the attribute `coordinates`."""
        self.all = (*of_dimensions, *named)

    @cached_property
    def standard_names(self) -> frozenset[str]:
        """The standard names of all coordinates."""
        found = (each.text("standard_name") for each in self.all)
        return frozenset(each for each in found if each is not None)

    @cached_property
    def on_axes(self) -> tuple[Variable, ...]:
        """The coordinates of an axis."""
        return tuple(each for each in self.all if each.axis is not None)

    @cached_property
    def by_name(self) -> Mapping[str, Variable]:
        """All coordinates by name and by standard name."""
        by_standard_name = {
            name: each for each in self.all if (name := each.text("standard_name")) is not None
        }
        return {each.name: each for each in self.all} | by_standard_name


def _known_coordinates(
    group: Node,
) -> dict[tuple[tuple[str | None, ...] | None, str | None], Coordinates]:
    """The group's cache of coordinates by dimensions and `coordinates`, filled on demand."""
    del group
    return {}


def _names_above(group: Node) -> NearNames:
    """The names of the variables in a group and its ancestors."""
    return NearNames(sorted({name for each in (group, *group.ancestors()) for name in each.arrays}))


class Only(NamedTuple):
    """A predicate that selects the variables of a check, and the reason for skipping others."""

    holds: Callable[[Variable], bool]
    otherwise: Skip

    def __call__(self, variable: Variable) -> bool:
        """Whether the variable is selected."""
        return self.holds(variable)


def only(otherwise: str) -> Callable[[Callable[[Variable], bool]], Only]:
    """Turn a predicate of variables into the `where` of checks; others are skipped with this reason.

    >>> @only("not named")
    ... def _is_named(variable):
    ...     return bool(variable.name)
    >>> _is_named.otherwise
    Skip(why='not named')
    """
    return lambda holds: Only(holds, Skip(otherwise))


TYPED: Final = only("the data type is unknown")(lambda variable: variable.dtype is not None)


def judged(
    function: Callable[[Variable], Iterable[Breach] | Skip],
    *,
    about: str | None = None,
    where: Only | None = None,
    reach: Reach = "dataset",
) -> Check:
    """Turn a function of a variable into a check.

    It applies if the attribute `about` is a string, and if `where` holds. `reach` is how far it looks.

    >>> def loud(variable):
    ...     if variable.text("title") == "title":
    ...         yield variable.breach("title", "a better one", "title")
    >>> judged(loud, about="title", reach="document").is_portable
    False
    """
    no_text = Skip(f"the attribute {about} is not a string")

    @wraps(function)
    def run(site: Site) -> Iterable[Breach] | Skip:
        variable = remembered(site.holder, Variable)
        if about is not None and variable.text(about) is None:
            return no_text
        if reach == "dataset" and variable.whole is None:
            return NOT_READ
        if where is not None and not where.holds(variable):
            return where.otherwise
        return function(variable)

    return of_document(run, needs=about) if reach == "document" else python(run, needs=about)


def judged_text(
    function: Callable[[Variable, str], Iterable[Breach] | Skip],
    name: str,
    *,
    where: Only | None = None,
    reach: Reach = "dataset",
) -> Check:
    """Turn a function of a variable and its string attribute `name` into a check, as `judged` does.

    >>> def loud(variable, text):
    ...     if text != text.upper():
    ...         yield variable.breach("title", "capitals", repr(text))
    >>> judged_text(loud, "title", reach="document").is_portable
    False
    """

    @wraps(function)
    def run(variable: Variable) -> Iterable[Breach] | Skip:
        return function(variable, variable.text(name) or "")

    return judged(run, about=name, where=where, reach=reach)
