"""What an event says about the machine and the process it happened in."""

import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

STARTED_AT = time.time()

# By the package that serves the request, the more specific before those it is built on.
FRAMEWORKS = {
    "django": ("Django", "Django"),
    "fastapi": ("FastAPI", "fastapi"),
    "litestar": ("Litestar", "litestar"),
    "starlette": ("Starlette", "starlette"),
    "flask": ("Flask", "Flask"),
    "quart": ("Quart", "quart"),
    "sanic": ("Sanic", "sanic"),
    "aiohttp": ("aiohttp", "aiohttp"),
    "tornado": ("Tornado", "tornado"),
    "falcon": ("Falcon", "falcon"),
    "bottle": ("Bottle", "bottle"),
    "pyramid": ("Pyramid", "pyramid"),
    "celery": ("Celery", "celery"),
    "rq": ("RQ", "rq"),
    "huey": ("Huey", "huey"),
    "dramatiq": ("Dramatiq", "dramatiq"),
    "arq": ("arq", "arq"),
}


def describe(event: dict[str, Any]) -> None:
    """Add what is missing of runtime, operating system, framework and memory to an error event."""
    contexts = event.setdefault("contexts", {})
    contexts.setdefault("runtime", _runtime())
    contexts.setdefault("os", _operating_system())
    contexts.setdefault("device", {}).update({**_machine(), **_free_memory()})
    contexts.setdefault("app", {}).update(_process())
    found = framework(event)
    if found is not None:
        contexts.setdefault("framework", dict(found))


def framework(event: dict[str, Any]) -> dict[str, str] | None:
    """The framework that served the request, told by what the event itself went through.

    Not by what is imported: the Sentry SDK imports every framework it finds installed.
    """
    named = list(_names(event))
    for package, (name, distribution) in FRAMEWORKS.items():
        if package in named and package in sys.modules:
            return {"name": name, "version": _version(distribution)}
    return None


def _names(event: dict[str, Any]) -> Iterator[str]:
    origin = ((event.get("contexts") or {}).get("trace") or {}).get("origin") or ""
    yield from origin.split(".")
    for value in (event.get("exception") or {}).get("values") or ():
        yield str((value.get("mechanism") or {}).get("type"))
        for frame in (value.get("stacktrace") or {}).get("frames") or ():
            yield str(frame.get("module")).partition(".")[0]
    frame_ = sys._getframe()
    while frame_.f_back is not None:
        frame_ = frame_.f_back
        yield str(frame_.f_globals.get("__name__")).partition(".")[0]


@cache
def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


@cache
def _runtime() -> dict[str, str]:
    return {
        "name": platform.python_implementation(),
        "version": platform.python_version(),
        "build": sys.version,
    }


@cache
def _operating_system() -> dict[str, str]:
    described = {
        "name": platform.system(),
        "version": platform.release(),
        "kernel_version": platform.version(),
    }
    try:
        described["distribution"] = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return described
    return described


@cache
def _machine() -> dict[str, Any]:
    described: dict[str, Any] = {"arch": platform.machine(), "processor_count": os.cpu_count() or 1}
    try:
        described["memory_size"] = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return described
    return described


def _free_memory() -> dict[str, int]:
    try:
        for line in _beginning("/proc/meminfo").splitlines():
            if line.startswith(b"MemAvailable:"):
                return {"free_memory": int(line.split()[1]) * 1024}
    except (OSError, ValueError):
        return {}
    return {}


def _beginning(path: str) -> bytes:
    """Without a file object, which costs more than the reading: this is done for every event."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 512)
    finally:
        os.close(descriptor)


def _process() -> dict[str, Any]:
    described: dict[str, Any] = {"app_start_time": _started()}
    try:
        described["app_memory"] = resident_bytes()
    except ImportError:
        # Windows tells neither.
        return described
    return described


def resident_bytes() -> int:
    """The memory this process holds now; where that is not told, the most it has held."""
    try:
        pages = int(_beginning("/proc/self/statm").split()[1])
    except (OSError, ValueError, IndexError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


@cache
def _started() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(STARTED_AT))
