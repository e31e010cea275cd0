"""The JVM: Java, Kotlin, Scala and Groovy, with what compilers, proxies and reflection generate."""

from __future__ import annotations

import re

from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

# CGLIB, Spring, Hibernate, javassist, Byte Buddy, Mockito, Guice, Weld; `_$$_` before `$$`.
_GENERATED_CLASS = re.compile(
    r"(?:_?\$\$.*|\$(?:HibernateProxy|ByteBuddy|MockitoMock|Proxy)\b.*|__(?:Enhancer|FastClass).*"
    r"|_(?:ClientProxy|Subclass)$|\$\$EnhancerBy.*)$",
    re.DOTALL,
)
_NUMBERS = re.compile(r"\$\d+")
_BODIES = frozenset({"invokeSuspend", "invoke", "run", "call", "apply", "accept", "get", "doCall", "emit"})
_GROOVY = re.compile(r"_closure\d+$")
_LAMBDA = re.compile(r"(?:lambda|\$anonfun|CGLIB)\$(\w*?)\$[\w$-]*")
_ACCESSOR = re.compile(r"access\$|\$r8\$|-\$\$Nest|\$jacoco|\$deserializeLambda")
_REFLECTION = re.compile(
    r"(?:jdk\.internal\.reflect|sun\.reflect|java\.lang\.reflect|java\.lang\.invoke|jdk\.proxy\d*|com\.sun\.proxy"
    r"|kotlin\.coroutines|kotlinx\.coroutines|org\.codehaus\.groovy\.(?:runtime|reflection)"
    r"|org\.springframework\.(?:cglib|aop))\."
    r"|(?:.*\.)?\$Proxy\d*$|.*\$\$(?:FastClass|Lambda)"
)
# SDKs leave open whether these are in-app.
_LIBRARIES = re.compile(
    r"(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|akka|reactor"
    r"|rx|feign|okhttp3|okio|retrofit2|liquibase|javassist|junit|oracle"
    r"|org\.(?:springframework|apache|hibernate|eclipse|jboss|wildfly|postgresql|junit|testng|mockito|slf4j|jooq"
    r"|quartz|flywaydb|thymeleaf|codehaus|redisson|mongodb|elasticsearch|jetbrains|glassfish|aspectj|xnio)"
    r"|io\.(?:netty|undertow|reactivex|grpc|micrometer|micronaut|quarkus|vertx|lettuce|ktor|sentry|projectreactor)"
    r"|com\.(?:fasterxml|zaxxer|google|android|mysql|mongodb|rabbitmq|amazonaws|squareup|netflix|oracle|microsoft\.sqlserver)"
    r"|net\.(?:bytebuddy|sf\.cglib)|ch\.qos\.logback|software\.amazon|redis\.clients|dagger)\."
)


def place(frame: FrameShape) -> str:
    module, function = _GENERATED_CLASS.sub("", frame.module), frame.function
    if function in _BODIES:
        module, function = _outside(module, function)
    elif match := _LAMBDA.match(function):
        function = match[1]
    elif function.find("$") > 0:  # `load$default`, `load$suspendImpl`, `load$lambda$0`
        function = function.partition("$")[0]
    module = _NUMBERS.sub("", module) or frame.file.rpartition("/")[2]
    return f"{module} {function}".strip()


def _outside(module: str, body: str) -> tuple[str, str]:
    """The function a lambda or coroutine was written in, where Kotlin, Scala and Groovy make it a class."""
    parts = module.split("$")
    for position, part in enumerate(parts[1:], 1):
        name = _GROOVY.sub("", part.removeprefix("_"))
        follows = parts[position + 1 : position + 2]
        if name[:1].islower() and (name != part.removeprefix("_") or (follows and follows[0].isdecimal())):
            return "$".join(parts[:position]), name
    return module, body


def is_generated(frame: FrameShape) -> bool:
    return bool(_REFLECTION.match(frame.module) or _ACCESSOR.match(frame.function))


def is_library(frame: FrameShape) -> bool:
    return _LIBRARIES.match(frame.module) is not None


JAVA = Language(place=place, is_generated=is_generated, is_library=is_library)
