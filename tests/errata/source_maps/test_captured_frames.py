"""Every minified frame of the captured errors, against places and names read in the shop's sources."""

import json
from pathlib import Path

import pytest

from errata.source_maps.frames import Position, frames_of, holders
from errata.source_maps.opened import OpenedMap
from tests.browser_builds import browser_errors, extract_builds
from tests.captures import DATA

TRUTH: dict[str, list[str | int]] = json.loads((DATA / "browser" / "original_frames.json").read_text())


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds"))


def test_every_frame_has_its_original_file_line_and_function(builds: Path) -> None:
    seen = set()
    for event in browser_errors():
        release = event["release"].removeprefix("shop-web@")
        for holder in holders(event):
            for frame in frames_of(holder["stacktrace"]):
                script = builds / release / "assets" / str(frame.get("filename")).rpartition("/")[2]
                if not script.is_file():
                    continue
                source_map = script.with_name(f"{script.name}.map")
                opened = OpenedMap(script.read_bytes(), source_map.read_bytes())
                found = opened.original(Position(frame["lineno"], frame["colno"]))
                place = f"{release}/{script.name}:{frame['lineno']}:{frame['colno']}"
                assert found is not None, place
                assert [found.source, found.line, found.function] == TRUTH[place], place
                about = json.loads(source_map.read_text())
                lines = about["sourcesContent"][about["sources"].index(found.source)].split("\n")
                assert found.text == lines[found.line - 1][:500], place
                first = max(0, found.line - 6)
                around = [line[:500] for line in lines[first : found.line + 5]]
                assert [*found.before, found.text, *found.after] == around, place
                seen.add(place)
    assert seen == set(TRUTH)
