"""Fork processes that read from a bucket that is missing, and print the exit code of each.

    python tests/stores/failing_exits.py COUNT PORT

The parent imports all that the command needs, so that a child costs milliseconds; each child runs the
command and ends as an interpreter ends. Every other child reads a batch of keys by the library.
"""

# ruff: noqa: T201 - a script that a test starts
from __future__ import annotations

import contextlib
import io
import os
import sys

import obstore

import zom
import zom.stores.object
from zom.cli.main import main

assert obstore.__name__  # imported before the first fork


def failing_command() -> int:
    with contextlib.redirect_stderr(io.StringIO()):
        return main(["tree", "s3://nobucket/x.zarr"])


def failing_batch() -> int:
    try:
        zom.store("s3://nobucket").get_many([f"a/{index}" for index in range(8)])
    except zom.StoreError:
        return 3
    return 0


def run(count: int, port: str) -> None:
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
        AWS_ALLOW_HTTP="true",
        AWS_ACCESS_KEY_ID="x",
        AWS_SECRET_ACCESS_KEY="y",
        AWS_REGION="us-east-1",
    )
    for number in range(count):
        child = os.fork()
        if child == 0:
            sys.exit(failing_command() if number % 2 else failing_batch())
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2])
