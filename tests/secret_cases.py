"""Texts with secrets planted in them, and texts that hold none: for the server's rules and for the SDK's."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.secret_shapes import SHAPES


class Case(NamedTuple):
    kind: str
    text: str
    secrets: tuple[str, ...]
    """What must be gone. None of these is a secret of anybody."""


def _mixed(length: int, seed: int = 7) -> str:
    letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(
        letters[(seed * (position + 3) ** 2 + position) % len(letters)] for position in range(length)
    )


def _digits(length: int) -> str:
    return "".join("0123456789abcdef"[(11 * (position + 2) ** 2) % 16] for position in range(length))


JWT = f"eyJ{_mixed(30)}.eyJ{_mixed(60)}.{_mixed(43, 5)}"
AWS_ID = "AKIA" + _mixed(16).upper()
AWS_KEY = _mixed(40, 3)
GITHUB = "ghp_" + _mixed(36)
STRIPE = "sk_" + "live_" + _mixed(24)
SLACK = "xoxb-" + "123456789012-" + _mixed(24)
HOOK = "T00FAKE00/B00FAKE00/" + _mixed(24)
GOOGLE = "AIza" + _mixed(35)
SENDGRID = f"SG.{_mixed(22)}.{_mixed(43, 5)}"
OPENAI = "sk-proj-" + _mixed(48)
ANTHROPIC = "sk-ant-api03-" + _mixed(60)
ERRATA = "errata_api_" + _mixed(40)
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(_mixed(64, seed) for seed in (3, 5, 7))
    + "\n-----END RSA PRIVATE KEY-----"
)

_BY_LOOK = (
    Case("assignment", "login failed: password=Tr0ub4dor9 for ann", ("Tr0ub4dor9",)),
    Case("assignment", "bad password: Tr0ub4dor9", ("Tr0ub4dor9",)),
    Case("assignment", "password = 'Tr0ub4dor9'", ("Tr0ub4dor9",)),
    Case("assignment", "secret is 'Tr0ub4dor9', it said", ("Tr0ub4dor9",)),
    Case("assignment", "client_secret:Tr0ub4dor9;", ("Tr0ub4dor9",)),
    Case("assignment", "api-key: 9fKq2Lm8Zx, host: a", ("9fKq2Lm8Zx",)),
    Case("assignment", "DB_PASSWORD=correcthorse", ("correcthorse",)),
    Case("assignment", f"AWS_SECRET_ACCESS_KEY={AWS_KEY}", (AWS_KEY,)),
    Case("assignment", f"auth_token={_digits(32)}", (_digits(32),)),
    Case("assignment", f"AccountName=a;AccountKey={AWS_KEY}+/{AWS_KEY}==;Suffix=b", (AWS_KEY,)),
    Case("assignment", "githubToken: 'q7w8e9r0t1'", ("q7w8e9r0t1",)),
    Case("bad key", f"bad key {STRIPE}", (STRIPE,)),
    Case("Stripe", f"rejected: {STRIPE.replace('sk', 'rk')}!", (STRIPE[3:],)),
    Case("Stripe", "signature of whsec_" + _mixed(32), (_mixed(32),)),
    Case("JWT", f"token expired: {JWT}", (JWT, JWT.split(".")[1])),
    Case("JWT", f"/callback#id={JWT}&x=1", (JWT.split(".")[2],)),
    Case("AWS", f"no such key {AWS_ID} in eu-1", (AWS_ID,)),
    Case("AWS", f"ASIA{AWS_ID[4:]}", (AWS_ID[4:],)),
    Case("GitHub", f"git clone https://{GITHUB}@github.com/a/b", (GITHUB,)),
    Case("GitHub", f"gho_{_mixed(36)} revoked", (_mixed(36),)),
    Case("GitHub", f"github_pat_{_mixed(22)}_{_mixed(59)}", (_mixed(59),)),
    Case("GitLab", f"glpat-{_mixed(20)}", (_mixed(20),)),
    Case("Slack", f"posting with {SLACK} failed", (SLACK,)),
    Case("Slack", f"POST https://hooks.slack.com/services/{HOOK} 404", (HOOK, HOOK[20:])),
    Case("Google", f"https://maps.example/js?libraries=a&v={GOOGLE}", (GOOGLE,)),
    Case("SendGrid", f"401 for {SENDGRID}", (SENDGRID, SENDGRID.split(".")[2])),
    Case("Twilio", f"SK{_digits(32)}:x", (_digits(32),)),
    Case("npm", f"//registry.example/:npm_{_mixed(36)}", (_mixed(36),)),
    Case("PyPI", f"pypi-AgEIcHlwaS5vcmc{_mixed(60)}", (_mixed(60),)),
    Case("OpenAI", f"Incorrect API key provided: {OPENAI}", (OPENAI,)),
    Case("Anthropic", f"x: {ANTHROPIC}", (ANTHROPIC,)),
    Case("Errata", f"Invalid API Key {ERRATA}", (ERRATA,)),
    Case("PEM", f"cannot read key {PEM} of ann", tuple(PEM.splitlines()[1:4])),
    Case("PEM", repr(PEM), tuple(PEM.splitlines()[1:4])),
    Case("PEM", PEM[:120], (PEM.splitlines()[1][:60],)),
    Case("card", "card 4111 1111 1111 1111 declined", ("4111 1111 1111 1111", "1111 1111")),
    Case("card", "pan:5500-0055-5555-5559", ("5500-0055-5555-5559",)),
    Case("card", "378282246310005", ("378282246310005",)),
    Case("header", f"Authorization: Bearer {_mixed(30)}", (_mixed(30),)),
    Case("header", f"curl -H 'Authorization: Bearer {_mixed(30)}' https://a.example", (_mixed(30),)),
    Case("header", "curl -H 'authorization: Basic YW5uOmh1bnRlcjI=' https://a.example", ("YW5uOmh1bnRlcjI",)),
    Case("header", "got Basic YW5uOmh1bnRlcjI=", ("YW5uOmh1bnRlcjI",)),
    Case("header", f"sent bearer {_mixed(30)}", (_mixed(30),)),
    Case("header", "Host: a\r\nCookie: sid=a1b2c3; theme=d4e5f6\r\nAccept: */*", ("a1b2c3", "d4e5f6")),
    Case("header", "X-Api-Key: k3yk3yk3y\nAccept: */*", ("k3yk3yk3y",)),
    Case("header", "{'Authorization': 'Token 9944b09199c62bcf9418'}", ("9944b09199c62bcf9418",)),
    Case("header", "[(b'authorization', b'Bearer x9y8z7')]", ("x9y8z7",)),
    Case("header", '["Authorization", "Bearer x9y8z7"]', ("x9y8z7",)),
    Case("curl", "curl -u ann:Tr0ub4dor9 https://a.example", ("Tr0ub4dor9",)),
    Case("URL", "could not connect to postgres://ann:Tr0ub4dor9@db.example:5432/shop", ("Tr0ub4dor9",)),
    Case("URL", "redis://:Tr0ub4dor9@cache:6379/0", ("Tr0ub4dor9",)),
    Case("URL", "amqp://ann:p@ss9word@mq.example//", ("p@ss9word", "ss9word")),
    Case("URL", "https://a.example/reset?token=a1b2c3&step=2", ("a1b2c3",)),
    Case("URL", "https://a.example/#access_token=a1b2c3&type=x", ("a1b2c3",)),
    Case("URL", "/go?next=https%3A%2F%2Fa.example%3Ftoken%3Da1b2c3d4%26x", ("a1b2c3d4",)),
    Case("URL", "https://a.blob.example/c?sv=2024&sig=" + _mixed(40) + "%3D&se=1", (_mixed(40),)),
    Case("URL", "/login?p%61ssword=a1b2c3", ("a1b2c3",)),
    Case("form", "user=ann&password=x%20y9&step=2", ("x%20y9",)),
    Case("form", "user%5Bpassword%5D=a1b2c3&user%5Bname%5D=ann", ("a1b2c3",)),
    Case("form", "user[password]=a1b2c3&a=b", ("a1b2c3",)),
    Case("form", '<input type="password" name="pw" value="a1b2c3">', ("a1b2c3",)),
    Case("form", "<input name=password value=a1b2c3>", ("a1b2c3",)),
    Case("form", "<QueryDict: {'password': ['a1b2c3'], 'user': ['ann']}>", ("a1b2c3",)),
    Case("JSON", '{"user": "ann", "password": "Tr0ub4dor9"}', ("Tr0ub4dor9",)),
    Case("JSON", '{"user": {"credentials": {"a": "Tr0ub4dor9"}}}', ("Tr0ub4dor9",)),
    Case("JSON", 'body was {"user": "ann", "password": "Tr0ub4dor9"}', ("Tr0ub4dor9",)),
    Case("JSON", '{"user": "ann", "password": "Tr0ub4do', ("Tr0ub4do",)),
    Case("JSON", r'{"body": "{\"password\":\"Tr0ub4dor9\"}"}', ("Tr0ub4dor9",)),
    Case("JSON", r'said {"body": "{\"password\":\"Tr0ub\\\"4dor9\"}", "a": 1}', ("4dor9", "Tr0ub")),
    Case("JSON", r'said "{\"a\":\"{\\\"token\\\":\\\"Tr0ub4dor9\\\"}\"}"', ("Tr0ub4dor9",)),
    Case("JSON", r'said {"p\u0061ssword": "Tr0ub4dor9"}', ("Tr0ub4dor9",)),
    Case("JSON", '{"card": 4111111111111111, "pin": 907153}', ("4111111111111111", "907153")),
    Case("repr", "{'password': 'Tr0ub4dor9', 'n': 2}", ("Tr0ub4dor9",)),
    Case("repr", "Login(user='ann', password='Tr0ub4dor9')", ("Tr0ub4dor9",)),
    Case("repr", "Login(user='ann', password=\"it's9x8y7\")", ("it's9x8y7", "s9x8y7")),
    Case("repr", "Settings(token=SecretStr('Tr0ub4dor9'))", ("Tr0ub4dor9",)),
    Case("repr", "<Client api_key=a1b2c3d4 at 0x7f>", ("a1b2c3d4",)),
    Case("repr", "OrderedDict([('password', 'Tr0ub4dor9')])", ("Tr0ub4dor9",)),
    Case("SQL", "SET PASSWORD = 'Tr0ub4dor9'", ("Tr0ub4dor9",)),
    Case("SQL", "select 1 from keys where api_key = 'Tr0ub4dor9' and n = 1", ("Tr0ub4dor9",)),
    Case("SQL", "ALTER USER ann WITH PASSWORD 'Tr0ub4dor9'", ("Tr0ub4dor9",)),
    Case("SQL", "CREATE USER 'ann' IDENTIFIED BY 'Tr0ub4dor9'", ("Tr0ub4dor9",)),
    Case("command line", "mysqldump --password=Tr0ub4dor9 shop", ("Tr0ub4dor9",)),
    Case("command line", "deploy --token Tr0ub4dor9 --to prod", ("Tr0ub4dor9",)),
    Case("command line", "['deploy', '--api-key=Tr0ub4dor9']", ("Tr0ub4dor9",)),
)

_OF_SERVICES = (
    f"key-{_digits(32)}",
    f"{_digits(32)}-us12",
    f"EAACEdEose0cBA{_mixed(80)}",
    f"sq0atp-{_mixed(22)}",
    f"access_token$production${_digits(16)}${_digits(32)}",
    f"MT{_mixed(24)}.G{_mixed(5)}.{_mixed(38)}",
    f"1//0{_mixed(60)}",
    f"AGE-SECRET-KEY-1{_mixed(58).upper()}",
    f"PMAK-{_digits(24)}-{_digits(34)}",
    f"{_mixed(14)}.atlasv1.{_mixed(67)}",
    *("6011.1111.1111.1117", "3530_1113_3330_0000", "4242\u00a04242\u00a04242\u00a04242"),
    *("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "219-09-9999"),
)
_BY_FORM = (
    *(Case("form", f"it said {token} again", (token,)) for token in _OF_SERVICES),
    Case("form", "visa4012888888881881x", ("4012888888881881",)),
    Case("form", f"GET /shared/{_mixed(42)} 200", (_mixed(42),)),
    Case("form", f"https://errata.example/link/{_mixed(42)}", (_mixed(42),)),
    Case(
        "form",
        f"Private-Lines: 2\n{_mixed(64, 3)}\n{_mixed(64, 5)}\nPrivate-MAC: {_digits(64)}",
        (_mixed(64, 3), _mixed(64, 5), _digits(64)),
    ),
)
WORDS_AS_PASSWORDS = (
    "password: vukimedi",
    "password = vukimedi",
    "login with password: vukimedi\nfailed",
    "password was vukimedi",
    "The password is vukimedi.",
    "mot de passe : vukimedi",
    "Kennwort: vukimedi",
    "password:\nvukimedi",
    "db:\n  password: vukimedi\n  host: db",
    "{user: ann, password: vukimedi}",
    "sign in with password: vukimedi as ann",
    "her password was vukimedi, she said",
    "password:\nvukimedi is what it said",
    "has\u0142o: vukimedi",
    "\u041f\u0430\u0440\u043e\u043b\u044c: vukimedi",
)


def _shaped() -> Iterator[Case]:
    """Each shape with a secret of its own."""
    for kind, shapes in SHAPES.items():
        for number, shape in enumerate(shapes):
            secret = f"Zq8{kind[:2].lower().strip()}{len(kind)}n{number:02d}ted"
            yield Case(kind, shape.replace("@@", secret), (secret,))


PLANTED = (*_BY_LOOK, *_BY_FORM, *_shaped())

HARMLESS = (
    "the token expired",
    "password is required",
    "Password: required",
    "Invalid token: expired",
    "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "Unexpected token: punc (})",
    "SyntaxError: Unexpected token u in JSON at position 0",
    "user 87 authenticated",
    "authorization: denied",
    "secret not found",
    "password: string, passcode: number",
    "{password: password, user}",
    "password was wrong",
    "password was changed",
    "the password is required.",
    "password must contain 8 characters",
    "password:\n  required",
    "Password: must be longer",
    "password: this field is required",
    "password: Ensure this value has at least 8 characters",
    "password: cannot be blank, user: x",
    "password is only shown once",
    "the password is sent by mail",
    "the password is never stored",
    "password was rejected by the server",
    "password:\n    This field is required",
    "signature: (a, b) -> c",
    "the answer is 42",
    "/reset-password/confirm",
    "/static/activate/app-9f86d081884c.js",
    "/invitations/pending-requests",
    "/shared/components/button.js",
    "/api/items?code=404",
    "FR1420041010050500013M02607",
    # A span, a trace and a figure with the digits of a card number in them.
    "b4111111111111111",
    "30dbdf4111111111111111959ee807ab",
    "4111.1111111111111",
    "12345-67-8901 and 2026-11-28",
    "app.py:5432:4:8:warning",
    "[SQL: SELECT 1 FROM carts WHERE name = ?]\n[parameters: ('ann',)]",
    "no password given; use --password to set one",
    "--token is required",
    "Basic authentication is off",
    "Bearer authentication required",
    "max_tokens=4096, completion_tokens: 12",
    "token_type=bearer&expires_in=3600",
    "pass: 5, fail: 3",
    "pin 17 is high",
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "9f86d081-884c-4d65-9a2f-eaa0c55ad015",
    "1795222211535740001",
    "2026-11-21T10:00:00.123Z",
    "20261121100000",
    "order 1234567890123456 is open",
    "0.0023372900000613299",
    "http://localhost:8080/a?x=y@z",
    "https://shop.example:443/cart?page=2#top",
    "mailto:ann@shop.example",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    'select "auth_user"."password", "auth_user"."last_login" from "auth_user"',
    "insert into users (name, password) values (%s, %s)",
    "update users set password = %s where token = ?",
    "password=None, token=null, secret=''",
    "password='***', token=<hidden>, secret=${SECRET}",
    "login(password=password, token=self.token)",
    "token = get_token(request)",
    "auth = self._build_request_auth(request, auth)",
    "cookies=cookies, auth=auth, follow_redirects=True",
    "password: str, token: Optional[str] = None",
    "KeyError: 'password'",
    "fields: ['username', 'password', 'email']",
    "KeyError('discount')",
    "author: ann, authors: 3, discard: 7, compass: n1",
    "<Session id=0x7f048f72fd40>",
    "session_count=12",
    "sk-fading-circle sk-circle",
    "/static/app-9f86d081884c.js",
    "shop@2.10.0",
    "insert into users (name, password) values ($1, $2), (?, ?)",
    "DETAIL: Key (email)=(ann@shop.example) already exists.",
    "Key (token)=(NULL)",
    '<label for="password">Password</label>',
    '<input type="text" name="q" value="blue shoes">',
    "<token_type>bearer</token_type><max_tokens>4096</max_tokens>",
    "<password></password>",
    "- name: PORT\n  value: 8080",
    "password field2 is missing",
    "password for ann was wrong",
    "the password is too short",
    "api key 17 of 20",
    "map[user:[ann] page:[2]]",
    "select * from users where name like '%a%' and n in ('1', '2')",
    "mysql -h db -p shop",
    "docker run -p 8080:80 shop",
    "username\n  Field required [type=missing, input_value={'a': 1}, input_type=dict]",
)
SOURCE_WITH_SECRETS = (
    ('    password = "Tr0ub4dor9"', "Tr0ub4dor9"),
    ("DATABASES = {'default': {'PASSWORD': 'Tr0ub4dor9'}}", "Tr0ub4dor9"),
    (f"stripe.api_key = '{STRIPE}'", STRIPE),
    (f'headers = {{"Authorization": "Bearer {_mixed(30)}"}}', _mixed(30)),
    ('engine = create_engine("postgresql://ann:Tr0ub4dor9@db/shop")', "Tr0ub4dor9"),
)
HARMLESS_SOURCE = (
    '    password = request.form["password"]',
    '    token = os.environ.get("API_TOKEN", "")',
    "user = authenticate(username=username, password=password)",
    'fields = ("username", "password")',
    "    auth = self._build_request_auth(request, auth)",
    "async def login(password: str, token: Token = None):",
    "if token != expected: raise InvalidToken(token)",
    "const token = await getToken({secret: process.env.SECRET});",
    "cookies = request.cookies",
    'raise ValueError("password is required")',
    'password = ""',
    'token = "{}"',
)
