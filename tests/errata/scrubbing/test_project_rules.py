import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from errata.scrubbing import (
    RULES,
    ProjectRules,
    ScrubbingRulesNotUnderstood,
    compiled,
    in_our_words,
    rules_of,
    scrubbed,
    scrubbed_object,
)
from errata.scrubbing.patterns import MOST_MATCHES
from tests.cases import each
from tests.secret_catalog import PLANTED

DATA = Path(__file__).parents[2] / "data"


def stored(payload: dict[str, Any], **rules: tuple[str, ...]) -> dict[str, Any]:
    """What is stored of a payload."""
    own = ProjectRules(**rules)
    own.require_understood()
    text = scrubbed(json.dumps(payload, ensure_ascii=False).encode(), compiled(own))
    clean: dict[str, Any] = json.loads(text)
    return clean


@each(
    "name", ["customer_number", "customerNumber", "Customer-Number", "CUSTOMER_NUMBER", "app.customer_number"]
)
def test_the_value_under_an_added_name_is_filtered_however_it_is_written(name: str) -> None:
    payload = {
        "extra": {name: "Smith", "deep": [{name: 4711}], "other": 4711},
        "tags": [[name, "Smith"], ["customer", "Smith"]],
        "contexts": {"form": {"name": name, "value": {"a": 1}}},
        "modules": {name: "1.2.3"},
    }
    assert stored(payload, filtered_names=("customer_number",)) == {
        "extra": {name: "[FILTERED]", "deep": [{name: "[FILTERED]"}], "other": 4711},
        "tags": [[name, "[FILTERED]"], ["customer", "Smith"]],
        "contexts": {"form": {"name": name, "value": "[FILTERED]"}},
        "modules": {name: "1.2.3"},
    }


@each("name", ["badge", "u.badge", "Badge"])
def test_an_added_name_is_met_apart_from_its_value(name: str) -> None:
    for apart in (
        {"name": name, "value": "x77"},
        {"loc": ["body", name], "input": "x77"},
        [name, "x77"],
        ["run", f"--{name}", "x77"],
    ):
        assert "x77" not in json.dumps(stored({"extra": {"note": apart}}, filtered_names=("badge",))), apart


def test_an_added_name_is_met_inside_texts() -> None:
    texts = {
        "https://shop.example/?customerNumber=4711&page=2": (
            "https://shop.example/?customerNumber=[FILTERED]&page=2"
        ),
        "customer_number: 4711, cart: 3": "customer_number: [FILTERED], cart: 3",
        "form[customer_number]=Smith&x=1": "form[customer_number]=[FILTERED]&x=1",
        "('customer-number', 'Smith')": "('customer-number', '[FILTERED]')",
        "order %7B%22customer_number%22%3A4711": "order %7B%22customer_number%22%3A[FILTERED]",
        '{"customerNumber":"Smith","page":2}': '{"customerNumber":"[FILTERED]","page":2}',
        "no customer_number was given": "no customer_number was given",
        "old_customer_number=4711": "old_customer_number=4711",
        "customer_numbers=4711": "customer_numbers=4711",
    }
    for text, expected in texts.items():
        payload = {"exception": {"values": [{"value": text}]}, "message": text}
        assert stored(payload, filtered_names=("customer_number",)) == {
            "exception": {"values": [{"value": expected}]},
            "message": expected,
        }


def test_what_an_added_pattern_matches_is_filtered_in_every_text_name_and_number() -> None:
    payload = {
        "message": "CUST-1 and CUST-22 left, custom stays; é CUST-3",
        "extra": {"CUST-4": 1, "number": 90210, "other": 902101, "list": ["CUST-5", 90210, 1.5]},
        "exception": {
            "values": [{"stacktrace": {"frames": [{"context_line": "get('CUST-6')", "lineno": 9}]}}]
        },
        "request": {"data": '{"a": ["CUST-7"], "b": 90210}'},
        "modules": {"shop": "CUST-8"},
    }
    assert stored(payload, filtered_patterns=(r"CUST-\d+", r"9\d{4}")) == {
        "message": "[FILTERED] and [FILTERED] left, custom stays; é [FILTERED]",
        "extra": {
            "[FILTERED]": 1,
            "number": "[FILTERED]",
            "other": 902101,
            "list": ["[FILTERED]", "[FILTERED]", 1.5],
        },
        "exception": {
            "values": [{"stacktrace": {"frames": [{"context_line": "get('[FILTERED]')", "lineno": 9}]}}]
        },
        "request": {"data": '{"a":["[FILTERED]"],"b":"[FILTERED]"}'},
        "modules": {"shop": "[FILTERED]"},
    }


