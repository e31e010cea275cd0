import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from errata_wire.secret_text import FILTERED, KINDS

from errata.scrubbing import MOST_SUSPECTS, TooDeep, TooManySuspects, in_our_words, scrubbed, without_secrets
from errata.scrubbing.bounds import MOST_LOOKED_INTO, Allowance
from errata.scrubbing.rules import RULES
from errata.scrubbing.walk import Walk
from tests.cases import each
from tests.secret_catalog import (
    HARMLESS,
    HARMLESS_SOURCE,
    PLANTED,
    SOURCE_WITH_SECRETS,
    WORDS_AS_PASSWORDS,
    Secret,
)

DATA = Path(__file__).parents[2] / "data"

_LINES = [letter * 60 + "7xQ9" for letter in "abc"]
PEM = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *_LINES, "-----END RSA PRIVATE KEY-----"))


def scrub(payload: dict[str, Any], text: bytes = b"") -> bool:
    """Whether anything changed; the payload becomes what is stored."""
    sent = text or json.dumps(payload).encode()
    stored = json.loads(scrubbed(sent))
    payload.clear()
    payload.update(stored)
    return bool(payload != json.loads(sent))


def test_secrets_are_filtered_wherever_they_stand() -> None:
    payload = {
        "request": {
            "url": "https://shop.example/pay?token=abc&step=2",
            "query_string": "password=hunter2&page=3",
            "headers": {"Authorization": "Bearer x", "X-Api-Key": "k", "Accept": "*/*"},
            "cookies": {"sid": "1", "theme": "dark", "session": "dark", "seen": "averyveryverylongword"},
            "data": '{"card_number": 4111111111111111, "name": "Ann", "nested": [{"cvv": "1"}]}',
        },
        "extra": {"db": [{"PASSWORD": "x", "host": "h"}], "headers": [["Cookie", "a=b"], ["Accept", "x"]]},
        "exception": {
            "values": [{"stacktrace": {"frames": [{"vars": {"user_password": "'x'", "cart": "3"}}]}}]
        },
        "contexts": {"browser": {"cookies_enabled": True}, "app": {"secret_key": None, "api_key": ""}},
    }
    assert scrub(payload)
    assert payload == {
        "request": {
            "url": "https://shop.example/pay?token=[FILTERED]&step=2",
            "query_string": "password=[FILTERED]&page=3",
            "headers": {"Authorization": "[FILTERED]", "X-Api-Key": "[FILTERED]", "Accept": "*/*"},
            "cookies": {
                "sid": "[FILTERED]",
                "theme": "dark",
                "session": "[FILTERED]",
                "seen": "[FILTERED]",
            },
            "data": '{"card_number":"[FILTERED]","name":"Ann","nested":[{"cvv":"[FILTERED]"}]}',
        },
        "extra": {
            "db": [{"PASSWORD": "[FILTERED]", "host": "h"}],
            "headers": [["Cookie", "[FILTERED]"], ["Accept", "x"]],
        },
        "exception": {
            "values": [{"stacktrace": {"frames": [{"vars": {"user_password": "[FILTERED]", "cart": "3"}}]}}]
        },
        "contexts": {"browser": {"cookies_enabled": True}, "app": {"secret_key": None, "api_key": ""}},
    }
    assert not scrub(payload)


@each(
    "jar",
    [
        {"theme": "dark", "session": "[FILTERED]", "lang": "en-US", "seen": ""},
        {"theme": "dark", "seen": "x1"},
        {"seen": "x1", "theme": "dark"},
        {"theme": "[FILTERED]", "seen": "averyveryverylongword"},
        {"seen": 7, "theme": "dark"},
        {"theme": "dark", "seen": {"by": "me"}},
        {"seen": ["x1"]},
        {'the"me': "dark", "seen": "[x1]"},
        {"session": "dark"},
        {"seen": None},
    ],
)
def test_cookies_are_found_by_the_scan_as_by_the_closer_look(jar: dict[str, Any]) -> None:
    alone = {"request": {"cookies": dict(jar)}}
    looked_at = {"request": {"cookies": dict(jar), "password": "x"}}
    scrub(alone)
    assert scrub(looked_at)
    assert alone["request"]["cookies"] == looked_at["request"]["cookies"]


