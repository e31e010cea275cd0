import json
import math
from typing import Any

from errata_sdk import scrub
from errata_sdk.line import line_of
from errata_sdk.scrub import scrubbed
from errata_wire.secret_text import FILTERED

from tests.cases import each
from tests.secret_catalog import HARMLESS as HARMLESS_TEXTS
from tests.secret_catalog import HARMLESS_SOURCE, PLANTED, SOURCE_WITH_SECRETS, Secret


def written(payload: Any) -> Any:
    return json.loads(line_of("event", "key", {}, payload))["payload"]


def test_secrets_are_filtered_at_any_depth_and_the_payload_itself_is_left() -> None:
    payload = {"extra": {"a": [{"deep": [{"password": "x", "name": "Ada"}]}]}}
    assert scrubbed(payload) == {"extra": {"a": [{"deep": [{"password": FILTERED, "name": "Ada"}]}]}}
    assert payload["extra"]["a"][0]["deep"][0]["password"] == "x"


def test_headers_and_queries_as_lists_of_pairs_are_filtered() -> None:
    request = {
        "headers": [["Cookie", "a=b"], ["Accept", "*/*"]],
        "query_string": [["token", "x"], ["page", "2"]],
    }
    assert written({"request": request})["request"] == {
        "headers": [["Cookie", FILTERED], ["Accept", "*/*"]],
        "query_string": [["token", FILTERED], ["page", "2"]],
    }


@each(
    ("sent", "expected"),
    [
        (["X-Token", "hunter2"], ["X-Token", FILTERED]),
        (["deploy", "--password", "hunter2", "--to"], ["deploy", "--password", FILTERED, "--to"]),
        ({"name": "dsn", "value": "hunter2"}, {"name": "dsn", "value": FILTERED}),
        ({"key": "password", "value": {"a": 1}}, {"key": "password", "value": FILTERED}),
        ({"loc": ["body", "pin"], "input": "hunter2"}, {"loc": ["body", "pin"], "input": FILTERED}),
        ({"of https://ann:hunter2@a.example": 1}, {f"of https://ann:{FILTERED}@a.example": 1}),
        ('[["X-Token", "hunter2"]]', f'[["X-Token", "{FILTERED}"]]'),
        (4111111111111111, FILTERED),
    ],
)
def test_a_name_and_its_value_are_met_at_any_place(sent: Any, expected: Any) -> None:
    for payload, clean in (({"extra": {"a": sent}}, expected), ({"extra": {"a": [1, sent]}}, [1, expected])):
        assert written(payload)["extra"]["a"] == clean
    assert written({"modules": {"sdk": {"token": "1.2"}}, "extra": {"sdk": {"token": "1.2"}}}) == {
        "modules": {"sdk": {"token": "1.2"}},
        "extra": {"sdk": {"token": FILTERED}},
    }


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_name_with_a_secret_is_written_without_it(case: Secret) -> None:
    names = {case.text: "x"}
    clean = json.dumps(written({"extra": names, "request": {"cookies": names}, "modules": names}))
    assert not [secret for secret in case.gone if secret in clean or json.dumps(secret)[1:-1] in clean]


def test_what_is_known_as_harmless_holds_no_secret_and_is_bounded() -> None:
    for number in range(40):
        written({"extra": {"a": [f"password=hunter2z{number}", *(f"{number} {n}" for n in range(1000))]}})
    written({"extra": {"context_line": "password = 'hunter2z'", "a": "x" * 201}})
    for harmless in scrub.HARMLESS:
        assert not [text for text in harmless if "hunter2" in text or len(text) > 200]
        assert len(harmless) <= scrub.HARMLESS_MAX + 1001
    assert "7 7" not in scrub.HARMLESS[False] and "39 7" in scrub.HARMLESS[False]


def test_names_of_cookies_stay() -> None:
    assert written({"request": {"cookies": {"theme": "dark", "sid": "x"}}})["request"]["cookies"] == {
        "theme": FILTERED,
        "sid": FILTERED,
    }


