"""zom's own extensions are loaded by the names of their files; each program runs in a process of its own."""

import os
import subprocess
import sys

import pytest


def printed(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_document_loads_what_it_names():
    loaded = printed("""
import sys
from zom import v3
v3.ArraySpec.build(shape=(4,), dtype="int32", chunks=(2,), compress="zstd")
print(*[name for name in sys.modules if name.startswith(("zom.codecs.", "zom.dtypes."))])
""")
    assert {"zom.codecs.zstd", "zom.dtypes.int"} <= set(loaded)
    assert not {"zom.codecs.numcodecs", "zom.codecs.cast_value", "zom.dtypes.struct"} & set(loaded)


@pytest.mark.parametrize(
    ("package", "registry"),
    [
        ("codecs", "codec.codecs"),
        ("dtypes", "datatype.data_types"),
        ("grids", "grid.chunk_grids"),
        ("chunk_keys", "keys.chunk_key_encodings"),
    ],
)
def test_every_file_that_registers_something_is_named(package, registry):
    module, name = registry.split(".")
    listed, found = printed(f"""
import importlib, pkgutil
import zom.{package} as package
from zom.extension.{module} import {name} as registry
listed = len(registry.names())
for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(each.name)
print(listed, len(registry.names()))
""")
    assert listed == found


@pytest.mark.parametrize("name", ["zstd", "numcodecs.blosc", "vlen-utf8", "endian"])
def test_a_name_of_zom_can_not_be_taken_before_it_is_loaded(name):
    (message,) = printed(f"""
from zom.errors import ExtensionError
from zom.extension import Codec, codecs

class Mine(Codec):
    name = {name!r}
    aliases = ()
    kind = "bytes->bytes"
    def thread(self, configuration, before, faults, path):
        return before
    def bind(self, configuration, before, after):
        raise NotImplementedError

try:
    codecs.register(Mine())
except ExtensionError as error:
    print("registered already" in str(error))
""")
    assert message == "True"


def test_an_alias_and_a_name_with_digits_are_found():
    assert printed("""
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
print(codecs.find("endian").name, data_types.find("uint8").name, data_types.find("float8_e5m2").name)
""") == ["bytes", "uint8", "float8_e5m2"]


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="no fork: each name is looked for in a child that knows none yet"
)
def test_no_other_file_is_loaded_for_a_name_that_zom_has(tmp_path, monkeypatch):
    """Names of v3, type strings and ids of v2, each asked for in a process that has loaded nothing."""
    monkeypatch.setenv("LISTED", str(tmp_path / "names.json"))
    assert (
        printed("""
import json, os
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.resolve import parse_v2

pid = os.fork()
if pid == 0:
    names = [name for name in data_types.names() if name != "r*"]
    ids = [codec.v2_id for codec in codecs if codec.v2_id is not None]
    with open(os.environ["LISTED"], "w") as file:
        json.dump([names, [codec.name for codec in codecs], ids], file)
    os._exit(0)
os.waitpid(pid, 0)
with open(os.environ["LISTED"]) as file:
    names, codec_names, ids = json.load(file)
texts = ["|b1", "|i1", "<i8", "|u1", ">u2", "<f2", "<f8", "<c8", ">c16", "<M8[s]", "<m8[us]", "|S5", "<U3", "|V4"]
asked = [
    *((each, lambda each=each: data_types.find(each)) for each in names),
    *((each, lambda each=each: codecs.find(each)) for each in codec_names),
    *((each, lambda each=each: codecs.of_v2(each)) for each in ids),
    *((each, lambda each=each: parse_v2(each, None, [])) for each in texts),
]
assert len(asked) > 100, len(asked)
for name, ask in asked:
    pid = os.fork()
    if pid == 0:
        found = ask()
        os._exit(0 if found is not None and not codecs._is_loaded and not data_types._is_loaded else 1)
    if os.waitpid(pid, 0)[1] != 0:
        print(name)
""")
        == []
    )
