from errata.grouping import Fingerprint, GroupingRules, VariantShape, fingerprint_of, parse_rules, variant_of
from tests.cases import each
from tests.errata.grouping.events import Event, chain, exception, frame, raised, vendor


def found(event: Event, rules: str | GroupingRules) -> Fingerprint:
    """As ingest does it, through the JSON a variant is kept in."""
    parsed = parse_rules(rules) if isinstance(rules, str) else rules
    shape = VariantShape.from_json(variant_of(event, parsed).shape.to_json())
    return fingerprint_of(shape, rules=parsed)


def holds(event: Event, matchers: str) -> bool:
    return found(event, f"{matchers} -> hit").fingerprint == ("hit",)


KEY_ERROR = raised(
    vendor("dispatch"),
    frame("load", "shop.cart"),
    value="'discount' of 17",
    transaction="/cart",
    release="shop@2.1.0",
    tags={"tenant": "acme", "big": True},
    user={"email": "ada@example.com"},
    logger="shop.web",
    request={"url": "https://shop.example/cart", "method": "GET"},
)


@each(
    "matchers",
    [
        "type:KeyError",
        "error.type:Key*",
        "!type:ValueError",
        "module:shop.* function:load",
        "stack.module:shop.cart !function:save",
        "path:shop/**",
        "path:/SHOP/*.py",
        "path:**/cart.py",
        "app:yes module:shop.?art",
        "message:'discount'*",
        'message:"*of 17"',
        'value:"*of ⟨number⟩"',
        "platform:python family:other",
        "transaction:/cart release:shop@2.*",
        "tags.tenant:acme tags.big:yes",
        "user.email:*@example.com",
        "logger:shop.* method:get url:https://shop.example/*",
        '!tags.plan:pro tags.plan:""',
    ],
)
def test_a_rule_holds_where_all_its_matchers_do(matchers: str) -> None:
    assert holds(KEY_ERROR, matchers)


@each(
    "matchers",
    [
        "type:keyerror",
        "!type:KeyError",
        "module:shop.* function:dispatch",
        "app:no module:shop.*",
        "!module:shop.*",
        "path:*.py",
        "path:cart.py",
        'message:"*of 18"',
        "type:KeyError release:shop@3.*",
        "family:javascript",
        "fingerprint:hit",
    ],
)
def test_a_rule_does_not_hold_where_one_matcher_does_not(matchers: str) -> None:
    assert not holds(KEY_ERROR, matchers)


def test_matchers_of_a_chain_speak_of_the_same_exception() -> None:
    event = chain(exception("OSError", "refused", frame("a")), exception("Failed", "no answer", frame("b")))

    assert holds(event, "type:OSError")
    assert holds(event, 'type:Failed message:"no answer"')
    assert not holds(event, 'type:OSError message:"no answer"')
    assert not holds(event, "!type:OSError")


def test_the_first_rule_that_holds_decides() -> None:
    rules = "type:ValueError -> a\ntype:KeyError -> b\ntype:* -> c"

    assert found(KEY_ERROR, rules).fingerprint == ("b",)
    assert found(raised(frame("f"), type_="Other"), rules).fingerprint == ("c",)


def test_a_rule_wins_over_the_fingerprint_of_the_sdk_and_is_named() -> None:
    event = {**KEY_ERROR, "fingerprint": ["mine"]}
    result = found(event, "type:KeyError -> keys  # ours")

    assert result.fingerprint == ("keys",)
    assert result.explanation["rule"] == "fingerprint rule"
    assert result.explanation["project_rule"] == "type:KeyError -> keys"
    assert result.explanation["sent"] == ["mine"]
    assert result.explanation["would_have_been"] == "in-app frames"
    assert result.explanation["acts"] == "on all events"


def test_what_an_application_sends_cannot_make_the_fingerprint_of_a_rule() -> None:
    rules = "type:KeyError -> keys"
    forged = raised(frame("f"), type_="Other", fingerprint=["keys"])

    assert found(forged, rules).fingerprint == ("keys",)
    assert found(forged, rules).fingerprint_hash != found(KEY_ERROR, rules).fingerprint_hash
    allowed = rules + "\nfingerprint:keys -> keys"
    assert found(forged, allowed).fingerprint_hash == found(KEY_ERROR, allowed).fingerprint_hash


