"""What version 3 knows of the JVM: frames that name no bug, and what an exception's message says of one."""

from __future__ import annotations

import re

# Of the platform itself: Java, its languages and Android.
_RUNTIME = re.compile(
    r"(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore"
    r"|com\.android|org\.codehaus\.groovy|org\.jetbrains\.annotations|org\.apache\.harmony)\."
)
# Libraries that versions before 4 take for the application.
_LIBRARIES = re.compile(
    r"(?:org\.(?:antlr|assertj|bouncycastle|bson|dom4j|easymock|ehcache|gradle|graalvm|h2|hamcrest|hsqldb|infinispan"
    r"|jdom2?|joda|jruby|json|jsoup|keycloak|lwjgl|mapstruct|mariadb|modelmapper|msgpack|neo4j|objectweb|omg"
    r"|openqa|opensearch|osgi|powermock|reflections|robolectric|rocksdb|scalatest|spockframework|sqlite|threeten"
    r"|w3c|xml|yaml)"
    r"|com\.(?:alibaba\.(?:druid|dubbo|fastjson2?)|auth0|bumptech\.glide|clickhouse|codahale|datastax"
    r"|esotericsoftware|facebook\.(?:jni|react|soloader)|github\.(?:benmanes|dockerjava|jknack)|hazelcast"
    r"|ibm\.(?:db2|icu)|itextpdf|jayway|jcraft|lmax|mchange|nimbusds|opencsv|sendgrid|stripe|thoughtworks"
    r"|twilio|typesafe|unboundid|vaadin)"
    r"|io\.(?:cucumber|dropwizard|fabric8|jsonwebtoken|kubernetes|minio|nats|opentelemetry|opentracing"
    r"|prometheus|realm|restassured|rsocket|socket|swagger)"
    r"|net\.(?:jodah|logstash|minidev|sf\.(?:ehcache|jasperreports|json)|sourceforge)"
    r"|dev\.failsafe|freemarker|gnu\.trove|it\.unimi|javafx|jline|ognl)\."
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
# Hosts, files, columns and what else is no word.
_NAMES = re.compile(r"(?<!\S)(?=[^\s:⟨'\"\d\[({@]*[./_=$#-][^\s.:])[^\s:⟨'\"\d\[({@]+")
MOST_WORDS = 3


def is_runtime(module: str) -> bool:
    return _RUNTIME.match(module) is not None


def is_known_library(module: str) -> bool:
    return _LIBRARIES.match(module) is not None


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
    """The same without names, and without the platform's word for a null unless bodies have one name."""
    if type_ == "NullPointerException" and _PLATFORM_NULL.match(template):
        return said(type_, template) if place.endswith(_SEVERAL_BODIES) else ""
    if type_ == "ClassCastException":
        return said(type_, template)
    return said(type_, _NAMES.sub(" ", template))
