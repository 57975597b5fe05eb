"""`zom serve`: what a browser and a viewer ask of it, and what nobody gets."""

from __future__ import annotations

import http.client
import signal
import socket
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

import zom
from zom import v3
from zom.cli.confined import ConfinedStore
from zom.cli.server import server_of
from zom.stores.memory import MemoryStore


@pytest.fixture
def ask():
    """Asks a server of a small store: status, headers, body."""
    store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/c/0": b"0123456789"})
    store.set("large", bytes(2_000_000))
    server = server_of(store, "", "127.0.0.1", 0, name="a.zarr")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()

    def asked(method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    yield asked
    server.shutdown()
    server.server_close()


def test_a_value_is_served_with_its_length_and_for_every_site(ask):
    status, headers, body = ask("GET", "/a/c/0")
    assert (status, body) == (200, b"0123456789")
    assert headers["Content-Length"] == "10"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Accept-Ranges"] == "bytes"
    assert headers["Content-Type"] == "application/octet-stream"
    assert ask("GET", "/zarr.json")[1]["Content-Type"] == "application/json"


def test_head_tells_the_same_without_the_value(ask):
    for path in ("/a/c/0", "/large", "/nothing"):
        status, headers, body = ask("GET", path)
        bare = ask("HEAD", path)
        assert bare[0] == status
        assert bare[1]["Content-Length"] == headers["Content-Length"]
        assert bare[2] == b""
        assert len(body) == int(headers["Content-Length"])


@pytest.mark.parametrize(
    ("wanted", "status", "body", "told"),
    [
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=-30", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=5-500", 206, b"56789", "bytes 5-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=-0", 416, b"", "bytes */10"),
        ("bytes=0-1,4-5", 200, b"0123456789", None),
        ("bytes=4-2", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
        ("bytes=-", 200, b"0123456789", None),
    ],
)
def test_ranges(ask, wanted, status, body, told):
    found, headers, part = ask("GET", "/a/c/0", {"Range": wanted})
    assert (found, part, headers.get("Content-Range")) == (status, body, told)


def test_a_part_of_a_large_value_is_read_alone(ask):
    status, headers, body = ask("GET", "/large", {"Range": "bytes=-4"})
    assert (status, body, headers["Content-Range"]) == (206, bytes(4), "bytes 1999996-1999999/2000000")


def test_what_has_not_changed_is_not_sent_again(ask):
    tag = ask("GET", "/a/c/0")[1]["ETag"]
    for said in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        status, headers, body = ask("GET", "/a/c/0", {"If-None-Match": said})
        assert (status, body, headers["ETag"]) == (304, b"", tag)
    assert ask("GET", "/a/c/0", {"If-None-Match": '"other"'})[0] == 200
    assert ask("GET", "/a/c/0", {"If-Range": tag, "Range": "bytes=0-1"})[0] == 206
    assert ask("GET", "/a/c/0", {"If-Range": '"other"', "Range": "bytes=0-1"})[0] == 200


def test_a_browser_may_ask_before_it_reads(ask):
    status, headers, body = ask("OPTIONS", "/a/c/0", {"Origin": "https://example.org"})
    assert (status, body) == (204, b"")
    assert "Range" in headers["Access-Control-Allow-Headers"]
    assert headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
def test_nothing_can_be_written(ask, method):
    status, headers, body = ask(method, "/a/c/0", body=b"x")
    assert (status, body) == (405, b"this server is read-only\n")
    assert headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "path", ["/../secret", "/a/../../secret", "/%2e%2e/secret", "/a//c", "//etc/passwd", "/a/c/", "/%00"]
)
def test_no_path_leads_out_of_the_store(ask, path):
    assert ask("GET", path)[0] == 404


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:80", "localhost.example.org", "127.0.0.1.example.org", ""]
)
def test_a_site_cannot_reach_it_by_a_name_of_its_own(ask, host):
    status, _, body = ask("GET", "/a/c/0", {"Host": host})
    assert (status, body) == (403, b"request localhost: this server only serves this machine\n")


def test_the_root_is_a_page(ask):
    status, headers, body = ask("GET", "/")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<h1>a.zarr</h1>" in body


@pytest.fixture
def disk(tmp_path):
    """The bytes that a server of a directory answers to the bytes of a request."""
    zom.create_array(tmp_path / "a.zarr", v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")[...] = 1
    (tmp_path / "secret").write_text("SECRET")
    (tmp_path / "a.zarr" / "inside").symlink_to("a/zarr.json")
    (tmp_path / "a.zarr" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "a.zarr" / "folder").symlink_to(tmp_path)
    (tmp_path / "a.zarr" / "large").write_bytes(bytes(30_000_000))
    server = server_of(zom.store(tmp_path / "a.zarr", read_only=True), "", "127.0.0.1", 0, name="a.zarr")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def asked(request, *, leave=False):
        with socket.create_connection(server.server_address, timeout=20) as connection:
            connection.sendall(request)
            if leave:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return connection.recv(10)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))

    asked.address = server.server_address
    yield asked
    server.shutdown()
    server.server_close()


