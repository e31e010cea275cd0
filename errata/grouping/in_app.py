"""An event's frames marked as a project's rules say, for whoever reads its stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from errata.grouping.frame import frame_of
from errata.grouping.rules import GroupingRules
from errata.grouping.variant import variant_of

Sent = dict[str, Any]
Change = Callable[[Sent], Sent]


def with_in_app_of(rules: GroupingRules, payload: Sent) -> Sent:
    """What no rule speaks about stays as it was sent; the payload itself is not changed."""
    if not rules.in_app_rules:
        return payload
    shape = variant_of(payload).shape

    def judged(frame: Sent) -> Sent:
        rule = rules.rule_of(frame_of(frame), shape)
        return frame if rule is None else {**frame, "in_app": rule.in_app}

    def with_stacks(holder: Sent) -> Sent:
        found = _changed(holder, "stacktrace", lambda stack: _each(stack, "frames", judged))
        return _changed(found, "raw_stacktrace", lambda stack: _each(stack, "frames", judged))

    found = with_stacks(payload)
    for name in ("exception", "threads"):
        listed = isinstance(found.get(name), list)
        found = (
            _each(found, name, with_stacks)
            if listed
            else _changed(found, name, lambda values: _each(values, "values", with_stacks))
        )
    return found


def _changed(holder: Sent, name: str, change: Change) -> Sent:
    value = holder.get(name)
    return {**holder, name: change(value)} if isinstance(value, dict) else holder


def _each(holder: Sent, name: str, change: Change) -> Sent:
    items = holder.get(name)
    if not isinstance(items, list):
        return holder
    return {**holder, name: [change(item) if isinstance(item, dict) else item for item in items]}
