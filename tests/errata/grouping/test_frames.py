from typing import Any

from errata.grouping import fingerprint_of, variant_of
from tests.cases import each
from tests.errata.grouping.events import Event, chain, exception, frame, issue, raised, rule, vendor


def test_the_same_key_missing_in_three_modules_is_three_issues() -> None:
    events = [raised(frame("total", module)) for module in ("shop.cart", "shop.orders", "shop.invoices")]

    assert len({issue(event) for event in events}) == 3


def test_a_shared_function_raising_for_three_callers_is_three_issues() -> None:
    check = frame("validate", "shop.checks", context_line="    raise ValueError(field)")
    events = [raised(frame(caller), check) for caller in ("create", "update", "cancel")]

    assert len({issue(event) for event in events}) == 3


def test_vendor_frames_do_not_matter_beside_in_app_ones() -> None:
    old = raised(vendor("dispatch"), frame("load"), vendor("get", "httpx"))
    new = raised(vendor("full_dispatch"), vendor("dispatch"), frame("load"), vendor("request", "httpx2"))

    assert issue(old) == issue(new)
    assert rule(old) == "in-app frames"


def test_without_in_app_frames_all_of_them_count() -> None:
    assert rule(raised(vendor("run"))) == "all frames"
    assert issue(raised(vendor("run"))) != issue(raised(vendor("stop")))


def test_another_line_number_host_and_install_path_is_the_same_variant() -> None:
    left = frame("load", lineno=10, abs_path="/srv/shop/shop/orders.py")
    right = frame("load", lineno=99, abs_path="/opt/app/python3.13/shop/orders.py")

    assert variant_of(raised(left)).variant_hash == variant_of(raised(right, server_name="b")).variant_hash


@each(
    ("left", "right"),
    [
        ("/srv/shop/orders/load.py", "/opt/releases/20261121093000/orders/load.py"),
        ("/usr/lib/python3.11/site-packages/flask/app.py", "/venv/lib/python3.13/site-packages/flask/app.py"),
        ("/a/node_modules/router/lib/layer.js", "/b/c/node_modules/router/lib/layer.js"),
        ("C:\\build\\src\\orders\\load.py", "/home/ci/src/orders/load.py"),
        ("webpack:///./src/orders/load.ts?a1b2", "webpack-internal:///./src/orders/load.ts"),
        (
            "https://a.example/assets/1.0.0/load-ADMYCDFX.js?v=1",
            "https://b.example/assets/1.1.0/load-NQ7QGWWB.js",
        ),
        (
            "https://a.example/static/load.3f9a0c1b77.chunk.js",
            "https://a.example/static/load.0c1b773f9a.chunk.js",
        ),
        ("https://a.example/load-BQXgL9mK.js", "https://a.example/load-D4xFz_xa.js"),
    ],
    ids=[
        "release folder",
        "site-packages",
        "node_modules",
        "src",
        "webpack",
        "esbuild",
        "webpack hash",
        "vite",
    ],
)
def test_a_file_is_told_by_its_stable_part(left: str, right: str) -> None:
    def event(file: str) -> Event:
        return raised(frame("loadOrders", None, filename=file), platform="javascript")

    assert issue(event(left)) == issue(event(right))


@each("name", ["checkout-settings", "home-Overview", "user_profile", "HomePage"])
def test_a_word_in_a_file_name_is_not_taken_for_a_hash(name: str) -> None:
    event = raised(frame("load", None, filename=f"https://a.example/{name}.js"), platform="javascript")

    assert name in variant_of(event).shape.exceptions[0].frames[0].file


def test_recursion_is_one_issue_and_few_variants_whatever_its_depth() -> None:
    def at(depth: int) -> Event:
        return raised(frame("run"), *[frame("walk")] * depth, frame("price"))

    assert len({issue(at(depth)) for depth in range(1, 40)}) == 1
    assert len({variant_of(at(depth)).variant_hash for depth in range(1, 40)}) == 2


