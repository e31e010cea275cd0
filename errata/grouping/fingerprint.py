"""From a variant's shape to the fingerprint that decides its issue: pure, and one function a version."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from errata.grouping import version_2, version_3, version_4
from errata.grouping.explicit import DEFAULT
from errata.grouping.rules import NO_RULES, GroupingRules
from errata.grouping.shape import VariantShape, hash_of

CURRENT_VERSION = 4

# The fingerprint of a shape without an explicit one, and why. Old versions stay, to compare and roll back.
_Default = tuple[tuple[str, ...], dict[str, Any]]
_Rules = Callable[[VariantShape, frozenset[tuple[str, str, str]]], _Default]

_VERSIONS: Mapping[int, _Rules] = {
    2: version_2.default,
    3: version_3.default,
    4: version_4.default,
}
VERSIONS = tuple(_VERSIONS)


def version_in_use(version: int) -> int:
    """The version that groups where this one is stored: the current one in place of version 1."""
    return CURRENT_VERSION if version == 1 else version


@dataclass(frozen=True, slots=True)
class Fingerprint:
    fingerprint: tuple[str, ...]
    fingerprint_hash: int
    fingerprint_version: int
    explanation: dict[str, Any]


def fingerprint_of(
    shape: VariantShape, version: int = CURRENT_VERSION, rules: GroupingRules = NO_RULES
) -> Fingerprint:
    judged = rules.with_in_app(shape)
    shape = judged.shape
    default, explanation = _VERSIONS[version](shape, frozenset(judged.rule_of))
    _add_in_app_rules(explanation, judged.rule_of)
    rule = None if shape.is_overflow else rules.deciding(shape)
    if rule is not None:
        facts: dict[str, Any] = {"rule": "fingerprint rule", "project_rule": rule.text}
        facts["acts"] = "on new events" if rule.reads_event(shape) else "on all events"
        facts |= {"sent": list(shape.fingerprint)} if shape.fingerprint else {}
        return _set(rule.fingerprint(shape), "rule", facts, default, explanation, version)
    if shape.fingerprint and not shape.is_overflow:
        facts = {"rule": "explicit fingerprint", "sent": list(shape.fingerprint)}
        return _set(shape.fingerprint, "explicit", facts, default, explanation, version)
    return Fingerprint(default, _hash("default", default), version, explanation)


def _set(
    parts: tuple[str, ...],
    kind: str,
    facts: dict[str, Any],
    default: tuple[str, ...],
    explanation: dict[str, Any],
    version: int,
) -> Fingerprint:
    """The fingerprint somebody wrote, `{{ default }}` standing for what the version says."""
    facts["would_have_been"] = explanation["rule"]
    explanation = {**(explanation if DEFAULT in parts else {}), **facts}
    spliced = tuple(piece for part in parts for piece in (default if part == DEFAULT else (part,)))
    if all(part == DEFAULT for part in parts):
        return Fingerprint(default, _hash("default", default), version, explanation)
    # Nested, so that no part can imitate what {{ default }} stands for.
    hashed = tuple(default if part == DEFAULT else part for part in parts)
    return Fingerprint(spliced, _hash(kind, hashed), version, explanation)


def _hash(kind: str, parts: tuple[object, ...]) -> int:
    """The kind keeps an explicit list from imitating a computed one, or a rule's."""
    return hash_of(msgspec.json.encode([kind, *parts]))


def _add_in_app_rules(explanation: dict[str, Any], changed_by: Mapping[tuple[str, str, str], str]) -> None:
    for frame in explanation.get("frames", ()) if changed_by else ():
        rule = changed_by.get((frame["module"], frame["function"], frame["file"]))
        if rule is not None:
            frame["in_app_rule"] = rule


def issue_id_of(project_id: int, fingerprint_hash: int, configuration: int = 1) -> int:
    """The id of an issue that begins with this fingerprint: the same on every node.

    Under another configuration of the project the same fingerprint may mean something else.
    """
    salt = (configuration,) if configuration > 1 else ()
    return hash_of(struct.pack(f"<{2 + len(salt)}Q", project_id & _UINT64, fingerprint_hash & _UINT64, *salt))


_UINT64 = (1 << 64) - 1
