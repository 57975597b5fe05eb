"""The stores against what people really run: a server of S3, nginx, icechunk and zarr-python's own suite.

    python tests/interop/stores_remote.py

Starts moto's server and nginx on free ports of the loopback device and ends them again. What is missing
is installed into an environment of its own, or, where that fails, named on a line that begins with SKIP.
Ends with 1 where anything failed.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import importlib.util
import os
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
NEEDED = (
    "obstore",
    "fsspec",
    "zarr",
    "icechunk",
    "moto",
    "flask",
    "upath",
    "s3fs",
    "pytest",
    "pytest_asyncio",
    "hypothesis",
)
CANARY = "canary-7f3a"
ODD_KEYS = [
    "a b", "a%20b", "%2F", "ü/é", "e\u0301", "a#b", "a?b", "a*b", "[x]{y}^`", "a+b&c=d;e", "..a", "a..",
    ".a", "日本", "😀", "a:b", "a'b\"c", "a|b<c>", "~", " a", "a$b@c,d!(e)",
]  # fmt: skip

counts: Counter[str] = Counter()


def check(what: str, act: Callable[[], Any]) -> None:
    """Run `act`, which raises where `what` doesn't hold."""
    try:
        act()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        counts["failed"] += 1
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    else:
        counts["passed"] += 1
        print(f"ok     {what}", flush=True)


def skip(what: str, why: str) -> None:
    counts["skipped"] += 1
    print(f"SKIP   {what}: {why}", flush=True)


def lacks(what: str, *packages: str) -> bool:
    """Whether a package is missing; that is told."""
    missing = [each for each in packages if importlib.util.find_spec(each) is None]
    if missing:
        skip(
            what, f"{', '.join(missing)} not installed; pip install -r tests/interop/requirements-stores.txt"
        )
    return bool(missing)


def conclude() -> int:
    """Tell how many checks there were; 1 where one failed, or nothing was tried or skipped."""
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)
    return 1 if counts["failed"] or not (counts["passed"] or counts["skipped"]) else 0


def equal(found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"expected {str(expected)[:250]}, found {str(found)[:250]}")


def raises(kind: type[BaseException], text: str, act: Callable[[], Any]) -> BaseException:
    try:
        found = act()
    except kind as error:
        if text not in str(error):
            raise AssertionError(f"expected {text!r} in {error}") from error
        return error
    raise AssertionError(f"expected {kind.__name__}, found {found!r}")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def process(command: list[str], url: str, **options: Any) -> Iterator[None]:
    """A server, from its first answer on; it is ended by its own id, whatever happens."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                if started.poll() is not None:
                    output = started.stdout.read().decode() if started.stdout else ""
                    raise RuntimeError(
                        f"{command[0]} ended with {started.returncode}: {output[:500]}"
                    ) from None
                time.sleep(0.1)
        else:
            raise RuntimeError(f"{command[0]} gave no answer within 30 seconds")
        # From here on nobody reads the output; a full pipe would stop the server.
        drained = subprocess.Popen(["cat"], stdin=started.stdout, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            started.terminate()
            drained.wait(10)
    finally:
        if started.poll() is None:
            started.terminate()
            try:
                started.wait(10)
            except subprocess.TimeoutExpired:
                started.kill()
        started.wait()
        if started.stdout:
            started.stdout.close()


DRAWN = "behaves_as_a_dict or whatever_fails or a_part_of_it"
"""The tests that draw sequences of calls: they take minutes over a network."""

SERVED = """
import uuid, pytest
from zom.stores.fsspec import FsspecStore
from zom.testing.stores import StoreSuite
{opening}
class TestServed(StoreSuite):
    @pytest.fixture
    def store(self):
        return FsspecStore(opened, f"{folder}/{{uuid.uuid4().hex}}")
