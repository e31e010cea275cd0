"""Builds the wheels that hosts download; imports nothing of ours or others', since hatch_build.py runs it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTIONS = ("wire", "shipper", "sdk")


def build_wheels(folder: Path) -> None:
    """Of a checkout, the same bytes for the same sources; hatchling must be installed."""
    for distribution in DISTRIBUTIONS:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
            cwd=ROOT / distribution,
            check=True,
            capture_output=True,
        )
