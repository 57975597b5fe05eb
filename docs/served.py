"""Read what `zom serve` serves as pages of another site do, in headless Chromium: parts, with and without asking before.

    python docs/served.py

The page of the script comes from another port, which is another origin. What is wrong ends it with 1; without a browser it
says so and ends with 0. See screenshots.py for the browser.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import sys
import tempfile
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from screenshots import Handler, browser, check, run

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

# Asks for what viewers ask for, and writes down what it was given.
READER = """<!doctype html><meta charset="utf-8"><body><script>
const address = %(address)s, key = %(key)s;
const hex = buffer => [...new Uint8Array(buffer)].map(each => each.toString(16).padStart(2, "0")).join("");
async function ask(name, url, options = {}) {
  try {
    const answer = await fetch(url, options);
    const bytes = await answer.arrayBuffer();
    const told = Object.fromEntries(["content-range", "content-length", "etag", "accept-ranges"]
      .map(each => [each, answer.headers.get(each)]));
    return [name, {status: answer.status, size: bytes.byteLength,
      digest: hex(await crypto.subtle.digest("SHA-256", bytes)), ...told}];
  } catch (error) { return [name, String(error)]; }
}
(async () => {
  const chunk = address + key, found = [];
  found.push(await ask("document", address + "zarr.json"));
  found.push(await ask("whole", chunk));
  found.push(await ask("part", chunk, {headers: {Range: "bytes=2-9"}}));
  found.push(await ask("end", chunk, {headers: {Range: "bytes=-16"}}));
  found.push(await ask("beyond", chunk, {cache: "no-store", headers: {Range: "bytes=99999999-"}}));
  found.push(await ask("head", chunk, {method: "HEAD"}));
  found.push(await ask("known", chunk, {cache: "no-store", headers: {"If-None-Match": found[1][1].etag}}));
  found.push(await ask("missing", address + "no/such/key"));
  found.push(await ask("write", chunk, {method: "PUT", body: "x"}));
  found.push(await ask("other header", chunk, {headers: {"X-Other": "1"}}));
  const result = document.createElement("pre");
  result.id = "result"; result.textContent = JSON.stringify(Object.fromEntries(found));
  document.body.replaceChildren(result);
})();
</script>"""


def serving(server: ThreadingHTTPServer) -> str:
    """Run the server beside; its address."""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def asked(chromium: str, directory: Path, address: str, key: str) -> dict[str, Any]:
    """What a page of another origin was given."""
    page = READER % {"address": json.dumps(address), "key": json.dumps(key)}
    (directory / "reader.html").write_text(page, encoding="utf-8")
    handler = partial(type("Here", (Handler,), {"asked": []}), directory=str(directory))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        dom = run(chromium, "--virtual-time-budget=20000", "--dump-dom", f"{serving(other)}reader.html")
        other.shutdown()
    found = re.search(r'<pre id="result">(.*?)</pre>', dom, re.DOTALL)
    return json.loads(html.unescape(found[1])) if found else {"nothing": dom[:300]}


def expected(document: bytes, chunk: bytes) -> dict[str, Any]:
    """What it should be given: status and bytes, or that the browser refuses."""

    def bytes_of(status: int, value: bytes, **told: str) -> dict[str, Any]:
        return {
            "status": status,
            "size": len(value),
            "digest": hashlib.sha256(value).hexdigest(),
            **{name.replace("_", "-"): text for name, text in told.items()},
        }

    size = len(chunk)
    return {
        "document": bytes_of(200, document, content_length=str(len(document)), accept_ranges="bytes"),
        "whole": bytes_of(200, chunk),
        "part": bytes_of(206, chunk[2:10], content_range=f"bytes 2-9/{size}", content_length="8"),
        "end": bytes_of(206, chunk[-16:], content_range=f"bytes {size - 16}-{size - 1}/{size}"),
        "beyond": bytes_of(416, b"", content_range=f"bytes */{size}"),
        "head": bytes_of(200, b"", content_length=str(size)),
        "known": bytes_of(304, b""),
        "missing": bytes_of(404, b"no such key\n"),
        "write": "TypeError: Failed to fetch",
        "other header": "TypeError: Failed to fetch",
    }


def differing(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Where it was given something else."""
    wrong: list[str] = []
    for name, want in wanted.items():
        got = found.get(name, "nothing")
        if not _agree(got, want):
            wrong.append(f"{name}: expected {want}, found {got}")
    return wrong


def _agree(got: Any, want: Any) -> bool:
    """Whether it was told all that it should be told."""
    if isinstance(got, str) or isinstance(want, str):
        return bool(got == want)
    return {**got, **want} == got


def main() -> int:
    """1 where a page of another site is not given what it should be."""
    chromium = browser()
    if chromium is None:
        print("skipped: no Chromium was found; install the package chromium, or set CHROMIUM to its path")
        return 0
    import numpy as np  # noqa: PLC0415 - where there is a browser

    import zom  # noqa: PLC0415 - of this checkout
    from zom.cli import server as serve  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        spec = zom.v3.ArraySpec.build(shape=(64, 64), dtype="float32", chunks=(32, 32), compress=None)
        root = zom.materialize(zom.v3.GroupSpec(members={"a": spec}), directory / "a.zarr")
        root["a"][...] = np.arange(4096).reshape(64, 64)
        store = zom.store(directory / "a.zarr", read_only=True)
        server = serve.server_of(store, "", "127.0.0.1", 0, name="a.zarr")
        address = serving(server)
        found = asked(chromium, directory, address, "a/c/0/0")
        wrong = differing(found, expected(store.get("zarr.json") or b"", store.get("a/c/0/0") or b""))
        print(
            f"a page of another site: {len(found)} requests, {len(wrong)} answered otherwise than they should be"
        )
        with urlopen(address) as page:  # noqa: S310 - of the server above
            (directory / "served.html").write_bytes(page.read())
        wrong += check(chromium, directory, ["served"])
        server.shutdown()
        server.server_close()
    for each in wrong:
        print(f"wrong: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
