import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
import urllib3

from demo.mail import Kept, reading
from demo.tour import Step, as_list, as_text

STEPS = [Step("Pages <became> slower.", "http://127.0.0.1/a?b=1&c=2", "slower", True), Step("So.", "/x", "x")]


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[str]:
    handler = reading(Kept(tmp_path / "mail"), tmp_path / "tour.html")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_tour_is_a_page_once_it_is_known(pages: str, tmp_path: Path) -> None:
    get = urllib3.PoolManager().request
    assert get("GET", f"{pages}/tour").status == 404
    (tmp_path / "tour.html").write_text(as_list(STEPS), "utf-8")
    told = get("GET", f"{pages}/tour").data.decode()
    assert '<a href="http://127.0.0.1/a?b=1&amp;c=2">Pages &lt;became&gt; slower.</a>' in told
    assert "No mail yet" in get("GET", pages).data.decode()


def test_steps_are_numbered_where_they_are_printed() -> None:
    assert as_text(STEPS).splitlines()[3:] == ["    2. So.", "       /x"]


def test_what_needs_figures_is_said_before_the_steps() -> None:
    for told in (as_text(STEPS), as_list(STEPS)):
        said, _, listed = told.partition("or start with 2.")
        assert "The first 1 need figures" in said and "slower." in listed
