"""Which shard a project is on."""

from datetime import timedelta

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.errors import ProjectNotFound
from errata.state.shards import FIRST, LONGEST_HOLD
from tests.errata.state.conftest import Clock


def test_a_new_project_is_put_where_the_fewest_are(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    (first,) = store.shards.places()
    assert store.shards.of(first.id) == FIRST
    assert store.shards.add([1, 2]) == [1, 2]
    assert store.shards.add([2, 3]) == [3]
    made = [store.projects.create(organization_id, name, actor="") for name in ("A", "B", "C")]
    assert [store.shards.of(one.project.id) for one in made[:2]] == [2, 3]
    assert store.shards.of(7) == FIRST


def test_a_process_knows_where_a_project_is_as_soon_as_it_is_made(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    store.shards.add([1, 2])
    store.shards.of(7)
    made = store.projects.create(organization_id, "New", actor="").project
    assert store.shards.of(made.id) == 2


def test_a_project_that_moved_leaves_rows_until_somebody_confirms(
    store: Store, account: FirstAccount
) -> None:
    shards = store.shards
    slug = shards.places()[0].slug
    place = shards.find(slug)
    shards.hold(place.id)
    assert shards.is_held(place.id)
    shards.move(place.id, 2)
    assert not shards.is_held(place.id) and shards.of(place.id) == 2
    assert (shards.find(slug).shard, shards.find(slug).left_shard) == (2, FIRST)
    shards.forget_left(place.id)
    assert shards.find(f"{place.id}").left_shard is None
    with pytest.raises(ProjectNotFound):
        shards.find("nowhere")


def test_a_project_is_not_held_for_ever(store: Store, account: FirstAccount, clock: Clock) -> None:
    shards = store.shards
    place = shards.places()[0]
    shards.hold(place.id)
    assert shards.is_held(place.id)
    clock.advance(LONGEST_HOLD - timedelta(seconds=1))
    assert shards.is_held(place.id)
    clock.advance(timedelta(seconds=2))
    assert not shards.is_held(place.id)
