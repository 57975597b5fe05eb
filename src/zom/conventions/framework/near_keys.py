"""Near misses of a convention's keys: readers silently ignore keys that they don't know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.checks.check import Skip, of_document
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict
from zom.misspelling import meant
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.checks.check import Breach, Check, Site

__all__ = ["spelled", "spelled_within"]


def spelled(prefix: str, names: Sequence[str]) -> Check:
    """A check that no attribute is a near miss of one of `names`, which begin with `prefix`.

    >>> from zom.checks.check import Site
    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"area:shap": 1, "area:own": 2, "aera:bbox": 3})
    >>> [breach.fix for breach in spelled("area:", ["area:shape", "area:bbox"]).run(Site(node, node))]
    ["did you mean 'area:shape'?", "did you mean 'area:bbox'?"]
    """

    def spelled_as_known(site: Site) -> Iterable[Breach] | Skip:
        attributes = site.node.attributes
        hints = {key: hint for key in attributes if (hint := _meant(key, prefix, names)) is not None}
        if not hints and not any(key.startswith(prefix) for key in attributes):
            return Skip(f"no attribute begins with {prefix}")
        return [
            site.breach(("attributes", key), f"a name such as {', '.join(names)}", show(key), fix=hint)
            for key, hint in hints.items()
        ]

    return of_document(spelled_as_known)


def spelled_within(around: str, names: Sequence[str]) -> Check:
    """A check that no key of the object at `around` is a near miss of one of `names`.

    >>> from zom.checks.check import Site
    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"ome": {"multiscale": [], "image": 1}})
    >>> [breach.fix for breach in spelled_within("ome", ["multiscales", "image-label"]).run(Site(node, node))]
    ["did you mean 'multiscales'?"]
    """

    def spelled_as_known(site: Site) -> Iterable[Breach] | Skip:
        held = site.holder.attributes.get(around)
        if not is_dict(held):
            return Skip(f"{around} is not an object")
        return [
            site.breach(
                ("attributes", around, key),
                f"{show(known)}, or another name",
                show(key),
                fix=did_you_mean([known]),
            )
            for key in held
            if key not in names and (known := _nearly(key, names)) is not None
        ]

    return of_document(spelled_as_known, needs=around)


_NEARLY = 0.85
"""The similarity from which a name counts as a misspelling: foreign keys such as `image` stay below."""


def _nearly(key: str, names: Sequence[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and rarely needed

    found = get_close_matches(key[:64].casefold(), names, n=1, cutoff=_NEARLY)
    return found[0] if found else None


def _meant(key: str, prefix: str, names: Sequence[str]) -> str | None:
    if key in names:
        return None
    if not key.startswith(prefix):
        known = meant(key, names)
        return None if known is None else did_you_mean([known])
    # Without the prefix, which makes all of them similar.
    close = near(key.removeprefix(prefix).casefold(), [name.removeprefix(prefix) for name in names])
    return did_you_mean([f"{prefix}{name}" for name in close])
