"""Which files there are, where they lie, and what their names and times say."""

import os
from datetime import timedelta
from pathlib import Path

from tests.flow.faults.run import Run

OLD_FILES = 2000
OLD_FILES_WITH_LINES = 30


def late_writer(run: Run) -> None:
    """A program still writes to yesterday's file, which rotation renames under it."""
    run.begin()
    yesterday = run.application.day(-1)
    with run.application.opened(yesterday) as late, run.application.opened(run.application.today) as today:
        for number in run.rounds():
            today.write()
            late.write()
            if number == 3:
                yesterday.rename(yesterday.with_name(f"{yesterday.name}-rotated"))


def other_time_zone(run: Run) -> None:
    """Programs that name the day's file by their own clock: tomorrow, today and yesterday at once."""
    run.begin()
    for _ in run.rounds():
        for days in run.chance.sample([-1, 0, 1], k=2):
            run.application.write(run.application.day(days))


def symlinked_file(run: Run) -> None:
    """The log file's name is a link, which leads to a new file once the old one is stored."""
    path = run.application.today
    _lead(path, run.folder / "target-0")
    run.begin()
    for number in run.rounds(5):
        run.application.write(path)
        if number % 2:
            run.await_stored()
            _lead(path, run.folder / f"target-{number}")


def symlinked_directory(run: Run) -> None:
    """The storage path is a link, which leads to a new directory once all in the old one is stored."""
    link = run.folder / "link"
    _lead_to_folder(link, run.logs)
    run.host.configure(storagePath=str(link))
    run.begin()
    for number in run.rounds(5):
        run.application.write(link / run.application.today.name)
        if number == 3:
            run.await_stored()
            _lead_to_folder(link, run.folder / "other")
    run.application.logs = run.folder / "other"


def old_files(run: Run) -> None:
    """Thousands of files of former days; a few hold lines that nobody delivered yet."""
    with_lines = set(run.chance.sample(range(OLD_FILES), OLD_FILES_WITH_LINES))
    for number in range(OLD_FILES):
        path = run.application.day(-1 - number)
        if number in with_lines:
            run.application.write(path, run.chance.randrange(1, 4))
        else:
            path.touch()
    run.begin()
    for _ in run.rounds(5):
        run.application.write()


def clock_jump(run: Run) -> None:
    """The host's clock jumps, for programs, shipper and the times of files alike."""
    jumped = run.folder / "clock"
    jumped.write_text("0")
    run.host.program = ("-m", "tests.flow.faults.jumping_shipper", str(jumped))
    run.begin()
    for _ in run.rounds():
        run.application.write()
        seconds = run.chance.choice([-864_000, -90_000, -3_600, -1, 0, 3_600, 90_000, 864_000])
        run.application.clock_error = timedelta(seconds=seconds)
        _replace_text(jumped, str(run.chance.choice([seconds, seconds * 1000])))
        path = run.chance.choice(sorted(run.logs.glob("errata-*.log")))
        os.utime(path, (path.stat().st_mtime + seconds,) * 2)


def _lead(link: Path, target: Path) -> None:
    target.touch()
    made = link.with_name("link-to-be")
    made.symlink_to(target)
    made.replace(link)


def _lead_to_folder(link: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    made = link.with_name("link-to-be")
    made.symlink_to(target)
    made.replace(link)


def _replace_text(path: Path, text: str) -> None:
    made = path.with_suffix(".new")
    made.write_text(text)
    made.replace(path)
