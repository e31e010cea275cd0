"""The player beside the truth: the page as it is played at an error, and as the browser showed it then."""

import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from playwright.sync_api import Frame, Page, expect

from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.recorded_shop import SIZE, running, visit

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
Pixels = npt.NDArray[np.int16]
# A pixel differs if one of its colors does by more than this of 255.
COLOR = 32
# Share of all pixels: edges of letters may be rounded otherwise on another machine, nothing more.
TOLERATED = 0.0002


def pixels(picture: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=np.int16)


def differing(truth: Pixels, shown: Pixels, but: tuple[int, int, int, int] | None = None) -> float:
    """Share of pixels that differ, leaving out a rectangle: left, top, right, bottom."""
    assert truth.shape == shown.shape
    differs = (np.abs(truth - shown) > COLOR).any(axis=2)
    if but:
        left, top, right, bottom = but
        differs[top:bottom, left:right] = False
    return float(differs.mean())


def kept(name: str, picture: bytes) -> Pixels:
    """Keeps the picture where the variable names a folder, to be looked at."""
    if folder := os.environ.get("PICTURES"):
        (Path(folder) / f"{name}.png").write_bytes(picture)
    return pixels(picture)


@pytest.fixture
def visitor(watched: Watched) -> Iterator[Page]:
    """Another person in the same browser."""
    browser = watched.page.context.browser
    assert browser is not None
    context = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def played_at_the_error(watched: Watched, site: Site) -> Frame:
    """From the issue to its replay, and there to the error itself."""
    page = watched.page
    page.set_viewport_size({"width": 1600, "height": 1100})
    watched.go("/projects/shop/issues")
    page.get_by_label("Email").fill(site.account.email)
    page.get_by_label("Password").fill(site.account.password)
    page.keyboard.press("Enter")
    page.locator("table.issues tbody a.issue-title").first.click()
    page.get_by_role("link", name="View replay").first.click()
    page.wait_for_url("**/replays/*event=*")
    expect(page.locator("[data-replay]")).to_have_attribute("data-state", "ready")
    to_the_error(watched)
    # The pointer is drawn by the player, above the page.
    page.locator(".replay-pointer").evaluate("pointer => { pointer.style.visibility = 'hidden'; }")
    # Onto whole pixels.
    page.locator(".replay-scale").evaluate(
        "scale => Object.assign(scale.style, { position: 'fixed', left: 0, top: 0, margin: 0, zIndex: 99 })"
    )
    return next(frame for frame in page.frames if "/replay-player" in frame.url)


def shown(watched: Watched) -> bytes:
    return watched.page.locator("[data-player]").screenshot(animations="disabled")


def to_the_error(watched: Watched) -> None:
    watched.page.locator(".replay-entry.of-error button").first.evaluate("button => button.click()")


def seek(watched: Watched, ms: float) -> None:
    """To another moment, by the position's own control."""
    watched.page.get_by_label("Position").evaluate(
        "(position, ms) => { position.value = String(Number(position.value) + ms); "
        "position.dispatchEvent(new Event('input')); position.dispatchEvent(new Event('change')); }",
        ms,
    )


@pytest.mark.parametrize("is_masked", [False, True], ids=["readable", "masked"])
def test_the_page_at_an_error_is_the_one_that_the_browser_showed(
    live_site: Site, watched: Watched, visitor: Page, tmp_path: Path, is_masked: bool
) -> None:
    with running(live_site.account.app_key, tmp_path) as address:
        picture = visit(visitor, address, is_masked)
        left_out = None
        if not is_masked:
            box = visitor.locator("#photo").bounding_box()
            assert box is not None
            x, y = round(box["x"]), round(box["y"])
            left_out = (x, y, x + round(box["width"]), y + round(box["height"]))
    name = "masked" if is_masked else "readable"
    truth = kept(f"{name}-truth", picture)
    live_site.deliver(b"".join(file.read_bytes() for file in tmp_path.glob("*.log")).splitlines())
    frame = played_at_the_error(watched, live_site)
    at_error = differing(truth, kept(f"{name}-player", shown(watched)), left_out)
    others = {}
    for words, ms in (("two seconds earlier", -2000), ("five seconds later", 5000)):
        seek(watched, ms)
        others[words] = differing(truth, kept(f"{name} {words}", shown(watched)), left_out)
        to_the_error(watched)
    assert differing(truth, pixels(shown(watched)), left_out) == at_error
    frame.evaluate("document.querySelectorAll('style').forEach(one => one.remove())")
    others["without styles"] = differing(truth, kept(f"{name} without styles", shown(watched)), left_out)
    assert at_error <= TOLERATED
    assert min(others.values()) > 5 * TOLERATED, others
