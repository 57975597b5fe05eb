"""GET requests through the browser for Python in WebAssembly, which has no sockets.

XMLHttpRequest (https://xhr.spec.whatwg.org) works synchronously: in a worker it returns bytes; in a page
it can only wait for text, with one character per byte. The browser follows redirects and decodes bodies. It
hides answers that another site doesn't allow the page to read (CORS), and headers that it doesn't expose.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from typing_extensions import override

from zom.stores.http.client import Answer, Client, HTTPFailure, refuse_coding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BrowserClient"]

_UNSENT = frozenset({"accept-encoding", "if-match"})
"""Headers that only the browser may set, or that other sites must allow; the ETag identifies the version."""

_BYTES_AS_TEXT = "text/plain; charset=x-user-defined"
"""The encoding with one character per byte: the byte is the last eight bits of its number."""


class BrowserClient(Client):
    """Sends requests through the browser, one after the other."""

    @override
    def ask_size(self, url: str) -> Answer:
        if _is_own(url):
            return super().ask_size(url)
        # For another site, the browser hides the total size in Content-Range.
        answer = self._patiently(lambda: self._ask("HEAD", url, {}, self._limits.max_bytes))
        return answer if answer.status != 200 or answer.header("content-length") else self.get(url, {})

    @override
    def may_ask_for_ends(self, url: str) -> bool:
        """Only for the page's own site: others need a preflight request, which few servers support."""
        return _is_own(url)

    @override
    def _follow(self, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        return self._ask("GET", url, headers, limit)

    def _ask(self, method: str, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        page: Any = import_module("js")
        if not hasattr(page, "XMLHttpRequest"):
            raise HTTPFailure("this JavaScript runtime has no XMLHttpRequest, and Python has no sockets here")
        request = page.XMLHttpRequest.new()
        request.open(method, url, False)  # False: synchronous
        is_page = hasattr(page, "document")
        if is_page:
            request.overrideMimeType(_BYTES_AS_TEXT)
        else:
            request.responseType = "arraybuffer"
            request.timeout = int(1000 * self._limits.timeout)
        for name, value in {**self._headers, **headers}.items():
            if name.lower() not in _UNSENT:
                request.setRequestHeader(name, value)
        self._send(request, url)
        body = _bytes_of(request.responseText) if is_page else request.response.to_bytes()
        return _answer(request, url, body, limit)

    def _send(self, request: Any, url: str) -> None:
        refused: type[Exception] = import_module("pyodide.ffi").JsException
        try:
            request.send()
        except refused as cause:
            if getattr(cause, "name", "") == "TimeoutError":
                raise HTTPFailure(f"no answer within {self._limits.timeout:g} seconds") from cause
            site = urlsplit(url).netloc.rpartition("@")[2]
            reason = f"the browser returned no answer from {site}: the site can't be reached, or doesn't allow this page to read it (CORS)"
            raise HTTPFailure(reason) from cause


def _answer(request: Any, url: str, body: bytes, limit: int) -> Answer:
    if len(body) > limit:
        raise HTTPFailure(f"the value has {len(body)} bytes, more than the limit of {limit}")
    found = _headers_of(str(request.getAllResponseHeaders()))
    status, address = int(request.status), str(request.responseURL)
    first, last = urlsplit(url), urlsplit(address)
    if status == 206:  # a part can't be decoded; a whole body is decoded already
        refuse_coding(status, found)
    return Answer(
        status,
        found,
        body,
        last._replace(query="", fragment="").geturl(),
        is_directory=last.path != first.path and last.path == f"{first.path}/",
        shows_all=_is_own(address),
    )


def _is_own(url: str) -> bool:
    """Whether the URL is on the site of this page, whose answers are fully visible."""
    there, page = urlsplit(url), getattr(import_module("js"), "location", None)
    return page is not None and f"{there.scheme}://{there.netloc}" == str(page.origin)


def _headers_of(text: str) -> dict[str, str]:
    r"""Parse headers into a dict by lower-case name.

    >>> _headers_of('content-length: 3\r\nETag: "a"\r\n')
    {'content-length': '3', 'etag': '"a"'}
    """
    lines = (line.partition(":") for line in text.split("\r\n") if line)
    return {name.lower(): value.strip() for name, _, value in lines}


def _bytes_of(text: str) -> bytes:
    r"""Convert a text with one character per byte to bytes.

    >>> _bytes_of("a\uf7ff\x00")
    b'a\xff\x00'
    """
    return text.encode("utf-16-le", "surrogatepass")[::2]