def test_recursion_through_several_functions_in_any_order_is_one_issue() -> None:
    a, b = frame("walk_dict"), frame("walk_list")
    leaf = frame("leaf")

    assert len({issue(raised(a, *middle, leaf)) for middle in ([b], [b, a], [b, b, a], [b, a, b, a, a])}) == 1


def test_the_function_a_recursion_ends_in_counts() -> None:
    a, b = frame("parse"), frame("convert")

    assert issue(raised(a, b, a)) != issue(raised(a, b))


@each("start", [0, 1, 2])
@each("end", [0, 1, 2])
def test_an_endless_recursion_is_one_issue_wherever_the_stack_ran_out(start: int, end: int) -> None:
    cycle = [frame(name) for name in ("tax", "rate", "region")]

    def event(frames: list[Event]) -> Event:
        return raised(*frames, type_="RecursionError", value="maximum recursion depth exceeded")

    whole = event(cycle * 30)
    assert issue(event([*cycle[start:], *cycle * 20, *cycle[:end]])) == issue(whole)
    assert issue(event([frame("main"), *cycle * 20, frame("log")])) == issue(whole)


def test_an_endless_recursion_inside_a_library_is_told_by_its_caller() -> None:
    def event(caller: str) -> Event:
        return raised(frame(caller), *[vendor("deepcopy", "copy")] * 50, type_="RecursionError")

    assert issue(event("clone")) != issue(event("save"))


def test_a_comprehension_is_the_same_with_and_without_a_frame_of_its_own() -> None:
    line = "    return [row['price'] for row in rows]"
    older = raised(frame("total", context_line=line), frame("<listcomp>", context_line=line))
    newer = raised(frame("total", context_line=line))

    assert issue(older) == issue(newer)


def test_a_script_is_the_same_when_run_and_when_imported() -> None:
    ran = raised(frame("run_job", "__main__", filename="jobs/nightly.py"))
    imported = raised(frame("run_job", "jobs.nightly", filename="jobs/nightly.py"))

    assert issue(ran) == issue(imported)


@each(
    ("platform", "left", "right"),
    [
        ("node", "Object.load", "load"),
        ("node", "async Cart.load", "Cart.load"),
        ("node", "Object.xl [as load]", "load"),
        ("javascript", "HTMLButtonElement.<anonymous>", "?"),
        ("java", "lambda$load$0", "lambda$load$12"),
        ("java", "run$1", "run$2"),
        ("go", "Serve.func1.2", "Serve.func3"),
        ("csharp", "<Load>b__0_0", "<Load>b__4_1"),
        ("ruby", "block (2 levels) in load", "block in load"),
        ("rust", "shop::load::h0123456789abcdef", "shop::load::hfedcba9876543210"),
        ("php", "class@anonymous\0/srv/a.php:12$0", "class@anonymous\0/opt/b.php:80$3"),
    ],
)
def test_generated_parts_of_a_function_name_do_not_matter(platform: str, left: str, right: str) -> None:
    def event(function: str) -> Event:
        return raised(frame("outer_function"), frame(function), platform=platform)

    assert issue(event(left)) == issue(event(right))


def test_a_number_in_a_written_name_matters() -> None:
    assert issue(raised(frame("step_1"))) != issue(raised(frame("step_2")))


def test_two_bugs_in_one_function_are_told_apart_by_their_source_line() -> None:
    left = raised(frame("price", context_line="    return row['discount']"), value="'discount'")
    right = raised(frame("price", context_line="    return row['tax']"), value="'tax'")

    assert issue(left) != issue(right)


def test_one_bug_with_many_messages_is_one_issue() -> None:
    line = "        raise LookupError(f'no customer named {name}')"
    names = ("Ada", "Grace", "Barbara Liskov", "o'Neill", "null")
    events = [
        raised(frame("find", context_line=line), type_="LookupError", value=f"no customer named {name}")
        for name in names
    ]

    assert len({issue(event) for event in events}) == 1


