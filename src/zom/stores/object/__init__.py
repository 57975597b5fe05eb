"""Object stores through obstore: S3, Google Cloud Storage, Azure, and obstore's own local and memory stores.

A batch keeps many requests in flight at once. Puts are conditional if the service supports it: a value
is created only if the key is missing, and replaced only if it is still the one that was read.

obstore retries a request whose answer was lost. A conditional put that had succeeded then finds its own
value and is refused. So each conditional put leaves a mark in the metadata of its object, and a refused
writer checks whose mark is there: if several writers put the same bytes, one succeeds.

The text of obstore's exceptions contains whole requests. It is parsed, and never passed on.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from typing_extensions import override

from zom.errors import StoreError
from zom.packages import imported
from zom.paths import check_stored_prefix
from zom.stores.credentials import secrets_in, shown_url, without_secrets
from zom.stores.foreign_failures import is_panic, lacks_bucket
from zom.stores.interface import ByteRange, Capabilities, Listing, Part, Store, Suffix, Versioned
from zom.stores.object.heeding import OTHER_VERSION, has_shown, note_shown, service_of
from zom.stores.object.in_flight import Forked, most_at_once, run_apart
from zom.stores.object.obstore_calls import (
    CLOUDS,
    covers,
    end_options,
    get_options,
    is_missing,
    is_unconditional,
    not_implemented,
    reason_of,
    size_of,
    tag_of,
    url_of,
    version_of,
    was_repeated,
)
from zom.stores.together import together

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from zom.stores.object.heeding import Condition

__all__ = ["ObjectStore"]

T = TypeVar("T")

_TRIES = 4
"""Attempts to read the end of a value that changes meanwhile."""

_FEW = 3
"""Up to this many requests use one thread each: starting an event loop takes longer."""
_SHORT = 1 << 16

_MARK = "zomput"
"""The metadata name of a conditional put's mark, valid in all services: Azure only allows letters."""

_LONGEST = 1024
"""The maximum length of a key in bytes in S3, Google Cloud Storage and Azure."""

_ALONE = (
    "if you are the only writer, open the store with conditional_put='disabled', or with "
    "AWS_CONDITIONAL_PUT=disabled"
)
_UNCONDITIONAL = f"the service can't create an object only if it is missing; {_ALONE}"
_UNHEEDED = {
    "create": f"the service ignores the condition of a create and overwrites existing objects, so that writers lose each other's changes; {_ALONE}",
    "replace": f"the service ignores the condition of a replace and overwrites changed objects, so that writers lose each other's changes; {_ALONE}",
}

_BULK = {"S3Store": 1000}
"""The number of objects that one delete request of obstore covers, by its store class."""


