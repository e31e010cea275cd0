"""What the shop is started with."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ShopSettings:
    app_key: str
    storage_path: Path
    release: str = "shop@1.0.0"
    environment: str = "production"
    # Where the north warehouse's stock service should answer.
    stock_port: int = 0

    @property
    def has_new_checkout(self) -> bool:
        """Release 1.1.0 checks each address twice, and nobody has noticed yet."""
        return not self.release.endswith("@1.0.0")
