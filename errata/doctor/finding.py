"""What the doctor found out about one thing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`remedy` is empty where nothing is wrong."""

    subject: str
    said: str
    remedy: str = ""
