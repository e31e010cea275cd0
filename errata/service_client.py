"""A service that commands ask over HTTP: where it is, and what it answers."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from errata.errors import ErrataError
from errata.settings import ProgramSettings, load

SECONDS = 60.0
ANSWER_MAX_BYTES = 4 << 20


class ClientSettings(ProgramSettings):
    """Of commands that ask a service over HTTP."""

    model_config = SettingsConfigDict(env_prefix="ERRATA_CLIENT_")

    url: str = Field(
        default="", description="URL of the service; empty: from `credentials.json` in `--data`."
    )
    api_key: SecretStr = Field(
        default=SecretStr(""),
        description="API key or access token; empty: the key in `credentials.json` in `--data`.",
    )


class ServiceNotAsked(ErrataError):
    """The service could not be asked, or did not answer as expected. `status` and `code_told`: of its
    response; 0 and empty: there was none."""

    code = "service_not_asked"

    def __init__(self, reason: str, status: int = 0, code_told: str = "") -> None:
        super().__init__(reason)
        self.status = status
        self.code_told = code_told


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Elsewhere the key would be told to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Service:
    """`key_from`: where the key stands, for who has to change it."""

    url: str
    api_key: str
    project: str
    key_from: str

    def ask(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        body: bytes | None = None,
        seconds: float = SECONDS,
    ) -> dict[str, Any]:
        """The answer to a path below the project's; with a body, it is sent as a ZIP file. Raises
        ServiceNotAsked."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        asked = urllib.request.Request(
            f"{self.url}/api/projects/{quote(self.project, safe='')}/{path}{query}",
            data=body,
            headers={
                "Authorization": f"Bearer {self.api_key}",
                "Accept": "application/json",
                **({"Content-Type": "application/zip"} if body is not None else {}),
            },
        )
        try:
            with urllib.request.build_opener(NoRedirects).open(asked, timeout=seconds) as answer:
                told = json.loads(answer.read(ANSWER_MAX_BYTES))
        except urllib.error.HTTPError as error:
            remedy = f"; update the key in {self.key_from}" * (error.code == 401)
            said, code = _said(error)
            reason = f"The service answered {error.code} {said}{remedy}"
            raise ServiceNotAsked(reason, error.code, code) from error
        except ValueError as error:
            raise self.unexpected() from error
        except (OSError, HTTPException) as error:
            raise ServiceNotAsked(f"Can't reach the service at {self.url}: {error}") from error
        if not isinstance(told, dict):
            raise self.unexpected()
        return told

    def unexpected(self) -> ServiceNotAsked:
        return ServiceNotAsked(f"{self.url} returned an unexpected response; check the URL")


def service_of(environ: Mapping[str, str], data: Path, project: str) -> Service:
    """Raises ServiceNotAsked."""
    service = connection_of(environ, data, project)
    if not service.project:
        raise ServiceNotAsked("Choose a project with --project")
    return service


def connection_of(environ: Mapping[str, str], data: Path, project: str) -> Service:
    """The service with a project, or none where neither it nor `credentials.json` names one. Raises
    ServiceNotAsked."""
    settings, told = load(ClientSettings, environ), _credentials(data)
    key = settings.api_key.get_secret_value()
    service = Service(
        (settings.url or told.get("base_url", "")).rstrip("/"),
        key or told.get("api_key", ""),
        project or told.get("project", ""),
        "ERRATA_CLIENT_API_KEY" if key else str(data / "credentials.json"),
    )
    if urlsplit(service.url).scheme not in ("http", "https"):
        raise ServiceNotAsked(f"Set ERRATA_CLIENT_URL; {data} has no credentials.json")
    if not service.api_key:
        raise ServiceNotAsked("Set ERRATA_CLIENT_API_KEY")
    if not service.api_key.isascii() or not service.api_key.isprintable():
        raise ServiceNotAsked(
            f"{service.key_from} contains characters that are invalid in an API key; copy the key again"
        )
    return service


def _said(error: urllib.error.HTTPError) -> tuple[str, str]:
    """The message of a refusal, and its code."""
    try:
        told = json.loads(error.read(ANSWER_MAX_BYTES))
        return str(told["message"]), str(told["error"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return str(error.reason), ""


def _credentials(data: Path) -> dict[str, str]:
    try:
        told = json.loads((data / "credentials.json").read_text())
    except (OSError, ValueError):
        return {}
    return {name: str(value) for name, value in told.items()} if isinstance(told, dict) else {}