NAMES_OF_SECRETS = """
password PASSWORD userPassword user.password db-password password$ [password] user[password] API-Key apiKey
account:key card/number ACCESS/KEY session/id pin:code security:code connect:sid encryption:key oneTimeCode
auth session pin otp pass dsn Tokens cvv2 iban cookie Set-Cookie Authorization csrf jwt
""".split()
VALUES = """
hunter2 trustno1 nullpointer7 none4you! falsehood9 Trueblue42 naN0tech [final]x Nonsense nullify correct-horse
a;b1 a;b {abc1} 12345 é1 日本 \\x
""".split()
SHAPES: list[Callable[[str, Any], Any]] = [
    lambda name, value: {name: value},
    lambda name, value: {"name": name, "value": value},
    lambda name, value: {"loc": ["body", name], "input": value},
    lambda name, value: [name, value],
    lambda name, value: [f"--{name}", value],
    lambda name, value: f"{name}={value}",
    lambda name, value: f"it said {name}: {value} and left",
    lambda name, value: f"{name}: '{value}'",
    lambda name, value: f"{name}:\u00a0'{value}'",
    lambda name, value: f"{name} is '{value}'",
    lambda name, value: f"user[{name}]={value}",
    lambda name, value: f"?user%5B{name}%5D={value}&x=1",
    lambda name, value: f"%22{name}%22:%22{value}%22",
    lambda name, value: f"[\n'{name}',\n'{value}'\n]",
    lambda name, value: json.dumps({"a": {name: value}}),
    lambda name, value: json.dumps({"a": f"{name}={value}"}),
]


@pytest.mark.slow
@each("number", range(len(SHAPES)))
def test_the_scan_finds_what_the_closer_look_filters(number: int) -> None:
    missed = []
    for name in NAMES_OF_SECRETS:
        for value in [*VALUES, " x", "\tx", "a b1", 5, -1, ["x"], {"a": "b"}, {"": "b"}]:
            sent = msgspec.json.encode({"extra": {"note": SHAPES[number](name, value)}})
            if scrubbed(sent) != looked_through(msgspec.json.decode(sent)):
                missed.append((name, value))
    assert missed == []


def looked_through(payload: dict[str, Any]) -> bytes:
    """What is stored when all of it is looked at, whatever the scan says."""
    return msgspec.json.encode(Walk(RULES, None, Allowance()).entries(payload, 0))


@each("character", ["\n", "\t", "\r\n", " ", ","])
def test_a_card_number_is_found_behind_any_space(character: str) -> None:
    assert door(f"{character}4111 1111 1111 1111{character}") == f"{character}[FILTERED]{character}"


@each("line", ["-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----", "x PRIVATE KEY"])
def test_many_lines_of_keys_take_time_in_proportion_to_their_number(line: str) -> None:
    def seconds(count: int) -> float:
        text = msgspec.json.encode({"extra": {"a": [line] * count}})
        began = time.process_time()
        scrubbed(text)
        return time.process_time() - began

    assert seconds(20_000) < 40 * max(seconds(2_000), 0.001)


