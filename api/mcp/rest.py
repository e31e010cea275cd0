"""The REST API as tools ask it: in this process, with the agent's own token, so that every guard holds."""

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any
from urllib.parse import quote

import httpx2
from fastapi import FastAPI

from api.authentication import Caller, needs_sql, token_for_sql
from api.mcp.provenance import Schemas
from api.reference import operations
from errata.errors import ErrataError
from errata.warehouse.project_sql import Format

MOST_SQL_BYTES = 200_000


class Refused(Exception):
    """The sentence of the API's error."""


class Rest:
    """`slug`: of the caller's project."""

    def __init__(self, api: FastAPI, token: str, caller: Caller, slug: str) -> None:
        self._api = api
        self._token = token
        self._caller = caller
        self._slug = slug

    async def ask(self, operation_id: str, body: Mapping[str, Any] | None = None, **given: Any) -> Any:
        """The marked answer of an operation, with parameters of its path and others; those that are empty are
        left out. Raises Refused."""
        known = operations_of(self._api)
        method, path = known.addresses[operation_id]
        given = {"slug": self._slug, **given}
        named = {name for name in given if f"{{{name}}}" in path}
        filled = path.format(**{name: quote(str(given[name]), safe="") for name in named})
        others = {name: value for name, value in given.items() if name not in named and name != "slug"}
        transport = httpx2.ASGITransport(app=self._api, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.request(
                method,
                filled,
                params={name: value for name, value in others.items() if value != ""},
                json=body,
                headers={"Authorization": f"Bearer {self._token}"},
            )
        told = answer.json()
        if not answer.is_success:
            raise Refused(told["message"])
        return known.schemas.marked(operation_id, told)

    def rows_of(self, sql: str) -> list[Any]:
        """Of a statement, as many rows as a few answers have room for: the rest is never read. Raises
        Refused."""
        sql_of = self._api.state.context.project_sql
        content = b""
        try:
            caller = token_for_sql(needs_sql(self._caller))
            with closing(sql_of.run(caller.actor, caller.project_id, sql, Format.JSON)) as pieces:
                for piece in pieces:
                    content += piece
                    if len(content) > MOST_SQL_BYTES:
                        content = content[: content.rfind(b"\n", 0, MOST_SQL_BYTES) + 1]
                        break
        except ErrataError as error:
            raise Refused(str(error)) from error
        return [json.loads(line) for line in content.splitlines()]


class Operations:
    """What the API's reference says: the method and path of each operation, and the form of its answer."""

    def __init__(self, openapi: Mapping[str, Any]) -> None:
        self.schemas = Schemas(openapi)
        self.addresses = {
            operation["operationId"]: (method.upper(), path)
            for path, method, operation in operations(openapi)
        }


def operations_of(api: FastAPI) -> Operations:
    """Read once for each application."""
    if not hasattr(api.state, "operations"):
        api.state.operations = Operations(api.openapi())
    found = api.state.operations
    assert isinstance(found, Operations)
    return found
