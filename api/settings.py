"""What an operator may change about the API."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ApiSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ERRATA_API_", frozen=True, hide_input_in_errors=True)

    body_max_bytes: int = Field(
        16 << 20, gt=0, le=1 << 30, description="A delivery larger than this, as sent, is refused with 413."
    )
    inflated_max_bytes: int = Field(
        64 << 20,
        gt=0,
        le=4 << 30,
        description="A delivery larger than this once decompressed is refused with 413.",
    )
    lines_max: int = Field(
        10_000, gt=0, le=1_000_000, description="A delivery of more lines than this is refused with 413."
    )
    line_max_bytes: int = Field(
        4 << 20,
        gt=0,
        le=1 << 30,
        description="A longer line is rejected as `line_too_large`; its neighbours are stored.",
    )
    gather_ms: int = Field(
        50, ge=0, le=5_000, description="How long deliveries wait for others, to be inserted together, in ms."
    )
    gather_rows: int = Field(1_000, gt=0, le=1_000_000, description="Rows that end the wait at once.")
