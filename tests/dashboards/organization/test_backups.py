"""What the page of usage shows of backups."""

from datetime import UTC, datetime, timedelta

from errata.backup.expected import Expected
from errata.state.backup_runs import Kind, Outcome, record_backup_run
from tests.backup_run import a_backup_run
from tests.dashboards.conftest import Site

HERE = "/backups/errata"


def test_the_page_of_usage_tells_the_age_of_backups_and_no_path(live_site: Site) -> None:
    client = live_site.sign_in()
    page = client.get("/settings/usage?tab=service").text
    assert "No backups yet." in page
    began_at = datetime.now(UTC) - timedelta(hours=30)
    good = a_backup_run(HERE, began_at, began_at + timedelta(seconds=75), bytes=122_700_000)
    drill = a_backup_run(
        HERE, began_at, kind=Kind.DRILL, outcome=Outcome.FAILED, detail=f"{HERE}/a was changed"
    )
    for run in (good, drill):
        record_backup_run(live_site.store.database, run)
    page = client.get("/settings/usage?tab=service").text
    assert "began 1 d ago" in page and "123 MB in 1 min 15 s" in page and "Set ERRATA_BACKUP_DIR" in page
    context = client.app.state.context  # type: ignore[attr-defined]
    object.__setattr__(context, "backups", Expected.of(HERE))
    page = client.get("/settings/usage?tab=service").text
    assert "over 26 hours ago" in page and "No backup has ever been verified" in page
    assert "The last restore drill failed." in page and HERE not in page