def test_default_in_a_rule_is_what_the_version_says() -> None:
    plain = found(KEY_ERROR, "")
    sent = {**KEY_ERROR, "fingerprint": ["mine"]}

    assert found(sent, "type:* -> {{ default }}").fingerprint_hash == plain.fingerprint_hash
    more = found(KEY_ERROR, "type:* -> {{ default }}, eu")
    assert more.fingerprint == (*plain.fingerprint, "eu")
    imitated = f"type:* -> {', '.join(plain.fingerprint)}, eu"
    assert found(KEY_ERROR, imitated).fingerprint == more.fingerprint
    assert found(KEY_ERROR, imitated).fingerprint_hash != more.fingerprint_hash


def test_variables_are_filled_in() -> None:
    parts = '"{{ type }} in {{ function }}", {{ module }}, {{ tags.tenant }}-{{ release }}, {{ value }}'

    assert found(KEY_ERROR, f"type:* -> {parts}").fingerprint == (
        "KeyError in load",
        "shop.cart",
        "acme-shop@2.1.0",
        "'discount' of ⟨number⟩",
    )


def test_a_rule_of_the_shape_acts_on_history_and_makes_no_variant() -> None:
    stored = variant_of(KEY_ERROR)

    assert variant_of(KEY_ERROR, parse_rules("module:shop.* -> a")) == stored
    assert fingerprint_of(stored.shape, rules=parse_rules("module:shop.* -> a")).fingerprint == ("a",)


def test_a_rule_of_other_fields_acts_on_new_events_only_and_is_undone_with_the_rule() -> None:
    rules = parse_rules("release:shop@2.* -> old-{{ transaction }}")
    before, after = variant_of(KEY_ERROR), variant_of(KEY_ERROR, rules)

    assert before.variant_hash != after.variant_hash
    assert fingerprint_of(before.shape, rules=rules) == fingerprint_of(before.shape)
    assert fingerprint_of(after.shape, rules=rules).fingerprint == ("old-/cart",)
    assert fingerprint_of(after.shape, rules=rules).explanation["acts"] == "on new events"
    assert fingerprint_of(after.shape) == fingerprint_of(before.shape)


def test_the_fingerprint_of_such_a_rule_may_be_reworded_for_history() -> None:
    stored = variant_of(KEY_ERROR, parse_rules("release:shop@2.* -> old, {{ transaction }}")).shape
    reworded = parse_rules("release:shop@2.* -> {{ transaction }}, older")

    assert fingerprint_of(stored, rules=reworded).fingerprint == ("/cart", "older")


def test_logger_and_level_of_a_message_act_on_history() -> None:
    message = {"logger": "shop.mail", "level": "error", "message": "no route"}
    rules = parse_rules("logger:shop.* level:error -> mail")

    assert variant_of(message, rules) == variant_of(message)
    assert fingerprint_of(variant_of(message).shape, rules=rules).fingerprint == ("mail",)


def test_in_app_rules_decide_which_frames_count() -> None:
    wrapped = raised(frame("traced", "shop.tracing"), frame("load"), vendor("get", "httpx"))
    plain = raised(frame("load"))
    rules = "module:shop.tracing -app"

    assert found(wrapped, "").fingerprint_hash != found(plain, "").fingerprint_hash
    assert found(wrapped, rules).fingerprint_hash == found(plain, rules).fingerprint_hash
    explained = found(wrapped, rules).explanation["frames"][0]
    assert (explained["left_out"], explained["in_app_rule"]) == ("not in-app", "module:shop.tracing -app")


def test_the_last_in_app_rule_that_fits_a_frame_wins() -> None:
    event = raised(vendor("get", "corp.http"), vendor("send", "corp.http.wire"))
    rules = "module:corp.* +app\nmodule:corp.http.wire -app\npath:**/none.py +app"
    frames = found(event, rules).explanation["frames"]

    assert [bool(item["used_as"]) for item in frames] == [True, False]


def test_the_source_line_of_a_frame_that_is_no_longer_the_culprit_does_not_count() -> None:
    def event(line: str) -> Event:
        return raised(frame("load"), frame("check", "shop.checks", context_line=line))

    rules = "module:shop.checks -app"
    assert found(event("raise A"), "").fingerprint_hash != found(event("raise B"), "").fingerprint_hash
    assert found(event("raise A"), rules).fingerprint_hash == found(event("raise B"), rules).fingerprint_hash
