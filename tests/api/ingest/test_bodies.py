"""What deliveries of one organization may hold in memory together."""

from api.ingest.bodies import Bodies
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line


def test_what_is_held_is_given_back() -> None:
    bodies = Bodies(100)
    with bodies.of(1) as first, bodies.of(1) as second, bodies.of(2) as of_others:
        assert first(60) and second(40) and of_others(100)
        assert not second(1)
        assert not first(1)
    with bodies.of(1) as alone:
        assert alone(60) and alone(600)


def test_a_delivery_beside_too_many_is_refused_and_taken_later(node: IngestNode) -> None:
    owner = node.store.api_key_owner(node.account.api_key)
    assert owner is not None
    bodies = node.client.app.state.ingest.bodies = Bodies(1000)  # type: ignore[attr-defined]
    with bodies.of(owner.organization_id) as hold:
        assert hold(990)
        status, answer = node.deliver(a_line())
        assert (status, answer["error"]) == (429, "too_many_at_once")
    assert node.deliver(a_line() * 10)[0] == 200
