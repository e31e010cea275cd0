"""What version 3 knows of the JVM: frames that name no bug, and what an exception's message says of one."""

from __future__ import annotations

import re

# Of the platform itself: Java, its languages and Android.
_RUNTIME = re.compile(
    r"(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore"
    r"|com\.android|org\.codehaus\.groovy|org\.jetbrains\.annotations|org\.apache\.harmony)\."
)
_CHECKS = re.compile(
    r"(?:check|require|assert|ensure|verify|validate|expect|must|orElseThrow|orThrow|guard|precondition)(?:[A-Z_].*)?"
    r"|(?:not|is|non)(?:Null|Empty|Blank|True|False|Valid|Negative|Positive)|required|present|positive|valueOf"
)
_CHECKING_CLASS = re.compile(
    r"(?:.*[.$])?\w*(?:Checks?|Preconditions|Assert|Assertions|Validate|Validator|Guards?|Requires?|Ensure|Contract)"
)
# A function that makes or throws an exception for others.
_MAKES_ERROR = re.compile(
    r"(?:error|exception|fail|failure|abort|die|illegal|unexpected|throw|raise|wrap|rethrow|propagate|sneaky)(?:[A-Z_].*)?"
    r"|.*(?:Exception|Error)"
)
# Reached from everywhere: the caller tells which of its uses went wrong.
_GENERAL = frozenset(
    (
        "get set put at value item element read write load fetch select query execute exec call invoke run "
        "apply submit send request lookup find within await retry with copy cast convert to from of accept "
        "perform process handle"
    ).split()
)
# Worded by the platform, of values alone.
_VALUES = frozenset(
    (
        "ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException IndexOutOfBoundsException "
        "ArithmeticException NegativeArraySizeException ArrayStoreException StackOverflowError "
        "OutOfMemoryError NumberFormatException ConcurrentModificationException NoSuchElementException "
        "NoSuchFieldException NoSuchMethodException ClassNotFoundException"
    ).split()
)
_NULL = re.compile(r"Cannot (\w+)(?: field \"([\w$]+)\")?")
# Worded by some machines, and left out by others.
_PLATFORM_NULL = re.compile(r"Cannot |Attempt to |null\b|$")
# A constructor's lambdas and those of a class are all called so.
_SEVERAL_BODIES = (" new", " static")
_CAST = re.compile(r".* cannot be cast to (?:class )?([\w.$]+)")
_VARIABLE = re.compile(r"[:⟨'\"\d\[({@]")
MOST_WORDS = 3


def is_runtime(module: str) -> bool:
    return _RUNTIME.match(module) is not None


def is_check(place: str) -> bool:
    """Refuses what others gave it: the bug is where it was called."""
    module, _, function = place.rpartition(" ")
    return bool(
        _CHECKS.fullmatch(function) or _MAKES_ERROR.fullmatch(function) or _CHECKING_CLASS.fullmatch(module)
    )


def is_general(place: str) -> bool:
    return place.rpartition(" ")[2] in _GENERAL


def said(type_: str, template: str) -> str:
    """What the message tells of the code: its first words, without names and values."""
    if type_ == "NullPointerException" and (match := _NULL.match(template)):
        return f"{match[1]} {match[2] or ''}".strip()
    if type_ == "ClassCastException":
        return match[1] if (match := _CAST.match(template)) else ""
    if type_ in _VALUES:
        return ""
    words = _VARIABLE.split(template, maxsplit=1)[0].split()
    kept = [
        word.strip(".,;!") for word in words if word.islower() or (word is words[0] and word[1:].islower())
    ]
    return " ".join(kept[:MOST_WORDS])


def said_at(type_: str, template: str, place: str) -> str:
    """The same, without the platform's word for a null unless it tells bodies of one name apart."""
    is_null = type_ == "NullPointerException" and _PLATFORM_NULL.match(template)
    return "" if is_null and not place.endswith(_SEVERAL_BODIES) else said(type_, template)
