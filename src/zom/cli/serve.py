"""`zom serve`: serve a store over HTTP on this machine, read-only, for browsers and viewers.

Every page of any site may read what is served here (CORS), so it listens on the loopback interface alone, and answers only
requests that name this machine: a page elsewhere can't reach it by a name of its own. Only keys of the store are
served: there is no path outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, UNREADABLE, CommandError
from zom.cli.printing import say, tell

if TYPE_CHECKING:
    import argparse

    from zom.stores.interface import Store

__all__ = ["declare", "run"]

_HOSTS = ("127.0.0.1", "localhost", "::1")


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument(
        "store", metavar="STORE", help="a directory, a zip or SQLite file, a URL, or a node in one"
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="the port (default: a free one)")
    parser.add_argument(
        "--host", choices=_HOSTS, default="127.0.0.1", help="the address (default: 127.0.0.1)"
    )


def _port(text: str) -> int:
    """The port that a text is.

    >>> _port("8000")
    8000
    """
    if not (text.isascii() and text.isdecimal() and int(text) < 65536):
        from argparse import ArgumentTypeError  # noqa: PLC0415 - where there is a mistake

        message = f"expected a port from 0 to 65535, found {text!r}"
        raise ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is interrupted; prints the address."""
    from zom.cli.operand import store_at  # noqa: PLC0415 - slow to import
    from zom.cli.server import server_of  # noqa: PLC0415 - slow to import

    place = store_at(arguments.store)
    with place.opened() as store:
        if place.path and not _is_anything_at(store, place.path):
            message = f"{place.store}: expected a node at /{place.path.strip('/')}, found nothing; see zom tree {place.store}"
            raise CommandError(message, UNREADABLE)
        try:
            server: Any = server_of(store, place.path, arguments.host, arguments.port, name=place.name)
        except OSError as cause:
            from zom.reason import reason_of  # noqa: PLC0415 - where something failed

            message = f"port {arguments.port}: {reason_of(cause)}; choose another --port, or omit it"
            raise CommandError(message, UNREADABLE) from None
        try:
            _serve(server, arguments.host, place.name)
        except KeyboardInterrupt:
            return CLEAN
        finally:
            server.server_close()
    return CLEAN


def _is_anything_at(store: Store, path: str) -> bool:
    """Whether there is a node, or, where a store can be listed, any key below the path."""
    from zom.hierarchy.stored.below import is_hierarchy  # noqa: PLC0415 - slow to import

    inner = path.strip("/")
    return is_hierarchy(store, inner) or (store.capabilities.listable and any(store.list_dir(f"{inner}/")))


def _serve(server: Any, address: str, name: str) -> None:
    """Say where, and serve."""
    host = f"[{address}]" if ":" in address else address
    say(f"http://{host}:{server.server_address[1]}/", flush=True)
    tell(f"{name} served read-only until you press Ctrl-C")
    server.serve_forever()
