"""Losses: what a user's class or template asks, and its schema doesn't say."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Loss"]


class Loss(NamedTuple):
    """One thing that a schema leaves unsaid.

    >>> print(Loss("Wind.attributes", "the validator Attrs.check_units"))
    Wind.attributes: the validator Attrs.check_units
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"
