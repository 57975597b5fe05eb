"""The store that docs/stores.md shows, under the suite."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from zom.testing.stores import StoreSuite

PAGE = Path(__file__).parents[2] / "docs" / "stores.md"
(SHOWN,) = [
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    if "class MappingStore" in block
]
shown = ModuleType("zom_shown_store")
sys.modules[shown.__name__] = shown  # so that the store can be pickled
exec(compile(SHOWN, str(PAGE), "exec", dont_inherit=True), shown.__dict__)


class TestTheStoreOfThePage(StoreSuite):
    @pytest.fixture
    def store(self):
        return shown.MappingStore({})


def test_it_is_as_short_as_the_page_says():
    assert len([line for line in SHOWN.splitlines() if line.strip()]) <= 40
