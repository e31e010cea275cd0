"""An operator's settings of the API."""

from pathlib import Path

from errata_wire import limits
from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from errata.settings import ProgramSettings
from errata.state.ingest_limits import ORGANIZATION_LINES_PER_MINUTE
from errata.warehouse.disk import Bound


class ApiSettings(ProgramSettings):
    model_config = SettingsConfigDict(env_prefix="ERRATA_API_")

    body_max_bytes: int = Field(
        default=limits.DELIVERY_MAX_BYTES,
        gt=0,
        le=1 << 30,
        description="Maximum size of a delivery as sent; larger ones are refused with 413.",
    )
    inflated_max_bytes: int = Field(
        default=limits.DELIVERY_INFLATED_MAX_BYTES,
        gt=0,
        le=4 << 30,
        description="Maximum size of a delivery after decompression; larger ones are refused with 413.",
    )
    lines_max: int = Field(
        default=limits.DELIVERY_LINES_MAX,
        gt=0,
        le=1_000_000,
        description="Maximum number of lines in a delivery; larger ones are refused with 413.",
    )
    line_max_bytes: int = Field(
        default=limits.LINE_MAX_BYTES,
        gt=0,
        le=1 << 30,
        description="Maximum size of a line; longer ones are rejected as `line_too_large`, and the other "
        "lines are stored.",
    )
    recording_line_max_bytes: int = Field(
        default=limits.RECORDING_LINE_MAX_BYTES,
        gt=0,
        le=1 << 30,
        description="The same limit for lines with a replay recording.",
    )
    spool_path: Path | None = Field(
        default=None,
        description=(
            "Directory, used by this node only, for envelopes that SDKs send by DSN until they are "
            "delivered; without one, they are refused with 503. `errata up` uses one in its data directory."
        ),
    )
    spool_max_bytes: int = Field(
        default=4 << 30,
        ge=16 << 20,
        description="Maximum size of the envelopes waiting there; further ones are refused with 503.",
    )
    spool_sync: bool = Field(
        default=False,
        description=(
            "Whether to respond to an envelope only after it is synced to disk. If false, a crash of the "
            "machine (not of a process) can lose the last seconds."
        ),
    )
    public_requests_per_second: int = Field(
        default=50,
        gt=0,
        le=100_000,
        description=(
            "Requests per second that one address can send with public keys, with bursts of ten seconds' "
            "worth; further ones are refused with 429."
        ),
    )
    gather_ms: int = Field(
        default=50,
        ge=0,
        le=5_000,
        description=(
            "How long in ms deliveries wait to be inserted together; up to four times as long while others "
            "are being decoded."
        ),
    )
    gather_rows: int = Field(
        default=1_000, gt=0, le=1_000_000, description="Number of rows that ends this wait immediately."
    )
    watches: bool = Field(
        default=True,
        description="Whether this node can run background jobs (alerts, linked issues); one node runs them "
        "at a time.",
    )
    lines_per_minute: int = Field(
        default=ORGANIZATION_LINES_PER_MINUTE,
        gt=0,
        description="Lines that an organization can deliver per minute, to all nodes together; "
        "further ones are refused with 429.",
    )
    names_per_day: int = Field(
        default=2_000,
        gt=0,
        le=100_000,
        description="New page names per project and UTC day; further ones are stored as `(other)`. The same "
        "limit applies to routes, transactions, servers, hosts, loggers and devices.",
    )
    releases_per_day: int = Field(
        default=300,
        gt=0,
        le=100_000,
        description="New release names per project and UTC day.",
    )
    environments_per_day: int = Field(
        default=100,
        gt=0,
        le=100_000,
        description="New environment names per project and UTC day.",
    )
    tag_keys_per_day: int = Field(
        default=500,
        gt=0,
        le=100_000,
        description="New tag names per project and UTC day; events still keep all tags.",
    )
    country_file: str = Field(
        default="",
        description=(
            "Path of a country database in MaxMind format (`.mmdb`), read when the service starts. Page "
            "views then have the country of the visitor's IP address, which isn't stored. Requires the extra "
            "`geo` (maxminddb). Empty: none."
        ),
    )
    answer_seconds: float = Field(
        default=30,
        gt=0,
        le=300,
        description="Time limit for pages and API responses in seconds; slower requests fail with 504.",
    )
    disk_free_min_bytes: int = Field(
        default=1 << 30,
        ge=0,
        description="Deliveries are refused with 503 while the warehouse disk has less free space.",
    )
    disk_free_min_percent: float = Field(
        default=2.0,
        ge=0,
        lt=100,
        description="Deliveries are refused with 503 while less than this percentage of the warehouse disk "
        "is free; the larger of the two limits applies.",
    )
    key_days: int = Field(
        default=90,
        ge=0,
        le=3650,
        description=(
            "Age in days after which owners are reminded to rotate the API key. Typical values: 90 for "
            "production, 30 for staging, 0 (no reminder) for development."
        ),
    )
    share_links: bool = Field(
        default=True,
        description="Whether issues can be shared with links that need no sign-in; if off, existing links "
        "stop working.",
    )
    metrics_token: SecretStr = Field(
        default=SecretStr(""),
        description=(
            "Bearer token for scraping `/metrics` with Prometheus. Without one, only programs on the "
            "service's own host can read it."
        ),
    )
    styleguide: bool = Field(
        default=False,
        description="Whether `/styleguide` shows the shared page components, for development.",
    )

    @property
    def disk_bound(self) -> Bound:
        return Bound(self.disk_free_min_bytes, self.disk_free_min_percent)
