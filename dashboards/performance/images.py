"""Images of a page: their bytes, and how much of them is seen."""

from dataclasses import dataclass

from errata.warehouse.queries.performance.causes_of_page import CausesOfPage
from errata.warehouse.queries.performance.resources import ResourceRow

# A photo as JPEG, WebP or AVIF takes 0.05 to 0.25 bytes a pixel, and a CSS pixel has up to nine pixels of a
# phone: more than two bytes are too many on any screen.
HEAVY_BYTES_PER_PX = 2.0


@dataclass(frozen=True, slots=True)
class Image:
    row: ResourceRow
    shown_px: float | None
    """Visible area in CSS pixels; None: not sent. SDKs send it of the LCP alone."""

    @property
    def bytes_per_px(self) -> float | None:
        if not self.shown_px or self.row.body_bytes is None:
            return None
        return self.row.body_bytes / self.shown_px

    @property
    def is_heavy(self) -> bool:
        return (self.bytes_per_px or 0) > HEAVY_BYTES_PER_PX


def image_of(row: ResourceRow, causes: CausesOfPage) -> Image:
    return Image(row, causes.shown_px(row.url))
