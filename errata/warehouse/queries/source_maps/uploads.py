"""Looks for the maps of scripts in a project's uploads."""

from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from errata.source_maps.addresses import name_of_file, names_of
from errata.source_maps.frames import Script
from errata.source_maps.lookup import Found
from errata.source_maps.opened import MapUnreadable, OpenedMap, OpenedMaps, Original, ReaderMissing
from errata.source_maps.reasons import Near, Reason, reason_of
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

NIL = UUID(int=0)
# The warehouse refuses long parameters.
NAMES_AT_ONCE = 200
# Of the process, for all projects: contents have unique ids.
OPENED = OpenedMaps()


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
    opened: OpenedMaps = field(default_factory=lambda: OPENED)

    def maps_of(self, scripts: Sequence[Script]) -> Mapping[Script, Found]:
        """By script. All of one event, which is of one release."""
        if not scripts:
            return {}
        rows = self._rows(
            "maps_of_scripts",
            debug_ids=sorted({str(one.debug_id) for one in scripts if one.debug_id}),
            names=sorted({name for one in scripts for name in names_of(one.url)}),
            release=scripts[0].release,
        )
        chosen = {script: _best(script, rows) for script in scripts}
        missing = [script for script, row in chosen.items() if row is None]
        return {
            **{script: self._open(row) for script, row in chosen.items() if row is not None},
            **(self._missing(missing) if missing else {}),
        }

    def originals_of(self, places: Collection[Place]) -> dict[Place, Original]:
        """Where functions of scripts come from, as far as the latest uploads of these scripts know. URLs of
        builds name their content; one that stays the same over builds is read by its latest."""
        names = {place.url: names_of(place.url) for place in places}
        asked = sorted({name for each in names.values() for name in each})
        found = {
            row["name"]: row
            for start in range(0, len(asked), NAMES_AT_ONCE)
            for row in self._rows("maps_by_name", names=asked[start : start + NAMES_AT_ONCE])
        }
        answer = {}
        for place in places:
            row = next((found[name] for name in names[place.url] if name in found), None)
            opened = self._open(row).opened if row is not None else None
            original = opened.original_at(place.character) if opened is not None else None
            if original is not None:
                answer[place] = original
        return answer

    def _open(self, row: Row) -> Found:
        key = row["script_id"], row["map_id"]
        opened = self.opened.get(key)
        if opened is None:
            try:
                opened = OpenedMap(self._content(row["script_id"]), self._content(row["map_id"]))
            except MapUnreadable as error:
                return Found(row["bundle_id"], reason=Reason.UNREADABLE, detail=str(error))
            except ReaderMissing:
                return Found(row["bundle_id"], reason=Reason.NO_READER)
            self.opened.keep(key, opened)
        return Found(row["bundle_id"], opened)

    def _content(self, content_id: UUID) -> bytes:
        if content_id == NIL:
            return b""
        rows = self._rows("source_content", content_id=str(content_id))
        return b64decode(rows[0]["content"]) if rows else b""

    def _missing(self, scripts: Sequence[Script]) -> dict[Script, Found]:
        release = scripts[0].release
        (uploads,) = self._rows("uploads_of_release", release=release)
        near = defaultdict[str, list[Near]](list)
        if uploads["bundle_count"]:
            names = sorted({name_of_file(script.url) for script in scripts})
            for row in self._rows("nearest_scripts", names=names, release=release):
                near[row["file_name"]].append(_near(row))
        answer = {}
        for script in scripts:
            reason, nearest = reason_of(
                script, near[name_of_file(script.url)], uploads["bundle_count"], uploads["of_release"]
            )
            answer[script] = Found(reason=reason, near=nearest)
        return answer

    def _rows(self, question: str, **parameters: object) -> list[Row]:
        return self.warehouse.rows(sql.query(question), {"project_id": self.project_id, **parameters})


def _best(script: Script, rows: Sequence[Row]) -> Row | None:
    """The latest upload with the script's debug id; else the latest of its release by name and dist."""
    with_map = [row for row in rows if row["map_id"] != NIL]
    if script.debug_id is not None:
        for row in with_map:
            if row["debug_id"] == script.debug_id:
                return row
    for name in names_of(script.url):
        for row in with_map:
            if row["name"] == name and (row["release"], row["dist"]) == (script.release, script.dist):
                return row
    return None


def _near(row: Row) -> Near:
    debug_id = None if row["debug_id"] == NIL else row["debug_id"]
    return Near(row["name"], debug_id, bool(row["has_map"]), row["release"], row["dist"])
