"""Keys from where secret stores put them: the environment, or files of their own."""

from pathlib import Path

import pytest
from errata_shipper.settings import load_settings

from tests.shipper.configuration import problems_of, written


def key_file(folder: Path, content: bytes) -> Path:
    path = folder / "api-key"
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_a_variable_stands_for_its_value_in_any_text(tmp_path: Path) -> None:
    path = written(tmp_path, apiKey="${KEY}", baseUrl="https://${HOST}:${PORT}/errata", timeout="${SOON}")
    environment = {"KEY": "errata_api_2", "HOST": "errata.internal", "PORT": "8443", "SOON": "5s"}
    settings = load_settings(path, environment)
    assert settings.api_key == "errata_api_2"
    assert settings.base_url == "https://errata.internal:8443/errata"
    assert settings.timeout_seconds == 5


def test_a_variable_may_hold_a_number_or_a_boolean(tmp_path: Path) -> None:
    path = written(tmp_path, batchSize="${SIZE}", compress="${COMPRESS}")
    settings = load_settings(path, {"SIZE": "50", "COMPRESS": "false"})
    assert (settings.batch_size, settings.compress) == (50, False)


def test_a_variable_of_the_wrong_kind_is_named_with_its_field(tmp_path: Path) -> None:
    (problem,) = problems_of(written(tmp_path, batchSize="${SIZE}"), {"SIZE": "many"})
    assert problem.startswith("errata.batchSize: must be a whole number, not text")


def test_a_value_of_the_environment_is_not_looked_through_for_variables(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, apiKey="${KEY}"), {"KEY": "errata_api_${OTHER}"})
    assert settings.api_key == "errata_api_${OTHER}"


def test_doubled_signs_stand_for_themselves(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, storagePath="/var/log/$${NAME}/$x"), {})
    assert settings.storage_path == Path("/var/log/${NAME}/$x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${ERRATA_KEY}", "the environment variable ERRATA_KEY is not set"),
        ("errata_api_${ERRATA_KEY}", "the environment variable ERRATA_KEY is not set"),
        ("errata_api_${EMPTY}", "the environment variable EMPTY is empty"),
        ("${}", "contains an invalid variable"),
        ("${NOT A NAME}", "contains an invalid variable"),
        ("'${OPEN'", "contains an invalid variable"),
    ],
)
def test_what_the_environment_does_not_give_is_never_taken_as_empty(
    tmp_path: Path, text: str, said: str
) -> None:
    (problem,) = problems_of(written(tmp_path, apiKey=text), {"EMPTY": ""})
    assert problem.startswith("errata.apiKey: ")
    assert said in problem


@pytest.mark.parametrize("content", [b"errata_api_2", b"errata_api_2\n", b"errata_api_2\r\n"])
def test_a_key_may_stand_in_a_file_of_its_own(tmp_path: Path, content: bytes) -> None:
    key_file(tmp_path, content)
    settings = load_settings(written(tmp_path, apiKey="ABSENT", apiKeyFile="api-key"))
    assert settings.api_key == "errata_api_2"


def test_the_application_key_may_stand_in_a_file_too(tmp_path: Path) -> None:
    path = key_file(tmp_path, b"errata_app_2\n")
    settings = load_settings(written(tmp_path, appKey="ABSENT", appKeyFile=f"{path}"))
    assert settings.app_key == "errata_app_2"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b" errata_api_2\n", "contains whitespace"),
        (b"errata_api_2 \n", "contains whitespace"),
        (b"errata_api_2\n\n", "contains whitespace"),
        (b"errata_api_2\nerrata_api_3\n", "contains whitespace"),
        (b"errata_api_\xc3\xa9\n", "invalid characters"),
        (b"\n", "is empty"),
        (b"", "is empty"),
        (b"\xff\xfe", "is not text"),
        (b"x" * 5000, "too long for a key"),
    ],
)
def test_a_file_that_holds_more_or_less_than_a_key_is_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    key_file(tmp_path, content)
    (problem,) = problems_of(written(tmp_path, apiKey="ABSENT", apiKeyFile="api-key"))
    assert problem.startswith("errata.apiKeyFile: ")
    assert said in problem
    assert "errata_api_2" not in problem


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    (problem,) = problems_of(written(tmp_path, apiKey="ABSENT", apiKeyFile="/nowhere/key"))
    assert problem.startswith("errata.apiKeyFile: /nowhere/key doesn't exist; ")


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    key_file(tmp_path, b"errata_api_2\n")
    (problem,) = problems_of(written(tmp_path, apiKeyFile="api-key"))
    assert problem == "errata.apiKey: can't be combined with apiKeyFile; keep only one"
