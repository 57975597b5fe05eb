"""Elements of HTML, of text that may hold anything.

All text of a document goes through `text` or `block`: it is escaped, and characters that nobody sees, or that turn
the direction of what follows, are shown as their codes.
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
"""How many characters of attributes are shown."""


def text(value: str) -> str:
    r"""The text as HTML, on one line.

    >>> print(text("<b> & \u202e"))
    &lt;b&gt; &amp; \u202e
    """
    return escape(one_line(value))


def name(value: str, most: int = 120) -> str:
    """A name as HTML, in its own direction of writing, and cut where it is long.

    >>> print(name("temperature"))
    <bdi>temperature</bdi>
    """
    return f"<bdi>{text(cut(value, most))}</bdi>"


def cut(value: str, most: int) -> str:
    """The text, cut where it is longer than that.

    >>> cut("temperature", 6), cut("t2m", 6)
    ('tempe…', 't2m')
    """
    return value if len(value) <= most else f"{value[: most - 1]}…"


def block(value: str) -> str:
    """Text of several lines as HTML."""
    return "\n".join(text(line) for line in value.split("\n"))


def count(number: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> count(1, "array"), count(1200, "array"), count(2, "loss", "losses")
    ('1 array', '1,200 arrays', '2 losses')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(nbytes: int | None) -> str:
    """A number of bytes in words; a question mark where it can't be told.

    >>> size(2048), size(None)
    ('2.0 KiB', '?')
    """
    return "?" if nbytes is None else byte_text(nbytes)


def details(summary: str, body: str, *, is_open: bool = False) -> str:
    """What unfolds: `summary` and `body` are HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[str], caption: str = "") -> str:
    """A table in a card; each row is HTML from its `<tr>` on.

    >>> print(table(["Node"], ["<tr><td>/a"], "Nodes"))
    <div class=card tabindex=0 role=region aria-label="Nodes"><table><thead><tr><th scope=col>Node</thead><tbody>
    <tr><td>/a
    </tbody></table></div>
    """
    cells = "".join(f"<th scope=col>{text(cell)}" for cell in head)
    start = f"<thead><tr>{cells}</thead>" if head else ""
    # What scrolls must be reached by the keyboard, and have a name then.
    label = f' aria-label="{text(caption)}"'
    body = "\n".join(rows)
    return (
        f"<div class=card tabindex=0 role=region{label}><table>{start}<tbody>\n{body}\n</tbody></table></div>"
    )


def attributes_html(attributes: Mapping[str, object] | None, *, most: int = _ATTRIBUTES) -> str:
    """Attributes as JSON that unfolds; nothing where there are none.

    >>> attributes_html({}), "1 attribute" in attributes_html({"units": "K"})
    ('', True)
    """
    if not attributes:
        return ""
    whole = write_json(attributes, indent=2)
    shown = block(whole[:most])
    more = f"\n… and {len(whole) - most:,} more characters" if len(whole) > most else ""
    return details(count(len(attributes), "attribute"), f"<pre>{shown}{more}</pre>")
