"""Secrets of settings: a canary in each; no page, answer, log, finding, bundle or error shows one."""

import logging
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import api.app
import dashboards.app
from errata.__main__ import main
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.support_bundle import write_bundle
from tests.api.conftest import Prepared
from tests.authorization_table import LEVEL_OF
from tests.cases import each
from tests.errata.test_support_bundle import contents

NOBODY_LISTENS = "127.0.0.1:9"
# As people choose or generate them; the canary stands at every part that a cut may leave.
FORMS = (
    "canary-plain",
    "canary1@canary2",
    "canary1/canary2",
    "canary1/canary2@canary3",
    "canary1:canary2#canary3",
    "canary1%canary2+canary3=canary4",
)
SECRETS = [name for name, field in CoreSettings.model_fields.items() if "SecretStr" in str(field.annotation)]
URLS = [name for name in SECRETS if name.endswith("_url")]


def test_the_secrets_are_these() -> None:
    assert set(SECRETS) - set(URLS) == {"secret", "previous_secret", "mail_password", "oidc_client_secret"}


def environment(form: str, is_quoted: bool, state_url: str = "") -> dict[str, str]:
    password = quote(form, safe="") if is_quoted else form
    settings = {name: f"{form}-{'x' * 32}" for name in SECRETS if name not in URLS}
    settings |= dict.fromkeys(URLS, f"http://errata:{password}@{NOBODY_LISTENS}")
    settings |= {"state_url": state_url or f"postgresql://errata:{password}@{NOBODY_LISTENS}/errata"}
    # Some mail servers take a token as the user.
    settings |= {"mail_host": "localhost", "mail_user": form, "backup_dir": f"s3://bucket/{'b' * 8}"}
    settings |= {"oidc_issuer": f"https://{NOBODY_LISTENS}", "oidc_client_id": "errata"}
    settings |= {"oidc_allowed_domains": "example.org", "base_url": "https://errata.example"}
    found = {f"ERRATA_{name.upper()}": value for name, value in settings.items()}
    return found | {"AWS_SECRET_ACCESS_KEY": form, "AWS_SESSION_TOKEN": f"{form}-session"}


@pytest.mark.parametrize("form", FORMS)
def test_no_bundle_shows_one(tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").mkdir()
    assert (
        write_bundle(tmp_path / "data", environment(form, is_quoted=False), tmp_path / "bundle.tar.gz") == 0
    )
    found = contents(tmp_path / "bundle.tar.gz")
    assert "ERRATA_MAIL_HOST=localhost" in found["settings.txt"]
    shown = "\n".join(found.values()) + "".join(capsys.readouterr())
    assert [line for line in shown.splitlines() if "canary" in line] == []


@pytest.mark.parametrize("form", FORMS)
def test_no_finding_shows_one(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment(form, is_quoted=True).items():
        monkeypatch.setenv(name, value)
    assert main(["doctor", "--data", str(tmp_path / "data")]) != 0
    said = "".join(capsys.readouterr())
    assert said and "canary" not in said


def test_no_page_answer_or_log_shows_one(
    prepared: Prepared, prepared_url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    mounted = api.app.from_environment(environment(FORMS[0], is_quoted=True, state_url=prepared_url))
    pages = dashboards.app.create_app(mounted)
    shown = []
    with TestClient(pages, raise_server_exceptions=False, follow_redirects=False) as client:
        for is_owner in (False, True):
            if is_owner:
                given = {"email": prepared.account.email, "password": prepared.account.password}
                assert client.post("/api/auth/sign-in", json=given).status_code == 200
            for route in LEVEL_OF:
                method, path = route.split(" ")
                if method == "GET":
                    address = path.replace("{slug}", "web-shop").replace("{question}", "issues")
                    answer = client.get(address)
                    shown.append(f"{answer.headers} {answer.text}")
    shown += [record.getMessage() for record in caplog.records] + [*capfd.readouterr()]
    assert len(shown) > 300
    assert [text[:300] for text in shown if "canary" in text] == []


def broken() -> Mapping[str, dict[str, str]]:
    good = environment(FORMS[0], is_quoted=True)
    wrong = [
        (f"ERRATA_{name.upper()}", f"{scheme}://errata:{form}@host{port}")
        for name in URLS
        for scheme in ("ftp", "mysql", "http", "postgresql")
        for form, port in ((FORMS[0], ":port"), (FORMS[1], ":1,"))
    ]
    wrong += [("ERRATA_SECRET", "canary"), ("ERRATA_PREVIOUS_SECRET", "canary")]
    return {f"{name}={value}": good | {name: value} for name, value in wrong}


@each("settings", broken().values(), ids=broken())
def test_no_refusal_of_a_setting_shows_one(settings: Mapping[str, str]) -> None:
    with pytest.raises(Exception) as refused:
        core = load(CoreSettings, settings)
        Store.open(core.state_url.get_secret_value(), b"s" * 32).migrate()
    assert "canary" not in str(refused.value)
