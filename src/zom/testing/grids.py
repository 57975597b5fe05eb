"""Tests for every chunk grid: subclass `GridSuite`, and name the grid, configurations and shapes.

class TestOffset(GridSuite):
    grid = offset
    arrays = (({"chunk_shape": [4], "first": [3]}, (10,)),)
    wrong_arrays = (({"chunk_shape": [4], "first": [5]}, (10,)),)
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from typing_extensions import override

from zom.extension import ChunkGrid, chunk_grids
from zom.testing.array_use import check_use, document_of
from zom.testing.configurations import ConfigurationSuite, read_configuration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zom.problems import Fault

__all__ = ["GridSuite"]

_PATH = ("chunk_grid",)


class GridSuite(ConfigurationSuite):
    """Tests of a chunk grid; set `grid` and `arrays`."""

    grid: ClassVar[ChunkGrid]
    arrays: ClassVar[Sequence[tuple[Mapping[str, Any], tuple[int, ...]]]]
    """Configurations, each with the shape of a matching array."""
    wrong_arrays: ClassVar[Sequence[tuple[Mapping[str, Any], tuple[int, ...]]]] = ()
    """Configurations that don't fit the shape."""

    @override
    def extension(self) -> ChunkGrid:
        return self.grid

    @override
    def registry(self) -> Any:
        return chunk_grids

    @override
    def test_configurations_are_read_and_written_back(self) -> None:
        type(self).configurations = tuple(value for value, _ in self.arrays)
        super().test_configurations_are_read_and_written_back()

    def _read(self) -> Iterator[tuple[Any, tuple[int, ...]]]:
        for value, shape in self.arrays:
            made, faults = read_configuration(self.grid.configuration, value)
            assert not faults, f"{value}: {faults}"
            yield made, shape

    def _lengths(self, made: Any, shape: tuple[int, ...] | None) -> Any:
        faults: list[Fault] = []
        found = self.grid.lengths(made, shape, faults, _PATH)
        assert not faults, f"{made}, {shape}: expected no fault, found {faults}"
        return found

    def test_lengths_are_those_of_the_chunks(self) -> None:
        for made, shape in self._read():
            sizes = [{*axis.sizes} for axis in self.grid.axes(made, shape)]
            found = self._lengths(made, shape)
            assert found is not None, f"{made}, {shape}: expected lengths"
            assert len(found) == len(shape), f"{made}, {shape}: expected lengths of {len(shape)} dimensions"
            for each, size in zip(found, sizes, strict=True):
                assert {*each} >= size, f"{made}, {shape}: expected lengths {size}, found {each}"

    def test_chunks_cover_the_array(self) -> None:
        for made, shape in self._read():
            for axis, length in zip(self.grid.axes(made, shape), shape, strict=True):
                assert axis.length == length
                ends = 0
                for chunk in range(axis.count):
                    assert axis.start(chunk) == ends, f"{made}, {shape}: expected chunk {chunk} at {ends}"
                    ends += axis.size(chunk)
                assert ends >= length, (
                    f"{made}, {shape}: expected chunks that are {length} long, found {ends}"
                )

    def test_a_shape_that_is_not_known_is_no_fault(self) -> None:
        for made, _ in self._read():
            self._lengths(made, None)

    def test_lengths_see_what_they_say(self) -> None:
        """Without `sees_lengths`, all shapes have the same chunk lengths, except for lengths of 0."""
        for made, shape in self._read():
            if not self.grid.sees_lengths:
                for other in (
                    tuple(length * 7 + 1 for length in shape if length),
                    tuple(min(1, each) for each in shape),
                ):
                    if len(other) == len(shape):
                        same = self._lengths(made, other) == self._lengths(made, shape)
                        assert same, (
                            f"{made}: expected the same lengths for {shape} and {other}; set sees_lengths"
                        )

    @override
    def test_wrong_configurations_are_faults(self) -> None:
        super().test_wrong_configurations_are_faults()
        for value, shape in self.wrong_arrays:
            made, faults = read_configuration(self.grid.configuration, value)
            found: list[Fault] = []
            if made is not None:
                self.grid.lengths(made, shape, found, _PATH)
                assert all(fault.path[:1] == _PATH for fault in found), (
                    f"expected faults below the path: {found}"
                )
            assert faults or found, f"expected a fault for {value} for {shape}"

    def test_arrays_with_it_are_written_and_read(self) -> None:
        for value, shape in self.arrays:
            values = np.arange(1, 1 + int(np.prod(shape, dtype=int)), dtype="uint16").reshape(shape)
            grid = {"name": self.grid.name, "configuration": dict(value)}
            check_use(document_of(shape, "uint16", chunk_grid=grid), values)
