"""HTML elements from untrusted text.

All text of a document goes through `text` or `block`: it is escaped, and invisible characters and those that
change the text direction are shown as their codes.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from zom.formats.facts import byte_text
from zom.json.write import write_json
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["attributes_html", "block", "count", "cut", "details", "name", "size", "table", "text"]

_ATTRIBUTES = 4_000
"""The most characters of attributes to show."""


def text(value: str) -> str:
    r"""Escape text as HTML on one line.

    >>> print(text("<b> & \u202e"))
    &lt;b&gt; &amp; \u202e
    """
    return escape(one_line(value))


def name(value: str, most: int = 120) -> str:
    """Return a name as HTML, with isolated text direction, cut to `most` characters.

    >>> print(name("temperature"))
    <bdi>temperature</bdi>
    """
    return f"<bdi>{text(cut(value, most))}</bdi>"


def cut(value: str, most: int) -> str:
    """Cut text to `most` characters.

    >>> cut("temperature", 6), cut("t2m", 6)
    ('tempe…', 't2m')
    """
    return value if len(value) <= most else f"{value[: most - 1]}…"


def block(value: str) -> str:
    """Escape text of several lines as HTML."""
    return "\n".join(text(line) for line in value.split("\n"))


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in singular or plural.

    >>> count(1, "array"), count(1200, "array"), count(2, "loss", "losses")
    ('1 array', '1,200 arrays', '2 losses')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(nbytes: int | None) -> str:
    """Return a number of bytes in words, or a question mark if unknown.

    >>> size(2048), size(None)
    ('2.0 KiB', '?')
    """
    return "?" if nbytes is None else byte_text(nbytes)


def details(summary: str, body: str, *, is_open: bool = False) -> str:
    """Return a foldable element; `summary` and `body` are HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[str], caption: str = "") -> str:
    """Return a table in a card; each row is HTML that begins with `<tr>`.

    >>> print(table(["Node"], ["<tr><td>/a"], "Nodes"))
    <div class=card tabindex=0 role=region aria-label="Nodes"><table><thead><tr><th scope=col>Node</thead><tbody>
    <tr><td>/a
    </tbody></table></div>
    """
    cells = "".join(f"<th scope=col>{text(cell)}" for cell in head)
    start = f"<thead><tr>{cells}</thead>" if head else ""
    # Scrollable elements must be reachable by keyboard, and then need a name.
    label = f' aria-label="{text(caption)}"'
    body = "\n".join(rows)
    return (
        f"<div class=card tabindex=0 role=region{label}><table>{start}<tbody>\n{body}\n</tbody></table></div>"
    )


def attributes_html(attributes: Mapping[str, object] | None, *, most: int = _ATTRIBUTES) -> str:
    """Return attributes as foldable JSON, or an empty string if there are none.

    >>> attributes_html({}), "1 attribute" in attributes_html({"units": "K"})
    ('', True)
    """
    if not attributes:
        return ""
    whole = write_json(attributes, indent=2)
    shown = block(whole[:most])
    more = f"\n… and {len(whole) - most:,} more characters" if len(whole) > most else ""
    return details(count(len(attributes), "attribute"), f"<pre>{shown}{more}</pre>")
