"""New files: without a name where the system has such files, and with a temporary one elsewhere."""

# ruff: noqa: PTH208 - what the store does with os is tested with os

import errno
import os
import signal

import pytest

from zom.errors import StoreError
from zom.stores.local import LocalStore, new_file
from zom.stores.local.temporary import TEMPORARY

pytestmark = pytest.mark.skipif(
    not new_file.has_nameless(), reason="needs files without names, which this system has not"
)


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "store") as store:
        yield store


def opened(monkeypatch, refuse=None):
    """What `os.open` is asked to make from now on: "nameless", or the name; `refuse` is the error of the former."""
    made, plain = [], os.open

    def noted(path, flags, *args, **options):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            made.append("nameless")
            if refuse is not None:
                raise OSError(refuse, os.strerror(refuse))
        elif flags & os.O_CREAT and str(path).startswith(TEMPORARY):
            made.append(path)
        return plain(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", noted)
    return made


def test_a_new_value_has_no_name_but_its_own(store, monkeypatch):
    made = opened(monkeypatch)
    store.set("a/b", b"1")
    assert made == ["nameless"]
    assert store.get("a/b") == b"1"


def test_a_value_that_is_replaced_has_a_temporary_name_first(store, monkeypatch):
    store.set("a/b", b"1")
    made = opened(monkeypatch)
    store.set("a/b", b"2")
    assert [name[: len(TEMPORARY)] for name in made] == [TEMPORARY]
    assert store.get("a/b") == b"2"


@pytest.mark.parametrize(
    "error", [errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS], ids=errno.errorcode.get
)
def test_a_file_system_without_nameless_files_is_asked_once(store, monkeypatch, error):
    made = opened(monkeypatch, refuse=error)
    store.set_many({f"a/{number}": b"%d" % number for number in range(5)})
    assert made.count("nameless") == 1
    assert [store.get(f"a/{number}") for number in range(5)] == [b"0", b"1", b"2", b"3", b"4"]
    assert sorted(os.listdir(store.root / "a")) == ["0", "1", "2", "3", "4"]


def test_a_full_disk_is_no_reason_to_try_a_name(store, monkeypatch):
    made = opened(monkeypatch, refuse=errno.ENOSPC)
    with pytest.raises(StoreError, match="no space left on device"):
        store.set("a", b"1")
    assert made == ["nameless"]
    assert os.listdir(store.root) == []


def test_a_value_that_another_writer_made_meanwhile_is_replaced(store, monkeypatch):
    plain = os.link

    def late(old, new, **options):
        if new == "b" and not (store.root / "a/b").exists():
            (store.root / "a/b").write_bytes(b"theirs")
        plain(old, new, **options)

    monkeypatch.setattr(os, "link", late)
    store.set("a/b", b"ours")
    assert store.get("a/b") == b"ours"
    assert os.listdir(store.root / "a") == ["b"]


def test_a_link_that_another_program_made_meanwhile_is_not_written_through(store, monkeypatch):
    plain = os.link

    def late(old, new, **options):
        if new == "b" and not os.path.lexists(store.root / "a/b"):
            (store.root / "a/b").symlink_to("elsewhere")
        plain(old, new, **options)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(StoreError, match="expected a regular file or nothing, found a symbolic link"):
        store.set("a/b", b"ours")
    assert os.listdir(store.root / "a") == ["b"]


def test_of_two_creators_the_second_changes_nothing(store):
    assert store.create("a/b", b"1")
    assert not store.create("a/b", b"2")
    assert store.get("a/b") == b"1"
    assert os.listdir(store.root / "a") == ["b"]


def test_a_writer_that_is_killed_before_the_name_leaves_no_file(store):
    child = os.fork()
    if child == 0:
        new_file._fill = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        store.set("a/b", b"1")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert os.listdir(store.root / "a") == []


def test_a_directory_that_others_removed_meanwhile_is_made_again(store, monkeypatch):
    plain, removed = os.access, []

    def late(name, *args, **options):
        if not removed:
            removed.append(name)
            (store.root / "a").rmdir()
        return plain(name, *args, **options)

    monkeypatch.setattr(os, "access", late)
    store.set("a/b", b"1")
    assert removed == ["b"]
    assert store.get("a/b") == b"1"
