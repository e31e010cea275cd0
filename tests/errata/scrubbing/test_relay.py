"""What `sentry-relay` strips is stripped, but for what docs/security.md gives a reason for; what is said
there to stay does."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from errata.scrubbing import scrubbed, scrubbed_object
from tests.relayed import (
    Stripped,
    is_left,
    secrets_tried,
    stripped_at_common_places,
    stripped_in_recorded_events,
)

DOCUMENT = (Path(__file__).parents[3] / "docs" / "security.md").read_text()
ROW = re.compile(r"^\| (?!-|what )(.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
SETTINGS = frozenset(
    "token_type token_count max_tokens total_tokens token_url password_length password_policy api_key_name"
    " auth_type auth_method oauth_provider otp_enabled two_factor two-factor credentials_provider"
    " x-auth-user".split()
)
COMPOUNDS = frozenset(
    "author authors authority author_email authenticated authorized_by unauthorized authentic authlib"
    " tokenizer".split()
)
WORDS = re.compile("password|secret|auth|token", re.IGNORECASE)


def begins(*texts: str) -> Callable[[Stripped], bool]:
    return lambda found: found.secret.id.startswith("text: ") and found.secret.text.startswith(texts)


REASONS: dict[str, Callable[[Stripped], bool]] = {
    "all of a text with `password`, `secret`, `auth` or `token` in it": lambda found: bool(
        not found.secret.name and WORDS.search(found.secret.text) and found.secret.id.startswith("text: ")
    ),
    "counts, kinds, settings and user names": lambda found: found.secret.name in SETTINGS,
    "longer words, as names": lambda found: found.secret.name in COMPOUNDS,
    "numbers that nobody can have": begins(
        "paid by 4111111111111112", "to DE00", "to NL91abna", "of 000-", "of 912-", "of 123-45-0000"
    ),
    "short words after `bearer`": begins("sent bearer Zq7m", "the bearer of"),
    "public keys": begins("-----BEGIN PUBLIC"),
    "email addresses in messages": begins("from ann@", "https://Zq7m"),
}


def section(title: str) -> dict[str, str]:
    """Of the document: what each row of its table is about, and its example."""
    _, _, after = DOCUMENT.partition(f"\n### {title}\n")
    return {what: example for what, example, _ in ROW.findall(after.partition("\n#")[0])}


def without_reason(stripped: Iterable[Stripped], met: set[str]) -> list[tuple[str, str]]:
    kept = []
    for found in stripped:
        sent = msgspec.json.encode(found.event)
        if is_left(scrubbed(sent).decode(), found.secret):
            reasons = [reason for reason, holds in REASONS.items() if holds(found)]
            kept += [] if reasons else [(found.where, found.secret.text)]
            met.update(reasons)
    return kept


def test_nothing_that_relay_strips_stays_without_a_reason() -> None:
    stripped = list(stripped_at_common_places())
    assert len(stripped) > 3000 and len({found.secret.id for found in stripped}) > 250
    assert len(secrets_tried()) > 500
    met: set[str] = set()
    assert without_reason(stripped, met) == []
    assert met == set(REASONS) == set(section("What Relay strips, and Errata keeps"))


@pytest.mark.slow
def test_nothing_that_relay_strips_stays_in_recorded_events() -> None:
    stripped = list(stripped_in_recorded_events())
    assert len(stripped) > 500 and len({found.where for found in stripped}) > 250
    assert without_reason(stripped, set()) == []


def test_what_is_said_to_stay_stays() -> None:
    examples = {
        what: text
        for what, example in section("What filtering can't find").items()
        for text in re.findall("`([^`]+)`", example)
    }
    assert len(examples) >= 6
    for what, text in examples.items():
        assert scrubbed_object({"message": text, "extra": {"note": text}})["message"] == text, what
