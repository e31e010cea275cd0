"""Captured recordings as they play: the page at a moment is the one that was recorded."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.captured_replays import CapturedReplay, at_ms, captured_replays, recording_line
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.large_recordings import large_events, large_recording

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
SHADE = """() => {
  const texts = [];
  const walk = (node) => {
    if (node.nodeType === 3) { if (node.data.trim()) texts.push(node.data.trim()); return; }
    if (node.nodeType === 1 && ["STYLE", "SCRIPT", "TITLE"].includes(node.nodeName)) return;
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return texts;
}"""
Node = dict[str, Any]
HIDDEN = {"style", "script", "title", "noscript"}


class Shown:
    """The page that a browser showed, put together from its events by their definition alone."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.children: dict[int, list[int]] = {}
        self.parents: dict[int, int] = {}
        self.root = 0

    def apply(self, event: dict[str, Any]) -> None:
        data = event["data"]
        if event["type"] == 2:
            self.__init__()  # type: ignore[misc]
            self.root = data["node"]["id"]
            self._add(data["node"])
        elif event["type"] == 3 and data["source"] == 0:
            for text in data["texts"]:
                self.nodes[text["id"]]["textContent"] = text["value"] or ""
            for removed in data["removes"]:
                self._remove(removed["id"])
            waiting = list(data["adds"])
            while waiting:
                ready = [one for one in waiting if one["nextId"] is None or one["nextId"] in self.parents]
                ready = [one for one in ready if one["parentId"] in self.nodes]
                assert ready, "an added node has no place"
                for one in ready[:1]:
                    self._add(one["node"])
                    siblings = self.children[one["parentId"]]
                    at = siblings.index(one["nextId"]) if one["nextId"] in siblings else len(siblings)
                    siblings.insert(at, one["node"]["id"])
                    self.parents[one["node"]["id"]] = one["parentId"]
                    waiting.remove(one)

    def _add(self, node: Node) -> None:
        self.nodes[node["id"]] = dict(node)
        self.children[node["id"]] = []
        for child in node.get("childNodes", []):
            self._add(child)
            self.children[node["id"]].append(child["id"])
            self.parents[child["id"]] = node["id"]

    def _remove(self, node_id: int) -> None:
        if (parent := self.parents.pop(node_id, None)) is not None:
            self.children[parent].remove(node_id)

    def texts(self) -> list[str]:
        (html,) = (one for one in self.children[self.root] if self.nodes[one].get("tagName") == "html")
        (body,) = (one for one in self.children[html] if self.nodes[one].get("tagName") == "body")
        return list(self._texts_of(body))

    def _texts_of(self, node_id: int) -> Iterable[str]:
        node = self.nodes[node_id]
        if node["type"] == 3 and (text := node["textContent"].strip()):
            yield text
        if node.get("tagName") not in HIDDEN:
            for child in self.children[node_id]:
                yield from self._texts_of(child)


def shown_at(replay: CapturedReplay, ms: float) -> list[str]:
    """The texts of the page, `ms` after the first event that shows something."""
    events = [event for event in replay.events if event["type"] != 5]
    zero, page = at_ms(events[0]), Shown()
    for event in events:
        if at_ms(event) - zero <= ms:
            page.apply(event)
    return page.texts()


def moments(replay: CapturedReplay) -> list[int]:
    """Between two events, so that no rounding tells."""
    events = [event for event in replay.events if event["type"] != 5]
    zero = at_ms(events[0])
    times = sorted({round(at_ms(event) - zero) for event in events})
    gaps = [(one + other) // 2 for one, other in pairwise(times) if other - one > 100]
    return gaps[:: max(1, len(gaps) // 4)][:4]


def signed_in(watched: Watched, site: Site) -> Page:
    page = watched.page
    watched.go("/projects/shop/replays")
    page.get_by_label("Email").fill(site.account.email)
    page.get_by_label("Password").fill(site.account.password)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Replays")
    return page


def opened(watched: Watched, replay_id: str, query: str = "") -> Frame:
    watched.go(f"/projects/shop/replays/{replay_id}{query}")
    expect(watched.page.locator("[data-replay]")).to_have_attribute("data-state", "ready")
    return next(frame for frame in watched.page.frames if "/replay-player" in frame.url)


def test_a_captured_replay_shows_what_was_recorded_at_each_moment(live_site: Site, watched: Watched) -> None:
    replays = captured_replays(datetime.now(UTC))[::4]
    for replay in replays:
        live_site.deliver(replay.lines())
    signed_in(watched, live_site)
    compared = 0
    for replay in replays:
        for ms in moments(replay):
            frame = opened(watched, replay.replay_id, f"?at={ms}")
            assert frame.evaluate(SHADE) == shown_at(replay, ms), (replay.replay_id, ms)
            compared += 1
    assert compared >= 10
    assert [said for said in watched.complaints if "asked" in said] == []


def test_view_replay_opens_it_before_the_error_and_its_entries_seek(
    live_site: Site, watched: Watched
) -> None:
    replay = max(captured_replays(datetime.now(UTC)), key=lambda one: len(one.errors))
    live_site.deliver(replay.lines())
    page = signed_in(watched, live_site)
    watched.go("/projects/shop/issues")
    page.locator("table.issues tbody a.issue-title").first.click()
    page.get_by_role("link", name="View replay").first.click()
    page.wait_for_url("**/replays/*event=*")
    place = page.locator("[data-replay]")
    expect(place).to_have_attribute("data-state", "ready")
    errors = page.locator(".replay-entry.of-error")
    assert errors.count() == len(replay.errors)
    event_id = page.url.rpartition("event=")[2]
    at = float(page.locator(f".replay-entry:has(a[href*='{event_id}'])").get_attribute("data-at") or 0)
    position = page.get_by_label("Position")
    assert abs(float(position.input_value()) - max(0, at - 3000)) <= 200

    page.get_by_role("button", name="Errors").click()
    assert page.locator(".replay-entry").count() == len(replay.errors)
    errors.last.get_by_role("button").click()
    length = float(position.get_attribute("max") or 0)
    last = min(float(errors.last.get_attribute("data-at") or 0), length)
    assert abs(float(position.input_value()) - last) <= 200
    link = page.locator("[data-link-at]").get_attribute("data-copy-link") or ""
    assert abs(int(link.rpartition("?at=")[2]) - last) <= 1
    errors.last.get_by_role("link", name="Issue").click()
    page.wait_for_url("**/issues/*")


def test_it_plays_at_the_speed_chosen_and_to_its_end(live_site: Site, watched: Watched) -> None:
    replay = min(
        captured_replays(datetime.now(UTC)), key=lambda one: at_ms(one.events[-1]) - at_ms(one.events[0])
    )
    live_site.deliver(replay.lines())
    page = signed_in(watched, live_site)
    opened(watched, replay.replay_id)
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-replay]")).to_have_attribute("data-state", "paused")
    position = page.get_by_label("Position")
    assert float(position.input_value()) >= float(position.get_attribute("max") or 0) - 100
    assert violations(page) == []
    assert watched.complaints == []


def test_an_unmasked_replay_says_so_in_the_list_and_on_its_page(live_site: Site, watched: Watched) -> None:
    replays = captured_replays(datetime.now(UTC))
    (unmasked,) = [replay for replay in replays if not replay.is_masked]
    for replay in (unmasked, replays[0]):
        live_site.deliver(replay.lines())
    page = signed_in(watched, live_site)
    watched.go("/projects/shop/replays")
    marked = page.locator("tbody tr", has_text="Text isn't masked")
    expect(marked).to_have_count(1)
    assert violations(page) == []
    marked.get_by_role("link").first.click()
    expect(page.locator(".notice").first).to_contain_text("Text isn't masked")
    opened(watched, unmasked.replay_id)
    expect(page.locator("[data-missing]")).to_contain_text("not recorded and can't be shown")


def test_a_shared_replay_plays_at_its_moment_for_someone_signed_out(
    live_site: Site, watched: Watched
) -> None:
    replay = max(captured_replays(datetime.now(UTC)), key=lambda one: len(one.errors))
    live_site.deliver(replay.lines())
    page = signed_in(watched, live_site)
    ms = moments(replay)[1]
    opened(watched, replay.replay_id, f"?at={ms}")
    page.locator("summary", has_text="Share…").click()
    assert violations(page) == []
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_text("Link created.")).to_be_visible()
    expect(page.locator("#share-links li")).to_have_count(1)
    shared = page.get_by_label("Share link").input_value().removeprefix("http://testserver")
    assert shared.endswith(f"?at={ms}")

    page.context.clear_cookies()
    watched.go(shared)
    place = page.locator("[data-replay]")
    expect(place).to_have_attribute("data-state", "ready")
    frame = next(frame for frame in page.frames if "/replay-player" in frame.url)
    assert frame.evaluate(SHADE) == shown_at(replay, ms)
    position = page.get_by_label("Position")
    assert abs(float(position.input_value()) - ms) <= 200
    assert page.locator(".replay-entry.of-error").count() == len(replay.errors)
    assert page.locator(".replay-entry a, .replay-entry.of-network, .replay-entry.of-console").count() == 0
    assert violations(page) == []
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play").click()
    expect(place).to_have_attribute("data-state", "paused")
    assert float(position.input_value()) >= float(position.get_attribute("max") or 0) - 100
    assert watched.complaints == []


def test_a_segment_as_large_as_one_may_be_plays(live_site: Site, watched: Watched) -> None:
    began_ms = round(datetime.now(UTC).timestamp() * 1000) - 60_000
    events = large_events(100 << 20, 9 << 20, began_ms)
    live_site.deliver([recording_line("f" * 32, large_recording(events))])
    signed_in(watched, live_site)
    frame = opened(watched, "f" * 32, "?at=9500")
    assert frame.evaluate(SHADE) == ["last"]
    assert watched.complaints == []
