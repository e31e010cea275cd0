"""The chart of a printed report: values over time, and where releases began."""

from datetime import UTC, date, datetime, timedelta

from errata.reports.chart_marks import MOST_DEPLOYS
from errata.reports.line_chart import (
    CHARACTER_WIDTH,
    LEFT,
    LONGEST_NAME,
    MOST_ANNOTATIONS,
    NAME_ROOM,
    RIGHT,
    WIDTH,
    line_chart,
)
from errata.state.annotations import Note
from tests.annotated import annotated

MONDAY = date(2026, 11, 2)
START = datetime(2026, 11, 2, tzinfo=UTC)
WEEKS = [(MONDAY + timedelta(weeks=number), 1000.0 + number) for number in range(4)]
WEEK_WIDTH = (WIDTH - LEFT - RIGHT) / 4


def drawn(*deploys: tuple[timedelta, str]) -> list[tuple[float, str]]:
    chart = line_chart(WEEKS, [(START + after, name) for after, name in deploys])
    assert chart is not None
    return [(deploy.place, deploy.name) for deploy in chart.deploys]


def test_a_release_stands_where_it_began_between_the_values() -> None:
    chart = line_chart(WEEKS)
    assert chart is not None and chart.deploys == ()
    assert [x for x, _ in chart.points] == [LEFT + (number + 0.5) * WEEK_WIDTH for number in range(4)]
    assert drawn((timedelta(0), "shop@1"), (timedelta(weeks=1.5), "shop@2")) == [
        (LEFT, "shop 1"),
        (LEFT + 1.5 * WEEK_WIDTH, "shop 2"),
    ]


def test_the_last_step_is_drawn_to_its_end_and_what_began_outside_is_left_out() -> None:
    last = timedelta(weeks=4) - timedelta(hours=1)
    outside = [(timedelta(seconds=-1), "before"), (timedelta(weeks=4), "after")]
    [(place, name)] = drawn(outside[0], (last, "shop@2"), outside[1])
    assert name == "shop 2" and WIDTH - RIGHT - 1 < place <= WIDTH - RIGHT


def test_of_releases_too_near_each_other_the_later_one_is_named_and_names_end_in_the_chart() -> None:
    width = len("shop 1") * CHARACTER_WIDTH + NAME_ROOM
    near = timedelta(weeks=0.9 * width / WEEK_WIDTH)
    far = near + timedelta(weeks=1.1 * width / WEEK_WIDTH)
    names = [name for _, name in drawn((timedelta(0), "shop@1"), (near, "shop@2"), (far, "shop@3"))]
    assert names == ["", "shop 2", "shop 3"]
    last = timedelta(weeks=4) - timedelta(hours=1)
    chart = line_chart(WEEKS, [(START + last - timedelta(hours=9), "shop@1"), (START + last, "storefront@2")])
    assert chart is not None
    assert [deploy.name for deploy in chart.deploys] == ["", "storefront 2"]
    assert chart.deploys[1].name_place + len("storefront 2") * CHARACTER_WIDTH <= WIDTH


def test_of_many_releases_the_latest_are_drawn() -> None:
    many = [(timedelta(days=number), f"shop@{number}") for number in range(20)]
    places = drawn(*many)
    assert len(places) == MOST_DEPLOYS and places[-1][1] == "shop 19"
    assert places[0][0] == round(LEFT + 8 / 7 * WEEK_WIDTH, 1)


def test_a_long_name_keeps_its_version() -> None:
    [(_, name)] = drawn((timedelta(days=3), "storefront@2026.11.16-rc.1"))
    assert name == "2026.11.16-rc.1" and len(name) <= LONGEST_NAME


def test_days_of_a_release_are_an_axis_too() -> None:
    days = [(MONDAY + timedelta(days=number), 1.0) for number in range(10)]
    chart = line_chart(days, [(START + timedelta(days=5), "shop@2")])
    assert chart is not None
    assert chart.deploys[0].place == (LEFT + WIDTH - RIGHT) / 2


def test_what_people_noted_is_numbered_within_the_chart_and_told_in_words() -> None:
    end = START + timedelta(weeks=4)
    notes = [
        Note("Before", START - timedelta(days=9), START - timedelta(days=3)),
        *(Note(f"Early {number}", START) for number in range(MOST_ANNOTATIONS)),
        Note("Sale", START + timedelta(weeks=1), end + timedelta(days=9)),
        Note("After", end),
    ]
    chart = line_chart(WEEKS, (), [annotated(note) for note in notes])
    assert chart is not None
    assert [one.number for one in chart.annotations] == list(range(1, MOST_ANNOTATIONS + 1))
    assert (chart.annotations[0].place, chart.annotations[0].end) == (LEFT, LEFT)
    sale = chart.annotations[-1]
    assert (sale.place, sale.end) == (LEFT + WEEK_WIDTH, WIDTH - RIGHT)
    assert sale.words.startswith("Sale") and sale.words.endswith("ada@shop.example")
