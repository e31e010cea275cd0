"""From a variant's shape to the fingerprint that decides its issue: pure, and one function a version."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from errata.grouping import version_1
from errata.grouping.explicit import DEFAULT
from errata.grouping.shape import VariantShape, hash_of

CURRENT_VERSION = 1

# The fingerprint of a shape without an explicit one, and why. Old versions stay, to compare and roll back.
_Rules = Callable[[VariantShape], tuple[tuple[str, ...], dict[str, Any]]]
_VERSIONS: Mapping[int, _Rules] = {1: version_1.default}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    fingerprint: tuple[str, ...]
    fingerprint_hash: int
    fingerprint_version: int
    explanation: dict[str, Any]


def fingerprint_of(shape: VariantShape, version: int = CURRENT_VERSION) -> Fingerprint:
    parts, explanation = _VERSIONS[version](shape)
    kind = "default"
    if shape.fingerprint and not shape.is_overflow:
        kind = "explicit"
        would_have_been = explanation["rule"]
        if DEFAULT not in shape.fingerprint:
            explanation = {}
        parts = tuple(
            piece for part in shape.fingerprint for piece in (parts if part == DEFAULT else (part,))
        )
        explanation = {**explanation, "rule": "explicit fingerprint", "sent": list(shape.fingerprint)}
        explanation["would_have_been"] = would_have_been
    # The kind keeps an explicit list from imitating a computed one.
    return Fingerprint(parts, hash_of(msgspec.json.encode([kind, *parts])), version, explanation)


def issue_id_of(project_id: int, fingerprint_hash: int) -> int:
    return hash_of(struct.pack("<QQ", project_id & _UINT64, fingerprint_hash & _UINT64))


_UINT64 = (1 << 64) - 1
