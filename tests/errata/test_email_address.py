"""One grammar for the addresses of accounts, invitations, channels and reports."""

import unicodedata
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as some

from errata.alerts.recipients import recipients
from errata.email_address import LONGEST_EMAIL, checked_email
from errata.errors import InvalidParameter, InvalidSettings
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.state.users import Role
from tests.cases import each

ADDRESSES = [
    "ada@example.org",
    "owner@localhost",
    "o'brien+errors@mail.example.org",
    "a.b-c_d=e@xn--bcher-kva.example",
    f"{'a' * 64}@{'b' * 63}.example",
]
NONE = [
    "",
    "ada",
    "@example.org",
    "ada@",
    "<b>@x.test",
    "Ada <ada@example.org>",
    "ada@example.org>",
    "a@x.test,b@evil.test",
    "a@x.test;b@evil.test",
    "a@x.test b@evil.test",
    "a@x.test\r\nBcc: b@evil.test",
    "a@x.test\nb",
    "a\t@x.test",
    "a@evil.test@example.org",
    '"a@evil.test"@example.org',
    '"ada"@example.org',
    "ada(comment)@example.org",
    "a\\@x.test",
    ".ada@example.org",
    "ada.@example.org",
    "a..b@example.org",
    "ada@example..org",
    "ada@.example.org",
    "ada@example.org.",
    "ada@-example.org",
    "ada@example-.org",
    "ada@[127.0.0.1]",
    "ada@exam_ple.org",
    "ada@example.org:25",
    "mailto:ada@example.org",
    "ada@example.org?cc=b",
    "ad\u0430@example.org",
    "ada@ex\u0430mple.org",
    "ada@example\u3002org",
    "ada\uff20example.org",
    "ada@example.org\u200b",
    "\u202eada@example.org",
    "ada@exam\0ple.org",
    "\u017fam@example.org",
    "\u212aim@example.org",
    f"{'a' * 65}@example.org",
    f"ada@{'b' * 64}.example",
    f"ada@{'b.' * 126}org",
]


@each("address", ADDRESSES)
def test_an_address_is_kept_in_lower_case(address: str) -> None:
    assert checked_email(f" {address.upper()} ") == address


@each("text", NONE)
def test_what_is_no_single_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter):
        checked_email(text)
    with pytest.raises(InvalidParameter):
        recipients([text] if text else [], "to")
    needed = {"WAREHOUSE_URL": "http://u:p@h:8123", "STATE_URL": "sqlite:///x", "SECRET": "x" * 32}
    with pytest.raises(InvalidSettings, match="ERRATA_MAIL_FROM"):
        load(
            CoreSettings, {f"ERRATA_{name}": value for name, value in (needed | {"MAIL_FROM": text}).items()}
        )


def test_accounts_and_invitations_refuse_it(state_url: str) -> None:
    with closing(Store.open(state_url, b"s" * 32)) as store:
        store.migrate()
        store.accounts.create_first("Acme", "Web shop", "owner@example.org")
        for text in NONE:
            with pytest.raises(InvalidParameter):
                store.one_time_links.invite(1, text, Role.MEMBER, actor="test")
            with store.database.writing() as connection, pytest.raises(InvalidParameter):
                store.users.create(connection, 1, text, "hash")
        with pytest.raises(InvalidParameter):
            store.passwords.add_user(1, "a@x.test,b@evil.test", Role.MEMBER, actor="test")


@each("value", [None, 7, True, ["ada@example.org"], {"email": "ada@example.org"}, b"ada@example.org"])
def test_only_a_text_is_an_address(value: object) -> None:
    with pytest.raises(InvalidParameter):
        checked_email(value)


@given(some.text(some.sampled_from("aZ0.@-_<>,;:\"'\\ \r\n\t\0\u0430\u200b\uff20%!=+"), max_size=30))
def test_an_accepted_address_has_one_domain_and_no_room_for_another_header(text: str) -> None:
    try:
        address = checked_email(text)
    except InvalidParameter:
        return
    assert address.count("@") == 1 and len(address) <= LONGEST_EMAIL
    assert not set(address) & set('<>,;:"\\()[] ') and address.isascii() and address.isprintable()
    assert address == checked_email(address) == unicodedata.normalize("NFKC", address)
