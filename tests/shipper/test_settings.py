import re
import shutil
from pathlib import Path

import pytest
from errata_shipper.duration import seconds_of
from errata_shipper.errors import ConfigurationInvalid
from errata_shipper.settings import Settings, load_settings

from tests.cases import each
from tests.shipper.certificates import Authority, needs_openssl
from tests.shipper.configuration import problems_of, written

EXAMPLE = Path(__file__).parents[2] / "shipper" / "errata.yaml.example"


def test_the_defaults_are_those_of_the_specification(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path)) == Settings(
        api_key="errata_api_1",
        app_key="errata_app_1",
        base_url="https://errata.example.com",
        storage_path=Path("/var/log/errata"),
        timeout_seconds=60,
        batch_size=100,
        concurrency=4,
        flush_interval_seconds=10,
        compress=True,
        log_level="info",
        verbose=False,
        ca_file=None,
        allow_http=False,
    )


def test_every_field_is_read(tmp_path: Path) -> None:
    fields = {
        "timeout": "1m30s",
        "batchSize": "50",
        "concurrency": "8",
        "flushInterval": "500ms",
        "compress": "false",
        "logLevel": "warn",
        "verbose": "true",
        "allowHttp": "true",
        "baseUrl": "http://errata.internal:8000/errors",
        "storagePath": "logs",
    }
    settings = load_settings(written(tmp_path, **fields))
    assert (settings.timeout_seconds, settings.flush_interval_seconds, settings.batch_size) == (90, 0.5, 50)
    assert (settings.compress, settings.verbose, settings.allow_http) == (False, True, True)
    assert (settings.log_level, settings.concurrency) == ("warn", 8)
    assert settings.base_url == "http://errata.internal:8000/errors"
    assert settings.storage_path == tmp_path / "logs"


@needs_openssl
def test_a_file_of_certificates_is_read_beside_the_configuration(
    tmp_path: Path, authority: Authority
) -> None:
    shutil.copy(authority.path, tmp_path / "ca.pem")
    assert load_settings(written(tmp_path, caFile="ca.pem")).ca_file == str(tmp_path / "ca.pem")


@each(
    ("text", "seconds"),
    [("500ms", 0.5), ("5s", 5), ("2m", 120), ("1h", 3600), ("1m30s", 90), ("1h0m5s", 3605)],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)


@each("text", ["", "5", "s", "5 s", "-5s", "1.5s", "30s1m", "1m1m", "5d", "٥s", "5s\n"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    assert seconds_of(text) is None


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("apiKey", "ABSENT", "is required"),
        ("appKey", "ABSENT", "is required"),
        ("storagePath", "ABSENT", "is required"),
        ("baseUrl", "ABSENT", "is required"),
        ("apiKey", '" errata_api_1"', "whitespace"),
        ("apiKey", '"errata_api_1\\n"', "whitespace"),
        ("appKey", '"errata app 1"', "whitespace"),
        ("apiKey", '"errata_api_é"', "invalid characters"),
        ("apiKey", '""', "enter a value"),
        ("apiKey", "12345", "put it in quotes"),
        ("apiKey", "errata_app_1", "contains an application key (errata_app_…); move it to appKey"),
        ("appKey", "errata_api_1", "contains an API key (errata_api_…); move it to apiKey"),
        ("appKey", "[a]", "must be text, not a list"),
        ("timeout", "60", "use one such as 500ms"),
        ("timeout", "0s", "between 1ms and 24h"),
        ("flushInterval", "soon", "use one such as 500ms"),
        ("flushInterval", "25h", "between 1ms and 24h"),
        ("batchSize", "0", "between 1 and 10000"),
        ("batchSize", "10001", "between 1 and 10000"),
        ("batchSize", '"100"', "must be a whole number, not text"),
        ("batchSize", "true", "must be a whole number, not a boolean"),
        ("batchSize", "10.5", "must be a whole number"),
        ("concurrency", "0", "between 1 and 8"),
        ("concurrency", "9", "between 1 and 8"),
        ("compress", '"true"', "without quotes"),
        ("verbose", "1", "must be true or false, not a number"),
        ("allowHttp", "[]", "must be true or false, not a list"),
        ("logLevel", "loud", "debug, info, warn, error"),
        ("logLevel", "[]", "debug, info, warn, error"),
        ("caFile", "/nowhere/ca.pem", "PEM file"),
        ("instance", "shop/2; file=x", "letters, digits, dots"),
        ("caFile", __file__, "contains no CA certificate"),
        ("baseUrl", "errata.example.com", "https://errata.example.com"),
        ("baseUrl", "ftp://errata.example.com", "https://errata.example.com"),
        ("baseUrl", "https://user:secret@errata.example.com", "must not contain a user"),
        ("baseUrl", "https://errata.example.com/?a=b", "a user, query"),
        ("baseUrl", "https://errata.example.com:port", "is not a valid URL"),
        ("baseUrl", "http://errata.example.com", "allowHttp: true"),
        ("baseUrl", "http://127.0.0.1.example.com", "allowHttp: true"),
        ("batchsize", "50", "did you mean batchSize?"),
        ("flush_interval", "5s", "did you mean flushInterval?"),
        ("colour", "blue", "the fields are allowHttp, apiKey"),
    ],
)
def test_a_mistake_is_named_with_its_field_and_its_remedy(
    tmp_path: Path, name: str, value: str, remedy: str
) -> None:
    (problem,) = problems_of(written(tmp_path, **{name: value}))
    assert problem.startswith(f"errata.{name}: ")
    assert remedy in problem


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80"])
def test_http_is_allowed_on_loopback(tmp_path: Path, url: str) -> None:
    assert load_settings(written(tmp_path, baseUrl=f'"{url}"')).base_url == url


