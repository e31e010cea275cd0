"""The protocol's own conformance suite, which runs on Node 22: https://github.com/modelcontextprotocol/conformance."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.api.mcp.agents import site_of
from tests.processes import WarehouseProcess

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "node@22.23.3")
PASSING = ("server-initialize", "ping", "tools-list", "tools-call-error", "dns-rebinding-protection")
BASELINE = Path(__file__).parents[2] / "data" / "mcp_conformance.yaml"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="the suite comes from npm")
def test_the_suite_passes_but_for_what_the_service_does_not_offer(
    warehouse: WarehouseProcess, tmp_path: Path
) -> None:
    subprocess.run(["npm", "install", "--silent", *PACKAGES], cwd=tmp_path, check=True, timeout=300)
    programs = tmp_path / "node_modules" / ".bin"
    with site_of(warehouse, tmp_path, gives_token=True) as site:
        done = subprocess.run(
            [
                *(programs / "node", programs / "conformance", "server"),
                *("--url", f"{site.pages}/mcp", "--expected-failures", BASELINE),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    for scenario in PASSING:
        assert f"✓ {scenario}: " in done.stdout, scenario
