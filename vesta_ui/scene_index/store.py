"""The vector store: Chroma on disk, or a Chroma server (VESTA §B.1 uses NanoVectorDB; Chroma is this project's choice).

The only importer of chromadb. Knows vectors, ids and flat metadata; no video, no question. One collection per encoder,
so that vectors of different encoders never meet. Everything in it can be written again from the index folders.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from vesta_ui import files
from vesta_ui.encoders import Vectors
from vesta_ui.errors import BadSpec, Busy, StorageFailed, VestaError

SCHEMA = 1
LOCK_WAIT_S = 5.0
STORE_WAIT_S = 20.0
"""Writes of another process to the store are short, unless the machine is busy; a finished build is worth waiting for."""
SEARCH_EFFORT = 1500
"""hnsw:ef_search; Chroma's default of 100 finds about half of the true neighbours among 100,000 clustered scenes."""
PAGE = 5000

_one_at_a_time = threading.RLock()
_readers: dict[Path, tuple[tuple[int, ...], Any]] = {}


def _let_go(folder: Path) -> None:
    """Close the client that reads a folder: two clients of one process would share what they know of it."""
    known = _readers.pop(folder, None)
    if known is not None:
        with suppress(Exception):
            known[1].close()


@dataclass(frozen=True, slots=True)
class Row:
    """One scene vector. `metadata`: str, int, float or bool values only; every key keeps one type."""

    id: str
    vector: Vectors
    metadata: Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Found:
    id: str
    score: float
    metadata: Mapping[str, Any]


