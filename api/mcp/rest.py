"""The REST API as tools ask it: in this process, with the agent's own token, so that every guard holds."""

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import httpx2
from fastapi import FastAPI

from api.authentication import Caller
from api.mcp.provenance import Schemas
from errata.errors import ErrataError
from errata.state.capability import Capability
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

    async def get(self, operation_id: str, path: str, **given: Any) -> Any:
        """The marked answer. `path` may name `{slug}`; parameters that are None or empty are left out."""
        return await self.ask(operation_id, "GET", path, given)

    async def ask(
        self,
        operation_id: str,
        method: str,
        path: str,
        given: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """Raises Refused."""
        answer = await self.send(method, path, given, body)
        return schemas_of(self._api).marked(operation_id, answer.json())

    def rows_of(self, sql: str) -> list[Any]:
        """Of a statement, as many rows as a few answers have room for: the rest is never read. Raises
        Refused."""
        caller = self._caller
        if Capability.SQL not in (caller.capabilities or ()):
            raise Refused(f"This requires an access token that may {Capability.SQL.words}.")
        (project_id,) = caller.project_ids or frozenset()
        context = self._api.state.context
        content = b""
        try:
            with closing(context.project_sql.run(caller.actor, project_id, sql, Format.JSON)) as pieces:
                for piece in pieces:
                    content += piece
                    if len(content) > MOST_SQL_BYTES:
                        content = content[: content.rfind(b"\n", 0, MOST_SQL_BYTES) + 1]
                        break
        except ErrataError as error:
            raise Refused(str(error)) from error
        return [json.loads(line) for line in content.splitlines()]

    async def send(
        self,
        method: str,
        path: str,
        given: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> httpx2.Response:
        """The answer as it is. Raises Refused."""
        parameters = {name: value for name, value in (given or {}).items() if value not in (None, "")}
        transport = httpx2.ASGITransport(app=self._api)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.request(
                method,
                path.replace("{slug}", self._slug),
                params=parameters,
                json=body,
                headers={"Authorization": f"Bearer {self._token}"},
            )
        if answer.is_success:
            return answer
        try:
            raise Refused(answer.json()["message"])
        except (KeyError, TypeError, json.JSONDecodeError):
            raise Refused(f"The service answered with status {answer.status_code}.") from None


def schemas_of(api: FastAPI) -> Schemas:
    """Read once, of an application that has a reference."""
    found = getattr(api.state, "answer_schemas", None)
    if found is None:
        found = api.state.answer_schemas = Schemas(api.openapi())
    assert isinstance(found, Schemas)
    return found
