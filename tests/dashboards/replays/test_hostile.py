"""Hostile recordings run nothing and load nothing, whatever they hold."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from playwright.sync_api import Frame, Page, expect

from dashboards.replay.player import document
from tests.captured_replays import recorded_bytes, recording_line
from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.hostile_recordings import AT, Event, hostile_recordings

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
    pytest.mark.timeout(400),
]
# Without a look into the events.
BELIEVING = """const harmless = {
  event: (given) => ([2, 3, 4].includes(given.type) ? given : null), missing: new Set(),
};"""
TOUCH = """() => {
  for (const each of document.querySelectorAll("a, area, button, input, details, summary, form")) {
    try { each.focus?.(); each.click?.(); each.requestSubmit?.(); } catch { /* Refused. */ }
  }
}"""
HEARING = """if (window === top) addEventListener("message", (said) => {
  if (said.data === "canary") window.canary = 1;
});"""


@dataclass
class Foreign:
    """A server elsewhere, which hears every connection, whether or not a request follows."""

    address: str
    heard: list[str] = field(default_factory=list)


@pytest.fixture
def foreign() -> Iterator[Foreign]:
    listening = socket.create_server(("127.0.0.1", 0))
    found = Foreign(f"http://127.0.0.1:{listening.getsockname()[1]}")

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    found.heard.append(connection.recv(1000).decode(errors="replace"))
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                except OSError:
                    found.heard.append("a connection")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield found
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def delivered(site: Site, recordings: dict[str, list[Event]]) -> dict[str, str]:
    """The ids of the replays, by the names of the recordings."""
    ids = {name: uuid4().hex for name in recordings}
    by = int(datetime.now(UTC).timestamp() * 1000) - 60_000 - AT
    for name, events in recordings.items():
        moved = [{**event, "timestamp": event["timestamp"] + by} for event in events]
        site.deliver([recording_line(ids[name], recorded_bytes(0, moved))])
    return ids


def signed_in(watched: Watched, site: Site) -> Page:
    page = watched.page
    # What runs in a frame of another origin can tell it to the page alone.
    page.add_init_script(HEARING)
    watched.go("/projects/shop/replays")
    page.get_by_label("Email").fill(site.account.email)
    page.get_by_label("Password").fill(site.account.password)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Replays")
    return page


def stage(page: Page) -> Frame:
    return next(frame for frame in page.frames if "/replay-player" in frame.url)


def played(watched: Watched, replay_id: str) -> list[str]:
    """What was wrong after the replay was played, and everything in it touched."""
    page = watched.page
    watched.go(f"/projects/shop/replays/{replay_id}")
    place = page.locator("[data-replay]")
    expect(place).to_have_attribute("data-state", "ready")
    page.get_by_role("button", name="Play").click()
    expect(place).to_have_attribute("data-state", "paused")
    wrong = []
    frame = stage(page)
    # As a visitor could not: links, forms and whatever has focus.
    frame.evaluate(TOUCH)
    page.wait_for_timeout(300)
    if not page.url.endswith(replay_id):
        wrong.append(f"led to {page.url}")
    if len(page.context.pages) > 1:
        wrong.append("a window was opened")
    for each in page.frames:
        if each.evaluate("() => window.canary === undefined") is not True:
            wrong.append(f"ran in {each.url}")
    if not any("/replay-player" in each.url for each in page.frames):
        wrong.append("the player was led elsewhere")
    return wrong


def test_the_foreign_server_hears_who_connects(foreign: Foreign, watched: Watched) -> None:
    watched.page.set_content(f"<link rel=preconnect href={foreign.address}><img src={foreign.address}/seen>")
    watched.page.wait_for_timeout(1000)
    assert any("/seen" in heard for heard in foreign.heard)


def test_hostile_recordings_run_and_load_nothing(live_site: Site, watched: Watched, foreign: Foreign) -> None:
    recordings = dict(hostile_recordings(foreign.address))
    assert len(recordings) >= 20
    ids = delivered(live_site, recordings)
    signed_in(watched, live_site)
    wrong = {name: found for name, replay_id in ids.items() if (found := played(watched, replay_id))}
    assert wrong == {}
    assert foreign.heard == []
    asked = [said for said in watched.complaints if said.startswith("asked")]
    assert [said for said in asked if not said.startswith(("asked data:", "asked about:"))] == []


def test_their_pictures_in_the_list_run_and_load_nothing(
    live_site: Site, watched: Watched, foreign: Foreign
) -> None:
    ids = delivered(live_site, dict(hostile_recordings(foreign.address)))
    watched.page.set_viewport_size({"width": 1280, "height": 200 * len(ids)})
    page = signed_in(watched, live_site)
    expect(page.locator("[data-thumb]")).to_have_count(len(ids))
    expect(page.locator("[data-state=ready], [data-state=empty]")).to_have_count(len(ids), timeout=60_000)
    assert page.locator("[data-state=ready] iframe").count() > len(ids) / 2
    for frame in page.main_frame.child_frames:
        assert frame.evaluate("() => self.origin") == "null", frame.url
        frame.evaluate(TOUCH)
    assert all(frame.evaluate("() => window.canary === undefined") for frame in page.frames)
    assert len(page.context.pages) == 1 and foreign.heard == []


def test_the_policy_alone_keeps_them_from_running(
    live_site: Site, watched: Watched, foreign: Foreign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the look into the events missed something; no policy covers hints of the head."""
    kept = document.scripts()
    monkeypatch.setattr(document, "scripts", lambda: (kept[0], BELIEVING.encode(), kept[2]))
    for each in (document.document, document.policy):
        each.cache_clear()
    try:
        recordings = dict(hostile_recordings(foreign.address))
        # They break the player, which then shows nothing.
        for name in ("links of the head", "names that hide those of the document", "events that are none"):
            del recordings[name]
        ids = delivered(live_site, recordings)
        signed_in(watched, live_site)
        for replay_id in ids.values():
            watched.go(f"/projects/shop/replays/{replay_id}")
            watched.page.wait_for_timeout(700)
            assert watched.page.evaluate("() => window.canary === undefined") is True, replay_id
        # A browser may connect before it asks its policy; it sends nothing then.
        assert [heard for heard in foreign.heard if heard not in ("", "a connection")] == []
    finally:
        for each in (document.document, document.policy):
            each.cache_clear()
