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


LINKLESS = [
    *(errno.EPERM, errno.EACCES, errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK),
    errno.ENOENT,  # of a process without /proc, or of a file system that gives such files no names
]


@pytest.mark.parametrize("error", LINKLESS, ids=errno.errorcode.get)
@pytest.mark.parametrize("act", ["set", "create", "set_many"])
def test_where_a_nameless_file_gets_no_name_it_is_written_with_one(store, monkeypatch, error, act):
    made, plain = opened(monkeypatch), os.link

    def refused(old, new, **options):
        if str(old).startswith("/proc/"):
            raise OSError(error, os.strerror(error))
        plain(old, new, **options)

    monkeypatch.setattr(os, "link", refused)
    for number in range(3):
        if act == "set_many":
            store.set_many({f"a/{number}": b"1"})
        else:
            getattr(store, act)(f"a/{number}", b"1")
    assert made.count("nameless") == 1, "it is asked once"
    assert [store.get(f"a/{number}") for number in range(3)] == [b"1"] * 3
    assert sorted(os.listdir(store.root / "a")) == ["0", "1", "2"]


@pytest.mark.parametrize("error", LINKLESS[:-1], ids=errno.errorcode.get)
def test_without_any_links_of_two_creators_the_second_changes_nothing(store, monkeypatch, error):
    def refused(*_names, **_options):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "link", refused)
    assert store.create("a/b", b"1")
    assert not store.create("a/b", b"2")
    store.set("a/c", b"3")
    assert {key: store.get(key) for key in store.list()} == {"a/b": b"1", "a/c": b"3"}
    assert sorted(os.listdir(store.root / "a")) == ["b", "c"]


def test_a_process_that_loses_its_proc_writes_on(store):
    store.set("a/0", b"0")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.chroot(store.root)
            store.set("a/1", b"1")
            store.set_many({f"b/{number}": b"2" for number in range(9)})
            code = 0
        except PermissionError:
            code = 77  # only root may
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 77:
        pytest.skip("needs the right to chroot")
    assert code == 0
    assert sorted(store.list()) == ["a/0", "a/1", *(f"b/{number}" for number in range(9))]


@pytest.mark.parametrize("step", ["_fill", "hold"])
def test_a_child_that_is_forked_meanwhile_keeps_no_file_of_its_parent_open(store, monkeypatch, step):
    plain, answers = getattr(new_file, step), []

    def forking(descriptor, *args, **options):
        plain(descriptor, *args, **options)
        child = os.fork()
        if child == 0:
            try:
                os.fstat(descriptor)
            except OSError:
                os._exit(0)
            os._exit(1)
        answers.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    plain_access = os.access

    def late(name, *args, **options):
        answer = plain_access(name, *args, **options)
        (store.root / "a/b").write_bytes(b"theirs")  # so that the file needs a temporary name
        return answer

    monkeypatch.setattr(new_file, step, forking)
    monkeypatch.setattr(os, "access", late)
    store.set("a/b", b"ours")
    assert answers == [0]
    assert store.get("a/b") == b"ours"
    assert os.listdir(store.root / "a") == ["b"]