@each(
    ("key", "value", "expected"),
    [
        ("url", "https://a.example/x?token=abc&page=2", f"https://a.example/x?token={FILTERED}&page=2"),
        ("query_string", "api_key=1&q=shoes", f"api_key={FILTERED}&q=shoes"),
        ("data", "user=ada&password=x%20y", f"user=ada&password={FILTERED}"),
        ("data", '{"user": "ada", "password": "x"}', f'{{"user": "ada", "password": "{FILTERED}"}}'),
        ("data", '{"user": "ada", "password": "x', FILTERED),
    ],
    ids=["url", "query", "form", "json", "json cut off"],
)
def test_secrets_inside_of_texts_are_filtered(key: str, value: str, expected: str) -> None:
    assert written({"request": {key: value}})["request"][key] == expected


@each(
    ("printed", "expected"),
    [
        ("Login(user='ada', password='hunter2')", "Login(user='ada', password='[FILTERED]')"),
        ("{'api_key': \"k1\", 'n': 2}", "{'api_key': \"[FILTERED]\", 'n': 2}"),
        ("<Request '/pay?token=t0p&page=2' [GET]>", "<Request '/pay?token=[FILTERED]&page=2' [GET]>"),
        (
            "[(b'authorization', b'Bearer x'), (b'a', b'b')]",
            "[(b'authorization', b'[FILTERED]'), (b'a', b'b')]",
        ),
        ('select "user"."password", "user"."id"', 'select "user"."password", "user"."id"'),
        ("tokenizer said 'no' to the card", "tokenizer said 'no' to the card"),
    ],
)
def test_secrets_of_printed_objects_are_filtered(printed: str, expected: str) -> None:
    assert written({"vars": {"value": printed}}) == {"vars": {"value": expected}}


def test_of_source_lines_only_literals_are_filtered() -> None:
    for line in HARMLESS_SOURCE:
        assert written({"context_line": line, "pre_context": [line]}) == {
            "context_line": line,
            "pre_context": [line],
        }
    for line, secret in SOURCE_WITH_SECRETS:
        assert secret not in json.dumps(written({"context_line": line, "post_context": [line]}))


@each("case", PLANTED, ids=lambda case: case.id)
def test_secrets_inside_of_any_text_are_filtered(case: Secret) -> None:
    clean = json.dumps(written({"message": case.text, "extra": {"list": [case.text]}}))
    assert not [secret for secret in case.gone if secret in clean or json.dumps(secret)[1:-1] in clean]


@each("text", HARMLESS_TEXTS)
def test_harmless_texts_are_written_as_they_are(text: str) -> None:
    assert written({"message": text, "extra": {"list": [text]}}) == {
        "message": text,
        "extra": {"list": [text]},
    }


def test_typed_attributes_of_spans_keep_their_shape() -> None:
    attributes = {"http.request.header.authorization": {"value": "Bearer x", "type": "string"}}
    assert written({"items": [{"attributes": attributes}]})["items"][0]["attributes"] == {
        "http.request.header.authorization": {"value": FILTERED, "type": "string"}
    }


def test_what_the_sentry_sdk_filtered_is_written_as_ours() -> None:
    assert (
        written({"request": {"headers": {"Accept": "[Filtered]"}}})["request"]["headers"]["Accept"]
        == FILTERED
    )


def test_notes_about_changes_are_left_alone() -> None:
    payload = {"_meta": {"request": {"headers": {"Cookie": {"": {"rem": [["!config", "x", 0, 10]]}}}}}}
    assert written(payload) == payload


def test_what_json_cannot_say_is_said_as_text() -> None:
    odd = {"nan": math.nan, "big": math.inf, "surrogate": "\ud800", ("a", 1): {1, 2} and 5, "object": object}
    clean = written(odd)
    assert (clean["nan"], clean["big"], clean["surrogate"]) == ("nan", "inf", "\ud800")
    assert clean["('a', 1)"] == 5
    assert clean["object"] == "<class 'object'>"
