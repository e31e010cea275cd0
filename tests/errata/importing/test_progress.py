"""An import that goes on where it was killed."""

from pathlib import Path

import pytest

from errata.importing.errors import ImportRefused
from errata.importing.progress import EVENTS, ISSUES, EventOutcome, opened
from tests.cases import each

IDENTITY = {"url": "https://sentry.io", "organization": "acme", "since": "", "until": "2026-11-21T00:00:00"}
FIRST, SECOND = EventOutcome("a" * 32, "1", "accepted", 7), EventOutcome("b" * 32, "2", "too_old")


def test_it_goes_on_after_the_last_page_recorded(tmp_path: Path) -> None:
    with opened(tmp_path, IDENTITY) as progress:
        progress.begin("shop", "shop")
        progress.record("shop", [FIRST], "0:100:0")
        progress.projects["shop"].pace.take(3, 1000.0)
        progress.save()
    with (tmp_path / "events-shop.jsonl").open("a") as file:
        file.write('["half a page')
    with opened(tmp_path, {**IDENTITY, "until": "2026-12-01T00:00:00"}) as progress:
        assert progress.identity["until"] == IDENTITY["until"]
        project = progress.projects["shop"]
        assert (project.cursor, project.stage, project.pace.left) == ("0:100:0", EVENTS, 897)
        assert list(progress.events("shop")) == [FIRST]
        progress.record("shop", [SECOND], "")
        assert list(progress.events("shop")) == [FIRST, SECOND]
        assert project.stage == ISSUES


def test_two_imports_dont_share_a_folder(tmp_path: Path) -> None:
    with (
        opened(tmp_path, IDENTITY),
        pytest.raises(ImportRefused, match="another import is using"),
        opened(tmp_path, IDENTITY),
    ):
        pass


@each("name", ["url", "organization", "since"])
def test_another_import_is_not_continued(name: str, tmp_path: Path) -> None:
    with opened(tmp_path, IDENTITY) as progress:
        progress.begin("shop", "shop")
    with (
        pytest.raises(ImportRefused, match=f"with a different {name}"),
        opened(tmp_path, {**IDENTITY, name: "other"}),
    ):
        pass


@each("content", ["", "{", "[]", "null", '{"import": {}, "projects": {"shop": {"stage": "events"}}}'])
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text(content)
    with pytest.raises(ImportRefused, match=r"progress\.json is damaged"), opened(tmp_path, IDENTITY):
        pass


def test_a_slug_leads_to_no_other_folder(tmp_path: Path) -> None:
    with opened(tmp_path / "progress", IDENTITY) as progress:
        progress.begin("../shop", "shop")
        progress.record("../shop", [FIRST], "")
    assert {path.name for path in tmp_path.iterdir()} == {"progress"}
