"""Every row of the specification's "error details", over what real SDKs have sent."""

import json
import re
import shlex
import subprocess
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import sentry_sdk.utils

from dashboards.event.contexts import surroundings
from dashboards.event.curl import curl_command
from dashboards.event.event import Event, event
from dashboards.event.exceptions import stacks
from dashboards.shared.tag_terms import tag_term
from errata.search import parse
from errata.search.terms import Releases, Tags, Texts
from errata.source_maps.frames import Position, Script
from errata.source_maps.lookup import Found, map_events
from errata.source_maps.reasons import Reason, Unmapped
from tests.cases import each
from tests.dashboards.event.test_page import rendered
from tests.dashboards.events import all_captured, captured


def browser_events() -> list[dict[str, Any]]:
    return [line.get("payload", line) for line in captured("browser_error_events")]


@cache
def python_event(framework: str) -> dict[str, Any]:
    """The first captured one that went through it."""
    return next(
        payload for payload in captured("python_errors") if dict(facts(payload)).get("Framework") == framework
    )


def facts(payload: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return surroundings(payload).facts


def arguments(command: str) -> list[str]:
    """What a real shell hands to curl."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    said = subprocess.run(["sh"], input=script.encode(), capture_output=True, check=True).stdout
    return said.decode().split("\0")[:-1]


def tags(payload: dict[str, Any]) -> dict[str, str]:
    return {tag.name: tag.shown for tag in event(payload).tags}


def frames(shown: Event) -> list[Any]:
    return [frame for stack in shown.stacks for frame in stack.frames]


def test_frames_stand_top_first_with_file_function_and_line() -> None:
    payload = python_event("Flask 3.1.3")
    sent = payload["exception"]["values"][-1]["stacktrace"]["frames"]
    shown = event(payload).stacks[0].frames
    assert [(frame.file, frame.function, frame.line) for frame in shown] == [
        (frame["filename"], frame["function"], frame["lineno"]) for frame in reversed(sent)
    ]
    assert "top frame" in rendered(payload)


def test_arguments_are_told_by_the_definition_above_the_failing_line() -> None:
    payload = next(
        payload
        for payload in captured("python_errors")
        if payload["exception"]["values"][-1]["stacktrace"]["frames"][-1]["function"] == "apply_discount"
    )
    top = event(payload).stacks[0].frames[0]
    assert [node.name for node in top.arguments] == ["self", "amount", "row"]
    assert "<h4>Arguments</h4>" in rendered(payload)


@each(
    ("definition", "names"),
    [
        ("def f(a, b=1, *args, key: dict[str, int] = {'x': y}, **rest) -> int:", "a b args key rest"),
        ("    async def f(\n        a,\n        b,\n    ):", "a b"),
        ("def f():", ""),
        ("def g(a):", ""),
        ("def f(a, b=(", ""),
        ("x = f(a, b)", ""),
    ],
)
def test_only_names_of_the_function_s_own_definition_are_arguments(definition: str, names: str) -> None:
    sent = dict.fromkeys(("a", "b", "args", "key", "rest", "x", "y"), 1)
    frame = {"function": "f", "pre_context": definition.split("\n"), "context_line": "raise", "vars": sent}
    (stack,) = stacks({"exception": [{"type": "E", "stacktrace": {"frames": [frame]}}]})
    assert " ".join(node.name for node in stack.frames[0].arguments) == names


class NoUploads:
    def originals(self, positions: Mapping[Script, Collection[Position]]) -> dict[Script, Found]:
        return dict.fromkeys(positions, Found(reason=Reason.NO_UPLOAD))


def unmapped_of(payload: dict[str, Any]) -> list[Unmapped]:
    (mapped,) = map_events([payload], NoUploads())
    return mapped.unmapped


def test_every_minified_frame_of_a_browser_says_why_it_is_and_what_to_do() -> None:
    minified = 0
    for payload in browser_events():
        unmapped = unmapped_of(payload)
        shown = [frame for frame in frames(event(payload, unmapped=unmapped)) if frame.column]
        assert all(frame.unmapped for frame in shown)
        minified += len(shown)
    assert minified > 500
    payload = next(payload for payload in browser_events() if frames(event(payload)))
    html = rendered(payload, unmapped=unmapped_of(payload))
    assert "No source maps have been uploaded for this project." in html
    assert "/projects/shop/settings/source-maps" in html


def test_vendor_frames_are_folded_and_in_app_ones_are_not() -> None:
    html = rendered(python_event("Django 6.1.3"))
    assert re.search(r"<summary>\d+ vendor frames</summary>", html)
    assert html.count('class="origin origin-app"') >= 5


def test_members_of_an_exception_group_say_which_group_they_are_part_of() -> None:
    try:
        try:
            raise ExceptionGroup("inner", [ValueError("two"), TypeError("three")])
        except ExceptionGroup as inner:
            raise ExceptionGroup("outer", [ValueError("one"), inner]) from KeyError("cause")
    except ExceptionGroup as group:
        payload, _ = sentry_sdk.utils.event_from_exception(group)
    shown = [(stack.heading, stack.relation, stack.depth) for stack in stacks(dict(payload))]
    assert shown == [
        ("ExceptionGroup: outer", "", 0),
        ("KeyError: 'cause'", "Caused by", 0),
        ("ValueError: one", "1 of 2 in the group ExceptionGroup: outer", 1),
        ("ExceptionGroup: inner", "2 of 2 in the group ExceptionGroup: outer", 1),
        ("ValueError: two", "1 of 2 in the group ExceptionGroup: inner", 2),
        ("TypeError: three", "2 of 2 in the group ExceptionGroup: inner", 2),
    ]


def test_causes_of_browser_and_node_errors_are_shown_below_what_they_caused() -> None:
    chains = [payload for payload in all_captured() if len(payload["exception"]["values"]) > 1]
    for payload in chains:
        sent = [value["type"] for value in reversed(payload["exception"]["values"])]
        shown = event(payload).stacks
        assert [stack.type for stack in shown] == sent
        assert all(stack.relation in ("Caused by", "Raised while handling") for stack in shown[1:])
    assert {payload["platform"] for payload in chains} == {"python", "node", "javascript"}


def test_threads_beside_an_exception_are_shown_the_crashed_one_first() -> None:
    stack = {"frames": [{"function": "run", "filename": "a.kt", "lineno": 3}]}
    payload = {
        "exception": {"values": [{"type": "E", "value": "x"}]},
        "threads": {
            "values": [
                {"id": 1, "name": "main", "stacktrace": stack, "current": True},
                {"id": 2, "name": "io", "state": "RUNNABLE", "crashed": True, "stacktrace": stack},
                {"id": 3, "name": "idle"},
            ]
        },
    }
    assert [thread.type for thread in event(payload).threads] == [
        "Thread io · RUNNABLE · crashed",
        "Thread main · current",
    ]
    assert "Threads" in rendered(payload)


def test_frames_that_were_left_out_are_counted() -> None:
    stacktrace = {"frames": [{"function": f"f{n}"} for n in range(510)], "frames_omitted": [20, 60]}
    (stack,) = stacks({"exception": [{"type": "E", "stacktrace": stacktrace}]})
    assert (len(stack.frames), stack.omitted_count) == (500, 50)


@each("framework", ["Flask 3.1.3", "Django 6.1.3", "FastAPI 0.165.0"])
def test_a_request_has_method_url_headers_parameters_body_and_filtered_cookies(framework: str) -> None:
    payload = python_event(framework)
    html = rendered(payload)
    for heading in ("Query parameters", "Body", "Headers", "Cookies"):
        assert f"<h3>{heading}</h3>" in html
    assert f'<span class="method">{payload["request"]["method"]}</span>' in html
    assert payload["request"]["url"] in html
    assert '<span class="filtered"' in html


def test_a_request_of_every_captured_event_becomes_a_command_for_the_shell() -> None:
    for payload in all_captured():
        if not payload.get("request", {}).get("url"):
            continue
        words = shlex.split(curl_command(payload).replace(" \\\n  ", " "))
        method = payload["request"].get("method", "GET")
        assert words[:5] == ["curl", "--compressed", "-X", method, "--url"]
        assert words[5].startswith(payload["request"]["url"])
        if payload["request"].get("data"):
            assert json.loads(words[-1]) == payload["request"]["data"]


def test_no_request_breaks_out_of_its_command() -> None:
    evil = "'; rm -rf / #\n$(id)`id`\\"
    request = {"url": evil, "method": evil, "headers": {evil: evil}, "query_string": evil, "data": evil}
    words = arguments(curl_command({"request": request}))
    assert (words[2], words[-1]) == (evil.upper(), evil)
    assert len(words) == 9
    assert "\n" not in words[6]


def test_a_form_is_sent_as_a_form_again() -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": "9"}
    request = {"url": "/x", "method": "post", "headers": headers, "data": {"a": "1 2", "b": "[Filtered]"}}
    words = arguments(curl_command({"request": request}))
    assert words[-1] == "a=1+2&b=%5BFiltered%5D"
    assert "Content-Length: 9" not in words


def test_the_user_s_id_name_e_mail_and_ip_are_shown() -> None:
    payload = python_event("Flask 3.1.3")
    html = rendered(payload)
    for name, field in (
        ("ID", "id"),
        ("Name", "username"),
        ("Email", "email"),
        ("IP address", "ip_address"),
    ):
        assert f"<dt>{name}</dt><dd>{payload['user'][field]}</dd>" in html


def test_breadcrumbs_of_every_sdk_fall_into_the_five_categories_or_keep_their_word() -> None:
    kinds: dict[str, set[str]] = {}
    for payload in all_captured():
        for crumb in event(payload).breadcrumbs:
            kinds.setdefault(crumb.category, set()).add(crumb.kind)
    assert kinds == {
        "auth": {"auth"},
        "cache": {"cache"},
        "console": {"console"},
        "exception": {"error"},
        "fetch": {"http"},
        "http": {"http"},
        "navigation": {"navigation"},
        "query": {"query"},
        "sentry.event": {"error"},
        "sentry.transaction": {"sentry.transaction"},
        "shop": {"console"},
        "ui.click": {"ui"},
        "xhr": {"http"},
    }


def test_browser_and_os_of_every_browser_event_are_tags() -> None:
    assert {(tags(one)["browser"].split()[0], tags(one)["os"]) for one in browser_events()} >= {
        ("Chrome", "Android"),
        ("Chrome", "Windows"),
        ("Chrome", "macOS"),
        ("Chrome", "Linux"),
    }


def test_a_browser_s_tag_filters_by_its_name_and_shows_its_version() -> None:
    (tag,) = [tag for tag in event(browser_events()[0]).tags if tag.name == "browser"]
    assert (tag.value, tag.shown) == ("Chrome", "Chrome 156")


def test_the_service_of_the_application_key_is_a_tag() -> None:
    assert tags({"platform": "python"}).get("service") is None
    assert {tag.name: tag.value for tag in event({}, "checkout").tags}["service"] == "checkout"


@each(
    ("name", "value", "term"),
    [
        ("browser", "Chrome", "browser:Chrome"),
        ("release", "shop@2.10.0", "release:shop@2.10.0"),
        ("plan", "for teams", 'plan:"for teams"'),
        ("q", 'a "b" *\\', 'q:"a \\"b\\" \\*\\\\"'),
        ("a b", "c", "tags[a b]:c"),
        ("title", "c", "tags[title]:c"),
        ("a]b", "c", ""),
        ("x", "", ""),
    ],
)
def test_a_tag_is_written_as_a_term_of_the_list_s_language(name: str, value: str, term: str) -> None:
    assert tag_term(name, value) == term


def test_every_tag_of_a_captured_event_can_be_searched_for_as_it_is() -> None:
    values = {(tag.name, tag.value) for payload in all_captured() for tag in event(payload).tags}
    assert len(values) > 100
    for name, value in values:
        (term,) = parse(tag_term(name, value)).terms
        assert isinstance(term, Texts | Tags | Releases)
        if isinstance(term, Texts | Tags):
            (pattern,) = term.patterns
            assert not pattern.has_wildcard
            assert pattern.text == value


@each(
    ("framework", "runtime"),
    [("Flask 3.1.3", "CPython"), ("Django 6.1.3", "CPython"), ("FastAPI 0.165.0", "CPython")],
)
def test_python_servers_tell_runtime_framework_and_server(framework: str, runtime: str) -> None:
    shown = dict(facts(python_event(framework)))
    assert shown["Runtime"].startswith(runtime)
    assert shown["Server"].startswith(("web-", "api-", "worker-", "admin-"))


def test_a_node_server_tells_runtime_framework_os_server_and_memory() -> None:
    payload = next(one for one in captured("javascript_errors") if one["platform"] == "node")
    shown = dict(facts(payload))
    assert shown["Runtime"].startswith("node v20")
    assert shown["Framework"].startswith("Express")
    assert shown["Operating system"].startswith("Debian 12.11 (kernel")
    assert shown["Server"] == payload["server_name"]
    assert re.fullmatch(r"\d+ MB process · [\d.]+ GB free · [\d.]+ GB total", shown["Memory"])
    assert "Packages (" in rendered(payload)


def test_what_an_sdk_does_not_send_of_the_environment_is_said() -> None:
    html = rendered(python_event("Flask 3.1.3"))
    for name in ("Operating system", "Memory"):
        assert f'<dt>{name}</dt><dd class="muted">not sent</dd>' in html


def test_sdks_made_for_a_framework_tell_it_but_python_s_do_not() -> None:
    assert dict(facts({"sdk": {"name": "sentry.javascript.nextjs"}}))["Framework"] == "Next.js"
    assert "Framework" not in dict(facts({"sdk": {"name": "sentry.python.flask"}}))


def test_extra_data_is_a_tree() -> None:
    payload = python_event("Flask 3.1.3")
    html = rendered(payload)
    section = html[html.index('id="extra"') : html.index('id="user"')]
    assert '<th scope="row">cart</th><td><details class="tree">' in section
    assert "sys.argv" in section
