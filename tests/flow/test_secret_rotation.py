"""The secret of a service is changed at a start: what it keyed before ends, and what people know stays."""

from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest

from tests.service import Service, running

OLD, NEW = "o" * 40, "n" * 40

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def statuses(service: Service, known: Mapping[str, str]) -> tuple[int, int, int]:
    """Of REST with the API key, an event by DSN, and a sign-in with the password."""
    key, _, project = known["dsn"].partition("://")[2].replace("@", "/").split("/")
    base_url = service.credentials["base_url"]
    with httpx2.Client(base_url=base_url) as client:
        listed = client.get(
            f"/api/projects/{known['project']}/issues",
            headers={"Authorization": f"Bearer {known['api_key']}"},
        )
        event = client.post(f"/api/{project}/store/", params={"sentry_key": key}, json={"message": "broken"})
        signed_in = client.post(
            "/api/auth/sign-in", json={"email": known["email"], "password": known["password"]}
        )
    return listed.status_code, event.status_code, signed_in.status_code


def test_old_keys_end_with_the_old_secret_and_passwords_stay(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    with running("--no-pipelines", directory=directory, settings={"ERRATA_SECRET": OLD}) as service:
        known = dict(service.credentials)
        assert statuses(service, known) == (200, 200, 200)
    changed = {"ERRATA_SECRET": NEW, "ERRATA_PREVIOUS_SECRET": OLD}
    with running("--no-pipelines", directory=directory, settings=changed) as service:
        assert statuses(service, known) == (401, 403, 200)
    assert (directory / "secret").read_text() == NEW
    with running("--no-pipelines", directory=directory) as service:
        assert statuses(service, known) == (401, 403, 200)
        assert statuses(service, {**known, **renewed(service, known)}) == (200, 200, 200)


def renewed(service: Service, known: Mapping[str, str]) -> Mapping[str, str]:
    """A new API key and the DSN of a new key, which the owner makes."""
    with httpx2.Client(base_url=service.credentials["base_url"]) as client:
        given = {"email": known["email"], "password": known["password"]}
        token = client.post("/api/auth/sign-in", json=given).json()["csrf_token"]
        headers = {"X-CSRF-Token": token}
        api_key = client.post("/api/api-key/regenerate", headers=headers).json()["api_key"]
        path = f"/api/projects/{known['project']}/app-keys/regenerate"
        app_key = client.post(path, headers=headers).json()["app_key"]
    place, _, project = known["dsn"].rpartition("@")[2].rpartition("/")
    return {"api_key": api_key, "dsn": f"http://{app_key}@{place}/{project}"}
