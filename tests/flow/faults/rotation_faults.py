"""What rotation, people and file systems do to a log file."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.flow.faults.application import Line
from tests.flow.faults.run import Run

LINE_BYTES = 700
# Other runs beside this one may take the inode that was freed.
INODE_TRIES = 200


def rename(run: Run) -> None:
    """Rotation by rename, all older files moved on by one; a program writes to the old file for a moment."""
    run.begin()
    for _ in run.rounds():
        path = run.application.today
        with run.application.opened(path) as log:
            log.write()
            _move_on(path)
            run.pause(0.1)
            log.write(run.chance.randrange(3))


def copytruncate(run: Run) -> None:
    """Rotation by a copy of the file, which is emptied under the program that holds it open."""
    run.begin()
    with run.application.opened(run.application.today) as log:
        for number in run.rounds():
            log.write()
            shutil.copyfile(log.path, log.path.with_name(f"{log.path.name}.{number + 1}"))
            os.truncate(log.path, 0)
            log.write(run.chance.randrange(3))


def refill_same_size(run: Run) -> None:
    """Emptied once all is stored, and filled again to the very size it had."""
    _refill(run, lambda count: count)


def refill_larger(run: Run) -> None:
    """Emptied once all is stored, and filled again beyond the place up to which it was delivered."""
    _refill(run, lambda count: count + run.chance.randrange(1, 9))


def inode_reuse(run: Run) -> None:
    """Deleted once all is stored, while no shipper runs; a new file gets the old one's inode."""
    run.begin()
    path = run.application.today
    run.facts["reused"] = 0
    for number in run.rounds(4):
        with run.application.opened(path) as log:
            lines = _lines(run, run.chance.randrange(1, 9))
            log.write_all(lines)
        run.await_stored()
        with run.spared():
            run.host.kill()
            run.pause(0.3)
            inode = path.stat().st_ino
            path.unlink()
            if run.chance.random() < 0.3:
                path = path.with_name(f"{run.application.today.name}.{number + 1}")
            run.facts["reused"] += _create_with_inode(path, inode)
            with run.application.opened(path) as log:
                log.write_all(_lines(run, len(lines) + run.chance.choice([-1, 0, 0, 1, 5])))
            run.host.start()


def deleted_open(run: Run) -> None:
    """Deleted, or moved away, while the shipper holds it open and has not delivered it yet."""
    run.begin()
    for number in run.rounds(4):
        path = run.application.today
        # With the shipper would go the last that holds the file.
        with run.spared(), run.application.opened(path) as log:
            log.write()
            # Only then it is sure that the file stays open: a first look at it is not yet more than a look.
            run.await_stored()
            run.await_open(path)
            log.write()
            if run.chance.random() < 0.5:
                path.unlink()
            else:
                path.rename(run.folder / f"moved-{number}")
            log.write()
            run.await_stored()
        run.application.write()


def _move_on(path: Path) -> None:
    older = sorted(path.parent.glob(f"{path.name}.*"), key=lambda file: int(file.suffix[1:]), reverse=True)
    for file in older:
        file.rename(path.with_name(f"{path.name}.{int(file.suffix[1:]) + 1}"))
    path.rename(path.with_name(f"{path.name}.1"))


def _refill(run: Run, count_after: Callable[[int], int]) -> None:
    run.begin()
    with run.application.opened(run.application.today) as log:
        for _ in run.rounds(5):
            count = run.chance.randrange(1, 9)
            log.write_all(_lines(run, count))
            run.await_stored()
            lines = _lines(run, count_after(count))
            os.truncate(log.path, 0)
            log.write_all(lines)
            run.await_stored()
            os.truncate(log.path, 0)


def _lines(run: Run, count: int) -> list[Line]:
    """All of one size, so that files of as many lines are of one size too."""
    return [run.application.new_line(LINE_BYTES) for _ in range(count)]


def _create_with_inode(path: Path, inode: int) -> bool:
    """False where the file system gives out other inodes; the file is made all the same."""
    tries = [path.with_name(f"try-{number}") for number in range(INODE_TRIES)]
    for made in tries:
        made.touch()
        if made.stat().st_ino == inode:
            break
    is_reused = made.stat().st_ino == inode
    made.rename(path)
    for other in tries:
        other.unlink(missing_ok=True)
    return is_reused
