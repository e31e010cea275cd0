import gzip
import json
from pathlib import Path

import pytest

from api.ingest.scrub import TooDeep, in_our_words, scrub, scrub_query

DATA = Path(__file__).parents[2] / "data"


def test_secrets_are_filtered_wherever_they_stand() -> None:
    payload = {
        "request": {
            "url": "https://shop.example/pay?token=abc&step=2",
            "query_string": "password=hunter2&page=3",
            "headers": {"Authorization": "Bearer x", "X-Api-Key": "k", "Accept": "*/*"},
            "cookies": {"sid": "1"},
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
            "cookies": "[FILTERED]",
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


def test_a_form_body_is_scrubbed_field_by_field() -> None:
    assert scrub_query("user=ann&passwd=x%20y&csrf_token=1&z") == (
        "user=ann&passwd=[FILTERED]&csrf_token=[FILTERED]&z"
    )


def test_the_word_of_the_sdk_becomes_ours() -> None:
    sent = b'{"a":"[Filtered]","b":["[Filtered]","x"],"c":"it said \\"[Filtered]\\""}'
    assert in_our_words(sent) == b'{"a":"[FILTERED]","b":["[FILTERED]","x"],"c":"it said \\"[Filtered]\\""}'


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"a": deep}
    with pytest.raises(TooDeep):
        scrub(deep)


def test_real_events_keep_all_but_their_secrets() -> None:
    with gzip.open(DATA / "python_errors.jsonl.gz") as lines:
        for line in lines:
            payload = json.loads(in_our_words(line))
            frames = len(payload["exception"]["values"][-1].get("stacktrace", {}).get("frames", []))
            scrub(payload)
            assert "[Filtered]" not in json.dumps(payload)
            assert len(payload["exception"]["values"][-1].get("stacktrace", {}).get("frames", [])) == frames
