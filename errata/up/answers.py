"""Whether somebody answers at an address of this machine, and what a service says of its parts."""

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

DOCUMENT_SECONDS = 10


def answers(url: str) -> bool:
    try:
        with _opener().open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def checks(base_url: str, within_seconds: float = DOCUMENT_SECONDS) -> Mapping[str, str]:
    """By part; none where nobody answers."""
    health = document(f"{base_url}/api/health", within_seconds=within_seconds)
    found: Mapping[str, str] = health.get("checks", {})
    return found


def document(url: str, api_key: str = "", within_seconds: float = DOCUMENT_SECONDS) -> Mapping[str, Any]:
    """The object that the API answers with, whatever its status; empty where nobody answers.

    A service that is not well says so with 503, and says of what.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        with _opener().open(urllib.request.Request(url, headers=headers), timeout=within_seconds) as answer:
            body = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            body = error.read()
    except (urllib.error.URLError, OSError, ValueError):
        return {}
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _opener() -> urllib.request.OpenerDirector:
    # The certificate is the operator's own affair; this only asks whether somebody answers.
    unverified = ssl.create_default_context()
    unverified.check_hostname = False
    unverified.verify_mode = ssl.CERT_NONE
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unverified)
    )
