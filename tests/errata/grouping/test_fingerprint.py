from typing import Any

import pytest

from errata.grouping import fingerprint_of, issue_id_of, overflow_variant, variant_of
from tests.cases import each
from tests.errata.grouping.events import Event, frame, issue, raised, rule


def message(text: Any, **other: Any) -> Event:
    return {"platform": "python", "logger": "shop", "level": "error", "logentry": text} | other


def test_an_explicit_fingerprint_wins_over_everything() -> None:
    left = raised(frame("load"), fingerprint=["payment", "timeout"])
    right = raised(frame("save"), type_="ValueError", fingerprint=["payment", "timeout"])
    found = fingerprint_of(variant_of(left).shape)

    assert issue(left) == issue(right)
    assert found.fingerprint == ("payment", "timeout")
    assert found.explanation["rule"] == "explicit fingerprint"
    assert found.explanation["would_have_been"] == "in-app frames"


@each("default", ["{{ default }}", "{{default}}"])
def test_default_stands_for_what_the_rules_say(default: str) -> None:
    plain = fingerprint_of(variant_of(raised(frame("load"))).shape)
    only = fingerprint_of(variant_of(raised(frame("load"), fingerprint=[default])).shape)
    more = fingerprint_of(variant_of(raised(frame("load"), fingerprint=[default, "eu"])).shape)

    assert only == plain
    assert more.fingerprint == (*plain.fingerprint, "eu")
    assert more.fingerprint_hash != plain.fingerprint_hash
    assert more.explanation["frames"] == plain.explanation["frames"]


def test_an_explicit_list_cannot_imitate_a_computed_one() -> None:
    computed = fingerprint_of(variant_of(raised(frame("load"))).shape)
    forged = fingerprint_of(variant_of(raised(frame("save"), fingerprint=list(computed.fingerprint))).shape)

    assert forged.fingerprint == computed.fingerprint
    assert forged.fingerprint_hash != computed.fingerprint_hash


def test_variables_of_a_fingerprint_are_filled_in() -> None:
    sent = [
        "{{ transaction }}",
        "{{ tags.tenant }}",
        "{{ error.type }}",
        "{{ function }}",
        "{{ unheard.of }}",
    ]
    event = raised(frame("load"), fingerprint=sent, transaction="/cart", tags=[["tenant", "acme"]])

    assert variant_of(event).shape.fingerprint == ("/cart", "acme", "KeyError", "load", "{{ unheard.of }}")


@each("nothing", [None, [], "", 0, ["{{ default }}"], [None], {}, ["{{ default }}"] * 3])
def test_a_fingerprint_that_says_nothing_changes_nothing(nothing: object) -> None:
    assert issue(raised(frame("load"), fingerprint=nothing)) == issue(raised(frame("load")))


def test_a_message_is_told_by_its_text_before_its_arguments() -> None:
    def logged(name: str) -> Event:
        return message({"message": "no stock of %s", "params": [name], "formatted": f"no stock of {name}"})

    assert issue(logged("tea")) == issue(logged("coffee"))
    assert issue(logged("tea")) != issue(message({"message": "no stock of tea"}))
    assert variant_of(logged("tea")).title == "no stock of tea"
    assert rule(logged("tea")) == "message"


def test_a_message_without_arguments_is_told_by_its_template() -> None:
    assert issue(message("order 17 lost")) == issue(message("order 4019 lost"))
    assert issue(message("order 17 lost")) == issue({"logger": "shop", "message": "order 3 lost"})


def test_two_loggers_saying_the_same_are_two_issues() -> None:
    assert issue(message("failed")) != issue(message("failed", logger="other"))


def test_a_message_that_is_all_argument_is_told_by_the_place_it_came_from() -> None:
    def logged(text: str, function: str) -> Event:
        threads = {"values": [{"current": True, "stacktrace": {"frames": [frame(function)]}}]}
        return message({"message": "%s", "params": [text], "formatted": text}, threads=threads)

    assert issue(logged("a", "load")) == issue(logged("b", "load"))
    assert issue(logged("a", "load")) != issue(logged("a", "save"))


def test_events_past_the_limit_of_variants_have_an_issue_for_each_type() -> None:
    left, again, right = (overflow_variant(type_) for type_ in ("KeyError", "KeyError", "ValueError"))
    plain = {"exception": {"values": [{"type": "KeyError"}]}}

    assert left == again
    assert left.variant_hash != right.variant_hash
    assert fingerprint_of(left.shape).fingerprint_hash != fingerprint_of(right.shape).fingerprint_hash
    assert fingerprint_of(left.shape).fingerprint_hash != issue(plain)


def test_an_issue_is_of_one_project() -> None:
    ids = {issue_id_of(project_id, 7) for project_id in range(1, 50)}

    assert len(ids) == 49
    assert all(0 < found < 1 << 64 for found in ids)


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(KeyError):
        fingerprint_of(variant_of({}).shape, version=0)


@each(
    ("event", "title", "culprit"),
    [
        (
            raised(frame("load"), frame("get", "httpx", in_app=False)),
            "KeyError: 'discount'",
            "shop.orders in load",
        ),
        (raised(frame("get", "httpx", in_app=False), value=""), "KeyError", "httpx in get"),
        (raised(value="two\nlines", type_=None, transaction="/cart"), "two", "/cart"),
        (
            raised(frame("f", None, filename="https://a.example/b/c-ADMYCDFX.js")),
            "KeyError: 'discount'",
            "b/c.js in f",
        ),
        (message("hello", logger="shop.mail"), "hello", "shop.mail"),
        ({}, "<unknown>", ""),
    ],
)
def test_title_and_culprit_are_what_people_look_for(event: Event, title: str, culprit: str) -> None:
    variant = variant_of(event)

    assert (variant.title, variant.culprit) == (title, culprit)
