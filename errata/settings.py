"""Settings come from the environment, are read once at a program's start and passed on as arguments."""

import difflib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from errata.backup.expected import Expected
from errata.email_address import checked_email
from errata.errors import InvalidParameter, InvalidSettings, UnknownSettings
from errata.former_names import FORMER_NAMES, ignored_variables
from errata.outgoing.policy import Network, Policy, parsed_networks
from errata.process_log.log_format import LogFormat
from errata.warehouse.addresses import addresses_of

# Variables of the other programs: each checks its own, and none knows the others' classes.
PROGRAM_PREFIXES = (
    "ERRATA_API_",
    "ERRATA_CLIENT_",
    "ERRATA_DASHBOARDS_",
    "ERRATA_PIPELINES_",
    "ERRATA_SHIPPER_",
    "ERRATA_SDK_",
)
LEAST_SECRET = 32

log = logging.getLogger("errata.settings")


def _of_warehouse(url: SecretStr) -> SecretStr:
    addresses_of(url.get_secret_value())
    return url


WarehouseUrl = Annotated[SecretStr, AfterValidator(_of_warehouse)]
"""The URL of one server, of the replicas of one shard, or of servers of a cluster."""


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

    warehouse_cluster: str = Field(
        default="",
        pattern=r"^\w*$",
        description="Name of a [cluster](cluster.md) of ClickHouse servers in their `remote_servers`. The "
        "URLs below then list servers of all its shards; empty: one server or its replicas.",
    )
    warehouse_url: WarehouseUrl = Field(
        description=(
            "ClickHouse HTTP URL with user and password: `http://user:password@host:8123`. This and the URLs "
            "below can list all [replicas](cluster.md#replicas) of the server: "
            "`http://user:password@one:8123,two:8123`."
        )
    )
    state_url: SecretStr = Field(
        description="State database: `sqlite:////path/state.db` or `postgresql://user:password@host/name`."
    )
    secret: SecretStr = Field(
        min_length=LEAST_SECRET,
        description="Key for hashing API keys and sessions, and for encrypting keys and the tokens of "
        "integrations and channels. Changing it invalidates all keys and sessions.",
    )
    previous_secret: SecretStr | None = Field(
        default=None,
        min_length=LEAST_SECRET,
        description="Previous `ERRATA_SECRET`, used to decrypt existing tokens; `errata migrate` re-encrypts "
        "them.",
    )
    warehouse_admin_url: WarehouseUrl | None = Field(
        default=None,
        description="URL for `errata migrate`, with a user who can create tables.",
    )
    warehouse_build_url: WarehouseUrl | None = Field(
        default=None,
        description="URL for the pipelines, with a user who can write marts.",
    )
    warehouse_read_url: WarehouseUrl | None = Field(
        default=None, description="URL for pages, with a read-only user."
    )
    warehouse_analyst_url: WarehouseUrl | None = Field(
        default=None,
        description="URL for analysts, with a user who reads only the views made for them; `errata migrate` "
        "creates the user.",
    )
    builds: bool = Field(
        default=True,
        description=(
            "Whether `checks.pipelines` of `/api/health` fails if no host is running and building pipelines."
        ),
    )
    credentials_path: Path | None = Field(
        default=None,
        description=(
            "Path of `errata up`'s `credentials.json`, updated when keys are regenerated; none: no file."
        ),
    )
    restarts_path: Path | None = Field(
        default=None,
        description="File where `errata up` records restarts, for `/api/health`; none: not recorded.",
    )
    backup_dir: str = Field(
        default="",
        description=(
            "Default backup directory, or `s3://bucket/prefix`. `/api/health`, `errata doctor` and *Settings "
            "→ Usage* then monitor the age of the last backup; empty: not monitored."
        ),
    )
    backup_hours: int = Field(
        default=26,
        gt=0,
        description="Maximum age in hours of the last backup in `ERRATA_BACKUP_DIR`.",
    )
    backup_scratch: Path | None = Field(
        default=None,
        description="Directory for restore drills, emptied afterwards; none: the data directory.",
    )
    data: Path = Field(default=Path(".errata"), description="Data directory of `errata up`.")
    base_url: str = Field(
        default="http://127.0.0.1:8000",
        pattern=r"^https?://[^\s/]+(/[^\s]*[^\s/])?$",
        description="Public URL of the service, without a trailing slash. With HTTPS, cookies are Secure.",
    )
    trusted_proxies: str = Field(
        default="",
        description=(
            "Networks of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted, such "
            "as `127.0.0.1, 10.1.0.0/28`; by default, none are ([behind a "
            "proxy](security.md#behind-a-proxy))."
        ),
    )
    log_format: LogFormat = Field(
        default=LogFormat.TEXT,
        description="Log format: `text`, or `json` with one object per line "
        "([logs of the service](operations.md#logs-of-the-service)).",
    )
    log_requests: bool = Field(
        default=False,
        description="Whether web processes log each completed request.",
    )
    sends: bool = Field(
        default=True,
        description=(
            "Whether this service sends alerts, mails, webhooks and requests to issue trackers. If false, "
            "background jobs don't run either. `errata up --send-nothing` sets it to false."
        ),
    )
    outgoing_networks: str = Field(
        default="",
        description="Private networks allowed for webhooks, mail servers, issue trackers and the sign-in "
        "provider, such as `10.1.0.0/16, 192.168.4.7`; by default, only public addresses are allowed.",
    )
    outgoing_http: bool = Field(
        default=False,
        description="Whether to allow webhooks and issue trackers without TLS (`http://`).",
    )
    outgoing_ca_file: Path | None = Field(
        default=None,
        description=(
            "PEM file with additional CA certificates to trust for webhooks, mail servers and issue trackers."
        ),
    )

    mail_host: str = Field(
        default="", description="Mail server for alerts and reports; if unset, each channel needs its own."
    )
    mail_port: int = Field(default=587, gt=0, lt=65536, description="Port of the mail server.")
    mail_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="Connection security of the mail server."
    )
    mail_user: str = Field(default="", description="Mail server user; empty: no authentication.")
    mail_password: SecretStr = Field(default=SecretStr(""), description="Password of the mail server user.")
    mail_from: str = Field(default="errata@localhost", description="Sender address of mails.")

    oidc_issuer: str = Field(
        default="",
        max_length=500,
        description="Issuer of an OpenID Connect provider for [single sign-on](people.md#single-sign-on), "
        "exactly as in its metadata; empty: no single sign-on.",
    )
    oidc_client_id: str = Field(default="", description="Client ID of Errata at the provider.")
    oidc_client_secret: SecretStr = Field(
        default=SecretStr(""), description="Client secret; empty: a public client, protected by PKCE only."
    )
    oidc_allowed_domains: str = Field(
        default="",
        description="Email domains that may sign in, such as `example.org, example.com`.",
    )
    oidc_label: str = Field(
        default="single sign-on",
        max_length=60,
        description="Name of the provider on the button: *Sign in with …*.",
    )
    oidc_scopes: str = Field(
        default="openid email profile",
        description="Scopes to request; some providers need another one for groups.",
    )
    oidc_groups_claim: str = Field(default="groups", description="Claim that contains a person's groups.")
    oidc_roles: str = Field(
        default="",
        description=(
            "Roles by group, such as `admins=owner, developers=member`, applied at each sign-in; empty: "
            "groups are ignored."
        ),
    )
    oidc_default_role: Literal["viewer", "member", "none"] = Field(
        default="viewer", description="Role of people in none of these groups; `none`: they can't sign in."
    )
    oidc_organization: str = Field(
        default="", description="Name of the organization that people join; required if there are several."
    )

    @field_validator("mail_from")
    @classmethod
    def _is_email(cls, text: str) -> str:
        try:
            return checked_email(text)
        except InvalidParameter as error:
            raise ValueError(error.problem) from None

    @field_validator("outgoing_networks", "trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        parsed_networks(text)
        return text

    @property
    def outgoing_policy(self) -> Policy:
        return Policy(
            parsed_networks(self.outgoing_networks),
            allows_http=self.outgoing_http,
            allows_nothing=not self.sends,
        )

    @property
    def trusted_networks(self) -> tuple[Network, ...]:
        return parsed_networks(self.trusted_proxies)

    @property
    def backups(self) -> Expected:
        return Expected.of(self.backup_dir, self.backup_hours)

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
    for name, remedy in ignored_variables(environ):
        if name.startswith(prefix):
            log.warning("%s is ignored. %s", name, remedy)
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
        if name.startswith(prefix) and not name.startswith(others) and name not in {*known, *FORMER_NAMES}
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
    name = ".".join(str(part) for part in detail["loc"]).upper()
    # A variable that several programs read is a field's alias, and has its whole name.
    return f"{'' if name.startswith('ERRATA_') else prefix}{name}: {detail['msg']}"