def test_a_pattern_sees_a_text_as_it_is_and_not_as_it_is_written() -> None:
    payload = {"message": 'said "x"', "extra": {"a": "one\ntwo", "b": "Müller"}}
    changed = stored(payload, filtered_patterns=('"x"$', "^one\ntwo$".replace("\n", r"\n"), "^M.ller$"))
    assert changed == {"message": "said [FILTERED]", "extra": {"a": "[FILTERED]", "b": "[FILTERED]"}}


def test_patterns_leave_what_events_are_told_apart_by() -> None:
    event_id, moment = "a" * 32, 1_790_000_000_123
    payload = {
        "event_id": event_id,
        "timestamp": moment,
        "contexts": {"trace": {"trace_id": event_id, "span_id": "b" * 16}},
        "tags": {"replayId": event_id, "note": event_id},
        "extra": {"moment": moment},
    }
    changed = stored(payload, filtered_patterns=("[0-9a-f]{16,32}", r"\d{13}"))
    assert changed == {
        "event_id": event_id,
        "timestamp": moment,
        "contexts": {"trace": {"trace_id": event_id, "span_id": "b" * 16}},
        "tags": {"replayId": event_id, "note": "[FILTERED]"},
        "extra": {"moment": "[FILTERED]"},
    }


def test_an_excepted_name_keeps_its_value_and_no_other_name_does() -> None:
    payload = {
        "extra": {"token": "abc123", "Token": "abc123", "access_token": "abc123", "tokens": "a"},
        "message": "token=abc123 access_token=abc123 my.token=abc123",
        "tags": [["token", "abc123"]],
        "request": {"url": "https://a.example/?token=abc123&x_token=abc123", "data": '{"token":"abc123"}'},
        "contexts": {"session": {"id": 7, "password": "abc123"}},
    }
    assert stored(payload, kept_names=("token", "session")) == {
        "extra": {
            "token": "abc123",
            "Token": "abc123",
            "access_token": "[FILTERED]",
            "tokens": "[FILTERED]",
        },
        "message": "token=abc123 access_token=[FILTERED] my.token=[FILTERED]",
        "tags": [["token", "abc123"]],
        "request": {
            "url": "https://a.example/?token=abc123&x_token=[FILTERED]",
            "data": '{"token":"abc123"}',
        },
        "contexts": {"session": {"id": 7, "password": "[FILTERED]"}},
    }


def test_an_excepted_name_hides_no_secret_that_is_known_by_its_look() -> None:
    key = "sk_" + "live_abcdefgh12345678"
    payload = {"extra": {"token": key}, "message": f"token={key} CUST-1"}
    assert stored(payload, kept_names=("token",), filtered_patterns=(r"CUST-\d+",)) == {
        "extra": {"token": "[FILTERED]"},
        "message": "token=[FILTERED] [FILTERED]",
    }


def test_an_excepted_pattern_keeps_what_it_matches_wholly() -> None:
    payload = {
        "extra": {"password": "demo-1", "api_key": "demo-12", "passwords": ["demo-1"], "pin": 1234},
        "message": "password=demo-1 password=demo-12 password='demo-1'",
        "request": {"url": "postgres://ann:demo-1@host postgres://ann:other@host"},
        "contexts": {"card": {"number": 4111111111111111, "other": 4242424242424242}},
    }
    assert stored(payload, kept_patterns=(r"demo-\d", "1234", "4111111111111111")) == {
        "extra": {
            "password": "demo-1",
            "api_key": "[FILTERED]",
            "passwords": "[FILTERED]",
            "pin": 1234,
        },
        "message": "password=demo-1 password=[FILTERED] password='demo-1'",
        "request": {"url": "postgres://ann:demo-1@host postgres://ann:[FILTERED]@host"},
        "contexts": {"card": {"number": 4111111111111111, "other": "[FILTERED]"}},
    }


def test_an_exception_wins_over_what_is_added() -> None:
    payload = {"message": "CUST-0 CUST-1", "extra": {"customer": "CUST-0"}}
    changed = stored(
        payload,
        filtered_names=("customer",),
        filtered_patterns=(r"CUST-\d",),
        kept_patterns=("CUST-0",),
    )
    assert changed == {"message": "CUST-0 [FILTERED]", "extra": {"customer": "CUST-0"}}


@each("case", PLANTED, ids=lambda case: case.id)
def test_rules_of_a_project_take_nothing_from_the_others(case: Any) -> None:
    rules = {"filtered_names": ("customer",), "filtered_patterns": (r"CUST-\d",), "kept_names": ("colour",)}
    payload = {"exception": {"values": [{"value": case.text, "customer": 1}]}}
    expected = json.loads(scrubbed(json.dumps(payload).encode()))
    expected["exception"]["values"][0]["customer"] = "[FILTERED]"
    assert stored(payload, **rules) == expected