class ObjectStore(Store):
    """The objects below a prefix of a bucket, or of any other store of obstore.

    >>> obstore = __import__("pytest").importorskip("obstore", reason="pip install 'zom[cloud]'")
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
        concurrency: int | None = None,
    ) -> None:
        self._obstore: Any = imported("obstore", "cloud")
        self._errors: Any = imported("obstore.exceptions", "cloud")
        self._inner = inner
        self._prefix = check_stored_prefix(prefix)
        self._url = url_of(inner, prefix) if url is None else url
        self._recipe: tuple[str, dict[str, Any]] | None = None
        self._concurrency = most_at_once() if concurrency is None else concurrency
        self._secrets = tuple(secrets_in(getattr(inner, "config", None)))
        kind = type(inner).__name__
        conditional = (kind in CLOUDS or kind == "MemoryStore") and not is_unconditional(inner)
        self._marks = kind in CLOUDS
        """Whether conditional puts leave a mark: only over a network, where answers can be lost."""
        self._service = service_of(inner)
        self._at_once = _BULK.get(kind, 1)
        self.capabilities = Capabilities(
            writable=not read_only and kind != "HTTPStore",
            create_if_absent=conditional or kind == "LocalStore",
            compare_and_set=conditional,
            durable=kind in CLOUDS,
            nested_keys=kind != "LocalStore",
            parallel=max(1, self._concurrency),
        )
        if kind in CLOUDS:
            self.longest_key = _LONGEST - len(prefix.encode())

    @override
    def holds(self, key: str) -> bool:
        # Azure treats a backslash as a slash.
        return super().holds(key) and not ("\\" in key and type(self._inner).__name__ == "AzureStore")

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        read_only: bool = False,
        concurrency: int | None = None,
        pickle_credentials: bool = False,
        **options: Any,
    ) -> ObjectStore:
        """Open the store at an `s3://`, `gs://` or `az://` URL; `options` go to obstore.

        Up to `concurrency` requests are in flight at once. A pickle holds credentials only with
        `pickle_credentials`; otherwise, unpickling takes them from the environment.

        >>> obstore = __import__("pytest").importorskip("obstore", reason="pip install 'zom[cloud]'")
        >>> ObjectStore.from_url("s3://bucket/data.zarr", region="eu-west-1", skip_signature=True).url
        's3://bucket/data.zarr'
        """
        shown = shown_url(url)
        parts = urlsplit(url)
        if "@" in parts.netloc or parts.query or parts.fragment:
            # obstore would drop them silently.
            reason = "expected no user, query or fragment in the URL; pass credentials as options and write '#' as %23"
            raise StoreError(shown, "", "open", reason)
        stores: Any = imported("obstore.store", "cloud")
        try:
            inner = stores.from_url(url, **options)
        except BaseException as cause:
            if not (isinstance(cause, Exception) or is_panic(cause)):
                raise
            # Any exception may show the value of an option.
            failure = StoreError(shown, "", "open", reason_of(cause, secrets_in(options, every=True)))
        else:
            made = cls(inner, url=shown, read_only=read_only, concurrency=concurrency)
            kept = options if pickle_credentials else without_secrets(options)
            own = {
                "read_only": read_only,
                "concurrency": concurrency,
                "pickle_credentials": pickle_credentials,
            }
            made._recipe = (url, {**own, **kept})
            return made
        raise failure

    @property
    @override
    def url(self) -> str:
        return self._url

    @property
    @override
    def place(self) -> str:
        # The same bucket name may mean another bucket at another endpoint or in another account.
        options = {} if self._recipe is None else without_secrets(self._recipe[1])
        told = ", ".join(f"{name}={value!r}" for name, value in sorted(options.items()))
        return f"{self.url} {told}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold no credentials by default: unpickling takes them from the environment.
        if self._recipe is None:
            reason = "the pickle would contain its credentials; open it from a URL instead"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, self._recipe)

    # --- calls -------------------------------------------------------------------------------------

    def _call(self, key: str, verb: str, call: Callable[[], T]) -> T | Exception:
        """Return the result of a call, or the exception that it raised."""
        Forked.refuse(self.url, key, verb)
        try:
            return call()
        except Exception as cause:  # noqa: BLE001 - the caller interprets it
            return cause
        except BaseException as cause:
            if not is_panic(cause):
                raise
            return RuntimeError(f"obstore crashed: {cause}")

    def _gather(self, verb: str, jobs: Sequence[Coroutine[Any, Any, T]]) -> list[T | Exception]:
        """Run all jobs, many of them at once; return the result or exception of each."""
        try:
            Forked.refuse(self.url, "", verb)
        except StoreError:
            for job in jobs:
                job.close()
            raise

        async def run() -> list[T | Exception]:
            gate = asyncio.Semaphore(self._concurrency)

            async def one(job: Coroutine[Any, Any, T]) -> T | Exception:
                async with gate:
                    try:
                        return await job
                    except Exception as cause:  # noqa: BLE001 - the caller interprets it
                        return cause

            return await asyncio.gather(*(one(job) for job in jobs))

        try:
            return run_apart(run())
        except BaseException as cause:
            if not is_panic(cause):
                raise
            failure = StoreError(self.url, "", verb, f"obstore crashed: {cause}")
        raise failure

    def _failure(self, key: str, verb: str, cause: Exception) -> StoreError:
        if isinstance(cause, StoreError):
            return cause
        return StoreError(self.url, key, verb, reason_of(cause, self._secrets))

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._read_part(Part(key, byte_range))
        return None if found is None else found.value

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        found = self._read_parts([Part(*each) for each in requests])
        return [None if each is None else each.value for each in found]

    def _read_part(self, part: Part) -> Versioned | None:
        path = self._prefix + part.key

        def get(options: dict[str, Any] | None) -> Versioned | Exception:
            def call() -> Versioned:
                found = self._obstore.get(self._inner, path, options=options)
                return Versioned(bytes(found.bytes()), tag_of(found.meta))

            return self._call(part.key, "read", call)

        found, meta = get(get_options(part.byte_range, part.version)), None
        for _ in range(_TRIES):
            if part.byte_range is None or not isinstance(found, Exception) or is_missing(found):
                break
            meta = self._call(part.key, "read", lambda: self._obstore.head(self._inner, path))
            options = self._end_in(part.byte_range, found, meta)
            if options is None:
                break
            found = get(options)
        return self._answer(part, found, meta)

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        if len(parts) <= _FEW:
            return together(self, *(partial(self._read_part, each) for each in parts))

        async def get(path: str, options: dict[str, Any]) -> Versioned | Exception:
            try:
                answer = await self._obstore.get_async(self._inner, path, options=options)
                # A short body has usually arrived with the head: waiting is cheaper than another await.
                is_short = int(answer.meta["size"]) <= _SHORT
                value = bytes(answer.bytes() if is_short else await answer.bytes_async())
                return Versioned(value, tag_of(answer.meta))
            except Exception as cause:  # noqa: BLE001 - handled below
                return cause

        async def fetch(part: Part) -> Versioned | None:
            path, meta = self._prefix + part.key, None
            found = await get(path, get_options(part.byte_range, part.version))
            for _ in range(_TRIES):
                if part.byte_range is None or not isinstance(found, Exception) or is_missing(found):
                    break
                try:
                    meta = await self._obstore.head_async(self._inner, path)
                except Exception as cause:  # noqa: BLE001 - handled below
                    meta = cause
                options = self._end_in(part.byte_range, found, meta)
                if options is None:
                    break
                found = await get(path, options)
            return self._answer(part, found, meta)

        return self._values(parts, "read", self._gather("read", [fetch(each) for each in parts]))

    def _end_in(self, byte_range: ByteRange, found: Exception, meta: Any) -> dict[str, Any] | None:
        """Return the options to read the end of a value by its size, for a service without suffix ranges.

        None if the service refused something else. If the object was replaced meanwhile, try again.
        """
        refused = (self._errors.NotSupportedError, self._errors.PreconditionError)
        if not isinstance(byte_range, Suffix) or not isinstance(found, refused) or not isinstance(meta, dict):
            return None
        return end_options(byte_range, meta)

    def _answer(self, part: Part, found: Versioned | Exception, meta: Any = None) -> Versioned | None:
        """Return the value for the outcome of a request; `meta` is known if the range was refused."""
        key, byte_range, version = part
        if not isinstance(found, Exception):
            if version is not None and found.version != version:
                return None  # a service that ignores conditions
            is_empty = byte_range is not None and byte_range.length == 0
            return found._replace(value=b"") if is_empty else found
        if isinstance(found, self._errors.NotSupportedError) and isinstance(meta, Exception):
            found = meta  # more specific than the unsupported request
        if is_missing(found) and not lacks_bucket(found):
            return None
        if version is not None and isinstance(found, self._errors.PreconditionError):
            return None
        # All services reject a range that starts at the end of the value; here it is b"".
        if byte_range is not None and isinstance(meta, dict) and not covers(byte_range, size_of(meta)):
            return Versioned(b"", tag_of(meta))
        raise self._failure(key, "read", found)

    def _values(
        self, asked: Sequence[tuple[Any, ...]], verb: str, results: Sequence[T | Exception]
    ) -> list[T]:
        """Return the results; raise the first exception among them."""
        values: list[T] = []
        for (key, *_), result in zip(asked, results, strict=True):
            if isinstance(result, Exception):
                raise self._failure(key, verb, result)
            values.append(result)
        return values

    @override
    def _read_version(self, key: str) -> Versioned | None:
        def fetch() -> Versioned:
            found = self._obstore.get(self._inner, self._prefix + key)
            return Versioned(bytes(found.bytes()), version_of(found.meta))

        found = self._call(key, "read", fetch)
        if not isinstance(found, Exception):
            return found
        if is_missing(found) and not lacks_bucket(found):
            return None
        raise self._failure(key, "read", found)

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        found = self._call(key, "write", lambda: self._obstore.put(self._inner, self._prefix + key, value))
        if isinstance(found, Exception):
            raise self._failure(key, "write", found)

    def _put_if(self, key: str, value: bytes, condition: Any, mark: str) -> bool:
        """Put the value if the condition holds; return whether it was put."""
        found = self._try_put(key, value, condition, mark)
        return self._was_put(key, value, mark, condition, found)

    def _try_put(self, key: str, value: bytes, condition: Any, mark: str) -> Any:
        """Try a conditional put; return its result or exception."""
        path, options = self._prefix + key, {"mode": condition, **self._marked(mark)}
        return self._call(key, "write", lambda: self._obstore.put(self._inner, path, value, **options))

    def _see_refused(self, key: str, value: bytes, condition: Any, mark: str) -> bool:
        """Request a put that the service must refuse; return whether it did."""
        kind: Condition = "create" if condition == "create" else "replace"
        found = self._try_put(key, value, condition, mark)
        if isinstance(found, self._held_back):
            note_shown(self._service, kind)
        # Other failures prove nothing; the put itself reports them.
        return isinstance(found, Exception)

    @property
    def _held_back(self) -> tuple[type[Exception], ...]:
        """The exceptions of a put whose condition doesn't hold."""
        return self._errors.AlreadyExistsError, self._errors.PreconditionError, FileExistsError

    def _marked(self, mark: str) -> dict[str, Any]:
        return {"attributes": {_MARK: mark}} if self._marks else {}

    def _was_put(self, key: str, value: bytes, mark: str, condition: Any, found: Any) -> bool:
        """Whether a conditional put with the outcome `found` put the value."""
        if not isinstance(found, Exception):
            return True
        # Replacing a deleted object fails as "missing", or as a failed condition.
        gone = is_missing(found) and condition != "create"
        if (gone or isinstance(found, self._held_back)) and not lacks_bucket(found):
            return self._marks and self._is_own(key, value, mark, was_repeated=was_repeated(found))
        # The last answer may be lost, too. Check once whether the value is there; otherwise the put failed.
        if self._marks and not isinstance(found, (StoreError, PermissionError)):
            with suppress(StoreError):
                if self._is_own(key, value, mark, was_repeated=False):
                    return True
        if self._marks and not_implemented(found):
            raise StoreError(self.url, key, "write", _UNCONDITIONAL)
        raise self._failure(key, "write", found)

    def _is_own(self, key: str, value: bytes, mark: str, *, was_repeated: bool) -> bool:
        """Whether the value of `key` was put with this mark.

        If the service keeps no metadata and the put was repeated, the value itself is compared.
        """
        path = self._prefix + key
        head = self._call(key, "read", lambda: self._obstore.get(self._inner, path, options={"head": True}))
        if isinstance(head, Exception):
            if is_missing(head):
                return False
            raise self._failure(key, "read", head)
        there = head.attributes.get(_MARK)
        if there is not None or not was_repeated or size_of(head.meta) != len(value):
            return bool(there == mark)
        return self._read(key, None) == value

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        async def put(key: str, value: bytes) -> None:
            await self._obstore.put_async(self._inner, self._prefix + key, value)

        # The last value of a repeated key must win, so they must not race.
        last = list(dict(items).items())
        with self._excluding_all(key for key, _ in last):
            self._values(last, "write", self._gather("write", [put(*item) for item in last]))

    @override
    def _remove(self, key: str) -> None:
        found = self._call(key, "delete", lambda: self._obstore.delete(self._inner, self._prefix + key))
        if isinstance(found, Exception) and (not is_missing(found) or lacks_bucket(found)):
            raise self._failure(key, "delete", found)

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        async def delete(some: Sequence[str]) -> None:
            paths = [self._prefix + key for key in some]
            try:
                await self._obstore.delete_async(self._inner, paths if len(paths) > 1 else paths[0])
            except FileNotFoundError as cause:
                if len(paths) > 1 or lacks_bucket(cause):
                    raise

        parts = [keys[start : start + self._at_once] for start in range(0, len(keys), self._at_once)]
        with self._excluding_all(keys):
            results = self._gather("delete", [delete(part) for part in parts])
            for part, result in zip(parts, results, strict=True):
                if not isinstance(result, Exception):
                    continue
                if len(part) == 1:
                    raise self._failure(part[0], "delete", result)
                # The answer covers all keys: delete one by one to report the failing key.
                for key in part:
                    self._remove(key)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        if not self.capabilities.create_if_absent:
            return super()._create(key, value)
        mark = os.urandom(16).hex()
        made = self._put_if(key, value, "create", mark)
        if made:
            self._check_creating([(key, value, mark)])
        return self._checked(key, made=made)

    def _check_creating(self, made: Sequence[tuple[str, bytes, str]]) -> None:
        """Raise StoreError if the service ignores the condition, and delete the objects that were made."""
        if has_shown(self._service, "create"):
            return
        key, value, mark = made[0]
        if self._see_refused(key, value, "create", mark):
            return
        for own, there, by in made:
            if self._is_own(own, there, by, was_repeated=True):
                self._remove(own)
        raise StoreError(self.url, key, "create", _UNHEEDED["create"])

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        if not self.capabilities.create_if_absent:
            return super()._create_many(items)
        marks = [os.urandom(16).hex() for _ in items]

        async def put(key: str, value: bytes, mark: str) -> Any:
            options = {"mode": "create", **self._marked(mark)}
            return await self._obstore.put_async(self._inner, self._prefix + key, value, **options)

        jobs = [put(*item, mark) for item, mark in zip(items, marks, strict=True)]
        found = zip(items, marks, self._gather("create", jobs), strict=True)
        puts = [
            ((key, value, mark), self._was_put(key, value, mark, "create", result))
            for (key, value), mark, result in found
        ]
        made = [put for put, was_put in puts if was_put]
        if made:
            self._check_creating(made)
        return [self._checked(put[0], made=was_put) for put, was_put in puts]

    def _checked(self, key: str, *, made: bool) -> bool:
        """Return `made`; StoreError if a directory, not a value, prevented the put."""
        if not made and not self.capabilities.nested_keys and self._read(key, None) is None:
            raise StoreError(self.url, key, "create", "expected nothing, found a directory")
        return made

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        if not self.capabilities.compare_and_set:
            return super()._replace(key, value, version)
        if version is None:
            return self._create(key, value)
        mark = os.urandom(16).hex()
        if not has_shown(self._service, "replace") and not self._see_refused(key, value, OTHER_VERSION, mark):
            raise StoreError(self.url, key, "replace", _UNHEEDED["replace"])
        return self._put_if(key, value, dict(version), mark)

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key for key, _ in self._sizes(prefix))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        below, start = self._prefix + prefix, len(self._prefix)
        pages: Any = self._call(
            prefix, "list", lambda: iter(self._obstore.list(self._inner, below.rstrip("/") or None))
        )
        while True:
            page: Any = self._call(
                prefix, "list", lambda: pages if isinstance(pages, Exception) else next(pages, None)
            )
            if page is None or (isinstance(page, Exception) and self._is_nothing(page)):
                return
            if isinstance(page, Exception):
                raise self._failure(prefix, "list", page)
            found = [(str(item["path"]), size_of(item)) for item in page]
            # Some tools leave a marker for a directory, which is listed as the prefix itself.
            yield from (
                (path[start:], size) for path, size in found if path.startswith(below) and path != below
            )

    @override
    def _list_dir(self, prefix: str) -> Listing:
        below, start = self._prefix + prefix, len(self._prefix)
        found: Any = self._call(
            prefix, "list", lambda: self._obstore.list_with_delimiter(self._inner, below.rstrip("/") or None)
        )
        if isinstance(found, Exception):
            if self._is_nothing(found):
                return Listing([], [])
            raise self._failure(prefix, "list", found)
        keys = [str(item["path"]) for item in found["objects"]]
        prefixes = [f"{str(each).rstrip('/')}/" for each in found["common_prefixes"]]
        return Listing(
            sorted(path[start:] for path in keys if path.startswith(below)),
            sorted(path[start:] for path in prefixes if path.startswith(below) and path != below),
        )

    def _is_nothing(self, cause: Exception) -> bool:
        """Whether a listing failed because the directory is missing, as in obstore's local store."""
        if type(self._inner).__name__ == "LocalStore" and "Not a directory" in str(cause):
            return True
        return is_missing(cause) and not lacks_bucket(cause)


def _reopen(url: str, options: dict[str, Any]) -> ObjectStore:
    return ObjectStore.from_url(url, **options)