def test_swapped_keys_are_two_mistakes(tmp_path: Path) -> None:
    assert [
        problem.partition(";")[0]
        for problem in problems_of(written(tmp_path, apiKey="errata_app_1", appKey="errata_api_1"))
    ] == [
        "errata.apiKey: contains an application key (errata_app_…)",
        "errata.appKey: contains an API key (errata_api_…)",
    ]


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    assert len(problems_of(written(tmp_path, apiKey="ABSENT", timeout="60", compres="true"))) == 3


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "one top-level mapping, errata"),
        (b"- errata", "one top-level mapping, errata"),
        (b"apiKey: errata_api_1", "one top-level mapping, errata"),
        (b"errata: {}\nother: 1", "nothing else"),
        (b"errata: text", "must be a mapping"),
        (b"errata: [1", "not valid YAML"),
        (b"errata: {apiKey: a, apiKey: b}", "apiKey is defined twice"),
        (b"errata: !!python/object/apply:os.system [ls]", "not valid YAML"),
        (b"errata: \xff", "UTF-8"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "errata.yaml").write_bytes(content)
    (problem,) = problems_of(tmp_path / "errata.yaml")
    assert what in problem


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "errata.yaml") == ["file not found; pass its path with --config"]


def test_keys_are_never_shown(tmp_path: Path) -> None:
    assert "errata_api_1" not in repr(load_settings(written(tmp_path)))


def test_the_example_shows_every_field_with_its_default(tmp_path: Path) -> None:
    path = tmp_path / "errata.yaml"
    text = EXAMPLE.read_text()
    path.write_text(text)
    as_it_stands = load_settings(path)
    path.write_text(
        re.sub(r"^  # (?!caFile|proxy|instance|\w+KeyFile)(\w+: )", r"  \1", text, flags=re.MULTILINE)
    )
    assert load_settings(path) == as_it_stands
    named = set(re.findall(r"^  (?:# )?(\w+):", text, flags=re.MULTILINE))
    (problem,) = problems_of(written(tmp_path, colour="blue"))
    assert named == set(problem.partition("the fields are ")[2].split(", "))


def test_for_the_status_only_the_storage_path_must_be_right(tmp_path: Path) -> None:
    wrong = {"apiKey": "${UNSET}", "appKey": "ABSENT", "appKeyFile": "/nowhere/key", "proxy": "${UNSET}"}
    path = written(tmp_path, **wrong, caFile="/nowhere/ca.pem", batchSize="0", colour="blue")
    settings = load_settings(path, {"HTTPS_PROXY": "socks5://proxy"}, is_for_status=True)
    assert settings.storage_path == Path("/var/log/errata")
    with pytest.raises(ConfigurationInvalid) as caught:
        load_settings(written(tmp_path, storagePath="${UNSET}"), {}, is_for_status=True)
    assert len(caught.value.problems) == 1


def test_a_wrong_proxy_of_the_environment_is_named(tmp_path: Path) -> None:
    (problem,) = problems_of(written(tmp_path), {"HTTPS_PROXY": "socks5://proxy:1080"})
    assert problem.startswith("errata.proxy: HTTPS_PROXY is a SOCKS proxy")