def test_real_events_stay_as_they_are_where_no_rule_of_the_project_fits() -> None:
    rules = compiled(ProjectRules(("customer_number",), (r"CUST-\d+",), ("colour",), ("demo",)))
    for name in ("python_errors", "python_transactions", "javascript_errors"):
        with gzip.open(DATA / f"{name}.jsonl.gz") as lines:
            for line in lines:
                sent = in_our_words(line.strip())
                assert scrubbed(sent, rules) == scrubbed(sent)


def test_what_is_filtered_already_is_not_filtered_again() -> None:
    payload = {"message": "said [FILTERED] to FILTERED", "extra": {"a": "[FILTERED]"}}
    changed = stored(payload, filtered_patterns=("[A-Z]{4,}", r"\[.*\]"))
    assert changed == {"message": "said [FILTERED] to [FILTERED]", "extra": {"a": "[FILTERED]"}}


@each(
    ("rules", "said"),
    [
        ({"filtered_patterns": ("ok", "(a")}, "filtered_patterns, entry 2: missing ): (a"),
        ({"kept_patterns": (r"(?=a)b",)}, "kept_patterns, entry 1: invalid perl operator: (?="),
        ({"filtered_patterns": ("a*",)}, "filtered_patterns, entry 1: it also matches empty"),
        ({"filtered_patterns": (r"\b",)}, "filtered_patterns, entry 1: it also matches empty"),
        ({"filtered_patterns": ("",)}, "filtered_patterns, entry 1: it also matches empty"),
        ({"filtered_patterns": (r"a\Cb",)}, r"filtered_patterns, entry 1: \C is not supported"),
        ({"filtered_patterns": ("a\nb",)}, "filtered_patterns, entry 1: a pattern can't contain line breaks"),
        (
            {"filtered_patterns": ("\ud800",)},
            "filtered_patterns, entry 1: a pattern can't contain line breaks",
        ),
        ({"kept_patterns": ("a{999}b{999}c{99}",)}, "kept_patterns: too complex in total"),
        ({"kept_patterns": ("((a{99}){99}){9}",)}, "kept_patterns, entry 1: invalid repetition size"),
        ({"filtered_names": ("",)}, "filtered_names, entry 1: a name may only contain Latin letters"),
        ({"filtered_names": ("пароль",)}, "filtered_names, entry 1: a name may only contain Latin letters"),
        ({"kept_names": ("_",)}, "kept_names, entry 1: a name may only contain Latin letters"),
        ({"kept_names": ("a" * 201,)}, "kept_names, entry 1: longer than 200"),
        ({"kept_names": ("a",) * 51}, "kept_names: 51 entries"),
        ({"filtered_names": ("eventId",)}, "filtered_names, entry 1: eventId is needed to tell events apart"),
        (
            {"filtered_names": ("orderToken",), "kept_names": ("order_token",)},
            "filtered_names, entry 1: orderToken is also in kept_names",
        ),
    ],
)
def test_what_is_wrong_is_said(rules: dict[str, tuple[str, ...]], said: str) -> None:
    with pytest.raises(ScrubbingRulesNotUnderstood) as raised:
        ProjectRules(**rules).require_understood()
    assert str(raised.value).startswith(said)


def test_the_most_and_the_longest_rules_are_taken() -> None:
    ProjectRules(kept_names=("a" * 200, *("a",) * 49)).require_understood()


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(ScrubbingRulesNotUnderstood) as raised:
        ProjectRules(filtered_names=("!",), kept_patterns=("a", "[", "(")).require_understood()
    assert [problem.partition(":")[0] for problem in raised.value.problems] == [
        "filtered_names, entry 1",
        "kept_patterns, entry 2",
        "kept_patterns, entry 3",
    ]


def test_a_text_full_of_matches_takes_no_more_than_so_many_looks() -> None:
    payload = {"message": "a" * 200_000, "extra": {"few": "a" * MOST_MATCHES + "b"}}
    began = time.thread_time()
    # At each letter the rest of the text is looked through for a `b`.
    changed = stored(payload, filtered_patterns=("a(?:.*c)?",))
    assert time.thread_time() - began < 2
    assert changed == {"message": "[FILTERED]", "extra": {"few": "[FILTERED]b"}}


def test_rules_are_stored_as_text_and_none_as_none() -> None:
    assert ProjectRules().text == "" and rules_of("") is RULES
    own = ProjectRules(("customer",), ("é+",), ("token",), ("demo",))
    assert ProjectRules.of(own.text) == own and rules_of(own.text) is rules_of(own.text)
    assert scrubbed_object({"customer": "x"}, rules_of(own.text)) == {"customer": "[FILTERED]"}
    assert scrubbed_object({"customer": "x"}) == {"customer": "x"}