"""


def run_served(name: str, opening: str, folder: str) -> None:
    """Run the suite of stores in a folder of the file system of fsspec that `opening` calls `opened`."""
    source = SERVED.format(opening=opening, folder=folder)
    run_suite(f"suite on {name}", source, "-k", f"not ({DRAWN})")


def run_suite(name: str, source: str, *options: str) -> None:
    """Run test classes, written to a file, under pytest in another process; its last line tells how many."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "test_it.py")
        path.write_text(source)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=short",
            "-c",
            os.devnull,
        ]
        ended = subprocess.run(
            [*command, "--rootdir", folder, *options, str(path)],
            check=False, capture_output=True, text=True, cwd=folder, timeout=900,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])},
        )  # fmt: skip
    lines = ended.stdout.strip().splitlines() or [ended.stderr.strip()[-500:]]
    counts["suite tests"] += sum(
        int(count)
        for count, word in zip(lines[-1].split(), lines[-1].split()[1:], strict=False)
        if word.startswith("passed")
    )
    if ended.returncode:
        print(ended.stdout[-4000:], ended.stderr[-1000:], flush=True)
    check(f"{name}: {lines[-1]}", lambda: equal(ended.returncode, 0))


# --- S3 --------------------------------------------------------------------------------------------


def s3() -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with process(command, f"{url}/moto-api/"):
        for bucket in ("bucket", "suite"):
            request = urllib.request.Request(f"{url}/{bucket}", method="PUT")
            request.add_header(
                "Authorization", "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request"
            )
            urllib.request.urlopen(request, timeout=10).close()
        s3_checks(url)
        fsspec_checks(url)
        run_suite(
            "store suite on S3", S3_SUITE.format(url=url), "-k", "not whatever_fails and not a_part_of_it"
        )


S3_SUITE = """
import itertools, pytest
from zom.stores.opening import store as opened
from zom.testing.stores import StoreSuite
number = itertools.count()
class TestS3(StoreSuite):
    @pytest.fixture
    def store(self):
        return opened(f"s3://suite/{{next(number)}}", endpoint="{url}", access_key_id="x", secret_access_key="y",
                      region="us-east-1", client_options={{"allow_http": True}}, retry_config={{"max_retries": 0}}, pickle_credentials=True)
"""


def versions(store: Any, *, are_told: bool) -> None:
    """Parts of a value are of the version that is asked for, where the store tells versions."""
    from zom.stores.interface import Part, Range, Suffix

    store.set("v", b"the old value")
    [found, *others] = store.get_parts([Part("v", Suffix(5)), *[Part("v", Range(0, 3))] * 9])
    equal([part and part.version for part in others], [found and found.version] * 9)
    equal(found is not None and found.version is not None, are_told)
    asked = [Part("v", Range(4, 3), found and found.version)] * 9
    equal([part and part.value for part in store.get_parts(asked)], [b"old"] * 9)
    store.set("v", b"THE OLD VALUE")
    # Without a mark, as by fsspec, nobody can tell.
    equal([part and part.value for part in store.get_parts(asked)], [None if are_told else b"OLD"] * 9)
    store.delete("v")


