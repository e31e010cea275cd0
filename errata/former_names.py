"""Variables of the shipper and of scripts before those had prefixes of their own.

Where the server runs they are often set, too. This module is small: `errata up` has it in memory.
"""

from collections.abc import Iterator, Mapping

FORMER_NAMES = {
    "ERRATA_API_KEY": "ERRATA_SHIPPER_API_KEY for the shipper, ERRATA_CLIENT_API_KEY for commands",
    "ERRATA_APP_KEY": "ERRATA_SHIPPER_APP_KEY for the shipper",
    "ERRATA_STORAGE_PATH": "ERRATA_SHIPPER_STORAGE_PATH for the shipper",
}


def ignored_variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each that is set, with the remedy."""
    for name, others in FORMER_NAMES.items():
        if name in environ:
            yield name, f"Unset it for the server; use {others}"
