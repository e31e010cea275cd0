import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from demo import history


@pytest.mark.slow
def test_each_day_of_the_weeks_before_today_has_page_loads_of_its_own(tmp_path: Path) -> None:
    now = datetime(2026, 11, 21, 10, tzinfo=UTC)
    count = history.write(tmp_path, "errata_app_test", 1, now)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"errata-2026-11-{day}.log" for day in range(14, 21)]
    lines = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
    assert len(lines) == count
    ids, releases = [], []
    for line in lines:
        logged = datetime.fromisoformat(line["logged_at"])
        for span in line["payload"].get("items", []):
            started = datetime.fromtimestamp(span["start_timestamp"], UTC)
            assert abs(started - logged) < timedelta(minutes=2)
            ids.append(span["span_id"])
            releases.append(span["attributes"]["sentry.release"]["value"])
    assert len(ids) == len(set(ids)) > 1000
    assert list(dict.fromkeys(releases)) == list(history.RELEASES)


@pytest.mark.slow
def test_days_that_are_there_are_left(tmp_path: Path) -> None:
    now = datetime(2026, 11, 21, 10, tzinfo=UTC)
    assert history.write(tmp_path, "errata_app_test", 1, now) > 0
    assert history.write(tmp_path, "errata_app_test", 1, now) == 0
