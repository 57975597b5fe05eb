"""A hierarchy as a page."""

from __future__ import annotations

from html.parser import HTMLParser

import zom
from zom import v3
from zom.views.html import html_page

NASTY = '</style><script>alert("1")</script>&'


def climate():
    t2m = v3.ArraySpec.build(
        shape=(48, 181), dtype="float32", chunks=(24, 91), dimension_names=("time", "lat")
    )
    return v3.GroupSpec(attributes={"title": "a small climate"}, members={"t2m": t2m, "old": v3.GroupSpec()})


class Page(HTMLParser):
    """The elements of a page, and its words."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.outside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.outside += [
            value for name, value in attrs if name in {"src", "href"} and not value.startswith("#")
        ]

    def handle_data(self, data):
        self.words += data.split()


def test_the_page_shows_every_node_with_its_facts():
    words = " ".join(Page(html_page(climate())).words)
    assert "Zarr v3: 2 groups, 1 array, 33.9 KiB of elements before compression" in words
    assert "t2m float32 (time=48, lat=181) 24×91 zstd 0.0 33.9 KiB" in words
    assert "old group, members not read" in words


def test_the_page_has_no_script_and_asks_for_nothing():
    page = Page(html_page(climate()))
    assert "script" not in page.tags
    assert page.outside == []
    assert "default-src 'none'" in html_page(climate())


def test_text_of_a_document_is_never_markup():
    attributes = {"title": NASTY, NASTY: NASTY}
    member = v3.ArraySpec.build(shape=(4,), dtype="string", fill_value=NASTY, dimension_names=(NASTY,))
    group = v3.GroupSpec(attributes=attributes, members={NASTY.replace("/", ""): member})
    page = Page(html_page(group))
    assert {"script", "alert"} & set(page.tags) == set()
    assert page.tags.count("style") == 1


def test_a_page_without_problems_says_so():
    assert "Every rule that was checked holds." in html_page(
        climate(), zom.validate(climate(), conventions=()).problems
    )


def test_a_problem_is_shown_with_its_rule_and_a_link_to_its_node():
    document = climate().to_dict()
    document["members"]["t2m"]["codecs"].append({"name": "zsdt"})
    page = html_page(climate(), zom.validate(document, conventions=(), level="closed").problems)
    assert "Problems (1)" in page
    assert "<a href=#n1>/members/t2m/codecs/2/name</a>" in page
    assert "id=n1" in page
    assert "did you mean &#x27;zstd&#x27;" in page
    assert "codec/unknown" in page


def test_a_title_can_be_given():
    assert "<h1>April</h1>" in html_page(climate(), title="April")
    assert "<h1>A Zarr hierarchy</h1>" in html_page(v3.GroupSpec(members={}))
