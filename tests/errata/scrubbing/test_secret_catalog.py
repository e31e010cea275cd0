"""The catalog of secrets itself, and every secret of it at every place, by the engines of server and SDK."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from errata_sdk.line import line_of

from errata.scrubbing import OneByOne, scrubbed, scrubbed_object
from tests.cases import each
from tests.secret_catalog import NAMES, SECRETS, Secret
from tests.secret_places import Place, places

known_places = cache(places)
FAST_STEP = 71
"""Coprime to the number of secrets: so many pairs apart, each place and each secret has several."""

_encode = msgspec.json.Encoder().encode


def is_left(written: str, secret: Secret) -> bool:
    return any(part in written or json.dumps(part)[1:-1] in written for part in secret.gone)


def by_server(place: Place, secret: Secret) -> str:
    text = _encode(place.planted(secret))
    is_recording = place.item_type == "replay_recording"
    return (OneByOne().scrubbed(text) if is_recording else scrubbed(text)).decode()


def pairs(step: int = 1) -> Iterator[tuple[Place, Secret]]:
    """Every place with every secret, or each with a few of the other."""
    number = 0
    for place in known_places():
        for secret in SECRETS:
            number += 1
            if number % step == 0 and is_told_from_all_others(place, secret):
                yield place, secret


def is_told_from_all_others(place: Place, secret: Secret) -> bool:
    if place.is_source:
        return False
    return place.has_names or not place.form.endswith(("entry", "pair", "attribute"))


def test_each_secret_can_be_told_from_all_others() -> None:
    assert len({secret.id for secret in SECRETS}) == len(SECRETS) >= 150
    gone = [part for secret in SECRETS for part in secret.gone]
    assert len(set(gone)) == len(gone) and min(map(len, gone)) >= 8
    texts = [secret.text.replace(r"\n", "\n") for secret in SECRETS]
    for secret, text in zip(SECRETS, texts, strict=True):
        assert all(part in text for part in secret.gone), secret
        assert not any(part in other for part in secret.gone for other in texts if other is not text), secret


@each("secret", SECRETS, ids=lambda secret: secret.id)
def test_a_secret_is_lost_as_a_text_and_under_its_name(secret: Secret) -> None:
    texts: dict[str, Any] = {"a": secret.text, "b": f"x {secret.text} x", "c": [secret.text, "x", "y"]}
    if secret.name:
        value = secret.gone[0]
        texts |= {secret.name: value, "d": {secret.name: [value]}}
    stored = scrubbed_object({"extra": json.loads(json.dumps(texts))})
    is_stored = is_left(json.dumps(stored, ensure_ascii=False), secret)
    is_logged = is_left(line_of("event", "key", {}, {"extra": texts}).decode(), secret)
    assert not (is_stored or is_logged), (is_stored, is_logged, stored)


@pytest.mark.slow
@each("quoted", ["'{}'", "[{}]", " {}:", "__{}__"])
def test_what_is_around_a_name_does_not_hide_it(quoted: str) -> None:
    """As variables of frames are printed."""
    names = [quoted.format(name) for name in " ".join(NAMES.values()).split()]
    extra = [
        *([[name, "'Zq8typed01'"]] for name in names),
        *({"name": name, "value": "'Zq8typed01'"} for name in names),
        *({name: "Zq8typed01"} for name in names),
    ]
    for entry in extra:
        stored = scrubbed_object({"extra": {"a": json.loads(json.dumps(entry))}})
        logged = line_of("event", "key", {}, {"extra": {"a": entry}}).decode()
        assert "Zq8typed01" not in json.dumps(stored) and "Zq8typed01" not in logged, entry


def test_a_name_at_the_top_is_written_without_its_secret() -> None:
    for secret in SECRETS:
        stored = scrubbed(_encode({"platform": "x", secret.text: 1})).decode()
        assert not is_left(stored, secret), secret


@pytest.mark.slow
def test_a_secret_is_lost_wherever_it_stands() -> None:
    covered = list(pairs(FAST_STEP))
    assert {secret.id for _, secret in covered} == {secret.id for secret in SECRETS}
    expected = {p.id for p in known_places() if any(is_told_from_all_others(p, one) for one in SECRETS)}
    assert {place.id for place, _ in covered} == expected and len(expected) > 1500
    assert [
        (place.id, secret) for place, secret in covered if is_left(by_server(place, secret), secret)
    ] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_secret_is_lost_at_every_place() -> None:
    left = ((place.id, secret) for place, secret in pairs() if is_left(by_server(place, secret), secret))
    assert list(left) == []
