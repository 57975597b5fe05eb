"""The calls by paths, for systems whose directories have no descriptors, as Windows: run here, beside those of this system."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zom.stores.local.files import NO_LINKS
from zom.stores.system import by_path, windows

WITHOUT = """
import os, sys
os.supports_dir_fd = frozenset()
for name in ("preadv", "sync", "fwalk", "O_DIRECTORY", "O_TMPFILE", "major"):
    vars(os).pop(name, None)
import pytest
from zom.stores.system import by_path, calls
assert calls is by_path
sys.exit(pytest.main(sys.argv[1:]))
"""
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path):
    """An open directory with a file `a`, a file `d/b` and an empty directory `d/e`."""
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "a").write_bytes(b"0123456789")
    (tmp_path / "d/b").write_bytes(b"b")
    opened = by_path.open(tmp_path, by_path.O_DIRECTORY)
    yield opened
    by_path.close(opened)


def read(name, root):
    descriptor = by_path.open(name, by_path.O_RDONLY, dir_fd=root)
    try:
        return by_path.pread(descriptor, 100, 0)
    finally:
        by_path.close(descriptor)


def test_what_is_open_is_found_by_its_number(root):
    below = by_path.open("d", by_path.O_DIRECTORY, dir_fd=root)
    again = by_path.dup(below)
    by_path.close(below)
    assert read("b", again) == read("d/b", root) == b"b"
    assert sorted(by_path.listdir(again)) == ["b", "e"]
    assert os.path.samestat(by_path.fstat(again), by_path.stat("d", dir_fd=root))
    by_path.close(again)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        by_path.listdir(again)


@pytest.mark.parametrize(
    ("name", "flags", "error"),
    [
        ("x", by_path.O_RDONLY, FileNotFoundError),
        ("d/x", by_path.O_DIRECTORY, FileNotFoundError),
        ("a/x", by_path.O_RDONLY, NotADirectoryError),
        ("a/x/y", by_path.O_RDONLY, NotADirectoryError),
        ("a", by_path.O_DIRECTORY, NotADirectoryError),
        ("a", by_path.O_WRONLY | by_path.O_CREAT | by_path.O_EXCL, FileExistsError),
    ],
)
def test_what_can_not_be_opened_fails_as_elsewhere(root, name, flags, error):
    with pytest.raises(error):
        by_path.open(name, flags, dir_fd=root)


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links, which Windows lets few users make")
def test_links_are_not_followed_where_that_is_asked_for(root, tmp_path):
    (tmp_path / "to-a").symlink_to("a")
    (tmp_path / "to-d").symlink_to("d")
    assert read("to-a", root) == b"0123456789"
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        by_path.open("to-a", by_path.O_RDONLY | by_path.O_NOFOLLOW, dir_fd=root)
    with pytest.raises(NotADirectoryError):
        by_path.open("to-d", by_path.O_DIRECTORY | by_path.O_NOFOLLOW, dir_fd=root)
    assert by_path.access("to-a", os.F_OK, dir_fd=root, follow_symlinks=False)


def test_files_and_directories_are_made_moved_and_removed(root, tmp_path):
    by_path.mkdir("new", dir_fd=root)
    with pytest.raises(FileExistsError):
        by_path.mkdir("new", dir_fd=root)
    by_path.link("a", "new/a", src_dir_fd=root, dst_dir_fd=root, follow_symlinks=False)
    with pytest.raises(FileExistsError):
        by_path.link("d/b", "a", src_dir_fd=root, dst_dir_fd=root)
    by_path.rename("d/b", "new/a", src_dir_fd=root, dst_dir_fd=root)
    assert (tmp_path / "new/a").read_bytes() == b"b"
    with pytest.raises(OSError, match=r"(?i)not empty"):
        by_path.rmdir("new", dir_fd=root)
    by_path.unlink("new/a", dir_fd=root)
    by_path.rmdir("new", dir_fd=root)
    assert sorted(by_path.listdir(root)) == ["a", "d"]


@pytest.mark.skipif(not hasattr(os, "fwalk"), reason="needs os.fwalk beside it")
@pytest.mark.parametrize("topdown", [True, False])
def test_a_walk_is_that_of_the_system(root, tmp_path, topdown):
    opened = os.open(tmp_path, os.O_RDONLY)
    theirs = [
        (here, sorted(folders), sorted(files))
        for here, folders, files, _ in os.fwalk(".", topdown, dir_fd=opened)
    ]
    os.close(opened)
    ours = []
    for here, folders, files, at in by_path.fwalk(".", topdown, dir_fd=root):
        assert sorted(by_path.listdir(at)) == sorted(folders + files)
        ours.append((here, sorted(folders), sorted(files)))
    assert ours == theirs


def test_a_walk_tells_what_it_can_not_list(root):
    below = by_path.open("d/e", by_path.O_DIRECTORY, dir_fd=root)
    by_path.rmdir("d/e", dir_fd=root)
    told = []
    assert list(by_path.fwalk(".", onerror=told.append, dir_fd=below)) == []
    assert [(type(error), error.filename) for error in told] == [(FileNotFoundError, ".")]


@pytest.mark.parametrize(
    ("path", "long"),
    [
        ("C:\\data\\x.zarr", "\\\\?\\C:\\data\\x.zarr"),
        ("\\\\server\\share\\x.zarr", "\\\\?\\UNC\\server\\share\\x.zarr"),
        ("\\\\?\\C:\\data", "\\\\?\\C:\\data"),
    ],
)
def test_a_path_of_windows_may_be_of_any_length(path, long):
    assert windows.long_path(path) == long


def test_who_has_a_file_for_a_moment_is_waited_for(monkeypatch):
    monkeypatch.setattr(windows, "_PATIENCE", 0.2)

    def refused(number):
        error = PermissionError(errno.EACCES, "in use")
        error.winerror = number
        return error

    answers = [refused(32), refused(5), "moved"]

    def call():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert windows.patiently(call) == "moved"
    answers[:] = [refused(32)] * 1000
    with pytest.raises(PermissionError, match="in use"):
        windows.patiently(call)
    for denied, numbers in ((PermissionError(errno.EACCES, "in use"), (5, 32)), (refused(5), (32,))):
        answers[:] = [denied]
        with pytest.raises(PermissionError, match="in use"):
            windows.patiently(call, numbers)
        assert answers == []


@pytest.mark.parametrize("number", [1, 50])
def test_a_disk_that_has_no_links_is_told_of_as_elsewhere(root, monkeypatch, number):
    """exFAT, as on sticks: creating a value goes on without them."""

    def refused(*_):
        error = OSError(errno.EINVAL, "Incorrect function")
        error.winerror = number
        raise error

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(OSError) as told:
        by_path.link("a", "b", src_dir_fd=root, dst_dir_fd=root)
    assert told.value.errno in NO_LINKS


def test_a_name_with_a_drive_leads_nowhere_else(root, tmp_path):
    """On Windows such a name joined to a directory is a path of its own."""
    elsewhere = f"{tmp_path}/a"
    assert by_path._path(elsewhere, root).endswith(f"{tmp_path}{os.sep}{elsewhere.replace('/', os.sep)}")
    with pytest.raises(OSError):
        by_path.open(elsewhere, by_path.O_RDONLY, dir_fd=root)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tests",
    [
        ("tests/stores/test_suite.py", "-k", "LocalStore or ZipStore or SQLiteStore"),
        (
            "tests/stores/test_together.py",
            "tests/stores/test_places.py",
            "tests/stores/local/test_letter_case.py",
            "tests/stores/test_zip.py",
        ),
        ("tests/hierarchy/change", "tests/hierarchy/copy", "-m", "not slow"),
    ],
    ids=["stores", "places", "hierarchies"],
)
def test_stores_and_hierarchies_do_what_they_do_elsewhere(tests, tmp_path):
    # A directory of its own: two pytests that clean up the same one disturb each other.
    options = ["-q", "-x", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'inner'}"]
    command = [sys.executable, "-c", WITHOUT, *options, *tests]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
