"""Style sheets take sizes, weights, spaces and radii from scales, and their colours are readable."""

import re
from collections.abc import Iterator
from itertools import product

from dashboards.shared.rendering import STATIC
from tests.cases import each

NO_STYLE = re.compile(r"/\*.*?\*/|@font-face \{.*?\}", re.DOTALL)
SHEETS = {path.name: NO_STYLE.sub("", path.read_text()) for path in STATIC.glob("*.css")}
DECLARATION = re.compile(r"(?<=[{;\s])([\w-]+)\s*:\s*([^;{}]+)(?=[;}])")
TOKENS = dict(re.findall(r"(--[\w-]+):\s*([^;]+);", SHEETS["errata.css"]))
# What an element inherits, and what is measured by it; room for what overlaps is no step of the scale.
ALLOWED = {
    "font-size": r"var\(--text-\w+\)|inherit|\.\d+em",
    "font-weight": r"var\(--(?:regular|medium|strong)\)|inherit|normal",
    "radius": r"(?:(?:var\(--radius(?:-\w+)?\)|0|50%) ?)+",
    "space": r"(?!.*(?<![\d.])[012]?\.\d+rem|.*(?<![\d.])[012]rem).*",
}
SURFACES = ("--back", "--surface", "--sunken", "--hover")
READ_ON = [
    *product(("--text", "--muted", "--accent", "--red", "--orange", "--green", "--purple"), SURFACES),
    ("--text", "--accent-back"),
    ("--text", "--yellow-back"),
    ("--accent", "--accent-back"),
    ("--red", "--red-back"),
    ("--orange", "--orange-back"),
    ("--on-accent", "--accent"),
    ("--on-red", "--red"),
]


def test_sizes_weights_spaces_and_radii_are_steps_of_their_scales() -> None:
    wrong = [
        f"{sheet}: {name}: {value}"
        for sheet, name, value in _declarations()
        if (kind := _kind(name)) and not re.fullmatch(ALLOWED[kind], value)
    ]
    assert wrong == []


def test_every_token_that_is_used_is_defined() -> None:
    for sheet, text in SHEETS.items():
        own = re.findall(r"(--[\w-]+):", text)
        assert set(re.findall(r"var\((--[\w-]+)\)", text)) - TOKENS.keys() - set(own) == set(), sheet


@each("theme", [0, 1], ids=["light", "dark"])
def test_words_are_readable_on_every_surface(theme: int) -> None:
    too_faint = {
        (words, surface): ratio
        for words, surface in READ_ON
        if (ratio := _contrast(_color(words, theme), _color(surface, theme))) < 4.5
    }
    assert too_faint == {}


def _declarations() -> Iterator[tuple[str, str, str]]:
    for sheet, text in SHEETS.items():
        for name, value in DECLARATION.findall(text):
            yield sheet, name, value.removesuffix("!important").strip()


def _kind(name: str) -> str:
    if name.startswith("--") or name.startswith("scroll-"):
        return ""
    if re.fullmatch(r"(?:margin|padding)(?:-[\w-]+)?|(?:row-|column-)?gap", name):
        return "space"
    return "radius" if name.endswith("radius") else name if name in ALLOWED else ""


def _color(token: str, theme: int) -> str:
    found: list[str] = re.findall(r"#[0-9a-f]{6}", TOKENS[token])
    return found[theme]


def _contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return round((light + 0.05) / (dark + 0.05), 2)


def _luminance(color: str) -> float:
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
