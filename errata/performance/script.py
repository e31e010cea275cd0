"""The script behind a long animation frame, as far as it is known.

Browsers name the function that they called. SDKs wrap event handlers, timers and callbacks of animation
frames (`browserApiErrorsIntegration` of @sentry/browser), so this is mostly their wrapper, which says neither
which handler it was nor in which file.
"""

import re
from dataclasses import dataclass

# What calls wrapped functions: https://w3c.github.io/long-animation-frames/#the-performancescripttiming-interface.
WRAPPED = re.compile(r"\.on[a-z]+\Z|\A(?:TimerHandler:set(?:Timeout|Interval)|FrameRequestCallback)\Z")
WRAPPER = "sentryWrapped"
WRAPPER_SOURCE = re.compile(r"@sentry/browser/(?:[^:]*/)?helpers\.[jt]s:")
# Minifiers give functions within functions, such as the wrapper, no longer names: there are 3,510 so short.
LONGEST_MINIFIED = 2


@dataclass(frozen=True, slots=True)
class OriginalFunction:
    """By a source map. `name` is empty for one without a name; `source` is its file and line."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Script:
    """`file` is its URL, `function` as people wrote it if a source map tells, `position` the character of the
    file at which it begins (-1: unknown), `source` the original file and line. Empty texts: not known."""

    file: str = ""
    function: str = ""
    position: int = -1
    source: str = ""


NOTHING_KNOWN = Script()


def known_script(
    invoker: str, file: str, function: str, position: int, original: OriginalFunction | None
) -> Script:
    """What the browser said, without the names of a wrapper, or of what may be one."""
    if is_wrapped(invoker) and _may_be_wrapper(function, original):
        return NOTHING_KNOWN
    if original is None:
        return Script(file, function, position)
    return Script(file, original.name or function, position, original.source)


def is_wrapper(original: OriginalFunction) -> bool:
    return original.name == WRAPPER or WRAPPER_SOURCE.search(original.source) is not None


def is_wrapped(invoker: str) -> bool:
    """Whether SDKs wrap what is called so."""
    return WRAPPED.search(invoker) is not None


def _may_be_wrapper(function: str, original: OriginalFunction | None) -> bool:
    if original is not None:
        return is_wrapper(original)
    # Without a name it is not the wrapper: that has one.
    return function == WRAPPER or 0 < len(function) <= LONGEST_MINIFIED
