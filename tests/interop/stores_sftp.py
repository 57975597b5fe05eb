"""The stores on an SFTP server, as clusters have them: by way of fsspec's own file system (paramiko) and of sshfs (asyncssh).

    python tests/interop/stores_sftp.py

In an environment with requirements-stores.txt beside this script. The server is asyncssh's, in this process. What is
missing is named on a line that begins with SKIP. Ends with 1 where anything failed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from stores_remote import check, conclude, equal, free_port, lacks, raises, run_served  # noqa: E402 - there from here on

import zom  # noqa: E402
from zom import v3  # noqa: E402
from zom.stores.fsspec import FsspecStore  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

USER, PASSWORD = "zom", "canary-7f3a"
PARAMIKO = (
    "from fsspec.implementations.sftp import SFTPFileSystem\n"
    "opened = SFTPFileSystem('127.0.0.1', port={port}, username='{user}', password='{password}')\n"
)
SSHFS = (
    "from sshfs import SSHFileSystem\n"
    "opened = SSHFileSystem('127.0.0.1', port={port}, username='{user}', password='{password}', known_hosts=None)\n"
)


@contextmanager
def server() -> Iterator[int]:
    """The port of a server of SFTP, which serves the files of this machine to whoever knows the password."""
    import asyncssh

    class Guard(asyncssh.SSHServer):
        def password_auth_supported(self) -> bool:
            return True

        def validate_password(self, username: str, password: str) -> bool:
            return (username, password) == (USER, PASSWORD)

    loop, port = asyncio.new_event_loop(), free_port()

    async def listen() -> Any:
        key = asyncssh.generate_private_key("ssh-ed25519")
        return await asyncssh.listen(
            "127.0.0.1", port, server_factory=Guard, server_host_keys=[key], sftp_factory=True
        )

    async def end() -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(listen(), loop).result(30)
        yield port
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def link_checks(name: str, filesystem: Any, folder: Path) -> None:
    """What holds where a hierarchy leads through links, as to a larger disk."""
    root = folder / "linked.zarr"
    spec = v3.ArraySpec.build(shape=(40, 40), dtype="int32", chunks=(10, 10), shards=(20, 20))
    zom.materialize(v3.GroupSpec(members={"x": spec, "g": v3.GroupSpec()}), root)
    values = np.arange(1600, dtype="int32").reshape(40, 40)
    zom.open(root, mode="r+")["x"][...] = values
    (root / "x").rename(folder / "far")
    (root / "x").symlink_to("../far")
    (root / "g" / "zarr.json").rename(folder / "g.json")
    (root / "g" / "zarr.json").symlink_to("../../g.json")
    (root / "nowhere").symlink_to("../missing")
    store = FsspecStore(filesystem, str(root))

    def read() -> None:
        equal(sorted(zom.read(store).members), ["g", "x"])
        equal(np.array_equal(zom.open(store)["x"][...], values), True)
        equal(int(zom.open(store)["x"][33, 7]), int(values[33, 7]))
        equal(
            sorted(store.list()),
            ["g/zarr.json", *(f"x/c/{i}/{j}" for i in (0, 1) for j in (0, 1)), "x/zarr.json", "zarr.json"],
        )

    def delete() -> None:
        for act in (
            lambda: zom.delete(store, "x"),
            lambda: zom.delete(store, whole=True),
            lambda: store.delete_prefix(""),
        ):
            raises(zom.ZomError, "expected a directory that is not a symbolic link", act)
        equal(np.array_equal(zom.open(folder / "far")[...], values), True)
        equal(sorted(zom.read(store).members), ["g", "x"])

    def circle() -> None:
        for link in ("up", "g/up"):
            (root / link).symlink_to("." if link == "up" else "..")
        problems = zom.validate(store, conventions=())
        equal({each.code for each in problems if each.severity == "error"}, {"store/unlisted-group"})

    for what, act in {
        "read": read,
        "not deleted through": delete,
        "in circles come to an end": circle,
    }.items():
        check(
            f"SFTP by way of {name}: links are {what}"
            if what == "read"
            else f"SFTP by way of {name}: links {what}",
            act,
        )


def run() -> None:
    """Starts the server, and ends it."""
    with server() as port, tempfile.TemporaryDirectory() as folder:
        for name, opening in {"paramiko": PARAMIKO, "sshfs": SSHFS}.items():
            source = opening.format(port=port, user=USER, password=PASSWORD)
            run_served(f"SFTP, by way of {name}", source, folder)
            names: dict[str, Any] = {}
            exec(source, names)
            Path(folder, name).mkdir()
            link_checks(name, names["opened"], Path(folder, name))


def main() -> int:
    if not lacks("SFTP", "paramiko", "asyncssh", "sshfs"):
        run()
    return conclude()


if __name__ == "__main__":
    sys.exit(main())
