"""The page and the files by which a host gets the shipper."""

import hashlib
import json
import re
import shutil
import subprocess
import time
from html import unescape
from pathlib import Path

import pytest

from errata.downloads import building
from errata.downloads.files import downloads
from tests.dashboards.conftest import Site
from tests.dashboards.new_host import NewHost

SNIPPET = re.compile(r'<pre tabindex="0" id="([\w-]+)">(.*?)</pre>', re.DOTALL)


def snippets(page: str) -> dict[str, str]:
    return {name: unescape(text) for name, text in SNIPPET.findall(page)}


def test_every_file_is_served_as_its_sum_says(site: Site) -> None:
    sums = site.client.get("/install/SHA256SUMS")
    assert sums.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = [line.split("  ") for line in sums.text.splitlines()]
    listed = {name: listed_sum for listed_sum, name in lines}
    kinds = [name.partition("-")[0] for name in listed]
    assert kinds == ["errata_wire", "errata_shipper", "errata_sdk", "install"]
    for name, listed_sum in listed.items():
        served = site.client.get(f"/install/{name}")
        assert hashlib.sha256(served.content).hexdigest() == listed_sum
        is_wheel = name.endswith(".whl")
        assert served.headers["Content-Type"].startswith("application/" if is_wheel else "text/plain")
        assert ("Content-Disposition" in served.headers) == is_wheel
        assert served.headers["X-Content-Type-Options"] == "nosniff"
        assert served.headers["Cache-Control"] == "no-cache"
        head = site.client.head(f"/install/{name}")
        assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(served.content)))


def test_no_other_file_is_served(site: Site) -> None:
    for name in ("files.py", "..%2Ffiles.py", "%2e%2e/files.py", "..%5Cfiles.py", "wheels", "%00"):
        assert site.client.get(f"/install/{name}").status_code == 404, name


def test_commands_name_the_configured_address_whatever_the_host_header_says(site: Site) -> None:
    page = site.client.get("/install", headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"})
    assert "evil.example" not in page.text
    commands = snippets(page.text)
    assert commands["shipper-download"].count("http://testserver/install/") == 3
    files = downloads()
    assert files is not None
    for file in (files.wire, files.shipper, files.script):
        assert f"{file.sha256}  {file.name}\n" in commands["shipper-check"]
    for file in (files.wire, files.sdk):
        assert f"{file.name}#sha256={file.sha256}'" in commands["sdk"]
    # Like any page of the service; also for somebody who is signed in.
    assert page.headers["Cache-Control"] == "private, no-cache"
    assert site.account.email in site.sign_in().get("/install").text


def test_the_same_sources_have_the_same_sums_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in building.DISTRIBUTIONS:
        # Without the times and modes of the files.
        shutil.copytree(building.ROOT / name, tmp_path / name, copy_function=shutil.copyfile)
    monkeypatch.setattr(building, "ROOT", tmp_path)
    building.build_wheels(tmp_path / "built")
    files = downloads()
    assert files is not None
    for file in (files.wire, files.shipper, files.sdk):
        assert (tmp_path / "built" / file.name).read_bytes() == file.content


def test_the_script_never_takes_a_wheel_for_the_name_of_a_package(tmp_path: Path) -> None:
    script = Path(building.__file__).with_name("install-shipper.sh")
    for arguments in ([], ["errata-shipper"], ["errata-shipper", "venv"], ["--index-url", "venv"]):
        run = subprocess.run(["sh", script, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 2
        assert "usage: " in run.stderr or "download it first" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_script_needs_the_wheel_that_the_shipper_needs(tmp_path: Path) -> None:
    script = Path(building.__file__).with_name("install-shipper.sh")
    shipper = tmp_path / "errata_shipper-0.5.0-py3-none-any.whl"
    shipper.touch()
    for wheel in (shipper.name, shipper):
        run = subprocess.run(["sh", script, wheel, "venv"], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 2
        assert "/errata_wire-0.5.0-py3-none-any.whl doesn't exist; download it first" in run.stderr
    assert list(tmp_path.iterdir()) == [shipper]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_new_host_delivers_after_the_commands_of_the_page(
    live_site: Site, address: str, tmp_path: Path
) -> None:
    host, account = NewHost(tmp_path, address), live_site.account
    keys = {"ERRATA_SHIPPER_API_KEY": account.api_key, "ERRATA_SHIPPER_APP_KEY": account.app_key}
    commands = snippets(live_site.client.get("/install").text)
    for step in ("download", "check"):
        done = host.run(commands[f"shipper-{step}"])
        assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK") == 3
    install = commands["shipper-install"]
    lacking = host.run(install)
    assert lacking.returncode == 2 and "errata.apiKey: is required" in lacking.stderr
    done = host.run(install, **keys)
    assert (done.returncode, done.stdout.count("ok  ")) == (0, 5), done.stderr
    shipper, config = host.home / "errata/venv/bin/errata-shipper", host.home / "errata/errata.yaml"
    assert done.stdout.startswith("errata-shipper ")
    assert f"To deliver events, run: {shipper} --config {config} --record" in done.stdout
    assert config.stat().st_mode & 0o777 == 0o600
    # An upgrade leaves the configuration alone.
    before = config.read_bytes()
    upgrade = host.run(install.partition(" ~/errata ")[0] + " ~/errata")
    assert upgrade.returncode == 0 and f"{config} is valid" in upgrade.stdout, upgrade.stderr
    assert config.read_bytes() == before

    line = json.dumps({"type": "event", "payload": {"message": "From a new host"}})
    (host.logs / "errata-2026-11-21.log").write_text(f"{line}\n")
    delivering = subprocess.Popen(
        ["sh", "-c", f"exec {commands['shipper-start']}"],
        env=host.environment,
        cwd=host.home,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        issues = live_site.sign_in()
        while "From a new host" not in issues.get("/projects/shop/issues").text:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        delivering.terminate()
        delivering.wait(30)
