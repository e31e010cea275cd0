"""Stored hashes of real events: if these change, every variant and issue in every installation gets a twin.

A change of a version's rules or of the frozen rule is only right before its first release:
`python -m tests.errata.grouping.test_golden` then writes the file anew.
"""

import json
from pathlib import Path

from errata.grouping import VERSIONS, fingerprint_of, issue_id_of, overflow_variant, variant_of
from tests.cases import each
from tests.errata.grouping.labelled import events_of

GOLDEN = Path(__file__).with_name("golden.json")
FILES = ("python_errors.jsonl.gz", "browser_error_events.jsonl.gz", "javascript_errors.jsonl.gz")


def hashes(version: int) -> dict[str, list[str]]:
    found = {"overflow": [_line(overflow_variant("KeyError").variant_hash, issue_id_of(7, 11))]}
    for name in FILES:
        lines = []
        for event in events_of(name):
            variant = variant_of(event)
            lines.append(_line(variant.variant_hash, fingerprint_of(variant.shape, version).fingerprint_hash))
        found[name] = list(dict.fromkeys(lines))
    return found


def _line(variant_hash: int, fingerprint_hash: int) -> str:
    return f"{variant_hash:016x} {fingerprint_hash:016x}"


@each("version", VERSIONS)
def test_hashes_of_real_events_are_those_stored(version: int) -> None:
    assert hashes(version) == json.loads(GOLDEN.read_text())[str(version)]


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({version: hashes(version) for version in VERSIONS}, indent=1) + "\n")
