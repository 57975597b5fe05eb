"""`zom serve`: serve a store over HTTP on this machine, read-only, for browsers and viewers.

Pages of any site may read the served store (CORS). So the server listens on the loopback interface only, and
answers only requests that name this machine: a page elsewhere can't reach it by its own host name. Only keys
of the store are served, and no path outside of it.
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
    """Add the arguments of the verb."""
    parser.add_argument(
        "store", metavar="STORE", help="a directory, a zip or SQLite file, a URL, or a node in one"
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="the port (default: a free one)")
    parser.add_argument(
        "--host", choices=_HOSTS, default="127.0.0.1", help="the address (default: 127.0.0.1)"
    )


def _port(text: str) -> int:
    """The port in `text`.

    >>> _port("8000")
    8000
    """
    if not (text.isascii() and text.isdecimal() and int(text) < 65536):
        from argparse import ArgumentTypeError  # noqa: PLC0415 - only on errors

        message = f"expected a port from 0 to 65535, found {text!r}"
        raise ArgumentTypeError(message)
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Print the address, and serve until interrupted."""
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
            from zom.reason import reason_of  # noqa: PLC0415 - only on errors

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
    """Whether there is a node at the path or, if the store can be listed, any key below it."""
    from zom.hierarchy.stored.below import is_hierarchy  # noqa: PLC0415 - slow to import

    inner = path.strip("/")
    return is_hierarchy(store, inner) or (store.capabilities.listable and any(store.list_dir(f"{inner}/")))


def _serve(server: Any, address: str, name: str) -> None:
    """Print the address, and serve."""
    host = f"[{address}]" if ":" in address else address
    say(f"http://{host}:{server.server_address[1]}/", flush=True)
    tell(f"{name} served read-only until you press Ctrl-C")
    server.serve_forever()
