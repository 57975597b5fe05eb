"""Plugins are loaded when they may be needed, and one that is broken harms nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import zom
from zom.errors import ExtensionError, PluginWarning, UnknownName
from zom.extension import chunk_key_encodings, codecs, data_types
from zom.plugins import PluginGroup

CODEC = """
import sys
from zom.extension import Bytes, ByteCoder, Codec, Coder, codecs

class Upside(Coder):
    def encode(self, chunk):
        return bytes(chunk)[::-1]
    decode = encode

class Turn(Codec):
    name = "{name}"
    aliases = ("{name}-too",)
    kind = "bytes->bytes"
    v2_id = "{name}-v2"
    draft_name = "{name}-draft"
    registered = False
    def thread(self, configuration, before, faults, path):
        return before
    def bind(self, configuration, before, after):
        return Upside()

made = Turn()
"""


def beside(directory):
    """The environment of a program that finds what is installed in `directory`."""
    return {"PYTHONPATH": os.pathsep.join([str(directory), str(Path(zom.__file__).parents[1])])}


def points(module, group="codecs", value="made"):
    return f"[zom.{group}]\nmade = {module}:{value}\n"


@pytest.mark.parametrize(
    "ask",
    [
        lambda: codecs["turn-a"],
        lambda: codecs["turn-a-too"],
        lambda: codecs.of_v2("turn-a-v2"),
        lambda: codecs.first(lambda each: each if each.draft_name == "turn-a-draft" else None),
        lambda: next(each for each in codecs if each.name == "turn-a"),
        lambda: "turn-a" in codecs.names() and codecs.known("turn-a"),
    ],
)
def test_an_unknown_name_and_a_listing_load_plugins(package, ask):
    package("turn_a", CODEC.format(name="turn-a"), points("turn_a"))
    assert codecs.known("turn-a") is None
    assert ask().name == "turn-a"


PROGRAM = """
import sys
import zom
import numpy as np
from zom import v3
array = zom.create_array(sys.argv[1], v3.ArraySpec.build(shape=(8,), dtype=np.dtype("int32"), chunks=(2,), compress="zstd"))
array[:] = 3
zom.read(sys.argv[1]); zom.open(sys.argv[1])[:]
v3.ArraySpec.build(shape=(8,), dtype="r16")
zom.parse({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f4", "order": "C", "fill_value": 0,
           "compressor": {"id": "zlib", "level": 1}, "filters": [{"id": "delta", "dtype": "<f4"}]})
