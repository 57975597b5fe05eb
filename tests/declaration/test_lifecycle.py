"""A declaration applied, changed and applied again, by the command and in Python, on stores of all kinds."""

from __future__ import annotations

import json

import pytest

import zom
from zom.cli.main import main

KINDS = ["local", "zip", "sqlite"]


def declaration(form, size=4, dtype="int16", chunks=2, values=None, **attributes):
    node = {"dims": ["x"], "dtype": dtype, "chunks": chunks, "attributes": attributes}
    coordinate = {"dims": ["x"], "dtype": "int32", "chunks": 8, "values": values or {"start": 0, "step": 1}}
    return {"zom": 1, "format": form, "sizes": {"x": size}, "members": {"g/a": node, "x": coordinate}}


@pytest.fixture
def place(request, tmp_path):
    return str(tmp_path / {"local": "a.zarr", "zip": "a.zip", "sqlite": "a.sqlite"}[request.param])


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_the_command_shows_and_does_what_changes(place, form, tmp_path, capsys):
    file = tmp_path / "d.json"

    def run(verb, declared, *more):
        file.write_text(json.dumps(declared))
        code = main([verb, str(file), place, *more])
        return code, capsys.readouterr().out

    assert run("create", declaration(form))[0] == 0
    assert run("diff", declaration(form)) == (0, "")
    assert "4 to keep" in run("plan", declaration(form))[1]
    # attributes are updated
    code, shown = run("plan", declaration(form, units="K"), "--on-conflict", "update")
    assert (code, "update attributes" in shown) == (0, True)
    assert run("diff", declaration(form, units="K"))[0] == 1
    assert run("create", declaration(form, units="K"))[0] == 1  # refused by default
    assert run("create", declaration(form, units="K"), "--on-conflict", "update")[0] == 0
    # arrays are resized, and their values are those of the new length
    code, shown = run("plan", declaration(form, 6, units="K"), "--on-conflict", "update")
    assert (code, shown.count("resize:")) == (0, 2)
    assert run("create", declaration(form, 6, units="K"), "--on-conflict", "update")[0] == 0
    with zom.store(place, read_only=True) as store:
        assert zom.open(store, "x")[:].tolist() == [0, 1, 2, 3, 4, 5]
    # stated values are written
    changed = declaration(form, 6, values={"start": 1, "step": 1}, units="K")
    assert "write values" in run("plan", changed, "--on-conflict", "update")[1]
    assert run("diff", changed)[0] == 1
    assert run("create", changed, "--on-conflict", "update")[0] == 0
    assert run("diff", changed) == (0, "")
    # another type, or other chunks, are in the way; replaced on request
    for other in (declaration(form, 6, "float64", units="K"), declaration(form, 6, chunks=3, units="K")):
        assert run("plan", other, "--on-conflict", "update")[0] == 1
        code, shown = run("plan", other, "--on-conflict", "replace")
        assert (code, "replace" in shown) == (0, True)
    assert run("create", other, "--on-conflict", "replace")[0] == 0
    assert run("diff", other) == (0, "")
    # what is declared no more is pruned on request
    del other["members"]["g/a"]
    assert "delete" in run("plan", other, "--prune")[1]


@pytest.mark.parametrize("form", [2, 3])
def test_memory_is_planned_alike(form):
    root = zom.materialize(zom.declare(declaration(form)), "memory:")
    plan = zom.plan(zom.declare(declaration(form, 6, units="K")), root.store, on_conflict="update")
    assert plan.counts["resize"] == 2
    plan.apply()
    again = zom.plan(zom.declare(declaration(form, 6, units="K")), root.store)
    assert again.is_empty
    assert not zom.diff(zom.declare(declaration(form, 6, units="K")), root)


@pytest.mark.parametrize("chunks", ["auto", "64 kB"])
def test_chunks_that_zom_chooses_never_cut_stored_data_anew(chunks):
    def declared(size):
        node = {"dims": ["x", "y"], "dtype": "float64", "chunks": chunks}
        return zom.declare({"zom": 1, "sizes": {"x": size, "y": 300}, "members": {"a": node}})

    root = zom.materialize(declared(10), "memory:")
    root["a"][...] = 1.5
    before = root["a"].spec
    larger = declared(5000)
    assert larger.spec.members["a"].chunk_grid != before.chunk_grid
    plan = zom.plan(larger, root.store, on_conflict="update")
    (problem,) = plan.problems
    assert "chunk" in str(problem)
    assert zom.open(root.store)["a"].spec == before
    assert float(root["a"][9, 299]) == 1.5
