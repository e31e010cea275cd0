"""The variant of an event: the finest identity it is counted under, by a rule that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from errata.grouping.details import details_of
from errata.grouping.explicit import explicit_fingerprint
from errata.grouping.frame import MAX_NAME, frames_of
from errata.grouping.languages.engines import evaluated_name
from errata.grouping.retries import gives_up
from errata.grouping.rules import NO_RULES, GroupingRules
from errata.grouping.shape import ExceptionShape, VariantShape, variant_hash_of
from errata.grouping.template import log_template_of, template_of
from errata.grouping.text import text_of
from errata.grouping.title import (
    MAX_TITLE,
    MAX_VALUE,
    culprit,
    culprit_frame,
    filled,
    shown_exception,
    title,
    titled,
)

MAX_LINE = 200
# Of a longer chain the exceptions nearest to the raised one count.
MAX_EXCEPTIONS = 50

JVM_PLATFORMS = frozenset({"java", "kotlin", "scala", "groovy", "android"})


@dataclass(frozen=True, slots=True)
class Variant:
    variant_hash: int
    shape: VariantShape
    title: str
    type: str
    value: str
    culprit: str
    frame_count: int


def variant_of(payload: Mapping[str, Any], rules: GroupingRules = NO_RULES) -> Variant:
    """`rules` count as far as they read what a shape does not keep: the rest is for `fingerprint_of`."""
    variant = _plain(payload)
    matched = rules.match_of_event(variant.shape, payload, variant.value) if rules.fingerprint_rules else None
    if matched is None:
        return variant
    shape = structs.replace(variant.shape, matched=matched)
    return replace(variant, shape=shape, variant_hash=variant_hash_of(shape))


def _plain(payload: Mapping[str, Any]) -> Variant:
    sent = _values(payload.get("exception"))[-MAX_EXCEPTIONS:]
    if not sent:
        return _of_message(payload)
    exceptions = [_exception(item) for item in sent]
    platform = text_of(payload.get("platform"), 64)
    if platform in JVM_PLATFORMS or (len(sent) > 1 and gives_up(exceptions[-1])):
        exceptions[:-1] = map(_cause, exceptions, sent[:-1])
    raised = exceptions[-1]
    stack = _own_stack(payload) if not any(exception.frames for exception in exceptions) else None
    if stack is not None:
        raised = _exception(sent[-1], stack)
        exceptions[-1] = raised
    value = text_of(sent[-1].get("value"), MAX_VALUE)
    shape = VariantShape(
        platform=platform,
        exceptions=tuple(exceptions),
        template=template_of(value),
        fingerprint=explicit_fingerprint(payload, raised.type, value, raised.frames),
        evaluated=text_of(evaluated_name(value), MAX_NAME) if "(evaluating '" in value else "",
        details=details_of(
            platform, [text_of(each.get("value") or each.get("type"), MAX_VALUE) for each in sent], payload
        ),
    )
    shown = shown_exception(sent, exceptions)
    frames = exceptions[shown].frames or raised.frames
    frames = frames or next((item.frames for item in reversed(exceptions) if item.frames), ())
    place = culprit_frame(shape.platform, frames)
    return Variant(
        variant_hash=variant_hash_of(shape),
        shape=shape,
        title=title(shape.platform, sent[shown], exceptions[shown], place),
        type=raised.type,
        value=value,
        culprit=culprit(shape.platform, place) or text_of(payload.get("transaction"), MAX_TITLE),
        frame_count=_sent_count(stack if stack is not None else sent[-1].get("stacktrace")),
    )


def overflow_variant(type_: str) -> Variant:
    """Takes the events of one exception type that come after the limit of new variants."""
    type_ = text_of(type_, MAX_NAME)
    shape = VariantShape(exceptions=(ExceptionShape(type=type_),), is_overflow=True)
    title = f"{type_ or 'Events'}: more variants than are kept apart"
    return Variant(variant_hash_of(shape), shape, title, type_, "", "", 0)


def _of_message(payload: Mapping[str, Any]) -> Variant:
    template, value = _message(payload)
    stack = _own_stack(payload)
    frames = tuple(frames_of(stack)[0])
    platform = text_of(payload.get("platform"), 64)
    shape = VariantShape(
        platform=platform,
        template=template,
        fingerprint=explicit_fingerprint(payload, "", value, frames),
        level=text_of(payload.get("level"), 32),
        logger=text_of(payload.get("logger"), MAX_NAME),
        frames=frames,
        details=details_of(platform, (value,), payload),
    )
    return Variant(
        variant_hash=variant_hash_of(shape),
        shape=shape,
        title=titled("", value),
        type="",
        value=value,
        culprit=culprit(shape.platform, culprit_frame(shape.platform, frames))
        or text_of(payload.get("transaction"), MAX_TITLE)
        or shape.logger,
        frame_count=_sent_count(stack),
    )


def _values(holder: object) -> list[dict[str, Any]]:
    values = holder.get("values") if isinstance(holder, dict) else holder
    return [item for item in values if isinstance(item, dict)] if isinstance(values, list) else []


def _exception(sent: Mapping[str, Any], stack: object = None) -> ExceptionShape:
    frames, culprit = frames_of(sent.get("stacktrace") if stack is None else stack)
    mechanism = sent.get("mechanism")
    return ExceptionShape(
        type=text_of(sent.get("type"), MAX_NAME),
        module=text_of(sent.get("module"), MAX_NAME),
        frames=tuple(frames),
        line=_line(culprit),
        is_group=isinstance(mechanism, dict) and mechanism.get("is_exception_group") is True,
    )


def _cause(exception: ExceptionShape, sent: Mapping[str, Any]) -> ExceptionShape:
    """With what is asked of causes where wrappers are the rule, not the exception."""
    mechanism = sent.get("mechanism")
    is_suppressed = isinstance(mechanism, dict) and mechanism.get("type") == "suppressed"
    template = template_of(text_of(sent.get("value"), MAX_VALUE))
    return structs.replace(exception, template=template, is_suppressed=is_suppressed)


def _line(culprit: Mapping[str, Any] | None) -> str:
    line = culprit.get("context_line") if culprit is not None else None
    # A longer line is a bundle: all of the program, or an SDK's cut of it.
    if not isinstance(line, str) or len(line) > MAX_LINE or "{snip}" in line:
        return ""
    return text_of(" ".join(line.split()), MAX_LINE)


def _own_stack(payload: Mapping[str, Any]) -> object:
    """The stack that no exception carries: of the thread that crashed or sent the event, or of the event."""
    for thread in _values(payload.get("threads")):
        if thread.get("crashed") is True or thread.get("current") is True:
            return thread.get("stacktrace")
    return payload.get("stacktrace")


def _sent_count(stack: object) -> int:
    frames = stack.get("frames") if isinstance(stack, dict) else None
    return len(frames) if isinstance(frames, list) else 0


def _message(payload: Mapping[str, Any]) -> tuple[str, str]:
    """The template a message is told by, and the message as people read it."""
    for entry in (payload.get("logentry"), payload.get("message")):
        if isinstance(entry, dict):
            message = text_of(entry.get("message"), MAX_VALUE)
            formatted = text_of(entry.get("formatted"), MAX_VALUE)
            params = entry.get("params")
            if message and (params or (formatted and formatted != message)):
                said = formatted if formatted and formatted != message else filled(message, params)
                return log_template_of(message), said
            if message or formatted:
                return template_of(message or formatted), formatted or message
        elif text := text_of(entry, MAX_VALUE):
            return template_of(text), text
    return "", ""
