"""Marks the corpora, which the fast lane leaves out: thousands of cases that each repeat one test. Lets Ctrl-C through."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CORPORA = (
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_corpus(item.path):
            item.add_marker(pytest.mark.corpus)
