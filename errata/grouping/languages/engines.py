"""What version 3 knows of Chromium, Firefox and Safari: one wording for one mistake, and evaluated code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from errata.grouping.languages.javascript import own_name
from errata.grouping.languages.minified import is_mangled
from errata.grouping.shape import FrameShape

_NAME = re.compile(r"[A-Za-z_$][\w$-]*")
_NOT_CALLABLE = re.compile(r"(.{1,200}?) is not a (function|constructor)(?:\.? \((?:In|evaluating) .*)?")
_SAFARI_READ = re.compile(r"(null|undefined) is not an object \(evaluating '(.{1,300})'\)")
_LAST_NAME = re.compile(r"(?:\.|\['|\[\")([\w$-]+)(?:'\]|\"\])?$")
_SAYINGS: tuple[tuple[str, str], ...] = (
    (
        r"(?:Expected |Unterminated |Bad |No number |Exponent part |Unexpected (?:token|non-whitespace))"
        r".* JSON\b.*|.* is not valid JSON"
        r"|Unexpected end of JSON input.*|JSON\.parse: .*|JSON Parse error: .*",
        "invalid JSON",
    ),
    (
        r".* is not iterable.*|can't access property Symbol\.iterator, .*"
        r"|.*[Ss]pread syntax requires \.\.\.iterable.*"
        r"|Iterator value .* is not an entry object|iterable for \w+ should have array-like objects",
        "not iterable",
    ),
    (
        r"Assignment to constant variable\.?|invalid assignment to const .*"
        r"|Attempted to assign to readonly property\.?"
        r"|Cannot assign to read only property .*|\S+ is read-only",
        "assigned to a constant",
    ),
    (
        r"Cannot access .* before initialization|can't access lexical declaration .* before initialization"
        r"|Cannot access uninitialized variable\.?",
        "read before its initialization",
    ),
    (
        r"Converting circular structure to JSON.*|cyclic object value"
        r"|JSON\.stringify cannot serialize cyclic structures\.?",
        "circular structure",
    ),
    (
        r"Cannot convert a [Ss]ymbol(?: value)? to a (?:string|number)"
        r"|can't convert symbol to (?:string|number)",
        "symbol converted",
    ),
    (
        r"Cannot convert undefined or null to object|can't convert (?:undefined|null) to object"
        r"|(?:undefined|null) is not an object \(evaluating 'Object\.\w+.*",
        "nothing converted to an object",
    ),
    (
        r"[Ii]nvalid array length|Array length must be a positive integer of safe magnitude\.?",
        "invalid array length",
    ),
    (
        r"to(?:Fixed|Precision|Exponential)\(\)(?: digits)? argument must be .*|precision .* out of range",
        "digits out of range",
    ),
    (
        r"Invalid count value: .*|repeat count must be .*|String\.prototype\.repeat argument must be .*",
        "invalid count",
    ),
    (r"Invalid time value|date value is not finite.*|Invalid Date|invalid date", "invalid date"),
    (r"[Rr]educe of empty array with no initial value", "reduce of an empty array"),
    (
        r"Class constructor .* cannot be invoked without .*|class constructors must be invoked with .*"
        r"|Cannot call a class constructor .*",
        "class called without new",
    ),
    (
        r"Cannot use 'in' operator to search for .*|right-hand side of 'in' should be an object.*"
        r"|.* is not an Object\. \(evaluating .*",
        "in operator of no object",
    ),
    (
        r"Right-hand side of .instanceof. is not .*|invalid 'instanceof' operand .*",
        "instanceof of no class",
    ),
    (
        r"Illegal invocation|.* called on an object that does not implement interface .*"
        r"|Can only call .* on instances of .*",
        "called on another object",
    ),
)
# A message without any of these was worded by nobody above, as most are: they are cheaper to look for.
_HINTS = tuple(
    (
        "JSON itera const read initiali circular cyclic ymbol bject rray argument precision count ime finite "
        "ate lass operator instance invocation implement"
    ).split()
)
# One pattern, so that a message no engine worded is gone through once.
_SAYING = re.compile("|".join(f"(?P<s{number}>{pattern})" for number, (pattern, _) in enumerate(_SAYINGS)))


def last_name(expression: str) -> str:
    """The property an expression ends in: minifiers rename what stands before it, never the property."""
    match = _LAST_NAME.search(expression)
    return match[1] if match else ""


def evaluated_name(value: str) -> str:
    """What Safari could not read, where its expression is more than names and the template hides it."""
    match = _SAFARI_READ.fullmatch(value)
    return last_name(match[2]) if match and not re.fullmatch(r"[A-Za-z_$.-]{1,64}", match[2]) else ""


def reworded(template: str, evaluated: str, is_minified: Callable[[], bool]) -> str:
    """The template in one engine's words, and without what each build renames."""
    if template.startswith("Cannot read prop"):  # the most frequent of all, which version 2 knows
        return template
    if evaluated and (match := re.match(r"null|undefined", template)):
        return f"{evaluated} of {match[0]}"
    if " is not a " in template and (match := _NOT_CALLABLE.fullmatch(template)):
        called = match[1]
        if is_minified():
            called = last_name(called) or (
                called if _NAME.fullmatch(called) and not is_mangled(called) else ""
            )
        return f"{called} is not a {match[2]}".strip()
    if any(hint in template for hint in _HINTS) and (match := _SAYING.fullmatch(template)):
        return _SAYINGS[int((match.lastgroup or "s0")[1:])][1]
    return template


def evaluated_from(frames: Sequence[FrameShape]) -> int:
    """The number of the first frame of code that was made of text: Safari lists none of it."""
    for number, frame in enumerate(frames):
        if " > " in frame.file or frame.file.startswith("eval at "):
            return number
        # Chromium names the file that evaluates; a bundler's `eval` of a module has a file of its own.
        function = frame.function
        if (
            number
            and "eval" in function
            and own_name(function) == "eval"
            and frame.file == frames[number - 1].file
        ):
            return number
    return len(frames)
