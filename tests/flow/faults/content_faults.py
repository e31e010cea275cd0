"""What stands in log files besides whole, good lines."""

import os

from errata_wire.limits import LINE_MAX_BYTES

from tests.flow.faults.application import Line, Log
from tests.flow.faults.run import Run

SECTOR_BYTES = 512


def half_lines(run: Run) -> None:
    """Lines that grow in pieces, also across a rotation."""
    run.begin()
    for number in run.rounds():
        path = run.application.today
        with run.application.opened(path) as log:
            log.write(run.chance.randrange(3))
            line = run.application.new_line()
            cut = run.chance.randrange(1, len(line.content))
            log.write_raw(line.content[:cut])
            if run.chance.random() < 0.3:
                path.rename(path.with_name(f"{path.name}.{number + 1}"))
            run.pause()
            log.complete(line, line.content[cut:])


def oversize_lines(run: Run) -> None:
    """Lines longer than the server takes are set aside; one of exactly the limit is stored."""
    run.begin()
    for number in run.rounds(4):
        with run.application.opened(run.application.today) as log:
            log.write()
            size = LINE_MAX_BYTES + (0 if number == 0 else run.chance.randrange(1, SECTOR_BYTES))
            log.write_line(run.application.new_line(size))
            log.write()


def invalid_utf8(run: Run) -> None:
    """Bytes that no encoding of text has, within lines and instead of them; blank lines too."""
    run.begin()
    for _ in run.rounds():
        with run.application.opened(run.application.today) as log:
            log.write()
            line = run.application.new_line()
            log.write_line(Line(line.content.replace(b"broken", b"br\xff\xfe\xc3ken"), line.event_id))
            log.write_line(Line(b"\x80\x81" + run.chance.randbytes(20).hex().encode() + b"\xf8", ""))
            log.write_raw(run.chance.choice([b"\n", b"  \n", b"\r\n"]))
            log.write()


def nul_tail(run: Run) -> None:
    """The power fails: the file ends in zeros, in place of lines that are stored or after the last one."""
    run.begin()
    for number in run.rounds(4):
        path = run.application.today
        run.application.write(path)
        run.await_stored()
        with run.spared():
            run.host.kill()
            if number % 2:
                size = path.stat().st_size
                os.truncate(path, size - run.chance.randrange(1, min(size, 3 * SECTOR_BYTES)))
            with run.application.opened(path) as log:
                log.write_raw(bytes(SECTOR_BYTES * run.chance.randrange(1, 9)))
                _write_after_zeros(run, log)
            run.host.start()


def equal_beginnings(run: Run) -> None:
    """Many small files that begin alike, renamed and refilled."""
    head = _head(run)
    run.begin()
    for number in run.rounds(5):
        path = run.application.today
        with run.application.opened(path) as log:
            log.write_raw(head)
            run.pause(0.4)
            log.write(run.chance.randrange(1, 4))
            if number % 2:
                path.rename(path.with_name(f"{path.name}.{number}"))
                continue
            run.await_stored()
            os.truncate(path, 0)
            log.write_raw(head)
            log.write(run.chance.randrange(1, 4))
            path.rename(path.with_name(f"{path.name}.{number}"))


def _write_after_zeros(run: Run, log: Log) -> None:
    """As the SDK does: its line is glued to what stands there, so it writes the line again."""
    line = run.application.new_line()
    log.write_raw(line.content + b"\n")
    log.write_line(line)
    log.write()


def _head(run: Run) -> bytes:
    """A line that counts nowhere; some are longer than what a file is known by."""
    padding = "x" * run.chance.choice([0, 100, 2000])
    return f'{{"type": "client_report", "payload": {{"{run.name}": "{padding}"}}}}\n'.encode()
