"""errata.yaml: read once, checked whole, every mistake named with its remedy."""

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from errata_shipper.base_url import problem_of_url
from errata_shipper.client import MAX_CONCURRENCY
from errata_shipper.errors import ConfigurationInvalid
from errata_shipper.fields import Fields
from errata_shipper.intake.settings import IntakeSettings, intake_settings
from errata_shipper.proxy import DIRECT, Proxy, ProxyProblem, proxy_at, proxy_of_environment
from errata_shipper.yaml_document import yaml_document

SECTION = "errata"
LOG_LEVELS = ("debug", "info", "warn", "error")
MAX_BATCH_SIZE = 10_000
API_KEY_PREFIX = "errata_api_"
APP_KEY_PREFIX = "errata_app_"


@dataclass(frozen=True)
class Settings:
    api_key: str = field(repr=False)
    app_key: str = field(repr=False)
    base_url: str
    storage_path: Path
    timeout_seconds: float = 60.0
    batch_size: int = 100
    concurrency: int = 4
    flush_interval_seconds: float = 10.0
    compress: bool = True
    log_level: str = "info"
    verbose: bool = False
    ca_file: str | None = None
    proxy: Proxy | None = None
    allow_http: bool = False
    instance: str | None = None
    intake: IntakeSettings | None = None
    # The files that hold a secret: errata.yaml itself, unless its secrets are elsewhere.
    secret_files: tuple[Path, ...] = field(default=(), compare=False)


def load_settings(
    path: Path, environment: Mapping[str, str] = os.environ, is_for_status: bool = False
) -> Settings:
    """For the status only the storage path must be right: it is asked for when something is wrong."""
    fields = Fields(SECTION, _section(path), path.parent, environment)
    settings = _settings(path, fields, environment)
    problems = [
        problem
        for problem in fields.problems
        if not is_for_status or problem.startswith(f"{SECTION}.storagePath:")
    ]
    if problems:
        raise ConfigurationInvalid(path, problems)
    return settings


def problems_of(path: Path, values: Mapping[str, object], environment: Mapping[str, str]) -> list[str]:
    """What would be wrong with these fields in a file at this path."""
    fields = Fields(SECTION, values, path.parent, environment)
    _settings(path, fields, environment)
    return fields.problems


def _section(path: Path) -> Mapping[object, object]:
    document = yaml_document(path)
    if not isinstance(document, dict) or list(document) != [SECTION]:
        problem = f"must contain one top-level mapping, {SECTION}, and nothing else"
        raise ConfigurationInvalid(path, [problem])
    section = document[SECTION]
    if not isinstance(section, dict):
        raise ConfigurationInvalid(path, [f"{SECTION} must be a mapping with indented fields"])
    return section


def _settings(path: Path, fields: Fields, environment: Mapping[str, str]) -> Settings:
    allow_http = fields.boolean("allowHttp", False)
    base_url = _base_url(fields, allow_http)
    api_key, app_key = _keys(fields)
    settings = Settings(
        api_key=api_key,
        app_key=app_key,
        base_url=base_url,
        storage_path=fields.required_path("storagePath"),
        timeout_seconds=fields.duration("timeout", 60.0),
        batch_size=fields.whole_number("batchSize", 100, 1, MAX_BATCH_SIZE),
        concurrency=fields.whole_number("concurrency", 4, 1, MAX_CONCURRENCY),
        flush_interval_seconds=fields.duration("flushInterval", 10.0),
        compress=fields.boolean("compress", True),
        log_level=fields.one_of("logLevel", LOG_LEVELS, "info", "level"),
        verbose=fields.boolean("verbose", False),
        ca_file=_ca_file(fields),
        proxy=_proxy(fields, base_url, environment),
        allow_http=allow_http,
        instance=_instance(fields),
        intake=intake_settings(fields.section("intake")),
        secret_files=((path,) if fields.holds_secret else ()) + tuple(fields.secret_files),
    )
    fields.name_unknown()
    return settings


def _keys(fields: Fields) -> tuple[str, str]:
    """The API key and the application key; each says by its prefix which of the two it is."""
    api_key, app_key = fields.key("apiKey"), fields.key("appKey")
    if api_key.startswith(APP_KEY_PREFIX):
        fields.complain(
            "apiKey",
            f"contains an application key ({APP_KEY_PREFIX}…); move it to appKey and enter the API key",
        )
    if app_key.startswith(API_KEY_PREFIX):
        fields.complain(
            "appKey",
            f"contains an API key ({API_KEY_PREFIX}…); move it to apiKey and enter the application key",
        )
    return api_key, app_key


def _base_url(fields: Fields, allow_http: bool) -> str:
    value = fields.required_text("baseUrl")
    if value and (problem := problem_of_url(value, allow_http)):
        fields.complain("baseUrl", problem)
        return ""
    return value.rstrip("/")


def _instance(fields: Fields) -> str | None:
    name = fields.text("instance") or None
    if name and not re.fullmatch(r"[A-Za-z0-9._-]{1,60}", name):
        fields.complain("instance", f"{name!r} isn't a name; use up to 60 letters, digits, dots and hyphens")
    return name


def _ca_file(fields: Fields) -> str | None:
    path = fields.path("caFile")
    if path is None:
        return None
    remedy = "use the path of a PEM file with CA certificates"
    if not path.is_file():
        fields.complain("caFile", f"{path} doesn't exist; {remedy}")
        return None
    try:
        ssl.create_default_context(cafile=path)
    except ssl.SSLError:
        fields.complain("caFile", f"{path} contains no CA certificate; {remedy}")
    except OSError as error:
        fields.complain("caFile", f"{path} can't be read ({error.strerror}); {remedy}")
    return str(path)


def _proxy(fields: Fields, base_url: str, environment: Mapping[str, str]) -> Proxy | None:
    address = fields.secret("proxy")
    if address == DIRECT:
        return None
    try:
        if address:
            return proxy_at(address, f"{SECTION}.proxy")
        return proxy_of_environment(base_url, environment)
    except ProxyProblem as problem:
        fields.complain("proxy", str(problem))
        return None