def test_beyond_what_is_looked_into_texts_that_may_hold_a_secret_are_hidden_whole() -> None:
    said, harmless = "password=hunter2x; ", "nothing of interest; "
    clean, texts = "password=[FILTERED]; ", [said * 100] * (MOST_LOOKED_INTO // len(said * 100) + 1)
    for payload, expected in (
        ({"message": "".join(texts), "extra": {"a": said}}, {"message": FILTERED, "extra": {"a": clean}}),
        (
            {"a": [*texts, harmless, said]},
            {"a": [*[clean * 100] * (len(texts) - 1), FILTERED, harmless, clean]},
        ),
        ({"a": harmless * 50_000, "b": said}, {"a": harmless * 50_000, "b": clean}),
        (
            {"extra": json.dumps({"a": texts, "b": harmless, "password": "x"}, separators=(",", ":"))},
            {
                "extra": json.dumps(
                    {
                        "a": [*[clean * 100] * (len(texts) - 1), FILTERED],
                        "b": harmless,
                        "password": FILTERED,
                    },
                    separators=(",", ":"),
                )
            },
        ),
    ):
        scrub(payload)
        assert payload == expected


def test_a_payload_with_too_many_places_for_secrets_is_refused() -> None:
    scrub({"extra": ["password=x"] * MOST_SUSPECTS})
    with pytest.raises(TooManySuspects):
        scrub({"extra": ["password=x"] * (MOST_SUSPECTS + 1)})
    payload = {"extra": json.dumps([{"password": "hunter2"}] * (MOST_SUSPECTS + 1))}
    scrub(payload)
    assert payload == {"extra": FILTERED}


def test_the_word_of_the_sdk_becomes_ours() -> None:
    sent = b'{"a":"[Filtered]","b":["[Filtered]","x"],"c":"it said \\"[Filtered]\\""}'
    assert in_our_words(sent) == b'{"a":"[FILTERED]","b":["[FILTERED]","x"],"c":"it said \\"[Filtered]\\""}'


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"a": deep}
    with pytest.raises(TooDeep):
        scrub(deep)


