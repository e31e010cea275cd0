"""A document as PDF, made by a process of its own: what the printer takes of memory is given back.

The same document gives the same bytes: nothing of the moment of printing is in it.
"""

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec

from errata.errors import ErrataError

TIMEOUT_SECONDS = 60
# Of the printer's own process: fonts are stamped with the moment they are embedded, and sets have the order
# of their hashes.
UNCHANGING = {"SOURCE_DATE_EPOCH": "0", "PYTHONHASHSEED": "0"}


class PrinterMissing(ErrataError):
    """PDF was asked for, and the package that prints is not there."""

    code = "printer_missing"

    def __init__(self) -> None:
        super().__init__(
            "PDF needs WeasyPrint on the server (pip install weasyprint). HTML works without it."
        )


class NotPrinted(ErrataError):
    """The printer ended without a document."""

    code = "not_printed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The PDF could not be created: {reason}. Try again, or use HTML")


def pdf_of(document: str) -> bytes:
    """Raises PrinterMissing and NotPrinted."""
    if find_spec("weasyprint") is None:
        raise PrinterMissing
    try:
        printed = subprocess.run(
            [sys.executable, "-m", "errata.reports.printing"],
            input=document.encode(),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            env=os.environ | UNCHANGING,
        )
    except subprocess.TimeoutExpired as error:
        raise NotPrinted(f"timed out after {TIMEOUT_SECONDS} s") from error
    if printed.returncode or not printed.stdout.startswith(b"%PDF"):
        raise NotPrinted(
            (printed.stderr.decode(errors="replace").strip().splitlines() or ["unknown reason"])[-1]
        )
    return printed.stdout


def _print() -> None:
    from weasyprint import HTML  # takes a second to load, and only here

    document = sys.stdin.buffer.read()
    identifier = hashlib.sha256(document).digest()[:16]
    printed = HTML(string=document.decode(), url_fetcher=_refused).write_pdf(pdf_identifier=identifier)
    sys.stdout.buffer.write(printed)


def _refused(url: str, **_: object) -> dict[str, object]:
    raise ValueError(f"a report holds all it needs: {url} is not fetched")


if __name__ == "__main__":
    _print()
