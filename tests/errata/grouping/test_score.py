import copy
import json
import re

from errata.grouping import fingerprint_of, variant_of
from tests.cases import each
from tests.errata.grouping.labelled import Event, bugs_of, events_of, free_words, score, twins


@each(
    ("name", "bugs"),
    [("python_errors.jsonl.gz", 27), ("browser_error_events.jsonl.gz", 14)],
    ids=["python", "browser"],
)
def test_each_labelled_bug_is_one_issue(name: str, bugs: int) -> None:
    result = score(events_of(name))

    assert result["issues"] == result["bugs"] == bugs
    assert (result["mixed_pairs"], result["split_pairs"]) == (0, 0)


def test_servers_framework_versions_and_line_numbers_split_nothing() -> None:
    events = events_of("python_errors.jsonl.gz")
    result = score([*events, *map(elsewhere, events)])

    assert result["issues"] == result["bugs"] == 27
    assert (result["mixed_pairs"], result["split_pairs"]) == (0, 0)


def elsewhere(event: Event) -> Event:
    """The same error on another server, after updates of Python, the libraries and lines above the bug."""
    moved = copy.deepcopy(event)
    moved["server_name"], moved["release"] = "another", "shop@9.9.9"
    for exception in moved["exception"]["values"]:
        frames = exception["stacktrace"]["frames"]
        for frame in frames:
            frame["lineno"] += 17
            frame["abs_path"] = frame["abs_path"].replace("/srv/shop/", "/opt/app/").replace("3.12", "3.13")
            if not frame.get("in_app"):
                frame["function"] = f"new_{frame['function']}"
        vendor = {
            "module": "asgiref.sync",
            "function": "main_wrap",
            "filename": "asgiref/sync.py",
            "in_app": False,
        }
        exception["stacktrace"]["frames"] = [vendor, *frames, vendor] if frames else frames
    return moved


def test_two_bugs_of_one_function_and_one_bug_with_many_messages_are_told_right() -> None:
    bugs = bugs_of(events_of("python_errors.jsonl.gz"))

    assert score(twins(bugs))["mixed_pairs"] == score(twins(bugs))["split_pairs"] == 0
    assert score(free_words(bugs))["split_pairs"] == 0


def test_a_new_build_of_the_bundles_splits_nothing() -> None:
    events = events_of("browser_error_events.jsonl.gz")
    result = score([*events, *map(rebuilt, events)])

    assert result["issues"] == result["bugs"] == 14
    assert (result["mixed_pairs"], result["split_pairs"]) == (0, 0)


def rebuilt(event: Event) -> Event:
    """The same error after a build: every bundle has another hash, every short name other letters."""
    text = json.dumps(event)
    text = re.sub(r"(/assets/)[0-9.]+(/[a-z0-9-]+)-[A-Z0-9]{8}[.]js", r"\g<1>9.8.7\2-Q7RSTUV2.js", text)
    text = re.sub(r'("function": "(?:HTMLButtonElement[.]|async )?)[a-zA-Z]{1,2}"', r'\1zq"', text)
    text = re.sub(r'("(?:lineno|colno)": )\d+', r"\g<1>77", text)
    assert "ADMYCDFX" not in text
    rebuilt_event: Event = json.loads(text)
    return rebuilt_event


def test_the_label_plays_no_part() -> None:
    event = events_of("python_errors.jsonl.gz")[0]
    relabelled = {**event, "extra": {"case": "another"}}

    assert variant_of(event) == variant_of(relabelled)


def test_javascript_events_of_one_message_and_place_are_one_issue() -> None:
    places: dict[tuple[str, str], set[int]] = {}
    for event in events_of("javascript_errors.jsonl.gz"):
        variant = variant_of(event)
        found = fingerprint_of(variant.shape).fingerprint_hash
        places.setdefault((variant.title, variant.culprit), set()).add(found)

    assert {len(found) for found in places.values()} <= {1, 2}