class Store:
    """`url` names a server (`http://host:port`); empty: the folder. Two processes may read; one writes at a time."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.url = url

    @property
    def writable(self) -> bool:
        """Chroma writes as soon as it opens a folder, so one that is shared read-only cannot even be searched by it."""
        return bool(self.url) or not self.folder.exists() or os.access(self.folder, os.W_OK)

    def put(self, encoder: str, dimensions: int, rows: Sequence[Row]) -> None:
        """Insert or replace. Raises `Busy`, `StorageFailed`."""
        if not rows:
            return
        with self._open(writing=True) as client:
            collection = client.get_or_create_collection(
                name(encoder, dimensions),
                embedding_function=None,
                metadata={"encoder": encoder, "dimensions": dimensions, "schema": SCHEMA},
                configuration={"hnsw": {"space": "cosine", "ef_search": SEARCH_EFFORT}},
            )
            batch = min(client.get_max_batch_size(), PAGE)
            for start in range(0, len(rows), batch):
                some = rows[start : start + batch]
                collection.upsert(
                    ids=[row.id for row in some],
                    embeddings=np.stack([row.vector for row in some]),
                    metadatas=[dict(row.metadata) for row in some],
                )

    def vectors(self, encoder: str, dimensions: int, ids: Sequence[str]) -> Vectors | None:
        """(N, dimensions) in the order of `ids`, or None unless every one is there. Raises `StorageFailed`."""
        if not ids or not self._exists():
            return None
        found: dict[str, Any] = {}
        with self._open() as client:
            collection = _collection(client, encoder, dimensions)
            if collection is None:
                return None
            for start in range(0, len(ids), PAGE):
                page = collection.get(ids=list(ids[start : start + PAGE]), include=["embeddings"])
                found |= dict(zip(page["ids"], page["embeddings"], strict=True))
        if any(one not in found for one in ids):
            return None
        return np.asarray([found[one] for one in ids], np.float32)

    def search(self, encoder: str, dimensions: int, vector: Vectors, k: int) -> list[Found]:
        """The k nearest scenes of the whole library by cosine, best first; approximate (recall ≥ 0.99)."""
        if k <= 0:
            raise BadSpec(f"asked for {k} results: ask for at least 1")
        if not self._exists():
            return []
        with self._open() as client:
            collection = _collection(client, encoder, dimensions)
            if collection is None or (count := collection.count()) == 0:
                return []
            got = collection.query(
                query_embeddings=[vector], n_results=min(k, count), include=["metadatas", "distances"]
            )
        rows = zip(got["ids"][0], got["distances"][0], got["metadatas"][0], strict=True)
        return [Found(one, 1.0 - distance, metadata) for one, distance, metadata in rows]

    def delete(self, encoder: str, dimensions: int, ids: Sequence[str]) -> None:
        if not ids or not self._exists():
            return
        with self._open(writing=True) as client:
            collection = _collection(client, encoder, dimensions)
            if collection is not None:
                for start in range(0, len(ids), PAGE):
                    collection.delete(ids=list(ids[start : start + PAGE]))

    def _exists(self) -> bool:
        return bool(self.url) or (self.folder / "chroma.sqlite3").is_file()

    @contextmanager
    def _open(self, writing: bool = False) -> Iterator[Any]:
        """A client for one piece of work. Readers keep theirs until somebody writes: a large index takes seconds to load."""
        with _one_at_a_time, ExitStack() as held:
            if self.url or writing:
                _let_go(self.folder)
                if not self.url:
                    why = "another process is writing to the library"
                    held.enter_context(locked(self.folder.parent / ".store.lock", why, STORE_WAIT_S))
                    self._prepare()
                client = self._connect()
                held.callback(client.close)
            else:
                client = self._reader()
            try:
                yield client
            except (VestaError, GeneratorExit):
                raise
            except Exception as error:
                _let_go(self.folder)
                raise self._failed(error) from error

    def _reader(self) -> Any:
        known = _readers.get(self.folder)
        if known is not None and known[0] == self._stamp():
            return known[1]
        _let_go(self.folder)
        client = self._connect()
        _readers[self.folder] = (self._stamp(), client)
        return client

    def _stamp(self) -> tuple[int, ...]:
        """Changes when anybody has written to the folder."""
        found = []
        for name in ("chroma.sqlite3", "chroma.sqlite3-wal"):
            path = self.folder / name
            if path.exists():
                stat = path.stat()
                found += [stat.st_ino, stat.st_size, stat.st_mtime_ns]
        return tuple(found)

    def _connect(self) -> Any:
        import chromadb

        quiet = chromadb.Settings(anonymized_telemetry=False)
        try:
            return self._server(quiet) if self.url else chromadb.PersistentClient(str(self.folder), settings=quiet)
        except VestaError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> StorageFailed:
        text = " ".join(str(error).split())[:160]
        if self.url:
            return StorageFailed(
                f"the Chroma server at {self.url} cannot be used ({text or type(error).__name__}): "
                "start one with “chroma run”, or unset VESTA_CHROMA_URL"
            )
        if isinstance(error, OSError):
            return files.storage_failed(self.folder / "chroma.sqlite3", error)
        if "full" in text:
            return StorageFailed(f"the disk is full: {self.folder} has no room left; free some space and try again")
        if "readonly" in text or "read-only" in text or "unable to open" in text:
            return StorageFailed(f"{self.folder} cannot be written; choose another data folder (VESTA_DATA_DIR)")
        return StorageFailed(
            f"the vector store {self.folder} cannot be used ({text}); delete that folder and it is made again"
        )

    def _prepare(self) -> None:
        import chromadb

        mark = self.folder / "vesta.json"
        known = files.read_json(mark)
        if known is None:
            files.write_json(mark, {"schema": SCHEMA, "chromadb": chromadb.__version__})
        elif known.get("schema") != SCHEMA:
            raise StorageFailed(
                f"{self.folder} was written by another version (format {known.get('schema')}, this is {SCHEMA}); "
                "delete that folder and it is made again"
            )

    def _server(self, quiet: Any) -> Any:
        import chromadb

        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError as error:
            raise BadSpec(f"VESTA_CHROMA_URL must look like http://host:8000, got “{self.url}”") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSpec(f"VESTA_CHROMA_URL must look like http://host:8000, got “{self.url}”")
        secure = parts.scheme == "https"
        return chromadb.HttpClient(
            host=parts.hostname, port=port or (443 if secure else 8000), ssl=secure, settings=quiet
        )


def name(encoder: str, dimensions: int) -> str:
    """A collection name that any encoder name may have: only a hash of it."""
    return f"scenes-{files.digest([encoder, dimensions, SCHEMA])}"


def _collection(client: Any, encoder: str, dimensions: int) -> Any:
    from chromadb.errors import NotFoundError

    try:
        return client.get_collection(name(encoder, dimensions), embedding_function=None)
    except NotFoundError:
        return None


@contextmanager
def locked(path: Path, why: str, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold a lock file between processes; the system lets go of it when its holder dies. Raises `Busy`, `StorageFailed`."""
    from filelock import FileLock, Timeout

    lock = FileLock(path, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise Busy(f"{why}; try again when it is done") from error
    except OSError as error:
        raise files.storage_failed(path, error) from error
    try:
        yield
    finally:
        lock.release()
