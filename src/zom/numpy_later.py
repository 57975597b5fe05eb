"""numpy, imported on first use: describing a hierarchy doesn't need it, and its import is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Later:
        """A stand-in for numpy.

        >>> np.int8(3) + 1
        np.int8(4)
        """

        def __getattr__(self, name: str) -> Any:
            import numpy  # noqa: ICN001, PLC0415 - the purpose of this class

            found = getattr(numpy, name)
            # The next access to the name is a plain one.
            setattr(self, name, found)
            return found

        def __repr__(self) -> str:
            return "<numpy, imported when it is first used>"

    np = _Later()
