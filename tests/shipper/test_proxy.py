from pathlib import Path

import pytest
from errata_shipper.proxy import Proxy, proxy_at, proxy_of_environment
from errata_shipper.settings import load_settings

from tests.cases import each
from tests.shipper.configuration import problems_of, written

SERVER = "https://errata.example.com"


def test_the_configuration_names_a_proxy(tmp_path: Path) -> None:
    path = written(tmp_path, proxy="http://me:p%40ss@proxy.internal:3128/")
    proxy = load_settings(path, {"HTTPS_PROXY": "http://other"}).proxy
    assert proxy == Proxy("http://proxy.internal:3128", "errata.proxy", "me:p@ss")
    assert (proxy.host, proxy.port) == ("proxy.internal", 3128)


def test_a_password_is_never_shown() -> None:
    assert "secret" not in repr(proxy_at("http://me:secret@proxy:3128", "errata.proxy"))


@pytest.mark.parametrize(
    "address",
    ["proxy:3128", "socks5://me:secret@proxy:1080", "http://", "http://me:secret@proxy:port", "http://p/x"],
)
def test_what_is_no_http_proxy_is_refused(tmp_path: Path, address: str) -> None:
    (problem,) = problems_of(written(tmp_path, proxy=address))
    assert problem.startswith("errata.proxy: ")
    assert "use a URL such as http://proxy.example.com:3128, or none" in problem
    assert "secret" not in problem


def test_the_word_none_overrules_the_environment(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, proxy="none"), {"HTTPS_PROXY": "http://proxy"}).proxy is None


@each(
    ("base_url", "environment", "url"),
    [
        (SERVER, {}, None),
        (SERVER, {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        (SERVER, {"HTTPS_PROXY": "proxy:3128"}, "http://proxy:3128"),
        (SERVER, {"https_proxy": "http://small", "HTTPS_PROXY": "http://large"}, "http://small"),
        (SERVER, {"HTTPS_PROXY": " "}, None),
        (SERVER, {"HTTP_PROXY": "http://proxy"}, None),
        ("http://errata.internal", {"HTTP_PROXY": "http://proxy"}, "http://proxy"),
        ("http://127.0.0.1:8000", {"HTTP_PROXY": "http://proxy"}, None),
        ("https://localhost", {"HTTPS_PROXY": "http://proxy"}, None),
    ],
)
def test_the_environment_names_a_proxy(base_url: str, environment: dict[str, str], url: str | None) -> None:
    proxy = proxy_of_environment(base_url, environment)
    assert (proxy.url if proxy else None) == url


@each(
    ("host", "no_proxy", "is_exempt"),
    [
        ("errata.example.com", "errata.example.com", True),
        ("errata.example.com", "other.org, example.com", True),
        ("errata.example.com", ".EXAMPLE.com", True),
        ("errata.example.com", "*", True),
        ("errata.example.com", "ple.com", False),
        ("errata.example.com", "", False),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("10.1.2.3", "10.1.2.3", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("[fd00::1]", "fd00::/8", True),
    ],
)
def test_the_environment_names_exceptions(host: str, no_proxy: str, is_exempt: bool) -> None:
    environment = {"HTTPS_PROXY": "http://proxy", "NO_PROXY": no_proxy}
    assert (proxy_of_environment(f"https://{host}", environment) is None) == is_exempt
