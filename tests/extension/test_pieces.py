"""Pieces: parts of a buffer that are a sequence of chunks."""

from __future__ import annotations

import numpy as np
import pytest

from zom.extension.pieces import Pieces

VALUES = [b"", b"a", b"bcd", b"", b"ef"]


def test_pieces_are_the_chunks_that_they_were_made_of():
    pieces = Pieces.of(VALUES)
    assert list(pieces) == VALUES
    assert [bytes(pieces[number]) for number in range(len(pieces))] == VALUES
    assert list(pieces[1:4]) == VALUES[1:4]
    assert Pieces.of(pieces) is pieces


def test_no_chunks_are_no_pieces():
    assert list(Pieces.of([])) == []


def test_there_is_no_piece_behind_the_last():
    with pytest.raises(IndexError):
        Pieces.of(VALUES)[len(VALUES)]


def test_pieces_in_a_large_buffer_move_together():
    starts = np.array([900, 10, 500])
    data = bytearray(1000)
    data[900:902], data[10:12], data[500:502] = b"ab", b"cd", b"ef"
    pieces = Pieces(memoryview(data), starts, np.full(3, 2))
    compact = pieces.compact()
    assert list(compact) == list(pieces) == [b"ab", b"cd", b"ef"]
    assert bytes(compact.data) == b"abcdef"
    assert compact.compact() is compact
