"""All benchmarks, one after the other: prints what they print, and writes the tables as JSON and as plots.

    python benchmarks/run.py [--quick] [--to FOLDER] [NAME ...]

NAME selects scripts, as `chunks` or `far`; without any, all run. `--quick` takes one round of fewer cells and smaller
sizes, some minutes in all: that all of them run, and what grew several times slower, can be seen from it. FOLDER, which is
`benchmarks/results` by default, gets a file of JSON for each script, with its tables as lists of rows, and plots of
reads and writes by chunk size (`chunks.svg`), of hierarchies and arrays by their size (`growth-nodes.svg` and others), and
of far stores by how late they answer (`far.svg`). Ends with 1 where a script missed a target.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from plots import lines

if TYPE_CHECKING:
    from plots import Points

HERE = Path(__file__).parent
SCRIPTS = (
    "chunks",
    "shapes",
    "threads",
    "far",
    "far-5",
    "far-100",
    "reading",
    "materializing",
    "model",
    "starting",
    "copying",
    "memory",
    "growth",
    "stores",
    "conventions",
    "schema",
    "dask_reading",
    "xarray_opening",
    "xarray_creating",
    "hdf5_copying",
)
QUICK: dict[str, list[str]] = {
    "chunks": ["1", "float32 zstd 64K", "float32 blosc 1M square", "shards zstd 4K"],
    "shapes": ["1", "maps zstd", "planes blosc"],
    "threads": ["1", "memory read zstd", "shm write none"],
    "far": ["--rounds", "1", "--delay", "0.03", "--only", "chunks"],
    "far-5": ["--rounds", "1", "--only", "chunks"],
    "far-100": ["--rounds", "1", "--only", "chunks"],
    "reading": ["--rounds", "1"],
    "materializing": ["--rounds", "1"],
    "model": ["--rounds", "1"],
    "starting": ["--rounds", "1"],
    "copying": ["1"],
    "memory": ["--only", "chunks zstd"],
    "growth": ["--most", "1000", "--disk-most", "1000", "--rounds", "1"],
    "stores": ["1"],
    "conventions": ["1"],
    "schema": ["--rounds", "1"],
    "dask_reading": ["--rounds", "1"],
    "xarray_opening": ["--rounds", "1", "--variables", "50"],
    "xarray_creating": ["--rounds", "1", "--delay", "0.005"],
    "hdf5_copying": ["--rounds", "1", "--variables", "2"],
}
"""What the scripts are told where it must be quick."""
SIZES = ("4K", "64K", "1M square")
COLOURS = {"none": "#4477aa", "zstd": "#ee6677", "blosc": "#228833", "gzip": "#aa7700"}
WIDTH, HEIGHT, LEFT, TOP = 340, 220, 46, 34
MOST = 4.0

Row = dict[str, str]


def tables(text: str) -> list[list[Row]]:
    """The tables of Markdown in `text`, each as a list of rows by the names of its columns."""
    found: list[list[Row]] = []
    names: list[str] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            names = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if names is None:
            names = cells
            found.append([])
        elif not set(line) <= set("| -:"):
            found[-1].append(dict(zip(names, cells, strict=False)))
    return found


def run(name: str, folder: Path, more: list[str]) -> int:
    """Run one script, told `more`, and write what it measured; its exit code."""
    script, _, delay = name.partition("-")
    command = [sys.executable, str(HERE / f"{script}.py"), *more]
    if delay:
        command += ["--delay", str(int(delay) / 1000)]
    began = time.perf_counter()
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    text = "".join(lines)
    result = {
        "benchmark": name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "exit_code": process.returncode,
        "seconds": round(time.perf_counter() - began, 1),
        "titles": [line[3:].strip() for line in lines if line.startswith("## ")],
        "tables": tables(text),
        "missed": [line.strip() for line in lines if line.lower().lstrip("- ").startswith("missed")],
    }
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    return process.returncode


def ratios(rows: list[Row], act: str) -> dict[str, list[float]]:
    """For each codec the time of zom by chunk size, as a multiple of the faster peer's."""
    by_name = {row["cell"]: float(row["zom / faster"]) for row in rows}
    made: dict[str, list[float]] = {}
    for codec in COLOURS:
        values = [by_name.get(f"{act} float32 {codec} {size}") for size in SIZES]
        if None not in values:
            made[codec] = [value for value in values if value is not None]
    return made


