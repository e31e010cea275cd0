"""What `sentry-relay` strips with its defaults, written to `tests/data/relay.json.gz`:

python -m venv RELAY && RELAY/bin/pip install sentry-relay==0.10.1
python -m bench.relay RELAY/bin/python
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

from bench.figures import figure
from tests.relayed import COMMON, FILE, is_left, recorded_places, saturated_events
from tests.secret_catalog import SECRETS, Secret
from tests.secret_places import Place

# As new projects have it.
SETTINGS = {
    "scrubData": True,
    "scrubDefaults": True,
    "scrubIpAddresses": False,
    "sensitiveFields": [],
    "excludeFields": [],
}
RELAY = """
import json, sys
from importlib.metadata import version
from sentry_relay.processing import convert_datascrubbing_config, pii_strip_event
config = convert_datascrubbing_config(json.loads(sys.argv[1]))
print(version("sentry-relay"), flush=True)
for line in sys.stdin:
    # Without a rule: what it does not know it drops, which is no decision about a secret.
    print(json.dumps([pii_strip_event(rules, json.loads(line)) for rules in ({}, config)]), flush=True)
"""
# Of its patterns and the cookies that it knows; and longer words with these in them.
NAMES = """
    password secret passwd api_key api-key apikey auth credentials mysql_pwd privatekey private_key
    private-key token otp two_factor two-factor bearer sentrysid sudo su session __session sessionid
    user_session symfony phpsessid fasthttpsessionid mysession irissessionid _vercel_jwt csrf xsrf
    _xsrf _csrf csrf-token xsrf_token fastcsrf _iris_csrf cookie set-cookie mypassword passwords
    secrets mytoken tokens stripetoken tokenvalue myauth user_auth userAuth oauth oauth2 oauth_state
    authdata auth_data x-auth-user HTTP_AUTH myapikey apikeys mycredentials credentials_file
    mysecretvalue author authors authority author_email authenticated authorized_by unauthorized
    authentic auth_type auth_method oauth_provider authlib token_type token_count max_tokens
    total_tokens tokenizer token_url password_length password_policy passwordless secretary
    api_key_name credentials_provider otp_enabled
""".split()
# What must be gone of it by one of its rules stands between « and ».
TEXTS = (
    "paid by «4111111111111111»",
    "paid by «4111-1111-1111-1111»",
    "paid by «4111 1111 1111 1111»",
    "paid by «4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1»",
    "paid by «378282246310005»",
    "paid by «3782-822463-10005»",
    "paid by «6500000000000002»",
    "paid by «4111111111111112»",
    "to «DE89370400440532013000»",
    "to «GB29NWBK60161331926819»",
    "to «DE00370400440532013000»",
    "to «NL91abna0417164300»",
    "of «219-09-9999»",
    "of «000-12-3456»",
    "of «912-34-5678»",
    "of «123-45-0000»",
    "sent Bearer «Zq7mVt3kXw9a»",
    "sent bearer «Zq7m»",
    "the bearer «of» news",
    "postgres://ann:«Zq7mVt3kXw9b»@db.example/shop",
    "//ann:«Zq7mVt3kXw9c»@db.example/shop",
    "https://«Zq7mVt3kXw9d»@db.example/shop",
    "-----BEGIN RSA PRIVATE KEY-----\n«Zq7mVt3kXw9e»\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\n«Zq7mVt3kXw9f»\n-----END PUBLIC KEY-----",
    "from «ann@shop.example»",
    "from «203.0.113.7»",
    "by «3c:22:fb:aa:bb:cc»",
    "of «49015420-323751-8»",
    "at /home/«zq7mann»/shop",
    "id «1f0e5a6c-7b4d-4f0a-9c3e-2b1a0f9e8d7c»",
    "password of order «48151623»",
    "the author is «Zq7mVt3kXw9g»",
    "token: «Zq7mVt3kXw9h»",
    "token expired for «Zq7mVt3kXw9i»",
    "authentication of «Zq7mVt3kXw9j» failed",
    "a secret of «Zq7mVt3kXw9k»",
)
# So that each place is tried with a few, and each of them at a few places.
A_PLACE, STEP = 3, 97


class Relay:
    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", RELAY, json.dumps(SETTINGS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.version = self._answer().strip()

    def strips(self, event: dict[str, Any], secrets: list[Secret]) -> list[bool]:
        """Of each, whether its rules leave nothing."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(event) + "\n")
        self._process.stdin.flush()
        before, after = (json.dumps(one, ensure_ascii=False) for one in json.loads(self._answer()))
        return [is_left(before, one) and not is_left(after, one) for one in secrets]

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


def own_secrets() -> Iterator[Secret]:
    for number, name in enumerate(NAMES):
        value = f"Zn7mV{number:03}kXw"
        yield Secret(f"name: {name}", f"{name}={value}", (value,), name)
    for number, text in enumerate(TEXTS):
        gone = text.partition("«")[2].partition("»")[0]
        yield Secret(f"text: {number}", text.replace("«", "").replace("»", ""), (gone,))


def main() -> None:
    relay = Relay(sys.argv[1])
    secrets = [*SECRETS, *own_secrets()]

    def strips(place: Place, secret: Secret) -> bool:
        return relay.strips(place.planted(secret), [secret])[0]

    numbers = count(0, STEP)
    content = {
        "relay": relay.version,
        "settings": SETTINGS,
        "secrets": secrets,
        # Numbers of those stripped, of all.
        "common": {one.id: [n for n, each in enumerate(secrets) if strips(one, each)] for one in COMMON},
        # Of a few at each place: those stripped, and the others.
        "recorded": {
            place.id: [[n for n in few if strips(place, secrets[n]) == wanted] for wanted in (True, False)]
            for place in recorded_places().values()
            for few in [[next(numbers) % len(secrets) for _ in range(A_PLACE)]]
        },
        "sdks": {
            name: [n for n, is_stripped in enumerate(relay.strips(event, secrets)) if is_stripped]
            for name, event in saturated_events(secrets)
        },
    }
    relay.close()
    FILE.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0))
    figure("relay_file", FILE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
