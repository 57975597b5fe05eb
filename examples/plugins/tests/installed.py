"""What an installed package brings is known to the command and to worker processes, and loaded when it is needed."""
# ruff: noqa: S603 - a program of assertions, which runs the command

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

import zom
from zom import v3

DOCUMENT: dict[str, Any] = {
    **v3.ArraySpec.build(shape=(10,), dtype="uint16").to_dict(),
    "chunk_grid": {"name": "offset", "configuration": {"chunk_shape": [4], "first": [3]}},
    "chunk_key_encoding": {"name": "padded", "configuration": {"digits": 2}},
    "codecs": ["halves", "decimals", {"name": "rot", "configuration": {"by": 7}}],
}


def total(array: Any) -> int:
    """Read an array in another process."""
    return int(array[...].sum())


def command(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "zom", *arguments],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert not done.stderr.startswith("zom: "), done.stderr
    return done.stdout


def main() -> None:
    assert not any(name.startswith("zom_acme") for name in sys.modules)
    group = v3.GroupSpec(members={"a": v3.ArraySpec.model_validate(DOCUMENT)})
    for place in ("plain.zarr", "b.bundle", "bundle://c.bundle"):
        root: Any = zom.materialize(group, place)
        root["a"][:] = np.arange(10)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(total, zom.open(place, "a")).result() == 45
        assert "offset" not in command("check", place)
        assert "uint16" in command("tree", place)
        assert zom.check(place, data="all").ok
    zom.copy("plain.zarr", "copied.bundle")
    assert zom.open("copied.bundle", "a")[:].tolist() == [*range(10)]
    assert "dggs/coordinate" in command("rules")
    assert "codec/rot-idle" in command("rules")
    assert "rot" in command("schema", "export", "codec/rot")


if __name__ == "__main__":
    main()
