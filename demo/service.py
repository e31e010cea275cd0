"""The REST API of the service, asked as a signed-in person asks it."""

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import urllib3

from demo.folder import DemoError

BUSY = (503, 504)
ANSWERED_WITHIN_S = 240.0
JSON = {"Content-Type": "application/json"}
Json = dict[str, Any]


class Service:
    def __init__(self, credentials: Mapping[str, str]) -> None:
        self.base_url = credentials["base_url"]
        self.project = f"/api/projects/{credentials['project']}"
        self.page = f"{self.base_url}/projects/{credentials['project']}"
        self._pool = urllib3.PoolManager(retries=False, timeout=60)
        self._headers: dict[str, str] = {}
        self._sign_in(credentials)

    def _sign_in(self, credentials: Mapping[str, str]) -> None:
        body = {"email": credentials["email"], "password": credentials["password"]}
        answer = self._request("POST", "/api/auth/sign-in", body)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        self._headers = {"Cookie": cookie, "X-CSRF-Token": answer.json()["csrf_token"]}

    def issue(self, title: str) -> Json | None:
        """The issue with this in its title; a merged one is listed as the one it was merged into."""
        listed = self.get(f"{self.project}/issues", period="90d", limit="200")["issues"]
        return next((each for each in listed if title in each["title"]), None)

    def get(self, path: str, **parameters: str) -> Json:
        query = f"?{urlencode(parameters)}" if parameters else ""
        found: Json = self._request("GET", path + query).json()
        return found

    def html(self, address: str) -> str:
        """A page as a signed-in person gets it."""
        return self._request("GET", address.removeprefix(self.base_url)).data.decode()

    def find(self, path: str) -> Json | None:
        """None: nothing is known of it yet."""
        answer = self._answer("GET", path)
        if answer.status == 404:
            return None
        found: Json = _accepted(answer, "GET", path).json()
        return found

    def post(self, path: str, body: Json) -> Json:
        made: Json = self._request("POST", path, body).json()
        return made

    def upload(self, path: str, body: bytes) -> Json:
        headers = {"Content-Type": "application/octet-stream"}
        answer = self._answer("POST", path, body, headers)
        stored: Json = _accepted(answer, "POST", path).json()
        return stored

    def put(self, path: str, body: Json) -> Json:
        changed: Json = self._request("PUT", path, body).json()
        return changed

    def _request(self, method: str, path: str, body: Json | None = None) -> urllib3.BaseHTTPResponse:
        content = None if body is None else json.dumps(body).encode()
        return _accepted(self._answer(method, path, content), method, path)

    def _answer(
        self, method: str, path: str, content: bytes | None = None, headers: Mapping[str, str] = JSON
    ) -> urllib3.BaseHTTPResponse:
        """A busy machine may not answer in time: asked again, since then nothing has changed."""
        deadline = time.monotonic() + ANSWERED_WITHIN_S
        while True:
            answer = self._once(method, path, content, headers)
            if answer.status not in BUSY or time.monotonic() > deadline:
                return answer
            time.sleep(1)

    def _once(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        sent = {"Origin": self.base_url, **headers, **self._headers}
        try:
            return self._pool.request(method, self.base_url + path, body=content, headers=sent)
        except urllib3.exceptions.HTTPError as error:
            raise DemoError(f"Errata did not answer {method} {path}: {error}") from error


def _accepted(answer: urllib3.BaseHTTPResponse, method: str, path: str) -> urllib3.BaseHTTPResponse:
    if answer.status >= 400:
        said = answer.data.decode()[:500]
        raise DemoError(f"Errata answered {method} {path} with {answer.status}: {said}")
    return answer
