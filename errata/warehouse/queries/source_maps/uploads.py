"""Looks for the maps of scripts in a project's uploads."""

from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from errata.nil import NIL
from errata.source_maps.addresses import name_of_file, names_of
from errata.source_maps.frames import Position, Script
from errata.source_maps.lookup import Found
from errata.source_maps.opened import MapUnreadable, Original, ReaderMissing
from errata.source_maps.reader import Reader
from errata.source_maps.reasons import Near, Reason, reason_of
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# The warehouse refuses long parameters.
NAMES_AT_ONCE = 200
SCRIPTS_AT_ONCE = 60
# Of the process, for all projects: contents have unique ids.
READER = Reader()


@dataclass(frozen=True, slots=True)
class Place:
    """A character of a script, from 0 on, in UTF-16 as browsers count."""

    url: str
    character: int


@dataclass
class ProjectUploads:
    """Of one project."""

    warehouse: Warehouse
    project_id: int
    reader: Reader = field(default_factory=lambda: READER)

    def originals(self, positions: Mapping[Script, Collection[Position]]) -> dict[Script, Found]:
        """By script: the original places of some positions, or why there are none."""
        found: dict[Script, Found] = {}
        scripts = list(positions)
        for start in range(0, len(scripts), SCRIPTS_AT_ONCE):
            found |= self._originals(
                {one: positions[one] for one in scripts[start : start + SCRIPTS_AT_ONCE]}
            )
        return found

    def originals_of(self, places: Collection[Place]) -> dict[Place, Original]:
        """Where functions of scripts come from, as far as the latest uploads of these scripts know. URLs of
        builds name their content; one that stays the same over builds is read by its latest."""
        names = {place.url: names_of(place.url) for place in places}
        asked = sorted({name for each in names.values() for name in each})
        rows = {
            row["name"]: row
            for start in range(0, len(asked), NAMES_AT_ONCE)
            for row in self._rows("maps_by_name", names=asked[start : start + NAMES_AT_ONCE])
        }
        answer: dict[Place, Original] = {}
        for url, each in names.items():
            row = next((rows[name] for name in each if name in rows), None)
            if row is not None:
                answer |= self._of_characters(row, [place for place in places if place.url == url])
        return answer

    def _originals(self, positions: Mapping[Script, Collection[Position]]) -> dict[Script, Found]:
        rows = self._rows(
            "maps_of_scripts",
            debug_ids=sorted({str(one.debug_id) for one in positions if one.debug_id}),
            names=_names(positions),
            releases=_releases(positions),
        )
        chosen = {script: _best(script, rows) for script in positions}
        missing = [script for script, row in chosen.items() if row is None]
        return {
            **{
                script: self._of_positions(row, list(positions[script]))
                for script, row in chosen.items()
                if row is not None
            },
            **(self._missing(missing) if missing else {}),
        }

    def _of_positions(self, row: Row, positions: Sequence[Position]) -> Found:
        try:
            read = self._read(row, positions)
        except MapUnreadable as error:
            return Found(row["bundle_id"], reason=Reason.UNREADABLE, detail=str(error))
        except ReaderMissing:
            return Found(row["bundle_id"], reason=Reason.NO_READER)
        known = {at: original for at, original in zip(positions, read, strict=True) if original is not None}
        return Found(row["bundle_id"], known)

    def _of_characters(self, row: Row, places: Sequence[Place]) -> dict[Place, Original]:
        try:
            read = self._read(row, [place.character for place in places])
        except (MapUnreadable, ReaderMissing):
            return {}
        return {place: original for place, original in zip(places, read, strict=True) if original is not None}

    def _read(self, row: Row, places: Sequence[Position | int]) -> list[Original | None]:
        def contents() -> tuple[bytes, bytes]:
            return self._content(row["script_id"]), self._content(row["map_id"])

        return self.reader.originals((row["script_id"], row["map_id"]), places, contents)

    def _content(self, content_id: UUID) -> bytes:
        if content_id == NIL:
            return b""
        rows = self._rows("source_content", content_id=str(content_id))
        return b64decode(rows[0]["content"]) if rows else b""

    def _missing(self, scripts: Sequence[Script]) -> dict[Script, Found]:
        releases = _releases(scripts)
        (uploads,) = self._rows("uploads_of_releases", releases=releases)
        near = defaultdict[str, list[Near]](list)
        if uploads["bundle_count"]:
            file_names = sorted({name_of_file(script.url) for script in scripts})
            for row in self._rows(
                "nearest_scripts", file_names=file_names, names=_names(scripts), releases=releases
            ):
                near[row["file_name"]].append(_near(row))
        answer = {}
        for script in scripts:
            reason, nearest = reason_of(
                script,
                near[name_of_file(script.url)],
                has_uploads=uploads["bundle_count"] > 0,
                has_release=script.release in uploads["releases"],
            )
            answer[script] = Found(reason=reason, near=nearest)
        return answer

    def _rows(self, question: str, **parameters: object) -> list[Row]:
        return self.warehouse.rows(sql.query(question), {"project_id": self.project_id, **parameters})


def _names(scripts: Iterable[Script]) -> list[str]:
    return sorted({name for one in scripts for name in names_of(one.url)})


def _releases(scripts: Iterable[Script]) -> list[str]:
    return sorted({one.release for one in scripts if one.release})


def _best(script: Script, rows: Sequence[Row]) -> Row | None:
    """The latest upload with the script's debug id; else the latest of its release by name and dist, unless
    that is of another build."""
    if script.debug_id is not None:
        for row in rows:
            if row["debug_id"] == script.debug_id:
                return row
    for name in names_of(script.url):
        for row in rows:
            is_named = row["name"] == name and (row["release"], row["dist"]) == (script.release, script.dist)
            if is_named and (script.debug_id is None or row["debug_id"] == NIL):
                return row
    return None


def _near(row: Row) -> Near:
    debug_id = None if row["debug_id"] == NIL else row["debug_id"]
    return Near(
        row["name"], debug_id, bool(row["has_map"]), row["map_reference"], row["release"], row["dist"]
    )
