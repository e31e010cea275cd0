"""A caller who does not see every project has the project of a path looked up once."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from errata.state.capability import Capability
from tests.api.conftest import Api


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements sent meanwhile."""
    seen = list[str]()

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(" ".join(statement.lower().split()))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize("path", ["/api/projects/web-shop", "/api/projects/web-shop/grouping"])
def test_the_project_of_a_path_is_looked_up_once(api: Api, path: str) -> None:
    owner = api.store.keys.api.owner(api.account.api_key)
    assert owner is not None
    created = api.store.project_tokens.create(
        owner.organization_id, "web-shop", [Capability.READ], "CI", 30, actor="x"
    )
    with statements() as seen:
        answer = api.client.get(path, headers={"Authorization": f"Bearer {created.text}"})
    assert answer.status_code == 200
    looked_up = [one for one in seen if "from projects left outer join app_keys" in one]
    assert len(looked_up) == 1
