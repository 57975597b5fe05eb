"""zom's own extensions are loaded by the names of their files; each program runs in a process of its own."""

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
