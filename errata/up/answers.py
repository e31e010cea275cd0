"""Whether somebody answers at an address of this machine, and what a service says of its parts."""

import http.client
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from functools import cache
from typing import Any

DOCUMENT_SECONDS = 10
# The supervisor asks too: an answer that is no HTTP, or ends early, must not end it.
NO_ANSWER = (OSError, ValueError, http.client.HTTPException)


def answers(url: str) -> bool:
    try:
        with _opener().open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except NO_ANSWER:
        return False


def checks(base_url: str, within_seconds: float = DOCUMENT_SECONDS) -> Mapping[str, str]:
    """By part; none where nobody answers."""
    health = document(f"{base_url}/api/health", within_seconds=within_seconds)
    found = health.get("checks")
    return found if isinstance(found, dict) else {}


def document(url: str, api_key: str = "", within_seconds: float = DOCUMENT_SECONDS) -> Mapping[str, Any]:
    """The object that the API answers with, whatever its status; empty where nobody answers.

    A service that is not well says so with 503, and says of what.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        found = json.loads(_body(urllib.request.Request(url, headers=headers), within_seconds))
    except NO_ANSWER:
        return {}
    return found if isinstance(found, dict) else {}


def _body(request: urllib.request.Request, within_seconds: float) -> bytes:
    try:
        answer = _opener().open(request, timeout=within_seconds)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        body: bytes = answer.read()
    return body


@cache
def _opener() -> urllib.request.OpenerDirector:
    # The certificate is the operator's own affair; this only asks whether somebody answers.
    unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unverified.check_hostname = False
    unverified.verify_mode = ssl.CERT_NONE
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unverified)
    )