def request(path, *headers):
    return "\r\n".join(
        (f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", "")
    ).encode()


@pytest.mark.parametrize("path", ["/link", "/folder/secret"])
def test_links_that_lead_out_of_the_store_are_not_served(disk, path):
    answer = disk(request(path))
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert answer.endswith(b"\r\n\r\nsymbolic links out of the store are not served\n")
    assert disk(request("/inside")).startswith(b"HTTP/1.1 200 ")


def test_the_page_shows_nothing_that_a_link_out_of_the_store_leads_to(disk, tmp_path):
    """A node of another store, by its directory and by its document; a node of this one that a link leads to is shown."""
    other = v3.ArraySpec.build(shape=(7,), dtype="int8", attributes={"title": "HIDDEN"})
    zom.create_array(tmp_path / "other.zarr", other, "b")
    (tmp_path / "a.zarr" / "foreign").symlink_to(tmp_path / "other.zarr" / "b")
    (tmp_path / "a.zarr" / "borrowed").mkdir()
    (tmp_path / "a.zarr" / "borrowed" / "zarr.json").symlink_to(tmp_path / "other.zarr" / "b" / "zarr.json")
    (tmp_path / "a.zarr" / "own").symlink_to("a")
    page = disk(request("/")).decode()
    assert "HTTP/1.1 200 " in page
    assert "HIDDEN" not in page
    assert "foreign" not in page
    assert "own" in page
    for path in ("/foreign/zarr.json", "/borrowed/zarr.json"):
        assert disk(request(path)).startswith(b"HTTP/1.1 403 ")
    assert disk(request("/own/zarr.json")).startswith(b"HTTP/1.1 200 ")


def test_a_store_that_is_a_link_itself_is_served(tmp_path):
    zom.create_array(tmp_path / "real.zarr", v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    (tmp_path / "link.zarr").symlink_to(tmp_path / "real.zarr")
    confined = ConfinedStore(zom.store(tmp_path / "link.zarr", read_only=True))
    assert sorted(confined.list("")) == ["a/zarr.json", "zarr.json"]
    assert [confined.get("a/zarr.json") is None, *confined.list_dir("").prefixes] == [False, "a/"]


@pytest.mark.parametrize("path", ["/a", "/a/zarr.json/x", f"/{'a' * 300}", f"/{'a/' * 3000}b", "*", "/%ff"])
def test_what_can_be_no_file_is_no_key(disk, path):
    assert disk(request(path)).startswith(b"HTTP/1.1 404 ")


def test_an_address_that_is_none_is_refused(disk, capsys):
    answer = disk(request("http://[::1/x"))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"expected the path of a key\n")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("headers", "status"),
    [(["Host: example.org"], 403), (["X: " + "a" * 70_000], 431), (["X: y"] * 200, 431)],
    ids=["two hosts", "a long header", "many headers"],
)
def test_headers_that_are_no_good_are_refused(disk, headers, status):
    assert disk(request("/a/zarr.json", *headers)).startswith(f"HTTP/1.1 {status} ".encode())


def test_who_goes_before_the_end_is_not_told_of(disk, capsys):
    assert disk(request("/large"), leave=True) == b"HTTP/1.1 2"
    assert disk(request("/a/zarr.json")).startswith(b"HTTP/1.1 200 ")
    assert capsys.readouterr().err == ""


def test_a_small_value_comes_together_with_its_head(disk):
    """Sent one after the other, with Nagle's algorithm, each answer on a connection takes 40 ms and more."""
    with socket.create_connection(disk.address, timeout=20) as connection:
        for _ in range(20):
            connection.sendall(b"GET /a/zarr.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
            assert f"Content-Length: {len(body)}\r\n".encode() in head + b"\r\n"
            assert body.startswith(b"{")


@pytest.fixture
def served(tmp_path):
    """The command in a process of its own, and its address."""
    spec = v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3))
    zom.materialize(
        v3.GroupSpec(members={"a": spec}), tmp_path / "a.zarr", data={"a": np.arange(24).reshape(4, 6)}
    )
    # Where the tests run in the background of a shell, the signal is ignored, and children inherit that.
    heeding = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [
        sys.executable,
        "-c",
        f"{heeding}runpy.run_module('zom', run_name='__main__')",
        "serve",
        "a.zarr",
    ]
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield child, child.stdout.readline().strip()
    child.kill()
    child.communicate()


def test_another_reader_reads_what_is_served_and_ctrl_c_ends_it(served):
    child, address = served
    with zom.store(address) as store:
        assert (zom.open(store)["a"][:] == np.arange(24).reshape(4, 6)).all()
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == 0
    assert "served read-only until you press Ctrl-C" in child.stderr.read()


def test_a_port_that_is_taken_is_told_of(call, small):
    zom.materialize(small, "a.zarr")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = call("serve", "a.zarr", "--port", port)
    assert code == 3
    assert err == f"zom serve: port {port}: address already in use; choose another --port, or omit it\n"
    assert call("serve", "a.zarr", "--port", "70000")[0] == 2


def test_a_path_at_which_nothing_is_is_told_of(call, tmp_path, small):
    zom.materialize(small, tmp_path / "a.zarr")
    code, out, err = call("serve", "a.zarr::t3m")
    assert (code, out) == (3, "")
    assert err == "zom serve: a.zarr: expected a node at /t3m, found nothing; see zom tree a.zarr\n"
