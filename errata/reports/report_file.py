"""A report as a file to download."""

from dataclasses import dataclass
from typing import Literal

Form = Literal["pdf", "html"]
MEDIA_TYPES = {"pdf": "application/pdf", "html": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class ReportFile:
    content: bytes
    name: str
    form: Form

    @property
    def headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": MEDIA_TYPES[self.form],
            "Content-Disposition": f'attachment; filename="{self.name}.{self.form}"',
        }
        if self.form == "html":
            # Opened from our address, the page may do nothing.
            headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return headers
