"""The stores on a server of Windows' files (Samba), by way of fsspec's own file system.

    python tests/interop/stores_smb.py

In an environment with requirements-stores.txt beside this script. Root installs Samba where it is missing. What is missing
is named on a line that begins with SKIP. Ends with 1 where anything failed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from stores_remote import check, conclude, equal, free_port, installed, lacks, raises, run_served, skip  # noqa: E402 - there from here on

import zom  # noqa: E402
from zom import v3  # noqa: E402
from zom.stores.fsspec import FsspecStore  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "canary-7f3a"
CONFIG = """
[global]
 server role = standalone server
 smb ports = {port}
 interfaces = 127.0.0.1
 bind interfaces only = yes
 private dir = {folder}
 lock directory = {folder}
 state directory = {folder}
 cache directory = {folder}
 pid directory = {folder}
 ncalrpc dir = {folder}/ncalrpc
 log file = {folder}/log
 passdb backend = tdbsam:{folder}/passdb.tdb
 load printers = no
 disable spoolss = yes
[share]
 path = {share}
 read only = no
"""
OPENING = """
from fsspec.implementations.smb import SMBFileSystem
opened = SMBFileSystem("127.0.0.1", port={port}, username="root", password="{password}")
"""


def name_checks(filesystem: Any) -> None:
    """What holds of names, which are the same in capitals there."""
    store = FsspecStore(filesystem, "/share/names.zarr")

    def twins() -> None:
        spec = v3.GroupSpec(members={"t": v3.GroupSpec(), "T": v3.GroupSpec()})
        raises(zom.ConflictError, "names", lambda: zom.materialize(spec, store))
        equal(list(store.list()), [])

    def devices() -> None:
        spec = v3.GroupSpec(members={"con": v3.ArraySpec.build(shape=(4,), dtype="int8")})
        raises(
            zom.ConflictError, "a name that Windows does not reserve", lambda: zom.materialize(spec, store)
        )
        equal(list(store.list()), [])

    check("SMB: names that are the same there are refused", twins)
    check("SMB: names that it lists as others are refused", devices)


@contextmanager
def serve(binary: str, folder: Path) -> Iterator[int]:
    """The port of a server whose share lies in the folder; it is ended by its own id."""
    port, config = free_port(), folder / "smb.conf"
    (folder / "share").mkdir()
    config.write_text(CONFIG.format(port=port, folder=folder, share=folder / "share"))
    typed = f"{PASSWORD}\n{PASSWORD}\n"
    subprocess.run(
        ["smbpasswd", "-c", config, "-s", "-a", "root"],
        input=typed,
        text=True,
        check=True,
        capture_output=True,
    )
    command = [binary, "--foreground", "--no-process-group", "-s", str(config)]
    # It ends its whole group of processes, which is not to be this one's.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, start_new_session=True, **quiet) as server:
        try:
            for _ in range(100):
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield port
        finally:
            server.terminate()


def main() -> int:
    binary = installed("smbd", "samba")
    if binary is None or os.geteuid() != 0:
        skip("SMB", "Samba not installed, or not root; apt-get install samba")
    elif not lacks("SMB", "smbprotocol"):
        with tempfile.TemporaryDirectory() as folder, serve(binary, Path(folder)) as port:
            opening = OPENING.format(port=port, password=PASSWORD)
            run_served("SMB", opening, "/share")
            names: dict[str, Any] = {}
            exec(opening, names)
            name_checks(names["opened"])
    return conclude()


if __name__ == "__main__":
    sys.exit(main())
