"""Object stores by way of obstore: S3, Google Cloud Storage, Azure, and obstore's own local and memory.

A batch keeps many requests in flight at once. Puts are conditional where the service knows how: a value
is created only where there is none, and replaced only where it is still the one that was read.
"""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import override

from zom.errors import StoreError
from zom.paths import check_prefix
from zom.stores.extra import imported
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, Suffix, Versioned

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence

__all__ = ["ObjectStore"]

T = TypeVar("T")

_SECRET = re.compile(
    r"secret|token|password|credential|sas|access_key|account_key|bearer|service_account", re.I
)


class ObjectStore(Store):
    """The objects below a prefix of a bucket, or of anything else that obstore opens.

    >>> obstore = __import__("pytest").importorskip("obstore", reason="pip install obstore")
    >>> from obstore.store import MemoryStore
    >>> store = ObjectStore(MemoryStore()); store.set("a/0", b"123"); store.get("a/0")
    b'123'
    """

    def __init__(
        self,
        inner: Any,
        prefix: str = "",
        *,
        url: str | None = None,
        read_only: bool = False,
        concurrency: int = 256,
    ) -> None:
        self._obstore = imported("obstore", "cloud")
        self._inner = inner
        self._prefix = check_prefix(prefix)
        self._url = url
        self._recipe: tuple[str, dict[str, Any]] | None = None
        self._concurrency = concurrency
        kind = type(inner).__name__
        conditional = kind in {"S3Store", "GCSStore", "AzureStore", "MemoryStore"}
        self.capabilities = Capabilities(
            writable=not read_only,
            create_if_absent=conditional or kind == "LocalStore",
            compare_and_set=conditional,
            durable=kind in {"S3Store", "GCSStore", "AzureStore"},
        )

    @classmethod
    def from_url(cls, url: str, *, read_only: bool = False, **options: Any) -> ObjectStore:
        """The store at an `s3://`, `gs://` or `az://` URL; `options` go to obstore.

        >>> obstore = __import__("pytest").importorskip("obstore", reason="pip install obstore")
        >>> ObjectStore.from_url("s3://bucket/data.zarr", region="eu-west-1", skip_signature=True).url
        's3://bucket/data.zarr'
        """
        stores = imported("obstore.store", "cloud")
        shown = _shown(url)
        try:
            inner = stores.from_url(url, **options)
        except Exception as cause:
            raise StoreError(shown, "", "open", _reason(cause)) from None
        made = cls(inner, url=shown, read_only=read_only)
        kept = {name: value for name, value in options.items() if not _SECRET.search(name)}
        made._recipe = (shown, {"read_only": read_only, **kept})  # noqa: SLF001 - our own
        return made

    @property
    @override
    def url(self) -> str:
        if self._url is not None:
            return self._url
        bucket = (getattr(self._inner, "config", None) or {}).get("bucket", "")
        return f"{type(self._inner).__name__}:{bucket}/{self._prefix}".rstrip("/")

    def __reduce__(self) -> tuple[Any, ...]:
        # Credentials don't travel: where it is opened again, they come from the environment there.
        if self._recipe is None:
            reason = "its credentials would go with it; open it from a URL instead"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, self._recipe)

    # --- many at once ------------------------------------------------------------------------------

    def _gather(self, jobs: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """The results of all jobs, many of them in flight at once."""

        async def run() -> list[T]:
            gate = asyncio.Semaphore(self._concurrency)

            async def one(job: Callable[[], Awaitable[T]]) -> T:
                async with gate:
                    return await job()

            return await asyncio.gather(*(one(job) for job in jobs))

        return _run_apart(run())

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        if len(requests) == 1:
            return [self._fetch(*requests[0])]
        return self._gather([lambda request=request: self._fetch_async(*request) for request in requests])  # type: ignore[misc]

    def _fetch(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        path = self._prefix + key
        try:
            if byte_range is not None and byte_range.length == 0:
                self._obstore.head(self._inner, path)
                return b""
            found = self._obstore.get(self._inner, path, options=_options(byte_range))
            return bytes(found.bytes())
        except FileNotFoundError:
            return None
        except Exception as cause:
            if (
                _may_be_beyond(byte_range)
                and self._obstore.head(self._inner, path)["size"] <= byte_range.start
            ):  # type: ignore[union-attr]
                return b""
            raise StoreError(self.url, key, "read", _reason(cause)) from cause

    async def _fetch_async(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        path = self._prefix + key
        try:
            if byte_range is not None and byte_range.length == 0:
                await self._obstore.head_async(self._inner, path)
                return b""
            found = await self._obstore.get_async(self._inner, path, options=_options(byte_range))
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except Exception as cause:
            if _may_be_beyond(byte_range):
                size = (await self._obstore.head_async(self._inner, path))["size"]
                if size <= byte_range.start:  # type: ignore[union-attr]
                    return b""
            raise StoreError(self.url, key, "read", _reason(cause)) from cause

    @override
    def _read_version(self, key: str) -> Versioned | None:
        try:
            found = self._obstore.get(self._inner, self._prefix + key)
            return Versioned(bytes(found.bytes()), _version(found.meta))
        except FileNotFoundError:
            return None
        except Exception as cause:
            raise StoreError(self.url, key, "read", _reason(cause)) from cause

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._put(key, value, "overwrite")

    def _put(self, key: str, value: bytes, mode: Any) -> bool:
        """Whether the value was put; False where the condition of `mode` doesn't hold."""
        errors = imported("obstore.exceptions", "cloud")
        try:
            self._obstore.put(self._inner, self._prefix + key, value, mode=mode)
        except (errors.AlreadyExistsError, errors.PreconditionError, FileExistsError):
            return False
        except FileNotFoundError:
            return False
        except Exception as cause:
            raise StoreError(self.url, key, "write", _reason(cause)) from cause
        return True

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        async def put(key: str, value: bytes) -> None:
            try:
                await self._obstore.put_async(self._inner, self._prefix + key, value)
            except Exception as cause:
                raise StoreError(self.url, key, "write", _reason(cause)) from cause

        # Of several values for one key the last must win, so they may not race.
        last = dict(items)
        self._gather([lambda item=item: put(*item) for item in last.items()])  # type: ignore[misc]

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        async def delete(key: str) -> None:
            try:
                await self._obstore.delete_async(self._inner, self._prefix + key)
            except FileNotFoundError:
                return
            except Exception as cause:
                raise StoreError(self.url, key, "delete", _reason(cause)) from cause

        self._gather([lambda key=key: delete(key) for key in keys])  # type: ignore[misc]

    @override
    def _create(self, key: str, value: bytes) -> bool:
        return self._put(key, value, "create")

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        if not self.capabilities.compare_and_set:
            return super()._replace(key, value, version)
        return self._put(key, value, "create" if version is None else dict(version))

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        start = len(self._prefix)
        try:
            for batch in self._obstore.list(self._inner, (self._prefix + prefix).rstrip("/") or None):
                yield from (item["path"][start:] for item in batch)
        except FileNotFoundError:
            return
        except Exception as cause:
            raise StoreError(self.url, prefix, "list", _reason(cause)) from cause

    @override
    def _list_dir(self, prefix: str) -> Listing:
        start = len(self._prefix)
        try:
            found = self._obstore.list_with_delimiter(
                self._inner, (self._prefix + prefix).rstrip("/") or None
            )
        except FileNotFoundError:
            return Listing([], [])
        except Exception as cause:
            raise StoreError(self.url, prefix, "list", _reason(cause)) from cause
        keys = [item["path"][start:] for item in found["objects"]]
        prefixes = [f"{below.rstrip('/')}/"[start:] for below in found["common_prefixes"]]
        return Listing(sorted(keys), sorted(prefixes))


def _reopen(url: str, options: dict[str, Any]) -> ObjectStore:
    return ObjectStore.from_url(url, **options)


def _run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, run in an event loop of its own: the caller may be inside another one."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(error)

    thread = threading.Thread(target=run, name="zom-object-store")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _options(byte_range: ByteRange | None) -> dict[str, Any]:
    if byte_range is None:
        return {}
    if isinstance(byte_range, Suffix):
        return {"range": {"suffix": byte_range.length}}
    start, length = byte_range
    return {"range": {"offset": start} if length is None else (start, start + length)}


def _may_be_beyond(byte_range: ByteRange | None) -> bool:
    """Whether a refusal may only mean that the value ends before the range begins."""
    return byte_range is not None and not isinstance(byte_range, Suffix)


def _version(meta: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, meta[name]) for name in ("e_tag", "version") if meta.get(name) is not None)


def _reason(cause: Exception) -> str:
    """The first line: the rest of obstore's messages may hold headers and signatures."""
    text = str(cause).strip().splitlines()
    return f"{type(cause).__name__}: {text[0]}" if text else type(cause).__name__


def _shown(url: str) -> str:
    """The URL without credentials and query."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
