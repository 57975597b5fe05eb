"""Processes end with an exit code after errors of a far store, never by a signal."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")

SCRIPT = Path(__file__).with_name("failing_exits.py")
FAILURES = int(os.environ.get("ZOM_FAILING_EXITS", "20"))
"""How many processes fail: more where continuous integration asks for it."""

NO_BUCKET = b'<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>'


class NoBucket(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(NO_BUCKET)))
        self.end_headers()
        self.wfile.write(NO_BUCKET)

    @override
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoBucket) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield running.server_address[1]
        finally:
            running.shutdown()
            thread.join()


@pytest.fixture
def load() -> Iterator[None]:
    """A processor that is busy: the abort needs threads that wait for their turn.

    Continuous integration runs this beside other work, which is load enough.
    """
    if "ZOM_FAILING_EXITS" in os.environ:
        yield
        return
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.usefixtures("load")
def test_errors_of_a_bucket_end_each_process_with_code_3(server: int) -> None:
    """obstore hands over results from threads of its own, which may outlive the interpreter: SIGABRT."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), str(FAILURES), str(server)],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert Counter(ran.stdout.split()) == {"3": FAILURES}, ran.stderr[-2000:]