def plot(rows: list[Row]) -> str:
    """Reads and writes by chunk size, side by side, as SVG."""
    size = f'viewBox="0 0 {2 * WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        "<title>Time of zom as a multiple of the faster of tensorstore and zarrs</title>",
        f'<rect width="{2 * WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for place, act in enumerate(("read", "write")):
        parts += _panel(place * WIDTH, act, ratios(rows, act))
    return "\n".join([*parts, "</svg>", ""])


def _panel(x: int, act: str, found: dict[str, list[float]]) -> list[str]:
    bottom, right = HEIGHT - 30, x + WIDTH - 70

    def height(ratio: float) -> float:
        return bottom - min(ratio, MOST) / MOST * (bottom - TOP)

    columns = [
        x + LEFT + 20 + place * (right - x - LEFT - 40) / (len(SIZES) - 1) for place in range(len(SIZES))
    ]
    parts = [f'<text x="{x + LEFT}" y="18" font-weight="bold">{act}s: zom / faster peer</text>']
    for ratio in range(int(MOST) + 1):
        shade = "#333333" if ratio == 1 else "#dddddd"
        y = height(ratio)
        parts.append(f'<line x1="{x + LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{shade}"/>')
        parts.append(f'<text x="{x + LEFT - 14}" y="{y + 4:.1f}">{ratio}</text>')
    for column, size in zip(columns, SIZES, strict=True):
        parts.append(
            f'<text x="{column:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{size.split()[0]}</text>'
        )
    for codec, values in found.items():
        points = [(column, height(value)) for column, value in zip(columns, values, strict=True)]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[codec]}" stroke-width="2"/>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{COLOURS[codec]}"/>' for px, py in points]
    for place, codec in enumerate(found):
        y = TOP + 8 + 16 * place
        parts.append(f'<text x="{right + 8}" y="{y}" fill="{COLOURS[codec]}">{codec}</text>')
    return parts


def measured(folder: Path, name: str) -> list[list[Row]]:
    """The tables of a script that ran; none where it did not."""
    file = folder / f"{name}.json"
    found: list[list[Row]] = json.loads(file.read_text())["tables"] if file.exists() else []
    return found


def growth_plots(folder: Path) -> dict[str, str]:
    """A plot of each table of `growth`: the cost of a chunk or a node, by how many there are."""
    made: dict[str, str] = {}
    for rows in measured(folder, "growth"):
        title, *columns = rows[0]
        sizes = [name for name in columns if name != "growth"]
        series = {
            row[title]: [(float(size.replace(",", "")), float(row[size])) for size in sizes] for row in rows
        }
        name = title.replace(",", "").replace(" ", "-")
        made[f"growth-{name}"] = lines(f"{title}: us for each", "how many", series)
    return made


def far_plot(folder: Path) -> str | None:
    """Each workload of `far` by the delay of a request, as a multiple of the fastest peer's time."""
    series: dict[str, Points] = {}
    for name, delay in (("far-5", 5), ("far", 30), ("far-100", 100)):
        file = folder / f"{name}.json"
        titles = json.loads(file.read_text())["titles"] if file.exists() else []
        for title, rows in zip(titles, measured(folder, name), strict=False):
            mine = float(rows[0]["ms"])
            others = [float(row["ms"]) for row in rows if not row[""].startswith("zom")]
            if others:
                series.setdefault(title, []).append((delay, mine / min(others)))
    return lines("far stores: zom / fastest peer", "ms a request", series, mark=1) if series else None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help="fewer cells, one round")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=SCRIPTS)
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    missed: list[str] = []
    for name in arguments.names or SCRIPTS:
        print(f"\n# {name}\n", flush=True)
        if run(name, arguments.to, QUICK[name] if arguments.quick else []):
            missed.append(name)
    plots = growth_plots(arguments.to)
    chunks, far = measured(arguments.to, "chunks"), far_plot(arguments.to)
    if chunks:
        plots["chunks"] = plot(chunks[0])
    if far is not None:
        plots["far"] = far
    for name, text in plots.items():
        (arguments.to / f"{name}.svg").write_text(text)
    if missed:
        print(f"\ntargets missed by {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
