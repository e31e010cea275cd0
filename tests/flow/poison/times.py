"""Ingredients: when things happened."""

from collections.abc import Callable
from datetime import datetime, timedelta

from errata.warehouse.retention import Retention
from tests.flow.poison import made_items
from tests.flow.poison.line import Line
from tests.flow.poison.pot import Pot, objects
from tests.flow.poison.values import NO_TIMES, edge, future, past, written

STARTS = ("start_timestamp", "started")
ENDS = ("timestamp", "end_timestamp")
DATED = ("event", "transaction", "span", "session")


def edges(pot: Pot) -> None:
    """At the ends of hours, days, weeks, of what is corrected, and of what is counted."""
    for _ in range(pot.chance.randrange(1, 4)):
        made_items.event(pot)
        made_items.load(pot)
        made_items.call(pot)
        made_items.session(pot)
    for line in pot.some(pot.of_type(*DATED), 12):
        _date(pot, line, edge(pot.chance, pot.now, Retention().horizon_days(line.type)))


def past_times(pot: Pot) -> None:
    for line in pot.some(pot.of_type(*DATED)):
        _date(pot, line, past(pot.chance, pot.now))


def future_times(pot: Pot) -> None:
    for line in pot.some(pot.of_type(*DATED)):
        _date(pot, line, future(pot.chance, pot.now))


def odd_logged_at(pot: Pot) -> None:
    """Far from the payload's own moment, in other time zones, with more digits, or none at all."""
    for line in pot.some(pot.lines, 8):
        moment = pot.now - timedelta(hours=pot.chance.choice((0, 1, 2, 30, 24 * 40, 24 * 500)))
        line.item["logged_at"] = pot.chance.choice(
            (
                None,
                moment.isoformat().replace("+00:00", "-11:30"),
                moment.strftime("%Y-%m-%d"),
                moment.strftime("%Y%m%dT%H%M%SZ"),
                moment.isoformat(timespec="microseconds"),
                "0001-01-01T00:00:00+14:00",
                "1969-12-31T23:59:59.999Z",
            )
        )


def missing_times(pot: Pot) -> None:
    """Without time, or with what is none."""
    for line in pot.some(pot.of_type(*DATED), 8):
        if pot.chance.random() < 0.5:
            line.item.pop("logged_at", None)
        for held in list(objects(line.payload))[: pot.chance.choice((1, 1, 100))]:
            for name in (*STARTS, *ENDS):
                if name in held:
                    held[name] = pot.chance.choice(NO_TIMES)


def moved_copies(pot: Pot) -> None:
    """The same ids minutes, hours and days apart."""
    spans = (0.0004, 1, 61, 3_600, 3_601, 86_400, 7 * 86_400, 40 * 86_400)
    for line in pot.some(pot.of_type(*DATED), 8):
        for _ in range(pot.chance.choice((1, 1, 2, 5))):
            moved = line.copy()
            _date(pot, moved, pot.now - timedelta(seconds=pot.chance.choice(spans)))
            pot.lines.append(moved)


def _date(pot: Pot, line: Line, moment: datetime) -> None:
    """Moves an item there: told by itself alone, by the host's clock alone, or by both."""
    said = pot.chance.choice(("payload", "logged_at", "both"))
    if said != "payload":
        line.item["logged_at"] = moment.isoformat()
    elif pot.chance.random() < 0.7:
        line.item.pop("logged_at", None)
    if said != "logged_at":
        _set_times(pot, line, lambda: written(pot.chance, moment))


def _set_times(pot: Pot, line: Line, when: Callable[[], object]) -> None:
    whole = pot.chance.random() < 0.7
    for held in objects(line.payload) if whole else (line.payload,):
        for name in (*STARTS, *ENDS):
            if name in held:
                held[name] = when()
