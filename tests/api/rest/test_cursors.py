"""Cursors that were never given out, at every endpoint that pages."""

from api.parameters import encode_cursor
from errata.warehouse.queries.cursor import cursor_text
from tests.api.conftest import Api

PAGED = ("/api/activity", "/api/projects/{slug}/alert-messages")
COUNTED = ("/api/projects/{slug}/issues", "/api/projects/{slug}/delivery")
MADE_UP = {
    "nothing in it": "e30",
    "no base64": "%%%",
    "a word for a moment": encode_cursor("yesterday"),
    "a moment of old": encode_cursor("2026-11-21T10:00:00+00:00"),
    "a word for an id": encode_cursor(1, "x"),
    "half a character": encode_cursor(1, "\ud800" * 32),
    "before all time": encode_cursor(-(1 << 60), "0" * 32),
    "after all time": encode_cursor(1 << 62, "0" * 32),
    "an id too many": encode_cursor(1, "0" * 32, 1),
    "numbers out of bounds": cursor_text("events", 1 << 64, 1 << 64, 1 << 64, 1 << 64),
    "a moment out of bounds": cursor_text("last_seen", 0, 0, 1 << 60, 0),
    "a day out of bounds": cursor_text(1, 1 << 70, "a", "b", "c"),
    "a day before the first": cursor_text(1, 1, "a", "b", "c"),
    "no text": cursor_text(1, 738_000, "%00", "b", "c"),
    "words for numbers": cursor_text("last_seen", "a", "b", "c", "d"),
}


def test_a_made_up_cursor_is_told_from_one_that_was_given_out(api: Api) -> None:
    answers = {}
    for path in PAGED + COUNTED:
        address = path.format(slug=api.account.project)
        for name, cursor in MADE_UP.items():
            answer = api.client.get(address, params={"cursor": cursor}, headers=api.key)
            answers[path, name] = (answer.status_code, answer.json().get("error"))
    assert {place: answer for place, answer in answers.items() if answer != (400, "invalid_parameter")} == {}
