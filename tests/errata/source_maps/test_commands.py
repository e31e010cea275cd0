"""`errata sourcemaps` against a service on a port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from errata.__main__ import main
from tests.browser_builds import browser_errors, extract_builds
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, serving


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Uploading]:
    with serving(warehouse, tmp_path) as (made, address):
        monkeypatch.setenv("ERRATA_CLIENT_URL", address)
        monkeypatch.setenv("ERRATA_CLIENT_API_KEY", made.account.api_key)
        yield made


@pytest.mark.slow
def test_a_build_is_uploaded_and_an_event_explained(
    api: Uploading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = ["--project", api.project.slug]
    assets = extract_builds(tmp_path / "builds") / "1.1.0" / "assets"
    event = browser_errors(["1.1.0"])[0]
    api.deliver([event])
    explain = ["sourcemaps", "explain", event["event_id"], *project]
    assert main(explain) == 1
    told = capsys.readouterr().out
    assert told.startswith("0 of 3 minified frames are mapped to their source.")
    assert "Found:      No source maps have been uploaded for this project." in told
    assert "Fix:          Upload the source maps of release shop-web@1.1.0." in told
    upload = ["sourcemaps", "upload", "--release", "shop-web@1.1.0", "--url-prefix", "~/assets/1.1.0"]
    # A build has a token that can do nothing else.
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", api.token())
    assert main([*upload, str(assets), *project]) == 0
    assert capsys.readouterr().out == (
        "Uploaded 6 scripts, 6 of them with source maps, for release shop-web@1.1.0\n"
    )
    assert main([*upload, str(assets), *project]) == 0
    assert capsys.readouterr().out.startswith("Uploaded before: 6 scripts")
    assert main(explain) == 2
    assert "403" in capsys.readouterr().err
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", api.account.api_key)
    assert main(explain) == 1
    told = capsys.readouterr().out
    assert told.startswith("2 of 3 minified frames are mapped to their source.")
    assert "/monitor-" in told and "don't contain this file" in told


def test_what_cannot_be_done_is_said(
    api: Uploading, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = ["--project", api.project.slug]
    (tmp_path / "empty").mkdir()
    assert main(["sourcemaps", "upload", str(tmp_path / "empty"), "--release", "r", *project]) == 1
    assert "contains no scripts or source maps" in capsys.readouterr().err
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.js").write_text("f();")
    assert main(["sourcemaps", "upload", str(tmp_path / "plain"), *project]) == 2
    assert "needs a release" in capsys.readouterr().err
    assert main(["sourcemaps", "explain", "0" * 32, *project]) == 2
    assert "404 Event not found" in capsys.readouterr().err
    monkeypatch.setenv("ERRATA_CLIENT_URL", "http://127.0.0.1:9")
    assert main(["sourcemaps", "explain", "0" * 32, *project]) == 2
    assert "Can't reach the service" in capsys.readouterr().err
