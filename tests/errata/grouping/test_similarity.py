from hypothesis import given
from hypothesis import strategies as st

from errata.grouping import VariantShape
from errata.grouping.shape import ExceptionShape, FrameShape
from errata.grouping.similarity import Rarity, Trace, Weighed, shared_frames, similarity, trace_of

places = st.lists(st.sampled_from([f"m f{n}" for n in range(12)]), min_size=1, max_size=10).map(tuple)


def weighed(*stacks: tuple[str, ...]) -> list[Weighed]:
    rarity = Rarity.of(Trace("E", stack) for stack in stacks)
    return [Weighed(stack, rarity) for stack in stacks]


@given(places, places)
def test_it_is_between_nothing_and_all_and_the_same_both_ways(
    left: tuple[str, ...], right: tuple[str, ...]
) -> None:
    one, other = weighed(left, right)
    assert 0 <= similarity(one, other) <= 1 + 1e-9
    assert abs(similarity(one, other) - similarity(other, one)) < 1e-9
    assert abs(similarity(one, one) - 1) < 1e-9
    assert (similarity(one, other) == 0) == (not set(left) & set(right))
    total = sum(frame.score for frame in shared_frames(one, other, most=20))
    assert abs(total - similarity(one, other)) < 0.01


def test_a_rare_frame_near_the_error_says_more_than_a_common_one_far_from_it() -> None:
    common = [(f"app{n} f", "web serve", "web main") for n in range(20)]
    stacks = weighed(("shop price", "web serve", "web main"), ("shop price", "job run"), *common)
    rare, outer = similarity(stacks[0], stacks[1]), similarity(stacks[0], stacks[2])
    assert rare > 2 * outer
    assert shared_frames(stacks[0], stacks[1])[0].place == "shop price"


def test_a_function_that_moved_to_another_module_is_nearly_the_same() -> None:
    common = [(f"app{n} get", "web serve") for n in range(9)]
    stacks = weighed(
        ("shop price", "web serve"), ("sales price", "web serve"), ("shop total", "web serve"), *common
    )

    assert 1 > similarity(stacks[0], stacks[1]) > similarity(stacks[0], stacks[2])
    assert shared_frames(stacks[0], stacks[1])[0].place == "sales price"


def test_a_name_that_every_module_has_says_little() -> None:
    def alike(name: str) -> float:
        others = [(f"app{n} get", "web serve") for n in range(9)]
        return similarity(*weighed((f"a {name}", "b run"), (f"c {name}", "d walk"), *others)[:2])

    assert alike("price") > alike("get") > 0


def test_the_same_frames_in_another_order_are_less_alike() -> None:
    one, other, shuffled = weighed(("a", "b", "c", "d"), ("a", "b", "c", "d"), ("d", "c", "b", "a"))
    assert similarity(one, other) > 0.999 > similarity(one, shuffled)


def test_a_trace_has_the_raised_exception_first_then_its_causes() -> None:
    def frame(function: str) -> FrameShape:
        return FrameShape(module="shop.cart", function=function, in_app=True)

    shape = VariantShape(
        platform="python",
        exceptions=(
            ExceptionShape(type="KeyError", frames=(frame("load"), frame("read"))),
            ExceptionShape(type="CartError", frames=(frame("view"), frame("total"))),
        ),
        template="no cart ⟨number⟩",
    )
    trace = trace_of(shape)
    assert trace is not None and trace.type == "CartError < KeyError"
    assert trace.places == ("shop.cart total", "shop.cart view", "shop.cart read", "shop.cart load")
    assert trace_of(VariantShape(template="a message")) is None
    assert trace_of(VariantShape(exceptions=(ExceptionShape(type="E"),), is_overflow=True)) is None
