from typing import Any

from dashboards.event.contexts import surroundings
from tests.cases import each


def facts(**payload: Any) -> dict[str, str]:
    return dict(surroundings(payload).facts)


def test_the_sdk_s_contexts_are_told_with_their_versions_and_units() -> None:
    contexts = {
        "runtime": {"name": "CPython", "version": "3.12.1"},
        "framework": {"name": "Flask", "version": "3.1"},
        "os": {"name": "Debian", "version": "12", "kernel_version": "6.18"},
        "device": {"memory_size": 25_300_000_000, "free_memory": 1_500_000_000, "processor_count": 2},
        "app": {"app_memory": 158_000_000},
    }
    assert facts(contexts=contexts, server_name="web-1") == {
        "Runtime": "CPython 3.12.1",
        "Framework": "Flask 3.1",
        "Operating system": "Debian 12 (kernel 6.18)",
        "Server": "web-1",
        "Memory": "158 MB process · 25.3 GB total · 1.5 GB free",
        "Device": "2 cores",
    }


def test_a_framework_that_is_only_installed_is_not_told() -> None:
    sdk = {"name": "sentry.python.django", "integrations": ["django", "flask"]}
    assert "Framework" not in facts(sdk=sdk, modules={"django": "6.1"})


def test_a_framework_that_the_event_went_through_is_told() -> None:
    frames = [{"module": "flask.app"}, {"module": "shop.orders"}]
    exception = {"values": [{"stacktrace": {"frames": frames}}]}
    assert facts(exception=exception, modules={"flask": "3.1"})["Framework"] == "Flask 3.1"
    mechanism = {"type": "auto.http.express"}
    assert facts(exception={"values": [{"mechanism": mechanism}]})["Framework"] == "Express"


def test_a_browser_is_told_by_its_user_agent_but_a_server_is_not() -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"
    request = {"headers": {"User-Agent": agent}}
    found = facts(platform="javascript", request=request)
    assert (found["Browser"], found["Operating system"]) == ("Chrome 156", "Linux")
    assert facts(platform="python", request=request) == {"Client": "Chrome 156 on Linux"}


@each("wrong", [None, 3, "x", [], [1], {"runtime": 3, "device": [], "os": {"name": {}}}])
def test_contexts_of_any_shape_are_read(wrong: object) -> None:
    assert facts(contexts=wrong, modules=wrong, sdk=wrong, exception=wrong, request=wrong) is not None
