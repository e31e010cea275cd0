"""What deliveries of one organization may hold in memory together."""

from api.ingest.bodies import Bodies
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line


def test_what_is_held_is_given_back() -> None:
    bodies = Bodies(100)
    with bodies.hold(1) as first, bodies.hold(1) as second, bodies.hold(2) as of_others:
        assert first.take(60) and second.take(40) and of_others.take(100)
        assert not second.take(1)
        assert not first.take(1)
        second.give_back()
        assert first.take(40)
    with bodies.hold(1) as alone:
        assert alone.take(60) and alone.take(600)
    assert not bodies.held


def test_a_delivery_beside_too_many_is_refused_and_taken_later(node: IngestNode) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    bodies = node.client.app.state.ingest.bodies = Bodies(1000)  # type: ignore[attr-defined]
    with bodies.hold(owner.organization_id) as other:
        assert other.take(990)
        status, answer = node.deliver(a_line())
        assert (status, answer["error"]) == (429, "too_many_at_once")
        assert bodies.held == {owner.organization_id: 990}
    assert node.deliver(a_line() * 10)[0] == 200
