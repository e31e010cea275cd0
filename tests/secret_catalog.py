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
    "longer name": """
        authdata auth_data myauth HTTP_AUTH oauth2 oauth_state mycredentials tokenvalue userAuth
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
        "//ann:@@@db.example/shop",
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
        "/users/confirmation/@@.json",
        "/magic-link/@@.7.log",
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
        "user=ann\npin=@@",
        r"user=ann\npin=@@\nsession: @@",
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
        r'said {"has\u0142o": "@@"}',
        r"said {\"body\": \"\\u043f\\u0430\\u0440\\u043e\\u043b\\u044c=@@\"}",
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
        'auth :password=>"@@", :user=>"ann"',
        'cookie :password=>"@@", :user=>"ann"',
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
        "at port 8080 «4000 0566 5566 5556» 2026-11-21",
    ),
    "IBAN": (
        "«DE89 3704 0044 0532 0130 00»",
        "paid to «ES91 2100 0418 4502 0005 1332» 2026",
        "to «GB29NWBK60161331926819».",
        "iban=«FR1420041010050500013M02606»",
        "to «nl91 abna 0417 1643 00» today",
        "of «at61 1904 3002 3457 3201» that day",
    ),
    "bank account": (
        "account number: «{d12}»",
        "routing_number=«{d9}», ok",
        "accountNumber='«{d10}»'",
        '{"bank": {"routingNumber": "«{d9}»"}}',
    ),
    "social security": ("ssn «219-09-9999» is taken", "for «457-55-5462»"),
}


# At a few places each; those above stand at every one of them.
MORE_TEXTS = {
    "command line": (
        "export API_TOKEN=@@",
        "psql --password @@ -h db",
        "sshpass -p @@ ssh ann@db",
        "MYSQL_PWD=@@ mysqldump shop",
        "Command '['pg_dump', '--password', '@@']' returned 1",
        "subprocess.CalledProcessError: Command '['curl', '-u', 'ann:@@']' returned",
        "docker run -e DB_PASSWORD=@@ shop",
        "helm upgrade --set db.password=@@ shop",
        "aws configure set aws_secret_access_key @@",
        "mysqldump --password=@@ shop",
    ),
    "dotenv": (
        'APP_ENV=prod\nSTRIPE_SECRET="@@"\nX=1',
        "JWT_SECRET='@@'\r\nPORT=80",
        "SECRET_KEY_BASE=@@\nRAILS_ENV=production",
    ),
    "YAML": (
        'smtp:\n  pass: "@@"\n  port: 25',
        "kind: Secret\nstringData:\n  api-token: '@@'",
        '- name: API_TOKEN\n  value: "@@"',
    ),
    "nested JSON": (
        'env: {"name": "API_TOKEN", "value": "@@"}',
        '{"a":"{\\"b\\":\\"{\\\\\\"password\\\\\\":\\\\\\"@@\\\\\\"}\\"}"}',
        'body="{\\"api_key\\": \\"@@\\"}"',
        'b\'{\\"token\\": \\"@@\\"}\'',
        '{"errors":[{"field":"password","rejectedValue":"@@"}]}',
        'got {"password":{"value":"@@"}}',
        '{"type":"service_account","private_key_id":"@@","private_key":"x"}',
    ),
    "INI": (
        "[mail]\npassword = @@\nhost = a",
        "spring.datasource.password=@@",
        "spring.datasource.password: @@",
        "_auth=@@",
        "aws_session_token=@@",
    ),
    "TOML": (
        '[db]\npassword = "@@"\nport = 5432',
        "token = '@@'",
        'password = "@@" -> (known after apply)',
        '+ secret_key = "@@"',
    ),
    "JS object": (
        "{ user: 'ann', password: '@@' }",
        "[object] apiKey: \"@@\", region: 'eu'",
        "{user: ann, password: @@}",
    ),
    "Java": (
        "User(name=ann, password=@@)",
        "Login[user=ann, password=@@]",
        "{password=@@, user=ann}",
    ),
    "Ruby": (
        '{"password"=>"@@", "user"=>"ann"}',
        '#<User id: 1, password: "@@">',
        '#<User:0x1 @name="ann", @password="@@">',
        "password: '@@', host: 'a'",
    ),
    "Go": (
        "&{User:ann APIKey:@@}",
        'main.User{Name:"ann", Password:"@@"}',
        "map[token:[@@] user:[ann]]",
    ),
    "PHP": (
        "'password' => '@@',",
        '["password"]=>\n  string(11) "@@"',
        '["secret" => "@@"]',
    ),
    "XML": (
        '<user name="ann" password="@@"/>',
        '<wsse:Password Type="#PasswordText">@@</wsse:Password>',
        '<string name="api_key">@@</string>',
        "<key>password</key><string>@@</string>",
    ),
    "connection string": (
        "Data Source=db;User ID=ann;Pwd=@@;",
        "host=db user=ann password=@@ dbname=shop",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=@@/x==;EndpointSuffix=b",
    ),
    "URL": (
        "redis://default:@@@cache.example:6379/0",
        "rediss://:@@@cache.example:6380",
        "amqps://shop:@@@mq.example/vhost",
        "mongodb+srv://ann:@@@cluster0.example/?retryWrites=true",
        "mongodb://ann:@@@a.example:27017,b.example:27017/shop",
        "smtp://mailer%40shop.example:@@@smtp.example:587",
        "ftp://ann:@@@ftp.example/file",
        "mysql+pymysql://root:@@@127.0.0.1/shop?charset=utf8",
        "postgresql://db/shop?user=ann&password=@@",
        "jdbc:postgresql://db/shop?user=ann&password=@@&ssl=true",
        "https://oauth2:@@@gitlab.example/a/b.git",
        "https://x-token-auth:@@@bitbucket.example/a.git",
        "wss://a.example/socket?access_token=@@",
        "https://a.example/cb#state=1&id_token=@@",
        "https://a.example/cb?code=1&client_secret=@@&grant_type=authorization_code",
        "https://a.example/x?apikey=@@",
        "http://a.example/x;jsessionid=@@?a=1",
        "https://a.example/reset_password?reset_token=@@",
        "Looking in indexes: https://__token__:@@@pypi.example/simple",
        "could not connect to postgres://ann:@@@db.example:5432/shop",
        "amqp://ann:«p@ss9word»@mq.example//",
        "https://a.example/reset?token=«a1b2c3»&step=2",
        "https://a.example/#access_token=«a1b2c3»&type=x",
    ),
    "header": (
        "authorization: token @@",
        "Authorization: ApiKey @@",
        "Proxy-Authorization: Basic @@",
        "Authorization: @@",
        "Authorization: GenieKey @@",
        "Authorization: Bot @@.x.y",
        "X-Auth-Token: @@",
        "X-Vault-Token: @@",
        "X-CSRFToken: @@",
        "X-Goog-Api-Key: @@",
        "Set-Cookie: session=@@; Path=/; HttpOnly",
        "cookie: a=1; sessionid=@@",
        "Ocp-Apim-Subscription-Key: @@",
        "PRIVATE-TOKEN: @@",
        "{'headers': {'x-api-key': '@@', 'accept': '*/*'}}",
        "Headers({'authorization': 'Bearer @@'})",
        "authorization=[Bearer @@]",
        "> Authorization: Bearer @@\n> Accept: */*",
        "curl -H 'Authorization: Bearer «{m30}»' https://a.example",
        "curl -H 'authorization: Basic «YW5uOmh1bnRlcjI»=' https://a.example",
        "got Basic «YW5uOmh1bnRlcjI»=",
        "Host: a\r\nCookie: sid=«a1b2c3»; theme=«d4e5f6»\r\nAccept: */*",
        "X-Api-Key: «k3yk3yk3y»\nAccept: */*",
        '["Authorization", "Bearer «x9y8z7»"]',
    ),
    "curl": (
        "curl --user ann:@@ https://a.example",
        "curl -u 'ann:@@' https://a.example",
        'curl -H "X-Api-Key: @@" https://a.example',
        'curl -d \'{"password":"@@"}\' https://a.example',
        "curl -d 'user=ann&password=@@' https://a.example",
        "curl -b 'sessionid=@@' https://a.example",
        "curl --cookie 'a=@@' https://a.example",
        "curl -sSuann:@@ https://a.example",
    ),
    "SQL": (
        "CREATE USER ann WITH ENCRYPTED PASSWORD '@@'",
        "CREATE LOGIN ann WITH PASSWORD = N'@@'",
        "UPDATE users SET password = '@@' WHERE id = 3",
        "UPDATE users SET password_hash='@@', n=3",
        "SELECT * FROM users WHERE password LIKE '@@'",
        "GRANT ALL ON *.* TO 'ann'@'%' IDENTIFIED WITH mysql_native_password BY '@@'",
        "SELECT crypt('x', gen_salt('bf')) FROM u WHERE api_token IN ('@@', 'b')",
        "DETAIL:  Key (reset_token)=(@@) already exists.",
        "[parameters: {'name': 'ann', 'password': '@@'}]",
    ),
    "repr": (
        "User(name='ann', hashed_password='@@', is_admin=False)",
        "Config(dsn='postgres://ann:@@@db/shop')",
        "Namespace(host='a', password='@@')",
        "defaultdict(<class 'dict'>, {'token': '@@'})",
        "environ({'HOME': '/root', 'DATABASE_PASSWORD': '@@'})",
        "namedtuple: Credentials(access_key='AK', secret_key='@@', token=None)",
        "{b'password': b'@@'}",
        "{'password': (b'@@',)}",
        "{'auth': ('ann', '@@')}",
        "auth=('ann', '@@')",
        "HTTPBasicAuth(username='ann', password='@@')",
        "<SimpleCookie: sessionid='@@'>",
        "MultiDict([('user', 'ann'), ('password', '@@')])",
        "ImmutableMultiDict([('csrf_token', '@@')])",
        "kwargs={'api_key': '@@'}",
        "login('ann', password='@@')",
        "password=Secret('@@')",
        "{\"password\": '@@'}",
        "['--token', '@@']",
        "{'password': '@@', 'n': 2}",
        "Login(user='ann', password=\"«it's9x8y7»\")",
        "<Client api_key=«a1b2c3d4» at 0x7f>",
    ),
    "form HTML": (
        '<input type="hidden" name="csrf_token" value="@@">',
        '<input value="@@" type="password">',
        "<INPUT TYPE=PASSWORD NAME=p VALUE='@@'>",
        '<textarea name="secret">@@</textarea>',
    ),
    "multipart": ('form-data; name=\\"api_key\\"\\r\\n\\r\\n@@\\r\\n--b',),
    "log": (
        "user=ann password=@@ ip=1.2.3.4 level=warn",
        'level=error msg="bad login" token="@@"',
        "The password is @@",
        "your temporary password is: @@",
        'password "@@" is too short',
        "api key `@@` was revoked",
        "pin=@@",
        "passphrase: @@",
        "password:@@",
        "password\t@@",
        "password | @@",
        "| password | @@ |",
        "secret=@@!",
        "client-secret @@",
    ),
    "names": (
        "smtp_pass=@@",
        "'userPw': '@@'",
        "psw: @@",
        "Kennwort: @@",
        "contraseña=@@",
        '{"contrase\\u00f1a": "@@"}',
        "senha: '@@'",
        "X-Auth: @@",
        "X-Session: @@",
        "https://a.example/x?X-Amz-Signature=@@&X-Amz-Date=1",
        "license_key=@@",
        "fernetKey: '@@'",
        "code_verifier=@@",
        "security_answer: @@",
        "seed phrase: @@",
        '{"user": "ann", "one_time_code": "@@"}',
        "Set-Cookie: errata_session=@@; Path=/",
    ),
    "told": (
        "password:\n@@\n",
        "[SQL: SELECT 1 FROM u WHERE password = %s]\n[parameters: [('ann', '@@'), ('bob', 'x')]]",
    ),
    "link": ("/password/reset/@@?lang=en",),
    "assignment": (
        "login failed: password=@@ for ann",
        "bad password: @@",
        "password = '@@'",
        "secret is '@@', it said",
        "client_secret:@@;",
        "api-key: «9fKq2Lm8Zx», host: a",
        "DB_PASSWORD=«correcthorse»",
        "AWS_SECRET_ACCESS_KEY=«{m40}»",
        "auth_token=«{h32}»",
        "AccountName=a;AccountKey=«{m40}»+/«{m40}»==;Suffix=b",
        "githubToken: '«q7w8e9r0t1»'",
    ),
    "Stripe": (
        "rejected: rk_«live_{m24}»!",
        "signature of whsec_«{m32}»",
    ),
    "JWT": (
        "token expired: «eyJ{m30}.eyJ{m60}.{m43}»",
        "/callback#id=eyJ{m30}.eyJ{m60}.«{m43}»&x=1",
    ),
    "AWS": (
        "no such key «AKIA{u16}» in eu-1",
        "ASIA«{u16}»",
    ),
    "GitHub": (
        "gho_«{m36}» revoked",
        "github_pat_{m22}_«{m59}»",
    ),
    "GitLab": ("glpat-«{m20}»",),
    "Google": ("https://maps.example/js?libraries=a&v=«AIza{m35}»",),
    "Twilio": ("SK«{h32}»:x",),
    "npm": ("//registry.example/:npm_«{m36}»",),
    "PyPI": ("pypi-AgEIcHlwaS5vcmc«{m60}»",),
    "form": (
        "user=ann&password=«x%20y9»&step=2",
        "user[password]=«a1b2c3»&a=b",
        "<input name=password value=«a1b2c3»>",
        "it said «key-{h32}» again",
        "visa«4012888888881881»x",
        "GET /shared/«{m42}» 200",
        "https://errata.example/link/«{m42}»",
        "Private-Lines: 2\n«{m64}»\n«{m64}»\nPrivate-MAC: «{h64}»",
    ),
    "JSON": (
        '{"user": "ann", "password": "@@"}',
        '{"user": {"credentials": {"a": "@@"}}}',
        'said {"body": "{\\"password\\":\\"«Tr0ub»\\\\\\"«4dor9»\\"}", "a": 1}',
        '{"card": «4111111111111111», "pin": «907153»}',
    ),
}


def _secrets() -> Iterator[Secret]:
    for kind, names in NAMES.items():
        for name in names.split():
            yield _written(f"{kind}: {name}", next(_ASSIGNED).replace("NAME", name), name)
    yield from _of_texts(TEXTS)


def _of_texts(texts_by_kind: dict[str, tuple[str, ...]], kind_ends: str = "") -> Iterator[Secret]:
    for kind, texts in texts_by_kind.items():
        for number, text in enumerate(texts):
            yield _written(f"{kind}{kind_ends}: {number}", text)


SECRETS = tuple(_secrets())
PLANTED = (*SECRETS, *_of_texts(MORE_TEXTS, ", more"))

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
    "/static/reset/ResetPassword-DfK3x9QzB4.module.css",
    "//cdn.example:443/ann@2.1",
    "no11 abcd efgh 1234 5678",
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
    ("stripe.api_key = '" + "sk_live_" + "q7w8e9r0t1u2'", "q7w8e9r0t1u2"),
    ('headers = {"Authorization": "Bearer q7w8e9r0t1u2i3o4p5"}', "q7w8e9r0t1u2i3o4p5"),
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