def test_without_source_the_engines_own_words_tell_two_bugs_apart() -> None:
    def event(attribute: str) -> Event:
        value = f"'NoneType' object has no attribute '{attribute}'"
        return raised(frame("price"), type_="AttributeError", value=value)

    assert issue(event("name")) != issue(event("price"))
    assert issue(raised(frame("find"), type_="LookupError", value="no Ada")) == issue(
        raised(frame("find"), type_="LookupError", value="no Grace")
    )


def test_a_cause_counts_and_a_retry_does_not() -> None:
    outer = exception("Failed", "no answer", frame("call"))
    refused = exception("ConnectionRefused", "refused", frame("call"), vendor("connect"))
    timeout = exception("Timeout", "timed out", frame("call"), vendor("connect"))

    assert issue(chain(refused, outer)) != issue(chain(timeout, outer))
    assert issue(chain(refused, outer)) == issue(chain(refused, refused, refused, outer))


def test_what_a_library_raised_and_caught_by_itself_does_not_matter() -> None:
    outer = exception("ConnectError", "refused", frame("call"), vendor("request", "httpx"))
    old = exception("OSError", "refused", vendor("connect", "socket"))
    new = exception("ConnectError", "refused", vendor("connect", "httpcore"))

    assert issue(chain(outer)) == issue(chain(old, outer)) == issue(chain(old, new, outer))


def test_an_exception_group_is_the_same_in_any_order_and_number() -> None:
    group = exception("ExceptionGroup", "2 failed", frame("gather"), mechanism={"is_exception_group": True})
    left = exception("KeyError", "'a'", frame("left"))
    right = exception("ValueError", "b", frame("right"))

    assert issue(chain(left, right, group)) == issue(chain(right, left, left, group))
    assert issue(chain(left, right, group)) != issue(chain(left, group))


def test_the_thread_that_crashed_lends_its_stack_to_an_exception_without_one() -> None:
    threads = {"values": [{"id": 1}, {"id": 2, "crashed": True, "stacktrace": {"frames": [frame("native")]}}]}
    event = {"exception": {"values": [{"type": "SIGSEGV", "value": "crash"}]}, "threads": threads}

    assert rule(event) == "in-app frames"
    assert variant_of(event).culprit == "shop.orders in native"


def test_mechanism_and_level_do_not_matter_to_an_exception() -> None:
    event = raised(frame("load"))
    handled = raised(frame("load"), level="warning", logger="shop")
    handled["exception"]["values"][0]["mechanism"] = {"type": "logging", "handled": True}

    assert variant_of(event).variant_hash == variant_of(handled).variant_hash


@each("in_app", [True, False], ids=["in-app", "vendor"])
def test_a_frame_without_a_flag_is_judged_by_its_path(in_app: bool) -> None:
    path = "/srv/shop/orders.py" if in_app else "/srv/venv/lib/python3.12/site-packages/flask/app.py"
    sent: dict[str, Any] = frame("load", abs_path=path)
    del sent["in_app"]

    assert variant_of(raised(sent)).shape.exceptions[0].frames[0].in_app is in_app


def test_frames_that_say_nothing_fall_back_to_the_message() -> None:
    nothing = {"function": "Array.map", "filename": "<anonymous>", "in_app": True}
    event = raised(nothing, value="left", platform="javascript")

    assert rule(event) == "exception type and message template"
    assert issue(event) != issue(raised(nothing, value="right", platform="javascript"))


def test_the_explanation_names_every_frame_and_why_it_was_left_out() -> None:
    found = fingerprint_of(variant_of(raised(vendor("run"), frame("load", context_line=" x = 1 "))).shape)

    assert [item["used_as"] for item in found.explanation["frames"]] == ["", "shop.orders load"]
    assert found.explanation["frames"][0]["left_out"] == "not in-app"
    assert found.explanation["source_lines"] == ["x = 1"]
    assert found.fingerprint[:2] == ("app", "KeyError")