def s3_checks(url: str) -> None:  # noqa: C901 - one closure for each check
    from zom.errors import StoreError
    from zom.stores.interface import Range, Suffix, cut
    from zom.stores.opening import store as opened

    options: dict[str, Any] = {
        "endpoint": url, "access_key_id": CANARY, "secret_access_key": CANARY, "region": "us-east-1",
        "client_options": {"allow_http": True},
    }  # fmt: skip
    store = opened("s3://bucket/data.zarr", **options)

    def odd_keys() -> None:
        for key in ODD_KEYS:
            store.set(key, key.encode())
            equal((key, store.get(key)), (key, key.encode()))
        equal(sorted(store.list()), sorted(ODD_KEYS))
        equal(store.get_many(ODD_KEYS), [key.encode() for key in ODD_KEYS])
        store.delete_many(ODD_KEYS)
        equal(list(store.list()), [])

    def ranges() -> None:
        for value in (b"abcdef", b""):
            store.set("r", value)
            for asked in (
                Range(0, 3),
                Range(4, 9),
                Range(6, 1),
                Range(6),
                Range(9),
                Range(0, 0),
                Suffix(2),
                Suffix(9),
                Suffix(0),
            ):
                equal((asked, store.get("r", asked)), (asked, cut(value, asked)))
                equal(store.get_many([("r", asked), ("none", asked)]), [cut(value, asked), None])
        store.delete("r")

    def conditions() -> None:
        equal([store.create("c", b"1"), store.create("c", b"2")], [True, False])
        found = store.get_version("c")
        equal(store.replace("c", b"3", found and found.version), True)
        equal(store.replace("c", b"4", found and found.version), False)
        equal(store.get("c"), b"3")
        store.delete("c")
        equal(store.replace("c", b"4", found and found.version), False)

    def prefixes() -> None:
        store.set_many(dict.fromkeys(["a", "a/x", "a/y/z", "ab/x", "a.b"], b"1"))
        equal(sorted(store.list("a/")), ["a/x", "a/y/z"])
        equal(store.list_dir(), (["a", "a.b"], ["a/", "ab/"]))
        equal(store.list_dir("a/"), (["a/x"], ["a/y/"]))
        store.set_many({f"many/{index}": b"" for index in range(1100)})
        equal(len(list(store.list("many/"))), 1100)
        store.delete_prefix("")
        equal(list(store.list()), [])

    def missing_bucket() -> None:
        gone = opened("s3://no-such-bucket/x", **options)
        for act in (lambda: gone.get("a"), lambda: gone.get_many(["a", "b"]), lambda: gone.set("a", b"1"),
                    lambda: gone.exists("a"), lambda: gone.create("a", b"1"), lambda: list(gone.list()), gone.list_dir):  # fmt: skip
            raises(StoreError, "NoSuchBucket", act)

    def secrets() -> None:
        from datetime import timedelta

        retry = {"max_retries": 0, "retry_timeout": timedelta(seconds=1)}
        dead = opened(
            "s3://bucket/x",
            **{**options, "endpoint": f"http://127.0.0.1:{free_port()}", "retry_config": retry},
        )
        error = raises(StoreError, "s3://bucket/x: cannot read 'k'", lambda: dead.get("k"))
        texts = [
            str(error),
            repr(error.args),
            repr(error.__cause__),
            repr(error.__context__),
            repr(store),
            str(store),
        ]
        equal([text for text in texts if CANARY in text], [])
        equal(CANARY.encode() in pickle.dumps(store), False)
        asked = opened("s3://bucket/data.zarr", pickle_credentials=True, **options)
        asked.set("p", b"1")
        equal(pickle.loads(pickle.dumps(asked)).get("p"), b"1")

    for name, act in {"keys with odd characters": odd_keys, "ranges": ranges, "conditional puts": conditions, "versions": lambda: versions(store, are_told=True),
                      "listing": prefixes, "a missing bucket is an error": missing_bucket, "no secret is shown": secrets}.items():  # fmt: skip
        check(f"S3: {name}", act)


