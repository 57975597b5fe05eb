"""Write a pyramid: the arrays of all levels, then their chunks, and finally the metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.errors import ConflictError
from zom.formats import v2, v3
from zom.handles.changes import materialize
from zom.hierarchy.change.conflicts import EXISTS, conflict
from zom.hierarchy.copy.tally import Progress
from zom.json.python_value import is_list
from zom.paths import join, parse_path
from zom.pyramids.filling import LevelPair, SentLevels, fill_level
from zom.pyramids.replaced import check_finest, check_replaced
from zom.pyramids.source import alone, chunks_of, write_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.hierarchy.executor import Pool
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.pyramids.design import Design
    from zom.pyramids.existing import Existing
    from zom.pyramids.method import Method
    from zom.pyramids.source import Source
    from zom.stores.interface import Store

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """A pyramid that is being written into a store."""

    store: Store
    path: str
    group: Group | None
    """The existing group, if any."""
    old: Existing
    """The group's existing pyramid metadata."""
    design: Design
    arrays: Mapping[str, Spec]
    """The arrays to create."""
    first: str | None
    """The existing finest level, if any."""
    source: Source
    method: Method
    jobs: int
    memory: int
    tell: Callable[[int, int], object] | None
    pool: Pool | None
    """The processes that share the work, or None for threads of this process."""

    def prepare(self, on_conflict: str) -> None:
        """Check for conflicts: raise ConflictError, or delete existing levels if `on_conflict` is "replace".

        Raise ValueError or StoreError if that would delete the source of the pyramid, or a finer level.
        """
        if self.group is None:
            return
        group = self.group
        if self.first is not None:
            check_finest(group, self.first, self.old.paths)
        there = [name for name in self.arrays if name in group]
        described = [path for path in self.old.paths if path != self.first]
        if not there and not described:
            return
        if on_conflict == "refuse":
            raise ConflictError(self._problems(there), self.store.url)
        gone = [name for name in dict.fromkeys([*there, *described]) if name in group]
        check_replaced(group, gone, self.source.image)
        self._withdraw(group)
        for name in gone:
            group.delete(name)

    def _problems(self, there: list[str]) -> list[Problem]:
        fix = "pass on_conflict='replace' to delete it first, or choose another group"
        root = parse_path(self.path)
        found = [
            conflict(
                EXISTS, join((*root, *parse_path(name))), "nothing, to write a level there", "a node", fix
            )
            for name in there
        ]
        if found:
            return found
        return [
            conflict(EXISTS, join(root), "a group without a pyramid", "multiscales in its attributes", fix)
        ]

    def _withdraw(self, group: Group) -> None:
        """Remove the levels to delete from the metadata, before they are deleted."""
        attributes = dict(group.attrs)
        key = "ome" if "ome" in attributes else "multiscales"
        holder: dict[str, Any] = attributes["ome"] if key == "ome" else attributes
        found = holder.get("multiscales")
        if not found:
            return
        if self.first is not None and self.old.paths[:1] == (self.first,):
            entry, member = (found[0], "datasets") if is_list(found) else (found, "layout")
            entry[member] = entry[member][:1]
        else:
            del holder["multiscales"]
        if key in attributes and attributes[key] not in ({}, {"version": holder.get("version")}):
            group.attrs[key] = attributes[key]
        else:
            del group.attrs[key]

    def run(self) -> Group:
        """Write everything; return the group."""
        group = self._made()
        try:
            self._fill(group)
            group.attrs.update(self._said(group))
        except BaseException as error:
            error.add_note(
                f"the levels in {group.path} of {self.store.url} are incomplete, and no metadata lists them: write the "
                "pyramid again with on_conflict='replace', or delete them"
            )
            raise
        return group

    def _made(self) -> Group:
        """Create the group with the arrays of all levels in one change."""
        if self.group is not None:
            spec: Any = self.group.spec
            spec = spec.replace(members=dict(self.arrays))
        else:
            form: Any = v2 if next(iter(self.arrays.values())).family.form == "v2" else v3
            spec = form.GroupSpec(members=dict(self.arrays))
        return cast("Group", materialize(spec, self.store, self.path))

    def _fill(self, group: Group) -> None:
        arrays = [cast("Array", group[level.path]) for level in self.design.levels]
        done = 0
        progress = Progress(sum(array.nchunks for array in arrays if array.name != self.first), self.tell)
        if self.first is None:
            how = {"jobs": self.jobs, "memory": self.memory}
            write_source(self.source, arrays[0], **how, progress=progress, pool=self.pool)
            done = arrays[0].nchunks
            progress.reach(done)
        for level, fine, coarse in zip(self.design.levels[1:], arrays, arrays[1:], strict=False):
            pair = LevelPair(chunks_of(fine), chunks_of(coarse), level.factors, self.method, self.memory)
            shared = None
            if self.pool is not None:
                sent = SentLevels((alone(fine), alone(coarse)), level.factors, self.method.name, self.memory)
                shared = (self.pool, sent)
            fill_level(pair, self.jobs, progress, shared)
            done += coarse.nchunks
            progress.reach(done)

    def _others(self, found: Any) -> list[Any]:
        """Return the group's further images, if the first one is rewritten."""
        return found[1:] if self.first is not None and is_list(found) else []

    def _said(self, group: Group) -> dict[str, Any]:
        """Return the attributes of the pyramid, merged with the group's unrelated ones."""
        said = dict(self.design.attributes)
        there = dict(group.attrs)
        if "ome" in said and isinstance(there.get("ome"), dict):
            said["ome"] = {**there["ome"], **said["ome"]}
            others = there["ome"].get("multiscales")
            said["ome"]["multiscales"] = [*said["ome"]["multiscales"], *self._others(others)]
        elif is_list(said.get("multiscales")):
            said["multiscales"] = [*said["multiscales"], *self._others(there.get("multiscales"))]
        if "zarr_conventions" in said:
            listed: list[Any] = there.get("zarr_conventions") or []
            said["zarr_conventions"] = [
                *listed,
                *(each for each in said["zarr_conventions"] if each not in listed),
            ]
        return said
