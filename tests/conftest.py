"""Marks the corpora: thousands of cases that each repeat one test. Lets Ctrl-C through.

The fast lane leaves corpora and slow tests out, and with ZOM_CASES=1 runs one case of each other test. With ZOM_SHARE=2/3
the second third of the cases of corpora and slow tests runs, as in the interop scripts; with ZOM_SHARE_OF=all also of all
other tests.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from textwrap import dedent

import pytest

with suppress(ImportError):  # tests in other environments than the test extra's do without it
    from hypothesis import HealthCheck, settings

    # No test depends on the speed of the machine.
    settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("untimed")

HERE = Path(__file__).parent
sys.path.append(str(HERE / "interop"))

import share  # noqa: E402 - it is beside the scripts that use it, too

CORPORA = (
    "cli/every_verb/",
    "codecs/numcodecs/test_filter.py",
    "codecs/test_every_data_type.py",
    "codecs/test_numcodecs_configurations.py",
    "codecs/test_running_compressors.py",
    "codecs/zfp/",
    "conformance/",
    "conventions/ome/test_published_suites.py",
    "conventions/test_report.py",
    "dtypes/test_every_type.py",
    "engine/test_damage.py",
    "engine/test_faults.py",
    "engine/test_fuzz.py",
    "faults/",
    "hierarchy/test_damaged_stores.py",
    "hierarchy/test_odd_names.py",
    "hierarchy/test_told.py",
    "schema/",
    "schemas/",
    "stores/test_crashes.py",
    "stores/test_lost_answers.py",
    "stores/test_suite.py",
    "stores/test_suite_remote.py",
    "test_written_documents.py",
)


def pytest_configure() -> None:
    """Shells let the jobs in their background ignore Ctrl-C; tests send it, also to children, who inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_corpus(path: Path) -> bool:
    return path.is_relative_to(HERE) and path.relative_to(HERE).as_posix().startswith(CORPORA)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where corpora are left out, making their cases would take half of the time."""
    left_out = "not corpus" in config.option.markexpr and is_corpus(collection_path)
    return True if left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_corpus(item.path):
            item.add_marker(pytest.mark.corpus)
    left_out = {item for item in items if is_shared(item) and not share.is_chosen(item.nodeid)}
    if "ZOM_CASES" in os.environ:
        left_out |= set(items) - some_cases(items, int(os.environ["ZOM_CASES"]))
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def some_cases(items: list[pytest.Item], count: int) -> set[pytest.Item]:
    """So many of the cases of each test, far from each other; others for each share."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {
        cases[(share.OWN - 1 + place * share.SHARES) * len(cases) // (share.SHARES * count)]
        for cases in tests.values()
        for place in range(min(count, len(cases)))
    }


def is_shared(item: pytest.Item) -> bool:
    """Whether the item is one of those of which only a share may run."""
    return os.environ.get("ZOM_SHARE_OF") == "all" or any(
        item.get_closest_marker(name) for name in ("corpus", "slow")
    )


@pytest.fixture
def calls():
    """How many calls, of functions in Python and C, a call needs: a measure of effort that no load of the machine changes."""

    def counted(function):
        count = 0

        def note(_frame, event, _argument):
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            function()
        finally:
            sys.setprofile(before)
        return count

    return counted


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes an installed package of one module: its text, and its entry points; it is forgotten afterwards."""
    from zom.conventions import conventions
    from zom.extension import chunk_grids, chunk_key_encodings, codecs, data_types, registry
    from zom.plugins import PluginGroup

    before = set(sys.modules)
    for each in (codecs, data_types, chunk_grids, chunk_key_encodings, conventions):
        each.own()
        for name in ("_all", "_by_name", "_modules"):
            monkeypatch.setattr(each, name, getattr(each, name).copy())
        monkeypatch.setattr(each, "plugins", PluginGroup(each.plugins.group, each._adopt))

    def made(name, text, points):
        (tmp_path / f"{name}.py").write_text(dedent(text))
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(dedent(points))
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return tmp_path

    yield made
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    registry._revision[0] += 1
