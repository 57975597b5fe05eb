"""What a page holds, as a parser sees it: no claim rests on how zom spells its HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

VOID = {"meta", "link", "br", "img", "hr"}
OPTIONAL = {"li", "tr", "td", "th", "tbody", "thead", "p"}
FETCHING = {"src", "href", "action", "data", "poster", "srcset", "formaction", "xlink:href", "background"}


class Page(HTMLParser):
    """The elements of a page, its words, its anchors and links."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.outside, self.handlers = [], [], [], []
        self.ids, self.links, self.open = [], [], []
        self.raw = text
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in FETCHING and not (value or "").startswith(("#", "data:image/png;base64,")):
                self.outside.append(value)
            if name.startswith("on"):
                self.handlers.append(name)
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.links.append(value)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words += data.split()

    @property
    def text(self):
        return " ".join(self.words)


@pytest.fixture
def checked():
    """The page of a text, after what holds for every page was checked."""
    return _checked


def _checked(text):
    """The page, which holds no script, asks for nothing, and links to nothing that isn't on it."""
    page = Page(text)
    assert {"script", "iframe", "object", "embed", "link", "base", "form"} & set(page.tags) == set()
    assert page.outside == []
    assert page.handlers == []
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert set(page.open) <= OPTIONAL
    for style in text.split("<style>")[1:]:
        css = style.partition("</style>")[0]
        assert "url(" not in css
        assert "@import" not in css
    return page
