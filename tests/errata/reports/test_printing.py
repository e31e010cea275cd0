import os
import re
import time
import zlib
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from errata.reports.printing import pdf_of

DOCUMENT = """<!doctype html><html lang="en"><title>Report</title>
<body style="font-family: Square"><h1>AB</h1><p style="font-family: sans-serif">2,134 ms</p></body></html>"""
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><dir>/usr/share/fonts</dir><cachedir>{folder}/cache</cachedir></fontconfig>"""


def variable_font(path: Path) -> None:
    """A font with an axis: the printer makes a static one of it, with the moment of it in its head."""
    builder = FontBuilder(1000, isTTF=True)
    names = [".notdef", "space", "A", "B"]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x20: "space", 0x41: "A", 0x42: "B"})
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 700), (600, 700), (600, 0)):
        pen.lineTo(corner)
    pen.closePath()
    square = pen.glyph()
    builder.setupGlyf(dict.fromkeys(names, square))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (700, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Square", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    builder.setupFvar([("wght", 100, 400, 900, "Weight")], [])
    builder.setupGvar({})
    builder.save(path)


def parts_of(printed: bytes) -> list[bytes]:
    return [zlib.decompress(part) for part in re.findall(rb"stream\n(x.*?)\nendstream", printed, re.S)]


@pytest.mark.slow
def test_the_same_document_gives_the_same_bytes_at_any_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    variable_font(tmp_path / "square.ttf")
    (tmp_path / "fonts.conf").write_text(FONTS.format(folder=tmp_path))
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    first = pdf_of(DOCUMENT)
    assert any(b"Square" in part for part in parts_of(first))
    # Fonts tell time in seconds.
    time.sleep(2.1)
    assert pdf_of(DOCUMENT) == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert pdf_of(DOCUMENT) == first
    assert os.environ["SOURCE_DATE_EPOCH"] == "1700000000"
    assert pdf_of(DOCUMENT.replace("2,134", "2,135")) != first
