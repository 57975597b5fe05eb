"""`zom checksum`: print a digest of all keys and values of a store.

It is the digest of zarr-checksum, of the DANDI archive: the MD5 of the JSON of a directory's entry digests.
Two stores of any kind have the same digest if they hold the same keys with the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, FINDINGS, USAGE, CommandError
from zom.cli.printing import say, say_data, tell
from zom.cli.terminal import Progress, declare_progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from zom.cli.operand import Operand
    from zom.stores.interface import Store

__all__ = ["declare", "digest", "run"]

_BATCH = 64
"""Number of values read at once."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "stores",
        nargs="+",
        metavar="STORE",
        help="stores, or nodes in them; patterns such as '*.zarr' are expanded",
    )
    parser.add_argument(
        "--expect", metavar="DIGEST", help="exit with 1 if the digest of the store differs from this one"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="output format")
    declare_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the digest of each store; return FINDINGS if it is not the expected one."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.cli.places import expanded  # noqa: PLC0415 - slow to import
    from zom.json.write import facts_json  # noqa: PLC0415 - slow to import

    places = [store_at(name) for name in expanded(arguments.stores)]
    if arguments.expect is not None and len(places) != 1:
        raise CommandError("--expect takes exactly one store", USAGE)
    found: dict[str, str] = {}
    for place in places:
        found[place.name] = _of_place(place, arguments.progress)
        if arguments.format == "text":
            say(f"{found[place.name]}  {place.name}", flush=True)
    if arguments.format == "json":
        say_data(facts_json(found, indent=2))
    if arguments.expect is None or list(found.values()) == [arguments.expect]:
        return CLEAN
    tell(f"{places[0].name}: expected the digest {arguments.expect}; the content differs")
    return FINDINGS


def _of_place(place: Operand, progress: bool | None) -> str:  # noqa: FBT001 - as argparse gives it
    prefix = f"{place.path.strip('/')}/" if place.path.strip("/") else ""
    with place.opened() as store, Progress("reading", progress) as tell:
        return digest(store, prefix, tell)


def digest(store: Store, prefix: str = "", progress: Callable[[int, int], object] | None = None) -> str:
    """The digest of all keys below `prefix`.

    >>> from zom.stores.memory import MemoryStore
    >>> digest(MemoryStore())
    '481a2f77ab786a0f45aafd5db0971caa-0--0'
    """
    keys = sorted(store.list(prefix))
    sums: dict[str, tuple[str, int]] = {}
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        for key, value in zip(batch, store.get_many(batch), strict=True):
            if value is None:
                raise CommandError(
                    f"{store.url}: {key!r} was listed but no longer exists; wait until its writers are done",
                    FINDINGS,
                )
            sums[key.removeprefix(prefix)] = (_md5(value), len(value))
        if progress is not None:
            progress(start + len(batch), len(keys))
    return _of_tree(sums)


def _md5(value: bytes) -> str:
    from hashlib import md5  # noqa: PLC0415 - slow to import

    return md5(value, usedforsecurity=False).hexdigest()


def _of_tree(sums: dict[str, tuple[str, int]]) -> str:
    """The digest of a directory, from those of its files, deepest directories first."""
    files: dict[str, list[tuple[str, str, int]]] = {"": []}
    for key, (value, size) in sums.items():
        above, _, name = key.rpartition("/")
        files.setdefault(above, []).append((name, value, size))
        while above:
            above = above.rpartition("/")[0]
            files.setdefault(above, [])
    directories: dict[str, list[tuple[str, str, int]]] = {}
    counts: dict[str, int] = {}
    for place in sorted(files, key=lambda each: (-each.count("/") - bool(each), each)):
        inner = directories.pop(place, [])
        size = sum(each[2] for each in (*inner, *files[place]))
        counts[place] = counts.get(place, 0) + len(files[place])
        text = f'{{"directories":[{_entries(inner)}],"files":[{_entries(files[place])}]}}'
        found = f"{_md5(text.encode())}-{counts[place]}--{size}"
        if not place:
            return found
        above, _, name = place.rpartition("/")
        directories.setdefault(above, []).append((name, found, size))
        counts[above] = counts.get(above, 0) + counts[place]
    raise AssertionError


def _entries(entries: Iterable[tuple[str, str, int]]) -> str:
    from json import dumps  # noqa: PLC0415 - as zarr-checksum writes them

    parts = [
        f'{{"digest":"{value}","name":{dumps(name)},"size":{size}}}' for name, value, size in sorted(entries)
    ]
    return ",".join(parts)
