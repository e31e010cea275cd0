"""What the shop sells."""

import time
from dataclasses import dataclass

import sentry_sdk


@dataclass(frozen=True)
class Dimensions:
    width_cm: int
    depth_cm: int
    height_cm: int


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    kind: str
    price_cents: int
    tagline: str
    hue: int
    dimensions: Dimensions | None


TABLE = """
lamp-aurora  | Aurora floor lamp    | Lighting   |  18900 | Dawn, whenever you like     |  32 |
chair-fjord  | Fjord lounge chair   | Seating    |  64500 | Oiled oak, wool, quiet      | 205 | 74 × 80 × 78
table-delta  | Delta side table     | Tables     |  24900 | Three legs, no wobble       | 150 | 45 × 45 × 52
shelf-orbit  | Orbit wall shelf     | Storage    |  13900 | Floats, holds, hides cables | 265 | 90 × 24 × 4
rug-meadow   | Meadow wool rug      | Textiles   |  32000 | Hand-tufted in three greens | 118 | 200 × 140 × 2
clock-tide   | Tide wall clock      | Decoration |   8900 | One hand is enough          | 186 | 30 × 4 × 30
desk-harbour | Harbour writing desk | Tables     |  79000 | Drawers that close softly   |  18 | 120 × 60 × 74
vase-ember   | Ember vase           | Decoration |   5400 | Stoneware, fired twice      |   8 | 14 × 14 × 28
sofa-drift   | Drift sofa           | Seating    | 149000 | Room for everyone's feet    | 228 | 224 × 92 × 76
"""


def _product(row: str) -> Product:
    sku, name, kind, cents, tagline, hue, size = (cell.strip() for cell in row.split("|"))
    dimensions = Dimensions(*map(int, size.split(" × "))) if size else None
    return Product(sku, name, kind, int(cents), tagline, int(hue), dimensions)


PRODUCTS = [_product(row) for row in TABLE.strip().splitlines()]
BY_SKU = {product.sku: product for product in PRODUCTS}


def find(sku: str) -> Product | None:
    with sentry_sdk.start_span(op="db", name="SELECT * FROM products WHERE sku = %s"):
        time.sleep(0.004)
        return BY_SKU.get(sku)


def search(words: str, kind: str = "") -> list[Product]:
    with sentry_sdk.start_span(op="db", name="SELECT * FROM products WHERE name ILIKE %s ORDER BY name"):
        # No index serves a search that begins with a wildcard.
        time.sleep(0.35 if words else 0.02)
    wanted = words.lower()
    return [p for p in PRODUCTS if wanted in p.name.lower() and kind in ("", p.kind)]
