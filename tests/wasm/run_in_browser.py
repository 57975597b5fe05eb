"""Reads stores of web servers in headless Chromium, from a page and from a worker, and in CPython: the answers are the same.

    python tests/wasm/run_in_browser.py

The servers are the page's own; `zom serve`, of another site, which lets pages read it and names its headers; one that lets
them, names none, and answers nothing that is asked before, as many do; and one that lets nobody. Without a browser the
script says so and ends with 0; see docs/screenshots.py for the browser.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from asks import answers
from check import HERE, PROJECT, install

import zom
from zom import v3
from zom.cli.server import server_of
from zom.stores.local import LocalStore

sys.path.append(str(PROJECT / "docs"))
from screenshots import browser

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("page", "worker")
PAGE = """<!doctype html><script type="module">
import { run } from "/run_in_browser.mjs";
new Worker("/worker.mjs", { type: "module" });
run("page");
</script>"""
CLOSED = "doesn't allow this page to read it (CORS)"
WAITED_FOR = ("page", "unnamed", "late")
"""A page can't say how long it waits: here it gets the answer, which is that nothing is there."""
WORKER = 'import { run } from "/run_in_browser.mjs";\nrun("worker");\n'


class Pages(SimpleHTTPRequestHandler):
    """Files, and what the page found."""

    def __init__(
        self, *arguments: Any, found: dict[str, Any], all_found: threading.Event, **options: Any
    ) -> None:
        self.found, self.all_found = found, all_found
        super().__init__(*arguments, **options)

    def do_POST(self) -> None:
        """Keep what was found."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.found[self.path.rpartition("/")[2]] = json.loads(body)
        self.send_response(204)
        self.end_headers()
        if len(self.found) == len(KINDS):
            self.all_found.set()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Unnamed(BaseHTTPRequestHandler):
    """What another server answers, for all pages, but without saying which headers they may see."""

    def __init__(self, *arguments: Any, source: str, **options: Any) -> None:
        self.source = source
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        """Ask the other server."""
        sent = {name: self.headers[name] for name in ("Range", "If-Match") if name in self.headers}
        try:
            answer = urlopen(Request(self.source + self.path, headers=sent, method=self.command))
        except HTTPError as error:
            answer = error
        with answer:
            body = answer.read()
            time.sleep(2 * (self.path == "/late"))
            self.send_response(answer.status)
            self.send_header("Access-Control-Allow-Origin", "*")
            for name in ("Content-Range", "ETag"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.send_header("Content-Length", answer.headers["Content-Length"])
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        """The same without the value."""
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Says nothing where somebody waits no longer for an answer."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing."""


@contextmanager
def served(server: ThreadingHTTPServer) -> Iterator[str]:
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def write_site(folder: Path) -> None:
    """The files of the page."""
    install(folder / "packages")
    for name, source in (("packages", folder / "packages"), ("src", PROJECT / "src")):
        shutil.make_archive(str(folder / name), "zip", source)
    (folder / "pyodide").symlink_to(HERE / "node_modules" / "pyodide")
    for name in ("asks.py", "run_in_browser.mjs"):
        shutil.copy(HERE / name, folder)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "worker.mjs").write_text(WORKER, encoding="utf-8")
    array = v3.ArraySpec.build(shape=(100,), dtype="int64", chunks=(10,), compress=None)
    spec = v3.GroupSpec(members={"a": v3.GroupSpec(members={"x": array})})
    zom.materialize(spec, folder / "data")["a/x"][...] = np.arange(100)
    zom.consolidate(folder / "data")
    (folder / "data" / "a b").mkdir()
    (folder / "data" / "a b" / "\u00fc?#%20").write_bytes(b"odd")


def read_in_browser(chromium: str, address: str, profile: str, all_found: threading.Event) -> None:
    command = [chromium, "--headless", "--disable-gpu", f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium has none for root; the page is the script's own
    with subprocess.Popen(
        [*command, address], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        all_found.wait(240)
        process.terminate()


def main() -> int:
    chromium = browser()
    if chromium is None:
        print("skipped: there is no Chromium")
        return 0
    found: dict[str, Any] = {}
    all_found = threading.Event()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        write_site(folder)

        def listen(handler: Any) -> str:
            return stack.enter_context(served(Server(("127.0.0.1", 0), handler)))

        own = listen(partial(Pages, directory=str(folder), found=found, all_found=all_found))
        named = stack.enter_context(
            served(server_of(LocalStore(folder / "data"), "", "127.0.0.1", 0, name="data"))
        )
        closed = listen(partial(Pages, directory=str(folder), found=found, all_found=all_found))
        places = {
            "own": f"{own}/data",
            "named": named,
            "unnamed": listen(partial(Unnamed, source=named)),
            "closed": f"{closed}/data",
        }
        (folder / "places.json").write_text(json.dumps(places), encoding="utf-8")
        expected = {place: answers(url) for place, url in places.items()}
        read_in_browser(chromium, own, profile, all_found)
    return compare(found, expected)


def compare(found: dict[str, Any], expected: dict[str, dict[str, str]]) -> int:
    """Print what differs; 1 where anything does."""
    # A tag that a page may not see is none: nobody can ask for another.
    expected["unnamed"]["of a version"] = repr((bytes(2), True))
    del expected["unnamed"]["of another version"]
    wrong = [
        f"{kind}, {place}, {question}: expected {answer}, found {got}"
        for kind in KINDS
        for place, answered in expected.items()
        for question, answer in answered.items()
        if not is_right(
            kind, place, question, answer, got := str(found.get(kind, {}).get(place, {}).get(question))
        )
    ]
    errors = [f"{kind}: {found[kind]['error']}" for kind in KINDS if "error" in found.get(kind, {})]
    print(*[each[:400] for each in [*errors, *wrong]], sep="\n")
    print(f"{len(KINDS) * sum(map(len, expected.values()))} answers, {len(wrong)} wrong")
    return 1 if wrong else 0


def is_right(kind: str, place: str, question: str, answer: str, got: str) -> bool:
    if place == "closed":
        return CLOSED in got
    return got == ("None" if (kind, place, question) == WAITED_FOR else answer)


if __name__ == "__main__":
    sys.exit(main())