def fsspec_checks(url: str) -> None:
    if importlib.util.find_spec("s3fs") is None:
        return skip("S3 by way of fsspec", "s3fs not installed")
    import fsspec

    from zom.errors import StoreError
    from zom.stores.fsspec import FsspecStore
    from zom.stores.interface import Range, Suffix, cut

    region = {"region_name": "us-east-1"}
    filesystem = fsspec.filesystem("s3", key=CANARY, secret=CANARY, endpoint_url=url, client_kwargs=region)
    store = FsspecStore(filesystem, "bucket/fsspec")

    def values() -> None:
        store.set_many({key: key.encode() for key in ODD_KEYS})
        equal(store.get_many(ODD_KEYS), [key.encode() for key in ODD_KEYS])
        equal(sorted(store.list()), sorted(ODD_KEYS))
        store.delete_many(ODD_KEYS)
        equal(list(store.list()), [])
        for value in (b"abcdef", b""):
            store.set("r", value)
            for asked in (Range(0, 3), Range(4, 9), Range(6, 1), Range(9), Range(0, 0), Suffix(2), Suffix(9)):
                equal((asked, store.get("r", asked)), (asked, cut(value, asked)))

    def missing_bucket() -> None:
        gone = FsspecStore(filesystem, "no-such-bucket/x")
        acts = [
            lambda: gone.get("a"),
            lambda: gone.get_many(["a", "b"]),
            lambda: gone.set("a", b"1"),
            gone.list_dir,
        ]
        for act in acts:
            error = raises(StoreError, "bucket does not exist", act)
            equal(CANARY in f"{error}{error.args}", False)

    check("S3 by way of fsspec: keys and ranges", values)
    check("S3 by way of fsspec: a missing bucket is an error", missing_bucket)
    return None


