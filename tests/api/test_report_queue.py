"""Reports that pages wait for: one at a time, by turns, none lost to a moment's load."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

import api.report_queue
from api.errors import TooManyAtOnce
from api.report_queue import MOST_OF_AN_ORGANIZATION, ReportQueue, WaitingReport
from errata.reports.printing import NotPrinted, PrinterMissing
from errata.reports.report_file import ReportFile
from errata.warehouse.client import NoAnswerInTime, TooMuchToRead


class Printer:
    """Holds every report until it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.made: list[str] = []

    def make(self, name: str) -> Callable[[], ReportFile]:
        def report() -> ReportFile:
            self.free.wait(10)
            self.made.append(name)
            return ReportFile(name.encode(), name, "pdf")

        return report


@pytest.fixture
def printer() -> Iterator[Printer]:
    printer = Printer()
    yield printer
    printer.free.set()


def ended(report: WaitingReport) -> WaitingReport:
    until = time.monotonic() + 10
    while report.ended_at is None:
        assert time.monotonic() < until
        time.sleep(0.002)
    return report


def test_a_report_is_made_once_and_kept_for_minutes(printer: Printer) -> None:
    now = [0.0]
    queue = ReportQueue(lambda: now[0])
    first, _ = queue.report(1, "a", printer.make("a"))
    assert queue.report(1, "a", printer.make("a"))[0] is first
    printer.free.set()
    assert ended(first).file == ReportFile(b"a", "a", "pdf")
    assert queue.report(1, "a", printer.make("a"))[0] is first
    now[0] = api.report_queue.KEPT_SECONDS + 1
    assert queue.report(1, "a", printer.make("a"))[0] is not first


def test_organizations_take_turns_and_people_are_told_how_many_come_first(printer: Printer) -> None:
    queue = ReportQueue()
    many = [queue.report(1, number, printer.make(f"a{number}")) for number in range(6)]
    assert [ahead for _, ahead in many] == [0, 1, 2, 3, 4, 5]
    other, ahead = queue.report(2, "b", printer.make("b"))
    assert ahead == 0
    printer.free.set()
    ended(other)
    for report, _ in many:
        ended(report)
    assert printer.made.index("b") <= 1
    assert [name for name in printer.made if name != "b"] == [f"a{number}" for number in range(6)]


def test_no_organization_fills_the_queue(printer: Printer) -> None:
    queue = ReportQueue()
    for number in range(MOST_OF_AN_ORGANIZATION):
        queue.report(1, number, printer.make(""))
    with pytest.raises(TooManyAtOnce):
        queue.report(1, "more", printer.make(""))
    assert queue.report(1, 0, printer.make(""))
    assert queue.report(2, "b", printer.make(""))


@pytest.mark.parametrize("error", [NoAnswerInTime(), NotPrinted("timed out")])
def test_a_busy_moment_is_waited_out(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.report_queue, "PAUSE_SECONDS", 0.0)
    failures = [error, error]

    def make() -> ReportFile:
        if failures:
            raise failures.pop()
        return ReportFile(b"", "a", "pdf")

    assert ended(ReportQueue().report(1, "a", make)[0]).file is not None


def test_a_report_with_too_much_to_read_is_tried_once() -> None:
    attempts: list[int] = []

    def make() -> ReportFile:
        attempts.append(1)
        raise TooMuchToRead

    assert isinstance(ended(ReportQueue().report(1, "a", make)[0]).error, TooMuchToRead)
    assert len(attempts) == 1


def test_an_error_is_told_once_and_the_report_can_be_begun_anew(caplog: pytest.LogCaptureFixture) -> None:
    for raised, told in ((PrinterMissing(), PrinterMissing), (RuntimeError("boom"), NotPrinted)):

        def make(raised: Exception = raised) -> ReportFile:
            raise raised

        queue = ReportQueue()
        ended(queue.report(1, "a", make)[0])
        with pytest.raises(told):
            queue.report(1, "a", make)
        assert queue.report(1, "a", make)[0].error is None
    assert "boom" in caplog.text
