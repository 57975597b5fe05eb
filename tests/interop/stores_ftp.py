"""The stores on an FTP server, by way of fsspec's own file system, which takes whatever fails for a file that is missing.

    python tests/interop/stores_ftp.py

In an environment with requirements-stores.txt beside this script. The server is pyftpdlib's, in this process. What is
missing is named on a line that begins with SKIP. Ends with 1 where anything failed.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from stores_remote import check, conclude, equal, lacks, raises, run_served  # noqa: E402 - there from here on

import zom  # noqa: E402
from zom import v3  # noqa: E402
from zom.errors import StoreError  # noqa: E402
from zom.stores.fsspec import FsspecStore  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING = """
from fsspec.implementations.ftp import FTPFileSystem
opened = FTPFileSystem("127.0.0.1", port={port}, username="zom", password="zom")
"""


@contextmanager
def server(folder: str) -> Iterator[tuple[int, set[str]]]:
    """The port of a server of a folder, and the commands that it answers by 425: that it has no connection now."""
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler
    from pyftpdlib.servers import ThreadedFTPServer

    logging.getLogger("pyftpdlib").addHandler(logging.NullHandler())
    logging.getLogger("pyftpdlib").propagate = False
    busy: set[str] = set()
    users = DummyAuthorizer()
    users.add_user("zom", "zom", folder, perm="elradfmwMT")

    class Handler(FTPHandler):
        authorizer = users
        banner = "here"

        def pre_process_command(self, line: str, cmd: str, arg: str) -> None:
            if cmd in busy:
                self.respond("425 No data connection now.")
            else:
                super().pre_process_command(line, cmd, arg)

    made = ThreadedFTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    try:
        yield made.address[1], busy
    finally:
        made.close_all()
        thread.join()


def failure_checks(filesystem: Any, folder: Path, busy: set[str]) -> None:
    """A server that can't now, and a file that nobody may read, are no missing values."""
    spec = v3.GroupSpec(members={"x": v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))})
    zom.materialize(spec, folder / "a.zarr")["x"][:] = 7
    store = FsspecStore(filesystem, "/a.zarr")
    array = zom.open(store)["x"]
    equal(array[:].tolist(), [7] * 4)

    def no_connection() -> None:
        for command in ("RETR", "MLSD"):
            busy.add(command)
            act = (lambda: array[:]) if command == "RETR" else (lambda: list(store.list()))
            raises(zom.ZomError, "cannot", act)
            busy.clear()
        equal(array[:].tolist(), [7] * 4)
        equal(len(list(store.list())), 4)

    def missing() -> None:
        (folder / "a.zarr/x/c/1").unlink()
        equal(array[:].tolist(), [7, 7, 0, 0])
        equal(store.get_many(["x/c/1", "none", "none/c/0"]), [None] * 3)
        store.delete("x/c/1")

    def not_permitted() -> None:
        # To root, everything is; a link that leads nowhere is listed and can't be read.
        (folder / "a.zarr/x/c/1").symlink_to("nowhere")
        listed = store.list_dir("x/c/").keys
        if "x/c/1" in listed:
            raises(StoreError, "cannot read", lambda: store.get("x/c/1"))

    check("FTP: no connection is no missing value", no_connection)
    check("FTP: what is missing is that", missing)
    check("FTP: what is listed and can't be read is an error", not_permitted)


def main() -> int:
    if not lacks("FTP", "pyftpdlib"):
        from fsspec.implementations.ftp import FTPFileSystem

        with tempfile.TemporaryDirectory() as folder, server(folder) as (port, busy):
            run_served("FTP", OPENING.format(port=port), "")
            opened = FTPFileSystem("127.0.0.1", port=port, username="zom", password="zom")
            failure_checks(opened, Path(folder), busy)
    return conclude()


if __name__ == "__main__":
    sys.exit(main())
