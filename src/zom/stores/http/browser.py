"""GET requests that a browser makes for Python in WebAssembly, which has no sockets of its own.

XMLHttpRequest (https://xhr.spec.whatwg.org) can be waited for: in a worker it gives bytes, in a page, which may wait for
text alone, a text with a character for each byte. The browser follows redirects, unpacks what is packed, and shows no
page what another site doesn't open to it (CORS), nor those of its headers that it doesn't name.
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
"""The headers that nobody may set but the browser, or that other sites must be asked to allow: whether a value is of a version, its tag tells."""

_BYTES_AS_TEXT = "text/plain; charset=x-user-defined"
"""The encoding in which a byte is one character, of whose number it is the last eight bits."""


class BrowserClient(Client):
    """Asks by the browser, one request after the other."""

    @override
    def ask_size(self, url: str) -> Answer:
        if _is_own(url):
            return super().ask_size(url)
        # Of another site, a browser doesn't show of how many bytes a part is one.
        answer = self._patiently(lambda: self._ask("HEAD", url, {}, self._limits.max_bytes))
        return answer if answer.status != 200 or answer.header("content-length") else self.get(url, {})

    @override
    def may_ask_for_ends(self, url: str) -> bool:
        """Only of its own site: others would be asked before whether they allow that, which few answer."""
        return _is_own(url)

    @override
    def _follow(self, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        return self._ask("GET", url, headers, limit)

    def _ask(self, method: str, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        page: Any = import_module("js")
        if not hasattr(page, "XMLHttpRequest"):
            raise HTTPFailure("this JavaScript runtime has no XMLHttpRequest, and Python no sockets here")
        request = page.XMLHttpRequest.new()
        request.open(method, url, False)  # as the last says, it is waited for
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
            reason = f"the browser shows no answer of {site}: it can't be reached, or doesn't allow this page to read it (CORS)"
            raise HTTPFailure(reason) from cause


def _answer(request: Any, url: str, body: bytes, limit: int) -> Answer:
    if len(body) > limit:
        raise HTTPFailure(f"the value is of {len(body)} bytes, more than the limit of {limit}")
    found = _headers_of(str(request.getAllResponseHeaders()))
    status, address = int(request.status), str(request.responseURL)
    first, last = urlsplit(url), urlsplit(address)
    if status == 206:  # a part of what is packed is none of the value; a whole is unpacked already
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
    """Whether it is of the site of this page, of whose answers all is shown."""
    there, page = urlsplit(url), getattr(import_module("js"), "location", None)
    return page is not None and f"{there.scheme}://{there.netloc}" == str(page.origin)


def _headers_of(text: str) -> dict[str, str]:
    r"""Each header by its name, in lower case.

    >>> _headers_of('content-length: 3\r\nETag: "a"\r\n')
    {'content-length': '3', 'etag': '"a"'}
    """
    lines = (line.partition(":") for line in text.split("\r\n") if line)
    return {name.lower(): value.strip() for name, _, value in lines}


def _bytes_of(text: str) -> bytes:
    r"""The bytes that stand as characters in `text`.

    >>> _bytes_of("a\uf7ff\x00")
    b'a\xff\x00'
    """
    return text.encode("utf-16-le", "surrogatepass")[::2]
