"""What a bill of materials lists, and which hashes are locked."""

import sys
from pathlib import Path
from typing import Any

import pytest

from release.bill import bill_of_materials
from release.distributions import ROOT, SHIPPER
from release.environment import Installed
from release.errors import ReleaseRefused
from release.locked import read_locked
from release.pythons import found_pythons, own_version
from tests.cases import each

LOCKED = read_locked(ROOT / "constraints.txt")


def installed(name: str, version: str, *needed: str, **metadata: Any) -> Installed:
    return Installed(name, version, "a" * 64, {"requires_dist": list(needed), **metadata})


def locked_version(name: str) -> str:
    return next(version for one, version in LOCKED.hashes if one == name)


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    chosen = [
        installed(
            "errata-shipper",
            "1.0.0",
            "urllib3>=2",
            "pyyaml",
            "errata-wire==1.0.0",
            "errata-wire[otlp]==1.0.0; extra == 'otlp'",
        ),
        installed(
            "errata-wire", "1.0.0", "opentelemetry-proto>=1; extra == 'otlp'", "h11; python_version < '3'"
        ),
        installed("urllib3", locked_version("urllib3"), license_expression="MIT"),
        installed("opentelemetry-proto", locked_version("opentelemetry-proto"), "protobuf"),
        installed(
            "Protobuf", locked_version("protobuf"), classifier=["License :: OSI Approved :: BSD License"]
        ),
        installed("h11", locked_version("h11")),
        installed("pyyaml", locked_version("pyyaml"), license="MIT\n\nPermission is hereby granted"),
    ]
    return bill_of_materials(SHIPPER, "1.0.0", chosen, LOCKED, "2026-11-30T12:00:00+00:00")


def test_components_are_what_is_needed_and_no_more(bill: dict[str, Any]) -> None:
    assert {one["name"]: one["scope"] for one in bill["components"]} == {
        "urllib3": "required",
        "pyyaml": "required",
        "errata-wire": "required",
        "opentelemetry-proto": "optional",
        "Protobuf": "optional",
    }


def test_hashes_are_those_that_are_locked(bill: dict[str, Any]) -> None:
    by_name = {one["name"]: one for one in bill["components"]}
    hashes = [one["content"] for one in by_name["urllib3"]["hashes"]]
    assert hashes == list(LOCKED.hashes_of("urllib3", locked_version("urllib3"))) and len(hashes) > 1
    assert by_name["errata-wire"]["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]


def test_dependencies_lead_from_the_distribution_to_the_last(bill: dict[str, Any]) -> None:
    edges = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    proto = f"pkg:pypi/opentelemetry-proto@{locked_version('opentelemetry-proto')}"
    assert edges["pkg:pypi/errata-wire@1.0.0"] == [proto]
    assert edges[proto] == [f"pkg:pypi/protobuf@{locked_version('protobuf')}"]
    assert bill["metadata"]["component"]["bom-ref"] == "pkg:pypi/errata-shipper@1.0.0"


def test_licenses_are_an_expression_or_else_what_other_fields_say(bill: dict[str, Any]) -> None:
    found = {one["name"]: one.get("licenses") for one in bill["components"]}
    assert found["urllib3"] == [{"expression": "MIT"}]
    assert found["Protobuf"] == [{"license": {"name": "BSD License"}}]
    assert found["pyyaml"] == [{"license": {"name": "MIT"}}]
    assert found["errata-wire"] is None


@each("name, version", [("urllib3", "0.1"), ("left-pad", "1.0")])
def test_what_is_not_locked_is_refused(name: str, version: str) -> None:
    with pytest.raises(ReleaseRefused, match=f"{name} {version} isn't in constraints.txt"):
        LOCKED.hashes_of(name, version)


def test_every_locked_version_has_hashes() -> None:
    assert len(LOCKED.hashes) > 100
    assert [key for key, hashes in LOCKED.hashes.items() if not hashes] == []


def test_the_python_of_these_tests_is_found() -> None:
    assert found_pythons()[own_version()] == Path(sys.executable)


def test_a_machine_without_the_oldest_and_the_newest_python_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name that is no such interpreter, as a shim of a version that isn't chosen.
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\necho 'not chosen' >&2\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(shim))
    with pytest.raises(ReleaseRefused, match=r"neither Python 3\.11 nor Python 3\.13 is on this machine"):
        found_pythons()
