from pathlib import Path

import pytest

from api.settings import ApiSettings
from errata.errors import InvalidSettings, UnknownSettings
from errata.service_client import ClientSettings
from errata.settings import PROGRAM_PREFIXES, CoreSettings, documentation, load, unknown_variables
from pipelines.settings import PipelinesSettings

DOCS = Path(__file__).parents[2] / "docs"
CORE = {
    "ERRATA_WAREHOUSE_URL": "http://errata:a-password@127.0.0.1:8123",
    "ERRATA_STATE_URL": "sqlite:////tmp/state.db",
    "ERRATA_SECRET": "s" * 32,
}


def test_the_settings_page_says_what_the_classes_say() -> None:
    page = (DOCS / "settings.md").read_text()
    for program in (CoreSettings, ApiSettings, PipelinesSettings, ClientSettings):
        assert documentation([program]) in page


def test_settings_come_from_the_environment_given() -> None:
    settings = load(ApiSettings, {"ERRATA_API_LINES_MAX": "7", "PATH": "/bin"})
    assert (settings.lines_max, settings.body_max_bytes) == (7, 16 << 20)


def test_settings_do_not_come_from_the_process_behind_its_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_API_LINES_MAX", "7")
    assert load(ApiSettings, {}).lines_max == 10_000


def test_a_typo_stops_the_start_and_is_guessed_at() -> None:
    with pytest.raises(UnknownSettings, match=r"ERRATA_API_LINE_MAX.*Did you mean ERRATA_API_LINES_MAX"):
        load(ApiSettings, {"ERRATA_API_LINE_MAX": "7"})
    with pytest.raises(UnknownSettings, match="ERRATA_SECRETS"):
        load(CoreSettings, {**CORE, "ERRATA_SECRETS": "x"})
    assert unknown_variables(CoreSettings, {"ERRATA_APPI_LINES_MAX": "7"}) == ["ERRATA_APPI_LINES_MAX"]


def test_a_program_leaves_the_variables_of_the_others_to_them() -> None:
    environ = {**CORE, "ERRATA_API_LINES_MAX": "7", "ERRATA_PIPELINES_ANYTHING": "1"}
    assert load(CoreSettings, environ).base_url == "http://127.0.0.1:8000"
    assert ApiSettings.model_config["env_prefix"] in PROGRAM_PREFIXES


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (ApiSettings, "ERRATA_API_KEY"),
        (CoreSettings, "ERRATA_APP_KEY"),
        (CoreSettings, "ERRATA_STORAGE_PATH"),
    ],
)
def test_a_variable_of_the_shipper_is_ignored_with_a_warning(
    settings: type[CoreSettings], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(load(settings, {**CORE, name: "errata_api_1"}), settings)
    (said,) = caplog.messages
    assert said.startswith(f"{name} is ignored. Unset it for the server; use ERRATA_SHIPPER_")
    assert "errata_api_1" not in said
    # All programs of a server read the same environment.
    for program in (CoreSettings, ApiSettings, PipelinesSettings, ClientSettings):
        assert unknown_variables(program, {name: "errata_api_1"}) == []


def test_a_missing_or_impossible_value_is_named_and_no_secret_is_told() -> None:
    with pytest.raises(InvalidSettings) as raised:
        load(CoreSettings, {"ERRATA_SECRET": "tooshort", "ERRATA_BASE_URL": "example.org"})
    message = str(raised.value)
    for name in ("ERRATA_WAREHOUSE_URL", "ERRATA_STATE_URL", "ERRATA_SECRET", "ERRATA_BASE_URL"):
        assert name in message
    assert "tooshort" not in message
    settings = load(CoreSettings, CORE)
    assert "a-password" not in repr(settings) and "sss" not in repr(settings)


def test_a_role_without_a_url_of_its_own_uses_the_common_one() -> None:
    settings = load(CoreSettings, {**CORE, "ERRATA_WAREHOUSE_READ_URL": "http://reader:x@127.0.0.1:8123"})
    assert settings.read_url == "http://reader:x@127.0.0.1:8123"
    assert settings.admin_url == settings.build_url == CORE["ERRATA_WAREHOUSE_URL"]
