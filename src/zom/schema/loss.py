"""Losses: requirements of a user's class or template that its schema doesn't express."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Loss"]


class Loss(NamedTuple):
    """A requirement that a schema doesn't express.

    >>> print(Loss("Wind.attributes", "the validator Attrs.check_units"))
    Wind.attributes: the validator Attrs.check_units
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"
