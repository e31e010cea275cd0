"""Annotations over HTTP."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.api.conftest import Api, Prepared

PATH = "/api/projects/web-shop/annotations"
SALE = {"text": "Sale began", "at": "2026-11-02T10:00:00+01:00", "until": "2026-11-02T12:00:00Z"}


@pytest.fixture
def shop(store: Store, prepared: Prepared) -> Iterator[Api]:
    away = Warehouse("http://127.0.0.1:1")
    app = create_app(ApiSettings(), store, away, away)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, prepared.account)


def test_annotations_are_written_by_people_and_listed_by_period(shop: Api) -> None:
    assert shop.error(403, "POST", PATH, json=SALE, headers=shop.key) == "forbidden"
    csrf = shop.sign_in()
    made = shop.client.post(PATH, json=SALE, headers=csrf)
    assert made.status_code == 201
    assert made.json() | {"id": "", "created_at": "", "changed_at": ""} == {
        **{"id": "", "text": "Sale began", "author": shop.account.email, "created_at": "", "changed_at": ""},
        **{"at": "2026-11-02T09:00:00Z", "until": "2026-11-02T12:00:00Z"},
    }

    def listed(period: str) -> list[str]:
        answer = shop.client.get(PATH, params={"period": period}, headers=shop.key)
        return [each["text"] for each in answer.json()["annotations"]]

    assert listed("2026-11-02/2026-11-02") == ["Sale began"]
    assert listed("2026-11-02T11:00Z/2026-11-03T00:00Z") == ["Sale began"]
    assert listed("2026-11-03/2026-11-04") == []

    own = f"{PATH}/{made.json()['id']}"
    moment = {"text": "<b>Sale</b>", "at": "2026-11-03T09:00:00Z"}
    assert shop.client.put(own, json=moment, headers=csrf).json()["until"] is None
    assert listed("2026-11-03/2026-11-04") == ["<b>Sale</b>"]
    assert shop.error(400, "PUT", own, json={**moment, "text": "a\nb"}, headers=csrf) == "invalid_parameter"
    assert shop.client.delete(own, headers=csrf).status_code == 204
    assert shop.error(404, "DELETE", own, headers=csrf) == "annotation_not_found"
