"""Contexts of an event: runtime, framework, machine and client, out of its contexts, modules and SDK."""

from collections.abc import Iterator
from dataclasses import dataclass

from dashboards.event.shapes import first_text, integer, mapping, pairs, sequence, text, values
from dashboards.event.trees import Node, tree
from errata.reports import formats
from errata.user_agent import UserAgent, user_agent

# Distribution name → name people use; the first one present is the framework.
FRAMEWORKS = {
    "django": "Django",
    "fastapi": "FastAPI",
    "flask": "Flask",
    "starlette": "Starlette",
    "aiohttp": "aiohttp",
    "tornado": "Tornado",
    "sanic": "Sanic",
    "litestar": "Litestar",
    "quart": "Quart",
    "falcon": "Falcon",
    "celery": "Celery",
    "@nestjs/core": "NestJS",
    "next": "Next.js",
    "express": "Express",
    "koa": "Koa",
    "fastify": "Fastify",
    "@hapi/hapi": "hapi",
}
# SDKs made for one framework are named after it; those of Python name every one they find installed.
SDK_FRAMEWORKS = {
    "react": "React",
    "react-native": "React Native",
    "nextjs": "Next.js",
    "vue": "Vue",
    "nuxt": "Nuxt",
    "angular": "Angular",
    "svelte": "Svelte",
    "sveltekit": "SvelteKit",
    "remix": "Remix",
    "astro": "Astro",
    "solid": "Solid",
    "gatsby": "Gatsby",
    "nestjs": "NestJS",
    "electron": "Electron",
    "laravel": "Laravel",
    "symfony": "Symfony",
    "rails": "Rails",
    "spring-boot": "Spring Boot",
    "aspnetcore": "ASP.NET Core",
    "flutter": "Flutter",
    "gin": "Gin",
    "echo": "Echo",
    "fiber": "Fiber",
}
# The rows that every event has; where nothing was sent, the page says so.
ALWAYS = ("Runtime", "Framework", "Operating system", "Server", "Memory")
LONGEST_AGENT = 1000
MEMORY_NAMES = {
    "process_rss_bytes": "process",
    "rss_bytes": "process",
    "app_memory": "process",
    "free_memory": "free",
    "available_bytes": "free",
    "memory_size": "total",
    "total_bytes": "total",
    "usable_memory": "usable",
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    facts: tuple[tuple[str, str], ...]
    not_sent: tuple[str, ...]
    contexts: tuple[Node, ...]
    modules: tuple[tuple[str, str], ...]


def surroundings(payload: dict[str, object]) -> Surroundings:
    contexts = mapping(payload.get("contexts"))
    modules = sorted((name, text(version)) for name, version in pairs(payload.get("modules")))
    browser = browser_of(payload)
    client = UserAgent() if browser.browser else user_agent_of(payload)
    found = {
        "Runtime": _versioned(contexts, "runtime") or browser_words(payload, is_runtime=True),
        "Framework": _versioned(contexts, "framework") or _framework(payload, dict(modules)),
        "Operating system": _versioned(contexts, "os", "client_os") or browser.os,
        "Server": text(payload.get("server_name")),
        "Memory": " · ".join(_memory(contexts)),
        "Browser": _versioned(contexts, "browser") or f"{browser.browser} {browser.browser_version}".strip(),
        "Client": _named(client) if client.browser or client.os else "",
        "Device": _device(mapping(contexts.get("device"))),
        "Locale": _locale(mapping(contexts.get("culture"))),
        "SDK": _sdk(mapping(payload.get("sdk"))),
    }
    return Surroundings(
        facts=tuple((name, value) for name, value in found.items() if value),
        not_sent=tuple(name for name in ALWAYS if not found[name]),
        contexts=tuple(
            tree(value, text(name)) for name, value in contexts.items() if value not in (None, {})
        ),
        modules=tuple(modules),
    )


def browser_of(payload: dict[str, object]) -> UserAgent:
    """The browser the code ran in; empty on a server, where the user agent is the client's."""
    is_page = text(payload.get("platform")) == "javascript" and not payload.get("server_name")
    return user_agent_of(payload) if is_page else UserAgent()


def user_agent_of(payload: dict[str, object]) -> UserAgent:
    for name, value in pairs(mapping(payload.get("request")).get("headers")):
        if name.lower() == "user-agent":
            return user_agent(text(value)[:LONGEST_AGENT])
    return UserAgent()


def browser_words(payload: dict[str, object], is_runtime: bool = False) -> str:
    """Name and version: of the browser's own context, else of the user agent."""
    context_words = _versioned(mapping(payload.get("contexts")), "browser")
    agent = browser_of(payload) if is_runtime else user_agent_of(payload)
    return context_words or f"{agent.browser} {agent.browser_version}".strip()


def _named(agent: UserAgent) -> str:
    browser = f"{agent.browser} {agent.browser_version}".strip()
    return " on ".join(filter(None, (browser, agent.os)))


def _versioned(contexts: dict[str, object], *names: str) -> str:
    for name in names:
        raw = mapping(contexts.get(name))
        words = (first_text(raw.get("name")), first_text(raw.get("version")))
        shown = " ".join(" ".join(words).split())
        kernel = first_text(raw.get("kernel_version"))
        if shown or kernel:
            return f"{shown} (kernel {kernel})".strip() if kernel and kernel not in shown else shown
    return ""


def _framework(payload: dict[str, object], modules: dict[str, str]) -> str:
    """The framework in the stack: SDKs name every framework they find installed."""
    went_through = set(_evidence(payload))
    for distribution, name in FRAMEWORKS.items():
        if distribution in went_through:
            return f"{name} {modules.get(distribution, '')}".rstrip()
    sdk = text(mapping(payload.get("sdk")).get("name"))
    return "" if sdk.startswith("sentry.python") else SDK_FRAMEWORKS.get(sdk.rpartition(".")[2], "")


def _evidence(payload: dict[str, object]) -> Iterator[str]:
    for value in values(payload.get("exception")):
        exception = mapping(value)
        yield text(mapping(exception.get("mechanism")).get("type")).rpartition(".")[2].lower()
        for frame in sequence(mapping(exception.get("stacktrace")).get("frames")):
            yield text(mapping(frame).get("module")).partition(".")[0].lower()


def _memory(contexts: dict[str, object]) -> Iterator[str]:
    seen = set[str]()
    for context in ("memory", "memory_info", "app", "device"):
        for key, value in mapping(contexts.get(context)).items():
            label, number = MEMORY_NAMES.get(text(key), ""), integer(value)
            if label and label not in seen and number is not None:
                seen.add(label)
                yield f"{formats.size(number)} {label}"


def _device(raw: dict[str, object]) -> str:
    name = " ".join(filter(None, map(first_text, (raw.get("brand"), raw.get("model") or raw.get("family")))))
    cores = integer(raw.get("processor_count"))
    parts = (
        name,
        first_text(raw.get("cpu_description")),
        first_text(raw.get("arch")),
        formats.plural(cores, "core") if cores else "",
    )
    return " · ".join(filter(None, parts))


def _locale(raw: dict[str, object]) -> str:
    return " · ".join(filter(None, (first_text(raw.get("locale")), first_text(raw.get("timezone")))))


def _sdk(raw: dict[str, object]) -> str:
    return " ".join(filter(None, (first_text(raw.get("name")), first_text(raw.get("version")))))
