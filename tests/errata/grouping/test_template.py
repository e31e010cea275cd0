from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from errata.grouping import fingerprint_of, variant_of
from errata.grouping.template import MAX_TEMPLATE, log_template_of, template_of
from tests.cases import each


@each(
    ("message", "template"),
    [
        ("user 42 not found", "user ⟨number⟩ not found"),
        ("took 12ms of 3.5s, 80%", "took ⟨number⟩ of ⟨number⟩, ⟨number⟩"),
        ("order 3f2504e0-4f89-11d3-9a0c-0305e82c3301 lost", "order ⟨uuid⟩ lost"),
        ("<Cart object at 0x7f3a2c10>", "<Cart object at ⟨hex⟩>"),
        ("commit deadbeef12345678 is bad", "commit ⟨hex⟩ is bad"),
        ("no route to 10.0.0.1:5432", "no route to ⟨ip⟩"),
        ("peer 2001:db8::ff00:42:8329 left", "peer ⟨ip⟩ left"),
        ("db-1.internal:5432 refused", "⟨host⟩ refused"),
        ("mail to bob@example.com bounced", "mail to ⟨email⟩ bounced"),
        ("since 2024-01-02T03:04:05.123Z", "since ⟨date⟩"),
        (
            "GET https://api.example.com/v1/orders/17?page=2 failed: 503",
            "GET ⟨host⟩/v1/orders/⟨id⟩ failed: ⟨number⟩",
        ),
        ("GET /api/stock/17?x=1&y=2 answered 500", "GET /api/stock/⟨id⟩ answered ⟨number⟩"),
        ("cannot open /tmp/upload_9/a.png", "cannot open ⟨path⟩"),
        ("cannot open C:\\Temp\\a.png", "cannot open ⟨path⟩"),
        ("no variant XL-14", "no variant XL-⟨number⟩"),
        ("id=42, order:17", "id=⟨number⟩, order:⟨number⟩"),
        ("'discount'", "'discount'"),
        ("'SKU-17'", "⟨string⟩"),
        ("bad input 'hello, my friend'", "bad input ⟨string⟩"),
        ("can't say it doesn't work", "can't say it doesn't work"),
        ("\n\n  first line\nsecond line", "first line"),
        ("", ""),
    ],
)
def test_what_varies_is_replaced_and_what_names_the_bug_stays(message: str, template: str) -> None:
    assert template_of(message) == template


@each("forged", ["user ⟨number⟩ not found", "user \ue000 not found", "user %s not found"])
def test_no_text_can_imitate_a_placeholder(forged: str) -> None:
    assert template_of(forged) != template_of("user 42 not found")
    assert template_of(forged) != log_template_of("user %s not found")
    assert log_template_of("user \ue000 not found") != log_template_of("user %s not found")


@given(st.text(max_size=300))
def test_brackets_of_a_template_hold_words_of_ours_only(message: str) -> None:
    ours = {"number", "uuid", "hex", "ip", "host", "email", "date", "path", "id", "string", "value"}
    for template in (template_of(message), log_template_of(message)):
        found = [part.partition("⟩")[0] for part in template.split("⟨")[1:]]
        assert set(found) <= ours or len(template) == MAX_TEMPLATE


@given(st.text(max_size=2000))
def test_a_template_is_bounded(message: str) -> None:
    assert len(template_of(message)) <= MAX_TEMPLATE


@each(
    "unit",
    [
        "a",
        "'",
        "\"'`",
        "1",
        "1.",
        "a@",
        "a.",
        ":",
        "a:",
        "::1",
        "/",
        "a/1",
        "http://",
        "%",
        "{",
        "%(a",
        "-",
        "?a=",
        "0x",
        " '",
    ],
)
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    start = process_time()
    for text in (unit * 1_000_000, unit * 300, "x " * 200 + unit * 300 + "!"):
        template_of(text)
        log_template_of(text)

    assert process_time() - start < 0.1


@each(
    ("left", "right"),
    [
        ("backup of Mon Nov 21 03:00:17 2026 failed", "backup of Tue Dec 2 04:11:00 2026 failed"),
        ("expired at Sat, 21 Nov 2026 03:00:17 GMT", "expired at Sun, 6 Dec 2026 11:00:17 GMT"),
        ("due November 21, 2026", "due March 3, 2027"),
        ("started 2026-11-21 03:00:17", "started 2026-12-01 23:10:00"),
        ("started 2026-11-21 03:00:17", "started 2026-12-01T23:10:00Z"),
        ("no answer from db-3.prod.example.com", "no answer from cache.staging.internal"),
        ("user 'ada' has no cart", "user 'grace' has no cart"),
        ('room "lobby" is full', 'room "kitchen" is full'),
    ],
)
def test_dates_hosts_and_quoted_words_of_a_message_are_values(left: str, right: str) -> None:
    assert logged(left) == logged(right)


def test_names_of_code_in_a_message_are_none() -> None:
    assert logged("shop.cart.total failed") != logged("shop.cart.load failed")
    assert logged("com.acme.Cart failed") != logged("com.acme.Order failed")
    assert logged("May I ask") != logged("Mar I ask")


def logged(message: str) -> tuple[str, ...]:
    return fingerprint_of(variant_of({"message": message}).shape, 3).fingerprint
