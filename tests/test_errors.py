"""The exceptions: one tree, messages that list every problem, and safe travel between processes."""

from __future__ import annotations

import errno
import pickle

import pytest

from zom import errors
from zom.errors import ConversionError, NotFound, PathError, SpecError, SpecWarning, UnknownName, ZomError
from zom.problems import Problem
from zom.reason import reason_of


def problem(number: int = 0, severity: str = "error") -> Problem:
    return Problem("v3/shape", severity, "/", f"/shape/{number}", ("shape", number), "an integer", "true")


def test_every_error_of_zom_is_a_zom_error_and_only_those_of_documents_are_value_errors():
    classes = [getattr(errors, name) for name in errors.__all__ if not name.endswith("Warning")]
    assert len(classes) == 18
    assert all(issubclass(made, ZomError) for made in classes)
    assert {made.__name__ for made in classes if issubclass(made, ValueError)} == {
        "SpecError",
        "DeclarationError",
    }


def test_the_tree_in_the_docstring_names_every_class():
    assert all(name in errors.__doc__ for name in errors.__all__ if not name.endswith("Warning"))


def test_a_spec_warning_is_a_user_warning():
    assert issubclass(SpecWarning, UserWarning)


def test_one_problem_is_told_on_one_line():
    assert str(SpecError([problem()])) == "document: shape[0]: expected an integer, found true"


def test_several_problems_are_counted_and_listed():
    assert str(SpecError([problem(0), problem(1)], "zarr.json")) == (
        "zarr.json: 2 problems\n"
        "  shape[0]: expected an integer, found true\n"
        "  shape[1]: expected an integer, found true"
    )


def test_after_fifty_problems_the_rest_is_counted():
    lines = str(ConversionError(problem(n) for n in range(53))).splitlines()
    assert lines[0] == "document: 53 problems"
    assert len(lines) == 52
    assert lines[-1] == "  ... and 3 more"


def test_warnings_are_not_listed_beside_errors():
    error = SpecError([problem(0, "warning"), problem(1)])
    assert str(error) == "document: shape[1]: expected an integer, found true"
    assert len(error.problems) == 2


def test_warnings_are_listed_where_there_is_nothing_else():
    assert str(SpecError([problem(0, "warning")])) == "document: shape[0]: expected an integer, found true"


@pytest.mark.parametrize("error", [SpecError([problem()], "x"), ConversionError([problem()])], ids=str)
def test_an_error_with_problems_survives_pickling(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.problems, again.subject, str(again)) == (error.problems, error.subject, str(error))


@pytest.mark.parametrize("kind", [PathError, NotFound, UnknownName])
def test_other_errors_say_what_they_were_told(kind):
    assert str(kind("no node at '/a'")) == "no node at '/a'"


def test_what_is_not_there_is_a_key_error_and_no_such_file(tmp_path):
    import zom

    for act in [lambda: zom.open("memory:"), lambda: zom.open_group("memory:", "a")]:
        with pytest.raises(FileNotFoundError) as caught:
            act()
        assert isinstance(caught.value, NotFound)
        assert isinstance(caught.value, KeyError)
        assert caught.value.errno == 2


@pytest.mark.parametrize("name", ["a.zarr", "a.zip", "a.sqlite", "a/b/c.zarr"])
@pytest.mark.parametrize(
    "verb",
    ["open", "open_group", "open_array", "read", "validate", "check", "consolidate", "repair", "from_hdf5"],
)
def test_a_path_without_a_file_is_no_such_file(tmp_path, verb, name):
    import zom

    place = tmp_path / name
    with pytest.raises(FileNotFoundError) as caught:
        getattr(zom, verb)(place)
    assert isinstance(caught.value, ZomError)
    assert "; " in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_not_found_travels(tmp_path):
    error = errors.StoreNotFound("a.zarr", "", "open", "there is no such file or directory")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "a.zarr: cannot open: there is no such file or directory; check the path"
    assert (again.filename, again.strerror, again.errno) == ("a.zarr", error.reason, 2)
    assert (again.store, again.verb) == ("a.zarr", "open")


def test_a_failure_that_is_not_a_missing_path_is_no_file_not_found():
    assert not issubclass(errors.StoreError, OSError)
    assert not issubclass(errors.ReadOnlyError, FileNotFoundError)


@pytest.mark.parametrize(
    ("number", "winerror", "text", "said"),
    [
        (errno.ENOENT, 2, "Das System kann die angegebene Datei nicht finden", "no such file or directory"),
        (errno.EACCES, 5, "Zugriff verweigert", "permission denied"),
        (errno.EACCES, 32, "Der Prozess kann nicht zugreifen", "another program has it open"),
        (errno.EINVAL, 123, "The name is wrong", "the name is wrong"),
        (errno.EISDIR, None, "Expected a regular file", "expected a regular file"),
    ],
)
def test_what_windows_says_is_told_in_english_where_it_has_a_number_elsewhere(number, winerror, text, said):
    error = OSError(number, text)
    error.winerror = winerror
    assert reason_of(error) == said
