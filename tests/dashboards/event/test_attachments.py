"""Files that a real SDK sends with an event and with feedback, on its pages and by REST."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import errata_sdk
import pytest
import sentry_sdk

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import first_issue

PAGE = b"<script>alert(1)</script> password=hunter2-hunter2"
LINK = re.compile(r'href="(/api/events/[^"]+)" download="([^"]+)"')


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def sent(site: Site, folder: Path) -> list[bytes]:
    errata_sdk.init(app_key=site.account.app_key, storage_path=str(folder))
    with sentry_sdk.new_scope() as scope:
        scope.add_attachment(bytes=PAGE, filename="käse <b>.html", content_type="text/html")
        scope.add_attachment(bytes=b"\x89PNG\0\0", filename="shot.png")
        scope.add_attachment(bytes=b'{"a": 1}', filename="state.json", content_type="application/json")
        sentry_sdk.capture_message("Payment failed", "error")
    sentry_sdk.flush()
    return [line for file in folder.glob("errata-*.log") for line in file.read_bytes().splitlines()]


def test_files_of_an_event_are_downloaded_and_never_shown(live_site: Site, folder: Path) -> None:
    client = live_site.sign_in()
    lines = sent(live_site, folder)
    for _ in range(2):
        live_site.deliver(lines)
    html = client.get(first_issue(client)).text
    links = [(unescape(link), unescape(name)) for link, name in LINK.findall(html) if "/attachments/" in link]
    assert [name for _, name in links] == ["käse <b>.html", "shot.png", "state.json"]
    assert "<b>.html" not in html and "text/html" in html
    page, image, state = (client.get(link) for link, _ in links)
    assert page.content == PAGE.replace(b"hunter2-hunter2", b"[FILTERED]")
    assert (image.content, state.content) == (b"\x89PNG\0\0", b'{"a": 1}')
    for answer in (page, image, state):
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("sandbox")
        assert answer.headers["content-disposition"].startswith("attachment; ")
    assert page.headers["content-disposition"].endswith("filename*=UTF-8''k%C3%A4se%20%3Cb%3E.html")


def test_rest_lists_the_files_of_an_event(live_site: Site, folder: Path) -> None:
    lines = sent(live_site, folder)
    live_site.deliver(lines)
    headers = {"Authorization": f"Bearer {live_site.account.api_key}"}
    (event_id,) = (line["payload"]["event_id"] for line in map(json.loads, lines) if line["type"] == "event")
    path = f"/api/events/{event_id}/attachments"
    listed = live_site.client.get(path, headers=headers).json()["attachments"]
    assert [(one["filename"], one["content_type"], one["byte_count"]) for one in listed][1:] == [
        ("shot.png", "image/png", 6),
        ("state.json", "application/json", 8),
    ]
    assert live_site.client.get(f"{path}/{listed[1]['id']}", headers=headers).content == b"\x89PNG\0\0"
    for missing in (f"{path}/{'0' * 32}", f"/api/events/{'0' * 32}/attachments/{listed[1]['id']}"):
        assert live_site.client.get(missing, headers=headers).json()["error"] == "attachment_not_found"
    assert live_site.client.get(f"/api/events/{'0' * 32}/attachments", headers=headers).status_code == 404


def test_feedback_comes_with_its_screenshot(live_site: Site) -> None:
    client = live_site.sign_in()
    feedback_id = "ab" * 16
    message = {"event_id": feedback_id, "contexts": {"feedback": {"message": "It is slow"}}}
    file = {"event_id": feedback_id, "filename": "screenshot.png"}
    live_site.deliver(
        [
            json.dumps({"type": "feedback", "payload": message}).encode(),
            json.dumps({"type": "attachment", "headers": file, "payload_b64": "iVBORwAA"}).encode(),
        ]
    )
    ((link, name),) = LINK.findall(client.get("/projects/shop/feedback").text)
    assert name == "screenshot.png" and client.get(link).content == b"\x89PNG\0\0"
    (listed,) = client.get("/api/projects/shop/feedback").json()["feedback"]
    assert [one["filename"] for one in listed["attachments"]] == ["screenshot.png"]
