"""numpy, imported when it is first used: describing a hierarchy needs none of it, and numpy is slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Later:
        """Stands for numpy.

        >>> np.int8(3) + 1
        np.int8(4)
        """

        def __getattr__(self, name: str) -> Any:
            import numpy  # noqa: ICN001, PLC0415 - that is what it is about

            found = getattr(numpy, name)
            # The next look at the name is a plain one.
            setattr(self, name, found)
            return found

        def __repr__(self) -> str:
            return "<numpy, imported when it is first used>"

    np = _Later()
