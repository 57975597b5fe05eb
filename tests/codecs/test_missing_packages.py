"""Without the compiled packages for gzip and CRC-32C, as in WebAssembly, the same chunks are read, and others read what is written."""

import gzip
import subprocess
import sys
import zlib

import numpy as np
import pytest

import zom
from zom import v2, v3

CELLS = np.arange(2000, dtype="i4").reshape(40, 50)

WRITE_AND_READ = """
import sys
sys.modules["deflate"] = sys.modules["google_crc32c"] = None
import numpy as np, zom
given, made, spec = sys.argv[1:]
cells = zom.open(given)[...]
array = zom.materialize(zom.parse(spec), made)
array[...] = cells
assert (zom.open(made)[...] == cells).all()
assert zom.validate(made, data=True).ok
"""


@pytest.mark.parametrize("level", [-1, 0, 5, 9])
@pytest.mark.parametrize(("name", "plain"), [("gzip", gzip), ("zlib", zlib)])
def test_v2_compressors(tmp_path, name, plain, level):
    spec = v2.ArraySpec.build(
        shape=(40, 50), dtype="i4", chunks=(40, 50), compress={"id": name, "level": level}
    )
    without_packages(tmp_path, spec)
    assert plain.decompress((tmp_path / "made" / "0.0").read_bytes()) == CELLS.tobytes()


@pytest.mark.parametrize("checksum", ["crc32c", "numcodecs.adler32", "numcodecs.crc32", "numcodecs.crc32c"])
def test_v3_codecs(tmp_path, checksum):
    codecs = [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "gzip", "configuration": {"level": 5}},
        {"name": checksum, "configuration": {}},
    ]
    without_packages(
        tmp_path, v3.ArraySpec.build(shape=(40, 50), dtype="int32", chunks=(20, 25), codecs=codecs)
    )


def without_packages(folder, spec):
    zom.materialize(spec, folder / "given")[...] = CELLS
    command = [sys.executable, "-c", WRITE_AND_READ, folder / "given", folder / "made", spec.to_json()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (zom.open(folder / "made")[...] == CELLS).all()
