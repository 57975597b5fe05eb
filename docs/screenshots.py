"""Open zom's pages in headless Chromium: check them, and take the pictures in docs/pictures.

    python docs/screenshots.py            write the pictures
    python docs/screenshots.py --check    check the pages, and write nothing; what is wrong ends it with 1

The browser is `$CHROMIUM`, or chromium, chromium-browser or google-chrome on the path. Without one the script says so and
ends with 0: there is nothing to check with. The pictures in docs are written in Noto Sans (Debian's fonts-noto-core, fonts-noto-mono):
with the same fonts, pages that are as they were give the same files.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).parent / "pictures"
WIDTHS = (420, 1600)
SCHEMES = {"light": 1, "dark": 0}
SHOWN = {"report": 1250, "findings": 1100, "array": 1000}
"""The pages of which there are pictures, and how high these are."""

# Opens a page in a frame of each width, looks at it as a script of another page can, and writes down what it finds.
CHECKER = """<!doctype html><meta charset="utf-8"><body><script>
const widths = %(widths)s, page = %(page)s, found = [];
addEventListener("error", event => found.push("error: " + event.message));
async function look(width) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = page;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const inner = frame.contentDocument;
  const wide = () => inner.documentElement.scrollWidth;
  if (wide() > width) found.push(`${width} px: the page is ${wide()} px wide`);
  const all = [...inner.querySelectorAll("details")];
  const closed = all.filter(each => !each.open).length;
  for (const each of all) each.open = true;
  if (wide() > width) found.push(`${width} px: unfolded, the page is ${wide()} px wide`);
  for (const link of inner.querySelectorAll("a[href^='#']"))
    if (!inner.getElementById(link.hash.slice(1))) found.push(`${link.hash} leads nowhere`);
  for (const svg of inner.querySelectorAll("svg"))
    if (!svg.querySelector("title")?.textContent) found.push("a picture has no title");
  for (const image of inner.querySelectorAll("img"))
    if (!image.naturalWidth || !image.alt) found.push("an image is damaged, or has no words");
  if (inner.scripts.length) found.push("the page has a script");
  frame.remove();
  return {width, unfolding: all.length, closed, pictures: inner.querySelectorAll("svg,img").length};
}
(async () => {
  const seen = [];
  try { for (const width of widths) seen.push(await look(width)); }
  catch (error) { found.push(String(error)); }
  const result = document.createElement("pre");
  result.id = "result"; result.textContent = JSON.stringify({found, seen});
  document.body.replaceChildren(result);
})();
</script>"""


def browser() -> str | None:
    """The path of Chromium."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def pages(directory: Path) -> list[str]:
    """Write the pages, each as the command does; their names."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    from zom import v3  # noqa: PLC0415 - of this checkout
    from zom.cli.main import main  # noqa: PLC0415 - as above

    store = "demo/climate.zarr"
    with contextlib.chdir(directory):
        main(["demo", "demo"])
    shutil.copy(directory / "demo" / "report.html", directory / "report.html")
    spec = json.loads((directory / "demo" / "spec.json").read_text(encoding="utf-8"))
    members = spec["members"]
    members["t2m"]["codecs"].append({"name": "zsdt"})
    members["lat"]["dimension_names"] = ["latitude"]
    members["time"]["shape"] = [-48]
    (directory / "climate.json").write_text(json.dumps(spec, indent=2), encoding="utf-8")
    array = v3.ArraySpec.build(
        shape=(10_000, 7), dtype="float32", chunks=(100, 7), dimension_names=("time", "sensor")
    )
    many = v3.GroupSpec(
        members={
            f"station{group:03}": v3.GroupSpec(members={f"level{number}": array for number in range(9)})
            for group in range(500)
        }
    )
    (directory / "many.json").write_text(many.to_json(), encoding="utf-8")
    (directory / "faulty.json").write_text(json.dumps(faulty(many.to_dict())), encoding="utf-8")
    (directory / "long.json").write_text(json.dumps(long()), encoding="utf-8")
    with contextlib.chdir(directory):
        for name, *arguments in (
            ("findings", "validate", "climate.json", "--level", "closed"),
            ("array", "info", f"{store}::t2m", "--stored", "--picture"),
            ("tree", "tree", store, "--stored"),
            ("many", "tree", "many.json"),
            ("difference", "diff", f"{store}::daily", store),
            ("plan", "plan", "many.json", "new.zarr"),
            ("thousands", "validate", "faulty.json"),
            ("long", "validate", "long.json"),
            ("long_plan", "plan", "long.json", "other.zarr"),
            ("long_difference", "diff", "long.json", "many.json"),
        ):
            main([*arguments, "--format", "html", "-o", f"{name}.html"])
    shown = ["report", "findings", "array", "tree", "many", "difference", "plan"]
    return [*shown, "thousands", "long", "long_plan", "long_difference"]


def faulty(document: dict[str, Any]) -> dict[str, Any]:
    """A document of thousands of nodes, each array of which breaks rules."""
    for group in document["members"].values():
        for number, array in enumerate(group["members"].values()):
            array |= {"shape": [-number, 7], "codecs": [{"name": "zsdt"}], "dimension_names": ["time"]}
    return document


def long() -> dict[str, Any]:
    """A document whose names, texts, lists and nesting leave no room."""
    word = "W" * 220
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2**40] * 24,
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2**39] * 24}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": word}, {"name": "bytes"}],
        "dimension_names": [f"{word}{number}" for number in range(24)],
        "attributes": {word: word * 20, "list": [word] * 50},
    }
    node: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "members": {word: array}}
    for _ in range(60):
        node = {"zarr_format": 3, "node_type": "group", "attributes": {"_": word}, "members": {word: node}}
    return {**node, "members": {**node["members"], "a": array}}


class Handler(SimpleHTTPRequestHandler):
    """Serves the pages, and remembers what was asked for."""

    asked: list[str]

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        """One file."""
        self.asked.append(self.path)
        super().do_GET()


def run(chromium: str, *arguments: str) -> str:
    """What Chromium prints, with a profile of its own."""
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium has none for root; the pages are zom's own
        done = subprocess.run(  # noqa: S603 - a browser, by the path that was found
            [*command, *arguments], capture_output=True, text=True, check=False, timeout=120, encoding="utf-8"
        )
    return done.stdout


def check(chromium: str, directory: Path, names: list[str]) -> list[str]:
    """What is wrong with the pages."""
    asked: list[str] = []
    handler = partial(type("Here", (Handler,), {"asked": asked}), directory=str(directory))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong: list[str] = []
    try:
        for name in names:
            size = (directory / f"{name}.html").stat().st_size
            if size > 500_000:
                wrong.append(f"{name}: {size:,} bytes")
            asked.clear()
            checker = CHECKER % {"widths": list(WIDTHS), "page": json.dumps(f"/{name}.html")}
            (directory / "check.html").write_text(checker, encoding="utf-8")
            address = f"http://127.0.0.1:{server.server_address[1]}/check.html"
            dom = run(chromium, "--virtual-time-budget=20000", "--dump-dom", address)
            result = re.search(r'<pre id="result">(.*?)</pre>', dom, re.DOTALL)
            if result is None:
                wrong.append(f"{name}: the browser told nothing: {dom[:300]!r}")
                continue
            told = json.loads(html.unescape(result[1]))
            wrong += [f"{name}: {each}" for each in told["found"]]
            others = set(asked) - {"/check.html", f"/{name}.html", "/favicon.ico"}
            wrong += [f"{name}: asked for {each}" for each in sorted(others)]
            print(f"{name}: {size:,} bytes, {told['seen']}")
    finally:
        server.shutdown()
        server.server_close()
    return wrong


def take(chromium: str, directory: Path) -> None:
    """The pictures, in both widths, light and dark."""
    PICTURES.mkdir(exist_ok=True)
    for name, height in SHOWN.items():
        for width in WIDTHS:
            for scheme, number in SCHEMES.items():
                # A window is never narrower than 500 pixels, a frame in it is.
                frame = f'<body style="margin:0"><iframe src="{name}.html" width={width} height={height} style="border:0">'
                (directory / "frame.html").write_text(f"<!doctype html>{frame}</iframe>", encoding="utf-8")
                target = PICTURES / f"{name}-{width}-{scheme}.png"
                run(
                    chromium,
                    f"--blink-settings=preferredColorScheme={number}",
                    f"--window-size={max(width, 500)},{height}",
                    "--default-background-color=00000000",  # beside a narrow frame there is nothing
                    f"--screenshot={target}",
                    (directory / "frame.html").as_uri(),
                )
                print(target.relative_to(PICTURES.parent))


def main() -> int:
    """1 where a page is not as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="check the pages, and write no pictures")
    only_check: bool = parser.parse_args().check
    chromium = browser()
    if chromium is None:
        print("skipped: no Chromium was found; install the package chromium, or set CHROMIUM to its path")
        return 0
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        names = pages(directory)
        wrong = check(chromium, directory, names)
        if not only_check:
            take(chromium, directory)
    for each in wrong:
        print(f"wrong: {each}")
    print(f"{len(names) - len({each.partition(':')[0] for each in wrong})} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
