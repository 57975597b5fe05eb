"""Keys that are nearly those of a convention: readers pass over what they don't know, without a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zom.conventions.check import Skip, python
from zom.model.registry import near
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.conventions.check import Breach, Check, Site

__all__ = ["spelled"]


def spelled(prefix: str, names: Sequence[str]) -> Check:
    """The check that no attribute that begins with `prefix` is nearly, and not quite, one of `names`.

    >>> from zom.conventions.check import Site
    >>> from zom.conventions.view import attributes_node
    >>> node = attributes_node({"a:shap": 1, "a:own": 2})
    >>> [breach.fix for breach in spelled("a:", ["a:shape", "a:bbox"]).run(Site(node, node))]
    ["did you mean 'a:shape'?"]
    """

    def spelled_as_known(site: Site) -> Iterable[Breach] | Skip:
        used = [key for key in site.node.attributes if key.startswith(prefix)]
        if not used:
            return Skip(f"no attribute begins with {prefix}")
        return [
            site.breach(("attributes", key), f"a name such as {', '.join(names)}", show(key), fix=hint)
            for key in used
            if key not in names and (hint := _meant(key, prefix, names)) is not None
        ]

    return python(spelled_as_known)


def _meant(key: str, prefix: str, names: Sequence[str]) -> str | None:
    # Without the prefix, which makes all of them alike.
    hint = near(key.removeprefix(prefix).casefold(), [name.removeprefix(prefix) for name in names])
    return re.sub("'([^']+)'", rf"'{prefix}\1'", hint) if hint.startswith("did you mean") else None