zom.check(sys.argv[1]); zom.copy(sys.argv[1], sys.argv[1] + "-too"); zom.convert(zom.read(sys.argv[1]), "v2")
print("turn_b" in sys.modules)
zom.parse({**v3.ArraySpec.build(shape=(8,), dtype="int8").to_dict(), "codecs": ["bytes", "turn-b"]})
print("turn_b" in sys.modules)
"""


def test_known_names_load_no_plugin_and_an_unknown_one_does(package):
    directory = package("turn_b", CODEC.format(name="turn-b"), points("turn_b"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(directory / "a.zarr")],
        env=beside(directory),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\nTrue\n", "")


def test_a_plugin_that_raises_is_a_warning_that_names_its_package_and_part_of_later_errors(package):
    package("turn_c", "raise RuntimeError('no libfoo\\n here')", points("turn_c"))
    told = "the plugin 'made' of turn_c 1 (zom.codecs, turn_c:made) can't be loaded: RuntimeError: no libfoo here"
    with pytest.warns(PluginWarning) as caught:
        assert codecs.find("turn-c") is None
    assert [str(each.message) for each in caught] == [told]
    with pytest.raises(UnknownName) as error:
        codecs["turn-c"]  # no second warning: warnings are errors here
    how = 'install the package that provides it: zom loads installed entry points of "zom.codecs"'
    assert str(error.value) == f"no codec named 'turn-c' is registered; {how}; {told}"
    spec = zom.v3.ArraySpec.build(shape=(8,), dtype="int8").replace(codecs=["bytes", "turn-c"])
    with pytest.raises(UnknownName, match="no libfoo here"):
        zom.create_array("memory:", spec)[:] = 1
    (problem,) = zom.validate(spec, level="closed").of("error")
    assert problem.fix.endswith(told)


def test_others_are_loaded_beside_a_broken_one(package):
    package("turn_d", "import no_such_module_d", points("turn_d"))
    package("turn_e", CODEC.format(name="turn-e"), points("turn_e"))
    with pytest.warns(
        PluginWarning, match="of turn_d 1 .*ModuleNotFoundError: No module named 'no_such_module_d'"
    ):
        assert zom.load_extensions() == ["made"]
    assert codecs.known("turn-e").name == "turn-e"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "made = 3",
            "3 can't be registered as a codec: expected an instance of Codec, found an instance of int",
        ),
        ("other = 3", "AttributeError: module 'turn_f' has no attribute 'made'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("def made(", "SyntaxError: '(' was never closed (turn_f.py, line 1)"),
        (
            CODEC.format(name="gzip"),
            "a codec named 'gzip' is registered already: <codec gzip>, by zom.codecs.gzip",
        ),
        (
            CODEC.format(name="x-f").replace('"x-f-v2"', '"zlib"'),
            "a codec with the v2_id 'zlib' is registered already: <codec numcodecs.zlib>, by zom.codecs.numcodecs.compressors",
        ),
        (
            CODEC.format(name="x-f").replace('"x-f-draft"', '"gzip"'),
            "a codec with the draft_name 'gzip' is registered already: <codec gzip>, by zom.codecs.gzip",
        ),
    ],
)
def test_what_is_no_codec_is_told(package, text, told):
    package("turn_f", text, points("turn_f"))
    with pytest.warns(PluginWarning) as caught:
        codecs.find("turn-f")
    assert [str(each.message).partition(" can't be loaded: ")[2] for each in caught] == [told]
    assert codecs.known("x-f") is None


def test_all_that_is_wrong_with_a_codec_is_one_message(package):
    text = """
    from zom.extension import Codec

    class Made(Codec):
        name = "Bad Name"
        aliases = ["x"]
        v2_id = 3
        registered = "no"
        configuration = dict
        def thread(self, configuration, before):
            return before

    made = Made()
    """
    package("turn_g", text, points("turn_g"))
    with pytest.warns(PluginWarning) as caught:
        codecs.find("bad-name")
    assert str(caught[0].message).partition("can't be registered as a codec: ")[2].split("; ") == [
        "name: expected a name of lower case letters, digits, '-', '_' and '.', or a URI, found \"Bad Name\"",
        "aliases: expected a tuple of names, found ['x']",
        "kind: expected 'array->array', 'array->bytes' or 'bytes->bytes', found nothing",
        "configuration: expected a subclass of Configuration, found <class 'dict'>",
        'registered: expected true or false, found "no"',
        "v2_id: expected a string, or None, found 3",
        "thread: expected a method thread(configuration, before, faults, path), found thread(configuration, before)",
        "bind: expected a method bind(configuration, before, after), found nothing",
    ]


def test_a_class_in_the_place_of_an_instance_is_told_with_what_to_write(package):
    package("turn_h", CODEC.format(name="turn-h"), points("turn_h", value="Turn"))
    with pytest.warns(PluginWarning, match=r"expected an instance, found the class: write Turn\(\)$"):
        codecs.find("turn-h")


@pytest.mark.parametrize(
    ("base", "registry", "wrong"),
    [
        ("ChunkKeyEncoding", chunk_key_encodings, ["name", "form"]),
        ("DataTypeFamily", data_types, ["from_v3", "from_numpy"]),
        ("ChunkGrid", zom.extension.chunk_grids, ["name", "lengths", "axes"]),
    ],
)
def test_the_contract_of_each_kind_is_asked(base, registry, wrong):
    empty = type("Empty", (getattr(zom.extension, base),), {"__abstractmethods__": frozenset()})
    with pytest.raises(ExtensionError) as caught:
        registry.register(empty)
    found = [each.partition(":")[0] for each in str(caught.value).split("; ")]
    assert [each for each in found if " " not in each] == wrong


def test_everything_of_zom_keeps_the_contracts():
    for registry in (
        codecs,
        data_types,
        chunk_key_encodings,
        zom.extension.chunk_grids,
        zom.conventions.conventions,
    ):
        assert registry.own() or registry is zom.conventions.conventions
        assert {each.name: faults for each in registry if (faults := registry.faults(each))} == {}


def test_a_convention_that_is_none_is_refused():
    with pytest.raises(ExtensionError) as caught:
        zom.conventions.register(zom.conventions.Convention("", on=("node",), formats=("v4",)))
    assert str(caught.value).partition("as a convention: ")[2].split("; ") == [
        'id: expected a string, found ""',
        "on: expected 'group', 'array' or both, found ('node',)",
        "formats: expected formats among 'v2', 'v3' and 'draft', found ('v4',)",
    ]


def test_a_plugin_may_ask_for_names_while_it_is_loaded(package):
    text = CODEC.format(name="turn-i") + "\nassert codecs.find('nobody') is None\nassert list(codecs)\n"
    package("turn_i", text, points("turn_i"))
    assert codecs["turn-i"].name == "turn-i"


def test_threads_that_ask_at_once_all_get_the_plugin(package):
    package("turn_j", "import time; time.sleep(0.2)\n" + CODEC.format(name="turn-j"), points("turn_j"))
    found = []
    threads = [threading.Thread(target=lambda: found.append(codecs.find("turn-j"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({id(each) for each in found}) == 1
    assert found[0] is not None


def test_packages_in_archives_and_of_other_finders_are_found(package, monkeypatch, tmp_path):
    directory = package("turn_k", CODEC.format(name="turn-k"), points("turn_k"))
    assert PluginGroup("zom.codecs", lambda each: each).load() == ["made"]
    assert PluginGroup("zom.code", lambda each: each).load() == []
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(directory)])

    class Finder:
        @staticmethod
        def find_spec(*_):
            return None

        @staticmethod
        def find_distributions(_context):
            from importlib.metadata import Distribution

            return [Distribution.at(directory / "turn_k-1.dist-info")]

    assert PluginGroup("zom.codecs", lambda each: each).load() == []
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert PluginGroup("zom.codecs", lambda each: each).load() == ["made"]


def test_the_command_names_a_broken_plugin_in_one_line(package, tmp_path):
    directory = package("turn_l", "raise ValueError('oh')", points("turn_l"))
    done = subprocess.run(
        [sys.executable, "-m", "zom", "schema", "export", "codec/turn-l"],
        env=beside(directory),
        capture_output=True,
        text=True,
        check=False,
    )
    first = "zom: warning: the plugin 'made' of turn_l 1 (zom.codecs, turn_l:made) can't be loaded: ValueError: oh"
    assert done.stderr.splitlines()[0] == first
    assert done.returncode == 2


def test_a_rule_that_is_none_is_refused():
    with pytest.raises(ExtensionError, match=r"^convention 'a': expected CheckedRules as rules, found 'b'$"):
        zom.conventions.Convention("a", rules=("b",))