# --- nginx -----------------------------------------------------------------------------------------

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; keepalive_requests 50; default_type application/octet-stream; charset utf-8;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    gzip on; gzip_min_length 1; gzip_types *;
    server {{
        listen 127.0.0.1:{port}; listen [::1]:{port}; root {folder}/www;
        location / {{ autoindex on; }}
        location /hidden/ {{ alias {folder}/www/; autoindex off; }}
        location /shut/ {{ deny all; }}
        location /gone/ {{ return 410; }}
        location /busy/ {{ return 503; }}
        location /moved/ {{ rewrite ^/moved/(.*)$ /data/$1 redirect; }}
        location /keyed/ {{ if ($arg_sig != "{canary}") {{ return 403; }} alias {folder}/www/data/; }}
    }}
}}
"""


def installed(binary: str, package: str) -> str | None:
    """The path of a server's program, which root installs where apt-get has it; None where there is none."""
    found = shutil.which(binary, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", package]):
            subprocess.run(
                command,
                check=False,
                capture_output=True,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
        found = shutil.which(binary, path="/usr/sbin:/usr/bin")
    return found


def nginx() -> None:
    binary = installed("nginx", "nginx-light")
    if binary is None:
        return skip("nginx", "not installed; apt-get install nginx-light")
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        values = {"a/0": b"0123456789", "empty": b"", "zarr.json": b"{}", "big": bytes(range(256)) * 20000}
        values |= {f"odd/{key}": key.encode() for key in ODD_KEYS}
        for key, value in values.items():
            path = Path(folder, "www/data", key)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(value)
        config = Path(folder, "nginx.conf")
        has_ipv6 = (
            socket.has_ipv6
            and Path("/proc/net/if_inet6").exists()
            and Path("/proc/net/if_inet6").read_text().strip()
        )
        text = NGINX.format(folder=folder, port=port, canary=CANARY)
        if os.geteuid() == 0:  # else nginx's workers become a user who may not look into the folder
            text = f"user root;{text}"
        config.write_text(text if has_ipv6 else text.replace(f"listen [::1]:{port};", ""))
        with process(
            [binary, "-c", str(config), "-p", folder, "-e", f"{folder}/error.log"],
            f"http://127.0.0.1:{port}/",
        ):
            nginx_checks(f"http://127.0.0.1:{port}", values, has_ipv6=bool(has_ipv6))
            source = NGINX_SUITE.format(root=f"{folder}/www", url=f"http://127.0.0.1:{port}")
            run_suite("reading suite on nginx", source)
    return None


NGINX_SUITE = """
import itertools, pathlib, pytest
from zom.stores.http import HTTPStore
from zom.testing.stores import ReadingSuite
number = itertools.count()
class TestNginx(ReadingSuite):
    @pytest.fixture
    def store_with(self):
        made = []
        def make(values):
            name = f"suite{{next(number)}}"
            for key, value in values.items():
                path = pathlib.Path("{root}", name, key)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(value)
            made.append(HTTPStore(f"{url}/{{name}}", listable=True))
            return made[-1]
        yield make
        for store in made:
            store.close()
"""


def nginx_checks(url: str, values: dict[str, bytes], *, has_ipv6: bool) -> None:
    from zom.errors import StoreError
    from zom.stores.http import HTTPStore
    from zom.stores.interface import Range, Suffix, cut

    store = HTTPStore(f"{url}/data", listable=True, retries=1)

    def reading() -> None:
        equal(store.get_many(list(values)), list(values.values()))
        equal(store.get_many([*["a/0"] * 300, "none"]), [*[values["a/0"]] * 300, None])
        equal(
            [store.get("a"), store.get("a/none"), store.exists("empty"), store.exists("odd")],
            [None, None, True, False],
        )

    def ranges() -> None:
        for key in ("a/0", "empty", "big"):
            size = len(values[key])
            for asked in (
                Range(0, 3),
                Range(size - 1, 9),
                Range(size, 1),
                Range(size),
                Range(0, 0),
                Suffix(2),
                Suffix(size + 5),
                Suffix(0),
            ):
                if asked.length is None or asked[0] >= 0:
                    equal((key, asked, store.get(key, asked)), (key, asked, cut(values[key], asked)))

    def listing() -> None:
        # nginx shows no file whose name begins with a dot, though it serves it.
        shown = [key for key in values if not key.rpartition("/")[2].startswith(".")]
        equal(sorted(store.list()), sorted(shown))
        equal(store.list_dir(), (["big", "empty", "zarr.json"], ["a/", "odd/"]))
        equal(store.list_dir("none/"), ([], []))
        raises(StoreError, "403", HTTPStore(f"{url}/hidden/data").list_dir)

    def refusals() -> None:
        raises(StoreError, "answered 403, forbidden", lambda: HTTPStore(f"{url}/shut").get("a"))
        raises(
            StoreError,
            "answered 503, service unavailable",
            lambda: HTTPStore(f"{url}/busy", retries=1).get("a"),
        )
        equal(HTTPStore(f"{url}/gone").get("a"), None)
        equal(HTTPStore(f"{url}/moved").get("a/0", Range(2, 2)), b"23")
        equal(HTTPStore(f"{url}/keyed/?sig={CANARY}").get("a/0"), values["a/0"])
        error = raises(StoreError, "403", lambda: HTTPStore(f"{url}/keyed/?sig={CANARY}x").get("a/0"))
        equal(CANARY in f"{error}{error.args}{error.__cause__}{error.__context__}", False)

    checks = {
        "values and missing keys": reading,
        "ranges": ranges,
        "autoindex": listing,
        "refusals and redirects": refusals,
    }
    for name, act in checks.items():
        check(f"nginx: {name}", act)
    store.close()
    if has_ipv6:
        check(
            "nginx: IPv6",
            lambda: equal(HTTPStore(url.replace("127.0.0.1", "[::1]") + "/data").get("a/0"), values["a/0"]),
        )
    else:
        skip("nginx: IPv6", "this machine has no IPv6")


# --- zarr-python and icechunk ----------------------------------------------------------------------


def icechunk() -> None:
    import icechunk as ice
    import numpy as np
    import zarr

    from zom.errors import StoreError
    from zom.stores.opening import store as opened

    def round_trip() -> None:
        repository = ice.Repository.create(ice.in_memory_storage())
        source = opened("memory://icechunk-source")
        made = zarr.create_group(_bridge(source)).create_array(
            "x", shape=(40, 40), chunks=(10, 10), dtype="f4"
        )
        made[:] = np.arange(1600).reshape(40, 40)
        session = repository.writable_session("main")
        target = opened(session)
        target.set_many([(key, source.get(key) or b"") for key in source.list()])
        session.commit("copied")
        shut = repository.readonly_session("main")
        equal(np.array_equal(zarr.open_group(shut.store, mode="r")["x"][:], made[:]), True)
        again = opened(shut)
        equal(sorted(again.list()), sorted(source.list()))
        equal(again.get_many(sorted(source.list())), source.get_many(sorted(source.list())))
        equal([again.get("README"), again.get(".zgroup"), again.get("none/c/0")], [None, None, None])
        equal(again.capabilities.writable, False)
        raises(StoreError, "read-only", lambda: again.set("zarr.json", b"{}"))

    check("icechunk: written by zom, committed, read by zarr-python and zom", round_trip)


def _bridge(store: Any) -> Any:
    from zom.stores.zarr_python import as_zarr_python

    return as_zarr_python(store)


ZARR_SUITE = """
import pytest
from zarr.core.buffer import cpu
from zarr.testing.store import StoreTests
from zom.stores.{module} import {kind}
from zom.stores.zarr_python.bridge import Bridge

class TestBridge(StoreTests):
    store_cls = Bridge
    buffer_cls = cpu.Buffer

    @pytest.fixture
    def store_kwargs(self, tmp_path):
        return {{"inner": {made}}}

    async def set(self, store, key, value):
        store.inner.set(key, value.to_bytes())

    async def get(self, store, key):
        return self.buffer_cls.from_bytes(store.inner.get(key))

    def test_store_repr(self, store):
        assert repr(store) == f"<Bridge of {{store.inner!r}}>"

    def test_store_supports_writes(self, store):
        assert store.supports_writes

    def test_store_supports_listing(self, store):
        assert store.supports_listing
"""


def zarr_python() -> None:
    options = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")
    # A store in memory refuses to be pickled, which one test of zarr-python's asks for.
    stores = {
        "memory": ("memory", "MemoryStore", "MemoryStore()", "not serializable and not store_eq"),
        "a directory": ("local", "LocalStore", "LocalStore(tmp_path)", ""),
        "SQLite": ("sqlite", "SQLiteStore", "SQLiteStore(tmp_path / 'a.sqlite')", ""),
    }
    for name, (module, kind, made, chosen) in stores.items():
        source = ZARR_SUITE.format(module=module, kind=kind, made=made)
        run_suite(f"zarr.testing.store.StoreTests on {name}", source, *options, "-k", chosen or "test")


# --- the whole -------------------------------------------------------------------------------------


def with_what_is_needed() -> None:
    """Start again in an environment that has everything, where this one hasn't."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if not missing or os.environ.get("ZOM_STORES_VENV"):
        return
    print(f"missing here: {', '.join(missing)}; making an environment of requirements-stores.txt", flush=True)
    with tempfile.TemporaryDirectory(prefix="zom-stores-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin/python"))
        wanted = ["-r", str(HERE / "requirements-stores.txt"), str(HERE.parents[1])]
        installed = subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=False)
        if installed.returncode:
            print("SKIP   the environment could not be made; only what is there is run", flush=True)
            return
        ended = subprocess.run(
            [python, str(Path(__file__).resolve())],
            check=False,
            env={**os.environ, "ZOM_STORES_VENV": folder},
        )
        code = ended.returncode
    sys.exit(code)


def main() -> int:
    with_what_is_needed()
    if importlib.util.find_spec("zom") is None:
        sys.path.insert(0, str(SOURCE))
    parts: dict[str, tuple[Callable[[], None], tuple[str, ...]]] = {
        "S3": (s3, ("obstore", "moto", "flask", "pytest", "hypothesis")),
        "nginx": (nginx, ("pytest", "hypothesis")),
        "icechunk": (icechunk, ("icechunk", "zarr")),
        "zarr-python": (zarr_python, ("zarr", "pytest", "pytest_asyncio")),
    }
    for name, (run, needed) in parts.items():
        if lacks(name, *needed):
            continue
        start = time.perf_counter()
        try:
            run()
        except Exception as error:  # noqa: BLE001 - a server that doesn't start is a failure
            counts["failed"] += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        print(f"       {name}: {time.perf_counter() - start:.1f} s", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