def _changes(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The places of what differs."""
    if isinstance(before, dict) and isinstance(after, dict) and list(before) == list(after):
        for name in before:
            yield from _changes(before[name], after[name], f"{path}.{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from _changes(one, other, path)
    elif before != after:
        yield path


def test_real_events_stay_as_they_are() -> None:
    for name in ("python_errors", "python_transactions", "javascript_errors", "browser_error_events"):
        with gzip.open(DATA / f"{name}.jsonl.gz") as lines:
            for line in lines:
                sent = in_our_words(line.strip())
                assert list(_changes(json.loads(sent), json.loads(scrubbed(sent)))) == []


def door(value: Any, key: str = "value") -> Any:
    """What is stored of a value that stands deep in a payload."""
    payload = {"exception": {"values": [{"vars": {"other": 1}, key: value}]}}
    scrub(payload)
    return payload["exception"]["values"][0].get(key)


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_secret_is_gone_wherever_in_a_text_it_stands(case: Secret) -> None:
    for text in (case.text, f"it said {case.text} and left", f"{case.text} {case.text}"):
        stored = door(text)
        assert not [secret for secret in case.gone if secret in stored], stored
        assert "[FILTERED]" in stored


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_secret_is_gone_from_a_text_that_is_printed_or_written_within_another(case: Secret) -> None:
    body = json.dumps({"body": case.text})
    for text in (
        *(repr(case.text), repr([case.text, {"deep": case.text}]), repr(ValueError(case.text))),
        *(body, repr(body), json.dumps(repr(case.text)), json.dumps({"a": body})),
    ):
        stored = door(text)
        assert not [secret for secret in case.gone if secret in stored], stored


@each("text", WORDS_AS_PASSWORDS)
def test_a_plain_word_that_is_a_password_is_filtered(text: str) -> None:
    for written in (text, repr(text), json.dumps({"body": text})):
        assert "vukimedi" not in door(written), written


@each("text", HARMLESS)
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text
    assert door(text) == text


@each(("line", "secret"), SOURCE_WITH_SECRETS, ids=lambda text: text[:20])
def test_a_literal_in_a_source_line_is_filtered(line: str, secret: str) -> None:
    assert secret not in door(line, "context_line")
    assert secret not in json.dumps(door([line, "x = 1"], "pre_context"))


@each("line", HARMLESS_SOURCE)
def test_source_that_only_names_a_secret_stays_as_it_is(line: str) -> None:
    assert door(line, "context_line") == line


def test_escapes_do_not_hide_a_secret_from_the_scan() -> None:
    key = "sk_" + "live_abcdefgh12345678"
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in key)
    for text in (
        f'{{"message":"bad {hidden}","n":1}}',
        f'{{"{hidden}":1}}',
        '{"p\\u0061ssword":"' + key + '"}',
        '{"url":"https:\\/\\/ann:' + key[8:] + '@a.example\\/"}',
    ):
        stored = scrubbed(text.encode()).decode()
        assert key not in stored and hidden not in stored and key[8:] not in stored
        assert "[FILTERED]" in stored


def test_a_name_that_stands_twice_hides_nothing() -> None:
    for text in (
        '{"message":"password=a1b2c3","message":"fine"}',
        '{"extra":{"password":"a1b2c3","password":""}}',
        '{"extra":{"a":"password=a1b2c3","a":"fine"},"tags":{"a":"b"}}',
    ):
        assert b"a1b2c3" not in scrubbed(text.encode())


def test_names_and_values_apart_from_each_other_are_met() -> None:
    stored = door(
        {
            "argv": ["deploy", "--password", "a1b2c3", "--to", "prod"],
            "headers": [["X-Token", "a1b2c3"], ["Accept", "*/*"]],
            "form": [{"name": "password", "value": "a1b2c3"}, {"name": "user", "value": "ann"}],
            "typed": {"http.request.header.authorization": {"value": "a1b2c3", "type": "string"}},
            "sk_" + "live_a1b2c3a1b2c3": 1,
        }
    )
    assert "a1b2c3" not in json.dumps(stored)
    assert stored["argv"] == ["deploy", "--password", "[FILTERED]", "--to", "prod"]
    assert stored["headers"][1] == ["Accept", "*/*"]
    assert stored["typed"]["http.request.header.authorization"] == {"value": "[FILTERED]", "type": "string"}
    assert stored["form"][1] == {"name": "user", "value": "ann"}


def test_a_private_key_of_several_source_lines_is_filtered() -> None:
    lines = [f'    "{line}\\n"' for line in PEM.splitlines()]
    frame = {
        "pre_context": ["x = (", *lines[:2]],
        "context_line": lines[2],
        "post_context": [*lines[3:], ")"],
    }
    payload = {"exception": {"values": [{"stacktrace": {"frames": [frame]}}]}}
    assert scrub(payload)
    stored = json.dumps(payload)
    assert not [line for line in PEM.splitlines()[1:-1] if line in stored]
    assert '"x = ("' in stored and '")"' in stored


def test_names_of_packages_are_left() -> None:
    payload = {
        "modules": {"django-csrf-token": "1.2.3", "passwords": "4"},
        "sdk": {"name": "sentry.python", "packages": [{"name": "pypi:token", "version": "1"}]},
    }
    assert not scrub(payload)


@each(
    "piece",
    [
        "password=",
        '\\"token\\":',
        "eyJ",
        "-----BEGIN ",
        "://a:",
        "curl ",
        "<input ",
        "4111 ",
        "\\\\",
        "'",
        "tokentoken",
    ],
)
@pytest.mark.slow
def test_hostile_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = json.dumps({"message": "password=a1 " + piece * (length // len(piece))}).encode()
        begun = time.process_time()
        scrubbed(text)
        return time.process_time() - begun

    short, long = (min(seconds(length) for _ in range(3)) for length in (20_000, 200_000))
    assert long < 40 * short + 0.2


def test_the_guide_names_every_kind_of_secret() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "filtering.md").read_text()
    assert [kind.name for kind in KINDS if f"| {kind.name} |" not in guide] == []
