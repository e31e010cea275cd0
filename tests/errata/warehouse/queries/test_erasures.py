"""What of an erasure is decided without a warehouse."""

from datetime import date

import pytest

from errata.warehouse.queries.erasures.items import Subject, names_a_person
from errata.warehouse.queries.erasures.removal import spans
from tests.cases import each


@each(
    "text",
    ["a@b", "Vera Plantedson", "203.0.113.177", "customer-4711", "9f2c0d5e7a1b", "Ludwig van Beethoven"],
)
def test_texts_that_name_a_person_are_looked_for(text: str) -> None:
    assert names_a_person(text) is (text != "a@b")


@each(
    "text",
    ["", " ", "admin", "django", "1000", "bo", "unknown", "a b", "   ", "of the", "Cannot read properties"],
)
def test_ordinary_words_are_not(text: str) -> None:
    assert not names_a_person(text)


def test_a_subject_names_something_and_never_everybody_unidentified() -> None:
    for given in ({}, {"users": (0,)}, {"users": (0, 5)}, {"users": (), "events": (), "variants": ()}):
        with pytest.raises(ValueError):
            Subject(**given)
    assert Subject(variants=(0,)).variants == (0,)


def test_days_are_removed_in_spans_of_few_enough_items() -> None:
    days = [(date(2026, 11, number), 40) for number in (1, 2, 3, 9)]
    assert list(spans(days, 100)) == [
        (date(2026, 11, 1), date(2026, 11, 2)),
        (date(2026, 11, 3), date(2026, 11, 9)),
    ]
    # A day is never divided.
    assert list(spans([(date(2026, 11, 1), 500)], 100)) == [(date(2026, 11, 1), date(2026, 11, 1))]
    assert list(spans([])) == []
