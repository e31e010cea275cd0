"""Stores an upload of scripts and source maps: contents, then their names, then the bundle."""

from base64 import b64encode
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any
from uuid import UUID, uuid4

import msgspec

from errata.nil import NIL
from errata.source_maps.bundle import Bundle, BundleUnusable, File, Pair, content_id, pairs_of
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.removal import remove_chosen
from errata.warehouse.queries.source_maps.stored import is_whole, known_contents
from errata.warehouse.queries.source_maps.unused import orphaned_contents, orphaned_maps, unused_bundles
from errata.warehouse.retention import RETENTION_DAYS

CONTENTS = "errata_raw.source_contents"
MAPS = "errata_raw.source_maps"
BUNDLES = "errata_raw.source_bundles"
CONTENT_COLUMNS = ("project_id", "content_id", "encoded")
# Of contents: what an insert holds in memory.
INSERT_BYTES = 16 << 20
# Of a content: base64 takes three bytes at a time.
ENCODED_AT_ONCE = 3 << 18
# Ids of one statement: the warehouse refuses long parameters.
IDS_AT_ONCE = 2_000
# As long as error events: a build may be deployed long after its upload.
KEPT_UNUSED = timedelta(days=RETENTION_DAYS["errata_raw.error_events"])
UPLOADS_TAKE = timedelta(days=1)


@dataclass(frozen=True)
class Stored:
    """`is_new` False: the same files were uploaded before for the same release and dist."""

    bundle_id: UUID
    script_count: int
    map_count: int
    byte_count: int
    is_new: bool


@dataclass(frozen=True)
class SourceUploads:
    """Of one project. Readers take whole bundles: of an upload that ended midway they see nothing."""

    warehouse: Warehouse
    read: Warehouse
    project_id: int

    def store(self, bundle: Bundle, release: str, dist: str, actor: str) -> Stored:
        """Raises BundleUnusable."""
        pairs = pairs_of(bundle)
        if not pairs:
            raise BundleUnusable("The upload contains no scripts or source maps")
        if not release and not any(pair.debug_id for pair in pairs):
            raise BundleUnusable("The upload needs a release: none of its files has a debug ID")
        ids = self._store_contents(bundle)
        rows = [_row(pair, ids) for pair in pairs]
        bundle_id = _bundle_id(self.project_id, release, dist, rows)
        byte_count = sum(file.byte_count for file in bundle.files)
        map_count = sum(row["map_id"] != str(NIL) for row in rows)
        is_new = not is_whole(self.read, self.project_id, bundle_id)
        if is_new:
            # Tokens of their own: with that of a deleted upload of the same files they would be dropped.
            shared = {"project_id": self.project_id, "bundle_id": str(bundle_id)}
            self.warehouse.insert_rows(MAPS, [{**shared, **row} for row in rows])
            # From now on they are referred to: what a removal took meanwhile is stored again.
            if not self._has(list(set(ids.values()))):
                self._store_contents(bundle)
            about = {
                "release": release,
                "dist": dist,
                "uploaded_by": actor,
                "script_count": len(rows),
                "map_count": map_count,
                "byte_count": byte_count,
                "debug_ids": sorted({row["debug_id"] for row in rows} - {str(NIL)}),
            }
            self.warehouse.insert_rows(BUNDLES, [{**shared, **about}])
        return Stored(bundle_id, len(rows), map_count, byte_count, is_new)

    def delete(self, bundles: Sequence[UUID]) -> int:
        """Returns how many there were. Readers no longer see them; `remove_unused` removes their files."""
        return self._remove(BUNDLES, "bundle_id", bundles)

    def remove_unused(self, now: datetime, goes_on: Callable[[], bool] = lambda: True) -> int:
        """Removes bundles that no kept event uses, and files without a bundle that are older than a day: an
        upload may be on its way. Returns the number of bundles."""
        bundles = unused_bundles(self.read, self.project_id, now - KEPT_UNUSED)
        self._remove(BUNDLES, "bundle_id", bundles, goes_on)
        gone = orphaned_maps(self.read, self.project_id, now - UPLOADS_TAKE)
        self._remove(MAPS, "bundle_id", gone, goes_on)
        contents = orphaned_contents(self.read, self.project_id, now - UPLOADS_TAKE)
        self._remove(CONTENTS, "content_id", contents, goes_on)
        return len(bundles)

    def _remove(
        self, table: str, column: str, ids: Sequence[UUID], goes_on: Callable[[], bool] = lambda: True
    ) -> int:
        ordered = sorted(map(str, ids))
        return sum(
            remove_chosen(
                self.warehouse,
                self.project_id,
                table,
                column,
                ordered[start : start + IDS_AT_ONCE],
                goes_on,
                type_="UUID",
            )
            for start in range(0, len(ordered), IDS_AT_ONCE)
        )

    def _has(self, contents: Sequence[UUID]) -> bool:
        return all(
            known_contents(self.read, self.project_id, asked) == set(asked)
            for asked in (
                contents[start : start + IDS_AT_ONCE] for start in range(0, len(contents), IDS_AT_ONCE)
            )
        )

    def _store_contents(self, bundle: Bundle) -> dict[str, UUID]:
        """By path. What another bundle has is not stored again."""
        ids: dict[str, UUID] = {}
        for files in _stretches(bundle.files):
            contents = {file.path: bundle.content(file) for file in files}
            found = {path: content_id(content) for path, content in contents.items()}
            ids |= found
            known = known_contents(self.read, self.project_id, set(found.values()))
            new = {found[path]: content for path, content in contents.items() if found[path] not in known}
            if new:
                ((shard, _),) = self.warehouse.by_shard([self.project_id], is_writing=True)
                shard.insert_json_lines(
                    CONTENTS, partial(self._content_lines, new), CONTENT_COLUMNS, token=uuid4().hex
                )
        return ids

    def _content_lines(self, contents: Mapping[UUID, bytes]) -> Generator[bytes, None, None]:
        """In pieces: a whole line of a large map would be in memory three times."""
        for id_, content in contents.items():
            yield f'{{"project_id":{self.project_id},"content_id":"{id_}","encoded":"'.encode()
            for start in range(0, len(content), ENCODED_AT_ONCE):
                yield b64encode(content[start : start + ENCODED_AT_ONCE])
            yield b'"}\n'


def _stretches(files: Sequence[File]) -> Iterator[list[File]]:
    stretch: list[File] = []
    byte_count = 0
    for file in files:
        if stretch and (byte_count + file.byte_count > INSERT_BYTES or len(stretch) == IDS_AT_ONCE):
            yield stretch
            stretch, byte_count = [], 0
        stretch.append(file)
        byte_count += file.byte_count
    if stretch:
        yield stretch


def _row(pair: Pair, ids: Mapping[str, UUID]) -> dict[str, Any]:
    return {
        "name": pair.name,
        "debug_id": str(pair.debug_id or NIL),
        "script_id": str(ids[pair.script.path] if pair.script else NIL),
        "map_id": str(ids[pair.map.path] if pair.map else NIL),
        "map_reference": pair.reference,
        "script_bytes": pair.script.byte_count if pair.script else 0,
        "map_bytes": pair.map.byte_count if pair.map else 0,
    }


def _bundle_id(project_id: int, release: str, dist: str, rows: Sequence[Mapping[str, Any]]) -> UUID:
    """The same for the same files, whatever file they came in."""
    ordered = sorted((row["name"], row["debug_id"], row["script_id"], row["map_id"]) for row in rows)
    hashed = msgspec.json.encode([project_id, release, dist, ordered])
    return UUID(bytes=blake2b(hashed, digest_size=16).digest())
