"""What people note on charts."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.annotations import LONGEST_TEXT, MOST_A_PROJECT, Note
from errata.state.errors import AnnotationNotFound, ProjectNotFound
from errata.state.holidays import holidays
from errata.state.users import User
from tests.people import joins

AT = datetime(2026, 11, 2, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def people(store: Store) -> tuple[int, int, int]:
    """The organization, its owner, and a member."""
    store.accounts.create_first("Acme", "Shop", "owner@example.org")
    with store.database.writing() as connection:
        owner = connection.execute(select(User)).one()
    return owner.organization_id, owner.id, joins(store, owner.organization_id, "ada@example.org")


def test_annotations_are_changed_by_their_authors_and_by_owners(
    store: Store, people: tuple[int, int, int]
) -> None:
    organization_id, owner, member = people
    written = store.annotations
    scope = organization_id, "shop"
    sale = written.write(*scope, member, Note(" Sale began ", AT, AT + 2 * HOUR))
    assert (sale.note, sale.author) == (Note("Sale began", AT, AT + 2 * HOUR), "ada@example.org")
    database = written.write(*scope, owner, Note("New database", AT + 5 * HOUR))
    # A span is of every range that it has a part of.
    assert written.of_project(*scope, AT + HOUR, AT + 5 * HOUR) == [sale]
    assert written.of_project(*scope, AT + 2 * HOUR, AT + 6 * HOUR) == [database]
    assert written.all_of_project(*scope) == [sale, database]

    with pytest.raises(AnnotationNotFound):
        written.change(*scope, member, database.id, Note("Mine", AT), is_owner=False)
    with pytest.raises(AnnotationNotFound):
        written.delete(*scope, member, database.id, is_owner=False)
    changed = written.change(*scope, owner, sale.id, Note("Sale", AT), is_owner=True)
    assert (changed.note, changed.author) == (Note("Sale", AT), "ada@example.org")
    assert changed.changed_at >= sale.changed_at
    written.delete(*scope, member, sale.id, is_owner=False)
    assert written.all_of_project(*scope) == [database]
    with pytest.raises(ProjectNotFound):
        written.all_of_project(organization_id, "other")


def test_days_of_holidays_are_those_of_spans_that_are_called_so(
    store: Store, people: tuple[int, int, int]
) -> None:
    organization_id, _, member = people
    assert holidays(store.database) == {}
    midnight = AT.replace(hour=0)
    for note in (
        Note("Public Holidays", AT, midnight + 48 * HOUR),
        Note("holiday", midnight + 72 * HOUR, midnight + 72 * HOUR + HOUR),
        Note("Sale began", midnight + 200 * HOUR, midnight + 300 * HOUR),
        Note("Holidays begin", midnight + 400 * HOUR),
    ):
        store.annotations.write(organization_id, "shop", member, note)
    (days,) = holidays(store.database).values()
    assert sorted(days) == [date(2026, 11, 2), date(2026, 11, 3), date(2026, 11, 5)]


@pytest.mark.parametrize(
    ("note", "name"),
    [
        (Note(" ", AT), "text"),
        (Note("a\nb", AT), "text"),
        (Note("x" * (LONGEST_TEXT + 1), AT), "text"),
        (Note("x", datetime(1999, 12, 31, tzinfo=UTC)), "at"),
        (Note("x", datetime(9999, 1, 1, tzinfo=UTC)), "at"),
        (Note("x", AT, AT), "until"),
        (Note("x", AT, datetime(9999, 1, 1, tzinfo=UTC)), "until"),
    ],
)
def test_what_no_chart_could_show_is_refused(
    store: Store, people: tuple[int, int, int], note: Note, name: str
) -> None:
    organization_id, owner, _ = people
    with pytest.raises(InvalidParameter, match=name):
        store.annotations.write(organization_id, "shop", owner, note)


def test_a_project_has_a_bounded_number_of_annotations(store: Store, people: tuple[int, int, int]) -> None:
    organization_id, owner, _ = people
    for number in range(MOST_A_PROJECT):
        store.annotations.write(organization_id, "shop", owner, Note("x", AT + number * HOUR))
    with pytest.raises(InvalidParameter, match="at most 200"):
        store.annotations.write(organization_id, "shop", owner, Note("x", AT))
