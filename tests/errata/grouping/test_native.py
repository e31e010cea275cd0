import copy
from time import process_time
from typing import Any

from errata.grouping import fingerprint_of, variant_of
from errata.grouping.frame import MAX_NAME
from tests.cases import each
from tests.errata.grouping.labelled import Event, events_of
from tests.errata.grouping.pairwise import pairwise

Frame = dict[str, Any]

# What stands between a bug and the handler elsewhere, in place of what Linux has.
ELSEWHERE = {
    "macOS": (["objc_exception_throw", "abort", "pthread_kill", "__pthread_kill"], "EXC_CRASH"),
    "Windows": (["_CxxThrowException", "RaiseException", "_purecall"], "EXCEPTION_ACCESS_VIOLATION_READ"),
    "a driver": (
        ["glDrawElements", "DrvPresentBuffers", "vk_icdNegotiateLoaderICDInterfaceVersion"],
        "SIGSEGV",
    ),
}


def issue(event: Event) -> int:
    return fingerprint_of(variant_of({**event, "extra": {}}).shape, 3).fingerprint_hash


def test_crashes_find_their_bugs_however_these_were_reached_and_built() -> None:
    events = events_of("native_crashes.jsonl.gz")
    score = pairwise((event["extra"]["case"], issue(event)) for event in events)

    assert score.bugs == 15
    assert score.precision == 1.0
    assert score.recall >= 0.94


@each("system", ELSEWHERE)
def test_frames_of_systems_and_drivers_neither_split_nor_merge_issues(system: str) -> None:
    events = events_of("native_crashes.jsonl.gz")
    moved = [elsewhere(event, *ELSEWHERE[system]) for event in events]

    assert [issue(event) for event in moved] == [issue(event) for event in events]


def elsewhere(event: Event, functions: list[str], type_: str) -> Event:
    """The same crash with another system's frames around those of the program."""
    moved = copy.deepcopy(event)
    raised = moved["exception"]["values"][0]
    frames = raised["stacktrace"]["frames"]
    own = [frame for frame in frames if frame.get("filename") == "crashes.cpp"]
    raised["type"] = type_
    raised["stacktrace"]["frames"] = [
        {"function": "start"},
        *own,
        *({"function": name} for name in functions),
    ]
    return moved


def crash(*frames: Frame, value: str = "Segmentation fault", type_: str = "SIGSEGV") -> Event:
    raised = {"type": type_, "value": value, "stacktrace": {"frames": list(frames)}}
    return {"platform": "native", "exception": {"values": [raised]}}


def own(function: str) -> Frame:
    return {"function": function, "filename": "/src/cart.cpp", "package": "/opt/shop"}


def test_two_assertions_of_a_function_are_two_issues() -> None:
    frames = own("shop::main"), own("shop::check"), own("shop::AssertFailed"), {"function": "abort"}
    said = [crash(*frames, value=f"Assertion failed: {what}", type_="SIGABRT") for what in ("lines", "owner")]

    assert issue(said[0]) != issue(said[1])
    assert issue(said[0]) != issue(
        crash(*frames[:1], own("shop::load"), *frames[2:], value="Assertion failed: lines")
    )


def test_crashes_within_a_driver_alone_are_one_issue() -> None:
    within = [
        crash({"function": "start_thread"}, {"function": name})
        for name in ("DrvSwapBuffers", "vk_icdGetPhysical")
    ]

    assert issue(within[0]) == issue(within[1])


def test_without_files_and_flags_all_that_is_no_systems_counts() -> None:
    frames = [{"function": name} for name in ("_start", "main", "shop::load", "shop::read", "memcpy")]
    variant = variant_of(crash(*frames))

    assert variant.title == "shop::read: Segmentation fault"
    used = [one["used_as"] for one in fingerprint_of(variant.shape, 3).explanation["frames"]]
    assert used == ["", "", "shop::load", "shop::read", ""]


@each("unit", ["_", "cxa_", "abort_", "abort_avx", "chk_", "nv_", "asan_", "fatal", "d3d"])
def test_a_hostile_name_costs_no_more_than_its_length(unit: str) -> None:
    name = (unit * MAX_NAME)[: MAX_NAME - 1] + ":"
    frames = [{"function": name[number:], "package": name[number:]} for number in range(100)]
    start = process_time()
    issue(crash(*frames))

    assert process_time() - start < 0.1
