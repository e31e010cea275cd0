"""A restore that was killed, at any of ten moments, is done again: every answer of REST is the source's, and
nobody who was erased between the backups comes back."""

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from errata.backup.directory import BackupDirectory
from errata.up.data_directory import RESTORING
from tests.errata.backup.test_interrupted_restore import (
    MOMENTS,
    assert_no_service,
    empty,
    restored_until,
    step_of,
    steps_of,
)
from tests.flow.erased_person import call, clear_marts, planted_tables, wait_for_rows
from tests.flow.test_backup import (
    SAME_ANSWERS,
    Person,
    assert_same_answers,
    build,
    captured_lines,
    command,
    deliver,
    paths,
)
from tests.planted_person import VERA, events, telemetry
from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Source:
    """`asked`: what the service answers; `steps`: of a restore of its last backup, which builds upon one from
    before the erasure."""

    person: Person
    backups: Path
    asked: list[str]
    steps: int


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    folder = tmp_path_factory.mktemp("killed")
    backups = folder / "backups"
    with running("--no-pipelines", directory=folder / "data") as service:
        person = Person(service)
        person.sign_in()
        deliver(service, captured_lines())
        deliver(service, [{"type": "event", "payload": payload} for payload in events(VERA, 6)])
        deliver(service, list(telemetry({0: VERA})))
        build(service)
        assert {"errata_raw.error_events", "errata_raw.variants"} <= planted_tables(service)
        taken = command("backup", backups, "--data", service.directory, "--with-secret")
        assert taken.returncode == 0, taken.stderr
        call(service, "POST", "/erasures", {"email": VERA.email, "confirm": VERA.email})
        wait_for_rows(service)
        clear_marts(service)
        build(service)
        assert planted_tables(service) == set()
        taken = command("backup", backups, "--data", service.directory, "--with-secret")
        assert taken.returncode == 0 and len(BackupDirectory(backups).complete()) == 2, taken.stderr
        steps = steps_of(backups, folder / "whole")
        shutil.rmtree(folder / "whole")
        asked = list(person.answers(paths(person)))
        assert len(asked) >= SAME_ANSWERS
        yield Source(person, backups, asked, steps)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_service_whose_restore_was_killed_answers_as_its_source(
    source: Source, tmp_path: Path, moment: int
) -> None:
    target = tmp_path / "new"
    killed = restored_until(step_of(moment, source.steps), source.backups, target)
    assert killed.returncode == -signal.SIGKILL and (target / RESTORING).exists(), killed
    assert_no_service(target)
    empty(target)
    done = command("restore", source.backups, "--data", target)
    assert done.returncode == 0, done.stderr
    with running("--no-pipelines", directory=target) as restored:
        person = Person(restored, source.person.cookies)
        # A tenth after each kill.
        assert_same_answers(person, source.person, source.asked[moment::MOMENTS])
        assert planted_tables(restored) == set()
