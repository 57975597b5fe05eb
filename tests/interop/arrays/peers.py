"""The peers, each running in a process of its own, and what each of them is called in the tables."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
TIMEOUT = 60.0


class Peer(NamedTuple):
    """Software that reads and writes arrays."""

    name: str
    mark: str
    """How tables call it."""
    module: str
    python: Callable[[], str | None]
    forms: tuple[str, ...]
    missing: str
    """What to say where its Python isn't there."""


def _old() -> str | None:
    return os.environ.get("ZARR2_PYTHON")


def _gdal() -> str | None:
    """A Python that has GDAL's own package, as Debian's has."""
    for python in (os.environ.get("GDAL_PYTHON"), "/usr/bin/python3"):
        if python and shutil.which(python):
            ask = [python, "-c", "import numpy; from osgeo import gdal_array"]
            if subprocess.run(ask, capture_output=True, check=False).returncode == 0:
                return python
    return None


def _here() -> str:
    return sys.executable


ALL = (
    Peer("zarr-python 3", "3", "by_zarr_python", _here, ("v2", "v3"), ""),
    Peer("tensorstore", "T", "by_tensorstore", _here, ("v2", "v3"), ""),
    Peer("zarrs", "S", "by_zarrs", _here, ("v2", "v3"), ""),
    Peer(
        "zarr-python 2",
        "2",
        "by_zarr_python_2",
        _old,
        ("v2", "draft"),
        "ZARR2_PYTHON names no Python that has it",
    ),
    Peer("GDAL", "G", "by_rasterio", _here, ("v2", "v3"), ""),
    Peer(
        "GDAL 3.6",
        "g",
        "by_gdal",
        _gdal,
        ("v2", "draft"),
        "no Python has osgeo and numpy: Debian calls it python3-gdal; GDAL_PYTHON may name one",
    ),
    Peer("netCDF-C", "N", "by_netcdf", _here, ("v2",), ""),
)


class Worker:
    """One peer's process; another is started where it dies."""

    def __init__(self, peer: Peer, python: str) -> None:
        self._command = [python, str(HERE / "worker.py"), peer.module]
        self._process: subprocess.Popen[bytes] | None = None
        self._code = 0

    def ask(self, **job: Any) -> dict[str, Any]:
        """What the peer answers; an error where it dies twice, or doesn't answer in time.

        A process has thousands of arrays behind it, and threads of its own: what kills it once may have nothing
        to do with the array, which a fresh process is asked for, then.
        """
        answer = self._ask(job)
        if answer is None:
            answer = self._ask(job)
        return answer or {"error": f"its process died twice, the last time with exit code {self._code}"}

    def _ask(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """What the peer answers; None where it dies."""
        if self._process is None:
            quiet = None if os.environ.get("ZOM_INTEROP_NOISE") else subprocess.DEVNULL
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, bufsize=0
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            line = b""
            while not line.endswith(b"\n"):
                if not select.select([process.stdout], [], [], TIMEOUT)[0]:
                    self.close()
                    return {"error": f"no answer within {TIMEOUT:.0f} seconds"}
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    break
                line += part
        except BrokenPipeError:
            line = b""
        if not line:
            self._code = process.wait()
            self._process = None
            print(f"a process of {self._command[-1]} died with exit code {self._code}", file=sys.stderr)  # noqa: T201
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
