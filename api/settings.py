"""What an operator may change about the API."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from errata.settings import ProgramSettings
from errata.warehouse.disk import Bound


class ApiSettings(ProgramSettings):
    model_config = SettingsConfigDict(env_prefix="ERRATA_API_")

    body_max_bytes: int = Field(
        default=16 << 20,
        gt=0,
        le=1 << 30,
        description="A delivery larger than this, as sent, is refused with 413.",
    )
    inflated_max_bytes: int = Field(
        default=64 << 20,
        gt=0,
        le=4 << 30,
        description="A delivery larger than this once decompressed is refused with 413.",
    )
    lines_max: int = Field(
        default=10_000,
        gt=0,
        le=1_000_000,
        description="A delivery of more lines than this is refused with 413.",
    )
    line_max_bytes: int = Field(
        default=4 << 20,
        gt=0,
        le=1 << 30,
        description="A longer line is rejected as `line_too_large`; its neighbours are stored.",
    )
    gather_ms: int = Field(
        default=50,
        ge=0,
        le=5_000,
        description="How long deliveries wait for others, to be inserted together, in ms; "
        "twice as long while others are being decoded.",
    )
    gather_rows: int = Field(default=1_000, gt=0, le=1_000_000, description="Rows that end the wait at once.")
    watches: bool = Field(
        default=True,
        description="Whether this node can run background jobs (alerts, linked issues); one node runs them "
        "at a time.",
    )
    lines_per_minute: int = Field(
        default=1_000_000,
        gt=0,
        description="Lines an organization may deliver in a minute to one node; more are answered with 429.",
    )
    names_per_day: int = Field(
        default=2_000,
        gt=0,
        le=100_000,
        description="New page names a project may use in a UTC day; further ones are stored as `(other)`. "
        "Just as many routes, transactions, servers, hosts, loggers and devices, each.",
    )
    releases_per_day: int = Field(
        default=300,
        gt=0,
        le=100_000,
        description="New release names a project may use in a UTC day.",
    )
    environments_per_day: int = Field(
        default=100,
        gt=0,
        le=100_000,
        description="New environment names a project may use in a UTC day.",
    )
    tag_keys_per_day: int = Field(
        default=500,
        gt=0,
        le=100_000,
        description="New tag names a project may use in a UTC day; the event itself keeps all.",
    )
    answer_seconds: float = Field(
        default=10,
        gt=0,
        le=300,
        description="How long a page or an answer of the API may take, in s; "
        "then the request is answered with 422.",
    )
    disk_free_min_bytes: int = Field(
        default=1 << 30,
        ge=0,
        description="Deliveries are refused with 503 while less is free on the disk of the warehouse.",
    )
    disk_free_min_percent: float = Field(
        default=2.0,
        ge=0,
        lt=100,
        description="Deliveries are refused with 503 while less than this percentage of the disk of the "
        "warehouse is free; the larger of the two limits applies.",
    )
    share_links: bool = Field(
        default=True,
        description="Whether issues can be shared by links that need no sign-in; "
        "off: those made before show nothing.",
    )

    @property
    def disk_bound(self) -> Bound:
        return Bound(self.disk_free_min_bytes, self.disk_free_min_percent)
