"""Secrets as applications, tools and people write them: for the engine, the SDK and the whole way to a page.

None is a secret of anybody: values are drawn from a hash of where they stand, or are published test numbers.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple


class Secret(NamedTuple):
    id: str
    text: str
    gone: tuple[str, ...]
    """What must not be left of the text."""
    name: str = ""
    """Under this name the value, the only one of `gone`, is a secret in objects too."""


_ALPHABETS = {
    "m": "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789",
    "u": "ABCDEFGHJKLMNPQRSTUVWXYZ234567",
    "l": "abcdefghijkmnopqrstuvwxyz23456789",
    "h": "0123456789abcdef",
    "d": "123456789",
}
_TO_DRAW = re.compile(r"\{([mulhdw])(\d+)\}")


def _drawn(kind: str, length: int, seed: str) -> str:
    """Characters that look random, the same each time: `w` can be spoken, `m` mixes letters and digits."""
    for turn in range(99):
        stream = b"".join(hashlib.sha256(f"{seed} {turn} {block}".encode()).digest() for block in range(6))
        if kind == "w":
            sorts = ("bdfgklmprstvz", "aeiou")
            return "".join(sorts[at % 2][stream[at] % len(sorts[at % 2])] for at in range(length))
        alphabet = _ALPHABETS[kind]
        text = "".join(alphabet[byte % len(alphabet)] for byte in stream[:length])
        if kind != "m" or length < 4 or (text != text.lower() != text.upper() and not text.isalpha()):
            return text
    raise AssertionError(seed)


def _written(identity: str, text: str, name: str = "") -> Secret:
    """`«…»` must be gone, `{m14}` in it is drawn, and `@@` is short for a usual password."""
    text = text.replace("@@", "«{m14}»")
    numbers = iter(range(99))
    text = _TO_DRAW.sub(lambda found: _drawn(found[1], int(found[2]), f"{identity} {next(numbers)}"), text)
    gone = tuple(part.replace("\\n", "\n") for part in re.findall("«(.*?)»", text))
    return Secret(identity, re.sub("[«»]", "", text), gone, name)


# How a name and its value are written in a text.
_ASSIGNED = cycle(
    (
        "NAME=@@",
        "NAME: @@",
        '"NAME": "@@"',
        "'NAME': '@@'",
        "https://a.example/x?a=1&NAME=@@&b=2",
        'NAME = "@@"',
        "failed with NAME=@@, again",
        "Request(NAME='@@')",
        '{"user": "ann", "NAME": "@@"}',
        "a=1; NAME=@@; b=2",
        "[('NAME', '@@')]",
        "--NAME @@",
    )
)
NAMES = {
    "password": """
        password userPassword DB_PASSWORD passwd password_confirmation new-password passphrase
        passcode pass user.pass smtp_pass dbPass MYSQL_PASS ftp_pass
    """,
    "short password": """
        pw db_pw userPw psw user_psw pwd MYSQL_PWD
    """,
    "password elsewhere": """
        passwort Kennwort benutzer_passwort mot_de_passe motDePasse mdp contraseña contrasena senha
        palavra_passe wachtwoord lösenord hasło пароль
    """,
    "secret elsewhere": """
        geheimnis geheimer_schluessel jeton clave_secreta clave chave_secreta
    """,
    "secret": """
        secret client_secret app-secret sharedSecret SECRET_KEY_BASE NEXTAUTH_SECRET webhook_secret
    """,
    "key": """
        api_key apiKey X-Api-Key access_key private_key aws_secret_access_key encryption_key
        signing_key license_key licenseKey fernet_key FERNET_KEY hmac_key master_key
        Ocp-Apim-Subscription-Key DD-API-KEY dd_application_key X-Auth-Key deploy_key ssh_key
        shared_access_key
    """,
    "token": """
        token access_token refreshToken id_token csrf_token X-CSRFToken XSRF-TOKEN X-Vault-Token
        authenticity_token X-Amz-Security-Token oauth_token remember_token device_token bot_token
        PRIVATE-TOKEN mytoken stripetoken __RequestVerificationToken X-Postmark-Server-Token stripeToken
        csrfmiddlewaretoken
    """,
    "signature": """
        signature X-Amz-Signature X-Goog-Signature X-Hub-Signature X-Hub-Signature-256
        Stripe-Signature X-Slack-Signature oauth_signature
    """,
    "hmac": """
        hmac hmac_sha256 X-Shopify-Hmac-Sha256 hmacSecret
    """,
    "authorization": """
        authorization Proxy-Authorization X-Auth user_auth oauth X-Authorization X-Auth-Token authentication
        auth jwt bearer
    """,
    "session": """
        sessionid session_id X-Session X-Session-Id sessionToken PHPSESSID JSESSIONID
        ASP.NET_SessionId connect.sid laravel_session errata_session user_session session
    """,
    "sign-in": """
        code_verifier client_assertion SAMLResponse otp totp totp_secret one_time_code
        verification_code pin_code recovery_code backup_code magic_link_token
    """,
    "answer": """
        security_answer secretAnswer answer_to_secret_question
    """,
    "words of a wallet": """
        mnemonic seed_phrase seedPhrase recovery_phrase
    """,
    "connection": """
        connectionString connection_string ConnectionStrings dsn credentials aws_credentials
    """,
    "account": """
        account_number accountNumber bank_account_number routing_number routingNumber iban ssn
        social_security_number
    """,
    "card": """
        card_number creditCard credit_card cardNumber card_no cc_number
    """,
}
TEXTS = {
    "token by its form": (
        "AWS: no such key «AKIA{u16}» in eu-1",
        "«ASIA{u16}»",
        "expired: «eyJ{m30}.eyJ{m60}.{m43}»",
        "/callback#id=«eyJ{m30}.eyJ{m60}.{m43}»&x=1",
        "git clone https://«ghp_{m36}»@github.com/a/b",
        "«gho_{m36}» revoked",
        "«ghs_{m36}» revoked",
        "for «github_pat_{m22}_{m59}»",
        "glab: «glpat-{m20}»",
        "glab: «glrt-{m20}»",
        "bad key «sk_live_{m24}»",
        "rejected: «rk_live_{m24}»!",
        "of «whsec_{m32}»",
        "posting with «xoxb-123456789012-{m24}» failed",
        "posting with «xapp-1-A0123456789-123456789012-{h64}» failed",
        "POST https://hooks.slack.com/services/«T00FAKE00/B00FAKE00/{m24}» 404",
        "POST https://discord.com/api/webhooks/123456789012345678/«{m68}»",
        "login with «MT{m24}.G{m5}.{m38}»",
        "POST https://shop.webhook.office.com/webhookb2/«{h8}-{h4}-4{h3}-8{h3}-{h12}@{h8}-{h4}-4{h3}-8{h3}-{h12}"
        "/IncomingWebhook/{h32}/{h8}-{h4}-4{h3}-8{h3}-{h12}» 403",
        "https://maps.example/js?v=«AIza{m35}»",
        "with «ya29.{m60}»",
        "with «GOCSPX-{m28}»",
        "with «1//0{m60}»",
        "401 for «SG.{m22}.{m43}»",
        "401 for «key-{h32}»",
        "401 for «{h32}-us12»",
        "401 for «xkeysib-{h64}-{m16}»",
        "401 for «re_{m8}_{m24}»",
        "«SK{h32}»:x",
        "https://api.telegram.org/bot«123456789:AA{m33}»/send",
        "graph said «EAACEdEose0cBA{m80}»",
        "graph said «EAA{m120}»",
        "pay with «sq0atp-{m22}»",
        "pay with «sq0csp-{m43}»",
        "pay with «EAAA{m60}»",
        "pay with «access_token$production${l16}${h32}»",
        "pay with «rzp_live_{m14}»",
        "link of «access-production-{h8}-{h4}-4{h3}-8{h3}-{h12}»",
        "//registry.example/:«npm_{m36}»",
        "upload: «pypi-AgEIcHlwaS5vcmc{m60}»",
        "gem push: «rubygems_{h48}»",
        "docker: «dckr_pat_{m27}»",
        "droplet: «dop_v1_{h64}»",
        "vault: «hvs.{m90}»",
        "shop: «shpat_{h32}»",
        "grafana: «glsa_{m32}_{h8}»",
        "relic: «NRAK-{u27}»",
        "model: «hf_{m34}»",
        "spark: «dapi{h32}»",
        "issue: «lin_api_{m40}»",
        "cli: «sntrys_{m90}»",
        "cli: «sntryu_{h64}»",
        "jira: «ATATT3xFfGF0{m170}»",
        "tenant: «{m3}8Q~{m34}»",
        "Incorrect key provided: «sk-proj-{m48}»",
        "x: «sk-ant-api03-{m60}»",
        "x: «gsk_{m52}»",
        "x: «pplx-{m48}»",
        "x: «xai-{m80}»",
        "x: «r8_{m37}»",
        "x: «PMAK-{h24}-{h34}»",
        "x: «ntn_{m46}»",
        "x: «figd_{m40}»",
        "x: «pat{m14}.{h64}»",
        "x: «dp.pt.{m43}»",
        "x: «{m14}.atlasv1.{m67}»",
        "x: «pul-{h40}»",
        "x: «pscale_pw_{m43}»",
        "x: «sbp_{h40}»",
        "x: «nfp_{m36}»",
        "x: «CFPAT-{m43}»",
        "x: «sk.eyJ{m60}.{m22}»",
        "x: «sl.{m135}»",
        "x: «AAAAAAAAAAAAAAAAAAAAA{m8}%3D{m50}»",
        "# created\n«AGE-SECRET-KEY-1{u58}»",
        "derived «xprv9s21ZrQH143K{m96}»",
        "Invalid API Key «errata_api_{m40}»",
        "Invalid «errata_token_{m40}»",
    ),
    "private key": (
        "cannot read -----BEGIN RSA PRIVATE KEY-----\n«{m64}»\n«{m64}»\n-----END RSA PRIVATE KEY----- of ann",
        r"'-----BEGIN PRIVATE KEY-----\n«{m64}»\n«{m64}»\n-----END PRIVATE KEY-----\n'",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n«{m64}»\n«{m64}»\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«{m64}»\n«{m64}»\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN EC PRIVATE KEY-----\n«{m64}»\n«{m40}»",
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: ann\nPublic-Lines: 1\nAAAAB3NzaC1yc2E=\n"
        "Private-Lines: 2\n«{m64}»\n«{m64}»\nPrivate-MAC: «{h64}»",
    ),
    "password told": (
        "the password is @@",
        "password was @@ for ann",
        "Password for ann: @@",
        "Incorrect API key provided: @@",
        "password changed to @@",
        "invalid password '@@' for ann",
    ),
    "password on the next line": ("password:\n@@", "Password:\r\n  @@\r\nthank you", "Your password\n\n@@\n"),
    "bearer": ("Authorization: Bearer «{m30}»", "sent bearer «{m30}»", "{'Authorization': 'Token @@'}"),
    "basic": ("curl -u ann:@@ https://a.example", "proxy --proxy-user ann:@@"),
    "cookie": (
        "Cookie: sid=@@; theme=dark",
        "Set-Cookie: errata_session=@@; Path=/; HttpOnly",
        "document.cookie = 'remember=@@; path=/'",
        "curl -b 'a=@@' https://a.example",
    ),
    "URL user": (
        "postgres://ann:@@@db.example:5432/shop",
        "redis://:@@@cache:6379/0",
        "cloudinary://123456789012345:@@@shop",
        "https%3A%2F%2Fann%3A@@%40db.example%2Fshop",
        "https://public:@@@sentry.example/1",
    ),
    "callback": (
        "https://shop.example/callback?code=@@&state=x",
        "/auth/callback?state=x&code=@@",
        "/oauth2/callback#code=@@",
        "https://shop.example/login/oauth/?code=@@",
        "https://cas.example/?ticket=ST-1-@@-cas",
    ),
    "link with a token": (
        "https://shop.example/reset-password/@@",
        "/reset_password/@@?lang=en",
        "/password/reset/@@",
        "/accounts/reset/MQ/@@/",
        "/users/confirmation/@@",
        "/verify-email/@@",
        "/invitations/@@/accept",
        "/magic-link/@@",
        "/unsubscribe/@@",
        "/activate/@@",
    ),
    "link of our own": (
        "https://errata.example/shared/«{m42}»",
        "GET /link/«{m42}» 200",
        "https://errata.example/shared/«{m42}»/replay?at=3",
    ),
    "signed address": (
        "https://a.s3.example/x?X-Amz-Credential=a&X-Amz-Signature=@@&X-Amz-Date=1",
        "https://storage.example/x?GoogleAccessId=a&Expires=1&Signature=@@",
        "https://a.blob.example/c?sv=2024&sig=@@%3D&se=1",
        "https://d.cloudfront.example/x?Expires=1&Signature=@@&Key-Pair-Id=a",
        "otpauth://totp/shop:ann?secret=@@&issuer=shop",
    ),
    "encoded address": (
        "/go?next=https%3A%2F%2Fa.example%3Ftoken%3D@@%26x",
        "/go?next=https%253A%252F%252Fa.example%253Ftoken%253D@@",
        "/login?p%61ssword=@@",
        "user%5Bpassword%5D=@@&user%5Bname%5D=ann",
        "a&amp;token=@@&amp;b",
    ),
    "connection string": (
        "DRIVER={x};SERVER=a;UID=ann;PWD={@@}",
        "DRIVER={x};SERVER=a;UID=ann;PWD={a;b}}@@}",
        "Server=db;Database=shop;User Id=ann;Password=@@;Encrypt=true",
        "connectionString=AccountEndpoint=https://a.example/;AccountKey=@@==;",
        "Endpoint=sb://a.example/;SharedAccessKeyName=Root;SharedAccessKey=@@=",
        "jdbc:oracle:thin:shop/@@@//db.example:1521/x",
        "jdbc:oracle:thin:shop/@@@db.example:1521:x",
        "jdbc:sqlserver://db:1433;user=sa;password=@@;",
    ),
    "netrc": ("machine a.example login ann password @@", "machine a.example\n  login ann\n  password @@\n"),
    "pgpass": ("db.example:5432:shop:ann:@@", "*:*:*:postgres:@@"),
    "SQL parameters": (
        "[SQL: INSERT INTO users (name, password) VALUES (%s, %s)]\n[parameters: ('ann', '@@')]",
        "[SQL: UPDATE users SET password=%(password)s WHERE id=%(id)s]\n"
        "[parameters: {'password': '@@', 'id': 1}]",
        "[SQL: UPDATE users SET password=? WHERE id=?]\n[parameters: ('@@', 7)]",
        "[SQL: SELECT 1 FROM users WHERE name = %s AND password = %s]\n"
        "[parameters: [('ann', '@@'), ('bob', 'x')]]",
    ),
    "SQL": (
        "ALTER USER ann WITH PASSWORD '@@'",
        "CREATE USER 'ann' IDENTIFIED BY '@@'",
        "INSERT INTO users (name, password) VALUES ('ann', '@@')",
        "select 1 from keys where api_key = '@@' and n = 1",
        "DETAIL: Key (api_key)=(@@) already exists.",
        "SET PASSWORD = '@@'",
        "Executed: update users set pw = '@@' where n = 1",
    ),
    "command": (
        "mysql -uroot -p@@ shop",
        "sshpass -p '@@' ssh ann@db",
        "docker login -u ann -p @@ registry.example",
        "redis-cli -a @@ ping",
        "deploy --token @@ --to prod",
        "['deploy', '--api-key=@@']",
        "openssl rsa -passin pass:@@ -in key.pem",
        "net use * /user:ann /password:@@",
        "PGPASSWORD=@@ psql -h db",
        "curl --oauth2-bearer @@ https://a.example",
    ),
    "file": (
        "APP_NAME=shop\nDB_PASSWORD=@@\nDB_HOST=db\n",
        "db:\n  user: shop\n  password: @@\n  host: db",
        "apiVersion: v1\nkind: Secret\ndata:\n  password: @@\ntype: Opaque",
        "[client]\nuser=shop\npassword=@@\n",
        "//registry.example/:_authToken=@@",
        "[Interface]\nPrivateKey = «{m42}»=\nAddress = 10.0.0.2",
        "aws_access_key_id = AKIDX\naws_secret_access_key = @@\n",
        '{"auths":{"a.example":{"auth":"@@"}}}',
        '{"type":"service_account","private_key_id":"@@","client_email":"x"}',
        '{"kty":"RSA","n":"a","e":"AQAB","d":"«{m42}»"}',
        "- name: DB_PASSWORD\n  value: @@",
    ),
    "JSON within a text": (
        'body was {"user": "ann", "password": "@@"}',
        r'{"body": "{\"password\":\"@@\"}"}',
        r'said "{\"a\":\"{\\\"token\\\":\\\"@@\\\"}\"}"',
        r'said {"p\u0061ssword": "@@"}',
        '{"user": "ann", "password": "@@',
        '[{"name":"DB_PASSWORD","value":"@@"}]',
        '{"key": "password", "value": {"stringValue": "@@"}}',
        'said {"password": ["@@"]}',
    ),
    "printed object": (
        "Login(user='ann', password='@@')",
        "Settings(token=SecretStr('@@'))",
        "<QueryDict: {'password': ['@@'], 'user': ['ann']}>",
        "[(b'authorization', b'Bearer @@')]",
        ':password=>"@@", :user=>"ann"',
        "{Name:ann Password:@@ Age:3}",
        "map[password:@@ user:ann]",
        "Array\n(\n    [user] => ann\n    [password] => @@\n)",
        'a:2:{s:8:"password";s:14:"@@";s:4:"user";s:3:"ann";}',
        "User{name='ann', password='@@'}",
        "{ user: 'ann', authToken: `@@` }",
        "OrderedDict([('password', '@@')])",
    ),
    "markup": (
        "<login><user>ann</user><password>@@</password></login>",
        '<input type="password" name="pw" value="@@">',
        '<meta name="csrf-token" content="@@">',
        '<input autocomplete="cc-csc" value="@@">',
        "&lt;password&gt;@@&lt;/password&gt;",
        'Content-Disposition: form-data; name="password"\r\n\r\n@@\r\n--b--',
        '<add key="ApiKey" value="@@" />',
    ),
    "header": (
        'Authorization: Digest username="ann", realm="r", response="@@"',
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAX/20260101, Signature=@@",
        "X-Hub-Signature-256: sha256=@@",
        "Stripe-Signature: t=1492774577,v1=@@",
        "> X-Auth: @@\n> Accept: */*",
        '["X-Session", "@@"]',
    ),
    "a word as password": (
        "password: «{w8}»",
        "password was «{w8}»",
        'PASSWORD IS "«{w8}»"',
        "password=«{w8}»",
        "password = «{w8}»",
        "the password is '«{w8}»'",
        "wrong password: «{w8}»",
        "password:\n«{w8}»",
        "passwort: «{w8}»",
        "mot de passe : «{w8}»",
        "contraseña: «{w8}»",
    ),
    "card": (
        "card «4111 1111 1111 1111» declined",
        "pan:«5500-0055-5555-5559»",
        "«378282246310005»",
        "«6011.1111.1111.1117» declined",
        "paid by «3530_1113_3330_0000»",
        "«4242\N{NO-BREAK SPACE}4242\N{NO-BREAK SPACE}4242\N{NO-BREAK SPACE}4242»",
        "cardno«5555555555554444»x",
        "visa«4012888888881881»",
        "n=«4917610000000000»",
        "«30569309025904»",
    ),
    "IBAN": (
        "«DE89 3704 0044 0532 0130 00»",
        "to «GB29NWBK60161331926819».",
        "iban=«FR1420041010050500013M02606»",
    ),
    "bank account": (
        "account number: «{d12}»",
        "routing_number=«{d9}», ok",
        "accountNumber='«{d10}»'",
        '{"bank": {"routingNumber": "«{d9}»"}}',
    ),
    "social security": ("ssn «219-09-9999» is taken", "for «457-55-5462»"),
}


def _secrets() -> Iterator[Secret]:
    for kind, names in NAMES.items():
        for name in names.split():
            yield _written(f"{kind}: {name}", next(_ASSIGNED).replace("NAME", name), name)
    for kind, texts in TEXTS.items():
        for number, text in enumerate(texts):
            yield _written(f"{kind}: {number}", text)


SECRETS = tuple(_secrets())
