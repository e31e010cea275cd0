"""Providers to sign in by: a real one, run as a process, and one that can be told to misbehave."""

import base64
import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from joserfc import jwt
from joserfc.jwk import RSAKey
from pydantic import SecretStr

from api.oidc.configuration import Configuration
from errata.outgoing import Outgoing, Policy
from errata.outgoing.policy import parsed_networks
from errata.state.users import Role
from tests.processes import free_port

CLIENT_ID, CLIENT_SECRET = "errata", "a client secret"
DOMAIN = "example.org"
ADA = {"sub": "ada", "email": "ada@example.org", "email_verified": True, "groups": ["developers"]}


def outgoing() -> Outgoing:
    """Which may reach a provider on this machine."""
    return Outgoing(Policy(parsed_networks("127.0.0.0/8"), allows_http=True))


def configuration(issuer: str, base_url: str = "http://testserver", **others: Any) -> Configuration:
    return Configuration(
        issuer,
        CLIENT_ID,
        SecretStr(CLIENT_SECRET),
        f"{base_url}/api/auth/oidc/callback",
        frozenset({DOMAIN}),
        **{"role_of_group": {"admins": Role.OWNER, "developers": Role.MEMBER}, **others},
    )


@contextmanager
def real_provider(*people: dict[str, Any]) -> Iterator[str]:
    """The issuer of oidc-provider-mock, built on Authlib's server, in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce"]
    for person in people:
        command += ["--user-claims", json.dumps(person)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    issuer = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urlopen(f"{issuer}/.well-known/openid-configuration", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        yield issuer
    finally:
        process.terminate()
        process.wait()


@dataclass
class Granted:
    """What the authorization endpoint was asked for, by the code it gave."""

    nonce: str
    challenge: str
    redirect_uri: str


@dataclass
class Provider:
    """Right by default. `claims` are added to the ID token's (None takes one out); `answers` replace whole
    answers by their path: status and body."""

    port: int = field(default_factory=free_port)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1"}))
    published: list[RSAKey] = field(default_factory=list)
    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    delay_seconds: float = 0
    id_token: str = ""
    """In place of the one made."""
    granted: dict[str, Granted] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def authorize(self, address: str, code: str = "code") -> str:
        """As someone who signs in there: returns the `state` to come back with."""
        parts = urlsplit(address)
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{self.issuer}/authorize"
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert query["response_type"] == "code" and query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256" and "openid" in query["scope"].split()
        self.granted[code] = Granted(query["nonce"], query["code_challenge"], query["redirect_uri"])
        return query["state"]

    def answer(self, path: str, body: dict[str, str], authorization: str) -> tuple[int, Any]:
        if path == "/.well-known/openid-configuration":
            return 200, self.metadata()
        if path == "/jwks":
            return 200, {"keys": [key.as_dict(private=False) for key in self.published or [self.key]]}
        if path == "/userinfo":
            return (200, self.userinfo) if authorization == "Bearer access" else (401, {})
        assert path == "/token", path
        return self.token(body, authorization)

    def metadata(self) -> dict[str, Any]:
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        if self.userinfo:
            endpoints["userinfo_endpoint"] = "userinfo"
        addresses = {name: f"{self.issuer}/{path}" for name, path in endpoints.items()}
        return {"issuer": self.issuer, **addresses}

    def token(self, body: dict[str, str], authorization: str) -> tuple[int, Any]:
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        granted = self.granted.pop(body.get("code", ""), None)
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if authorization != f"Basic {basic}":
            return 401, {"error": "invalid_client"}
        if granted is None or challenge != granted.challenge or body["redirect_uri"] != granted.redirect_uri:
            return 400, {"error": "invalid_grant"}
        id_token = self.id_token or self.signed(granted.nonce)
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": id_token}

    def signed(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            **{"iss": self.issuer, "aud": CLIENT_ID, "exp": now + 300, "iat": now, "nonce": nonce},
            **ADA,
            **self.claims,
        }
        present = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": "RS256", "kid": self.key.kid, **self.header}
        return jwt.encode({k: v for k, v in header.items() if v is not None}, present, self.key)


@contextmanager
def provider() -> Iterator[Provider]:
    told = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.respond({})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            fields = parse_qs(self.rfile.read(length).decode())
            self.respond({name: values[0] for name, values in fields.items()})

        def respond(self, body: dict[str, str]) -> None:
            told.asked.append(self.path)
            time.sleep(told.delay_seconds)
            if self.path in told.answers:
                status, content = told.answers[self.path]
            else:
                status, made = told.answer(self.path, body, self.headers.get("Authorization", ""))
                content = json.dumps(made).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                # Whoever asked has given up.
                return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            return

    server = ThreadingHTTPServer(("127.0.0.1", told.port), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def dripping() -> Iterator[str]:
    """The issuer of a provider that sends a byte of its answer ten times a second, without an end."""
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            while not is_over.wait(0.1):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
