"""Settings come from the environment, are read once at a program's start and passed on as arguments."""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from errata.errors import InvalidSettings, UnknownSettings
from errata.outgoing.policy import Policy, parsed_networks

# Variables of the other programs: each checks its own, and none knows the others' classes.
PROGRAM_PREFIXES = (
    "ERRATA_API_",
    "ERRATA_CLIENT_",
    "ERRATA_DASHBOARDS_",
    "ERRATA_PIPELINES_",
    "ERRATA_SHIPPER_",
    "ERRATA_SDK_",
)


class ProgramSettings(BaseSettings):
    """What a program's settings class derives from; `load` alone fills it."""

    model_config = SettingsConfigDict(frozen=True, hide_input_in_errors=True, extra="forbid")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """No source works behind the caller's back: what was not given as an argument is the default."""
        return (init_settings,)


class CoreSettings(ProgramSettings):
    model_config = SettingsConfigDict(env_prefix="ERRATA_")

    warehouse_url: SecretStr = Field(
        description="ClickHouse over HTTP, user and password included: `http://user:password@host:8123`."
    )
    state_url: SecretStr = Field(
        description="Database of accounts: `sqlite:////path/state.db`, or `postgresql://user:password@host/name`."
    )
    secret: SecretStr = Field(
        min_length=32,
        description="Keys the hashes of keys and sessions: with another one, all of them are unknown. "
        "It also seals the tokens of integrations and channels.",
    )
    previous_secret: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="The former `ERRATA_SECRET`: opens the tokens that it sealed; "
        "`errata migrate` seals them anew.",
    )
    warehouse_admin_url: SecretStr | None = Field(
        default=None,
        description="The same for `errata migrate`, with a user who may create tables.",
    )
    warehouse_build_url: SecretStr | None = Field(
        default=None,
        description="The same for the pipelines, with a user who may write marts.",
    )
    warehouse_read_url: SecretStr | None = Field(
        default=None, description="The same for pages, with a user who may only read."
    )
    heartbeat_path: Path | None = Field(
        default=None,
        description="File that the pipelines touch while they live, for `/api/health`; none: they are off.",
    )
    credentials_path: Path | None = Field(
        default=None,
        description="`credentials.json` of `errata up`, whose keys follow when they are regenerated; "
        "none: there is no such file.",
    )
    restarts_path: Path | None = Field(
        default=None,
        description="File that `errata up` names restarted parts in, for `/api/health`; none: nobody does.",
    )
    data: Path = Field(default=Path(".errata"), description="Data directory of `errata up`.")
    base_url: str = Field(
        default="http://127.0.0.1:8000",
        pattern=r"^https?://[^\s/]+(/[^\s]*[^\s/])?$",
        description="The address in use, without a slash at its end. HTTPS makes cookies Secure.",
    )
    outgoing_networks: str = Field(
        default="",
        description="Private networks that webhooks, mail servers and issue trackers may be reached in, "
        "such as `10.1.0.0/16, 192.168.4.7`; without it public addresses only.",
    )
    outgoing_http: bool = Field(
        default=False,
        description="Whether webhooks and issue trackers may be reached without TLS (`http://`).",
    )
    outgoing_ca_file: Path | None = Field(
        default=None,
        description="Certificates of authorities to trust beside the system's, in PEM, for the same.",
    )

    mail_host: str = Field(default="", description="Mail server for alerts; else each channel names one.")
    mail_port: int = Field(default=587, gt=0, lt=65536, description="Its port.")
    mail_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="How the connection to it is secured."
    )
    mail_user: str = Field(default="", description="User at the mail server; empty: none is needed.")
    mail_password: SecretStr = Field(default=SecretStr(""), description="That user's password.")
    mail_from: str = Field(
        default="errata@localhost", pattern=r"^[^\s@]+@[^\s@]+$", description="Where mails come from."
    )

    @field_validator("outgoing_networks")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        parsed_networks(text)
        return text

    @property
    def outgoing_policy(self) -> Policy:
        return Policy(parsed_networks(self.outgoing_networks), allows_http=self.outgoing_http)

    @property
    def previous_secrets(self) -> list[bytes]:
        return [self.previous_secret.get_secret_value().encode()] if self.previous_secret else []

    @property
    def admin_url(self) -> str:
        return (self.warehouse_admin_url or self.warehouse_url).get_secret_value()

    @property
    def build_url(self) -> str:
        return (self.warehouse_build_url or self.warehouse_url).get_secret_value()

    @property
    def read_url(self) -> str:
        return (self.warehouse_read_url or self.warehouse_url).get_secret_value()


Settings = TypeVar("Settings", bound=BaseSettings)


def load(settings: type[Settings], environ: Mapping[str, str]) -> Settings:
    """Raises UnknownSettings for a typo and InvalidSettings for a missing or impossible value."""
    unknown = unknown_variables(settings, environ)
    if unknown:
        raise UnknownSettings(unknown, _suggestions(settings, unknown))
    prefix = _prefix(settings)
    values: dict[str, Any] = {
        name: environ[prefix + name.upper()]
        for name in settings.model_fields
        if prefix + name.upper() in environ
    }
    try:
        return settings(**values)
    except ValidationError as error:
        raise InvalidSettings(
            [_problem(prefix, detail) for detail in error.errors(include_input=False)]
        ) from None


def unknown_variables(settings: type[BaseSettings], environ: Mapping[str, str]) -> list[str]:
    """Variables with our prefix that name no setting: almost always a typo."""
    prefix = _prefix(settings)
    others = tuple(other for other in PROGRAM_PREFIXES if other != prefix and other.startswith(prefix))
    known = _variables(settings)
    return sorted(
        name
        for name in environ
        if name.startswith(prefix) and not name.startswith(others) and name not in known
    )


def documentation(settings: Iterable[type[BaseSettings]]) -> str:
    """The tables of docs/settings.md, one a program."""
    return "\n".join(_table(program) for program in settings)


def _table(settings: type[BaseSettings]) -> str:
    prefix = _prefix(settings)
    rows = [
        f"| `{_variable(prefix, name, field)}` | {_default(field)} | {field.description} |"
        for name, field in settings.model_fields.items()
    ]
    return "\n".join([f"## {prefix}", "", "| variable | default | meaning |", "|---|---|---|", *rows, ""])


def _variable(prefix: str, name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    first = alias.choices[0] if isinstance(alias, AliasChoices) else alias
    return first if isinstance(first, str) else prefix + name.upper()


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "none" if default is None else f"`{default}`"


def _prefix(settings: type[BaseSettings]) -> str:
    return settings.model_config.get("env_prefix", "")


def _variables(settings: type[BaseSettings]) -> set[str]:
    return {_prefix(settings) + name.upper() for name in settings.model_fields}


def _suggestions(settings: type[BaseSettings], unknown: Iterable[str]) -> list[str]:
    known = sorted(_variables(settings))
    return [match for name in unknown for match in difflib.get_close_matches(name, known, n=1)]


def _problem(prefix: str, detail: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in detail["loc"])
    return f"{prefix}{name.upper()}: {detail['msg']}"
