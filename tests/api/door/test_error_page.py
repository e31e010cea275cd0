"""The dialog for error pages, and the reports that it sends."""

from urllib.parse import urlencode

from httpx2 import Response

from tests.api.door.direct_node import DirectNode

EVENT = "ab" * 16
PATH = "/api/embed/error-page/"
PAGE = "https://shop.example.com"
FORM = {"name": "Ann", "email": "ann@example.com", "comments": "I paid, & it <b>broke</b>"}


def address(node: DirectNode, key: str = "", event_id: str = EVENT, project_id: int = 0) -> str:
    """As an SDK puts it together."""
    key = key or node.account.public_key
    dsn = f"https://{key}@errata.example.com/{project_id or node.account.project_id}"
    return f"{PATH}?dsn={dsn}&eventId={event_id}&title=Oh%20no"


def report(node: DirectNode, path: str, form: dict[str, str]) -> Response:
    headers = {"Origin": PAGE, "Content-Type": "application/x-www-form-urlencoded"}
    return node.client.post(path, content=urlencode(form), headers=headers)


def test_a_report_is_feedback_about_the_error(node: DirectNode) -> None:
    answer = report(node, address(node), FORM)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    (row,) = node.rows("select * from errata_raw.feedback", 1)
    assert (row["message"], row["user_name"], row["user_email"]) == (
        FORM["comments"],
        "Ann",
        "ann@example.com",
    )
    assert row["associated_event_id"].hex == EVENT


def test_the_script_is_the_same_whatever_its_address_says(node: DirectNode) -> None:
    headers = {"Origin": PAGE}
    plain = node.client.get(address(node), headers=headers)
    hostile = node.client.get(f"{address(node)}&name=</script><script>alert(1)", headers=headers)
    assert plain.status_code == 200 and plain.headers["content-type"].startswith("text/javascript")
    assert plain.headers["access-control-allow-origin"] == PAGE
    assert plain.text == hostile.text


def test_a_page_that_may_not_send_gets_no_dialog(node: DirectNode) -> None:
    node.store.allowed_origins.replace(1, node.account.project, ("https://other.example",), actor="test")
    assert node.client.get(address(node), headers={"Origin": PAGE}).status_code == 403
    assert report(node, address(node), FORM).status_code == 403
    assert node.lines() == []


def test_what_names_no_project_or_no_error_is_refused(node: DirectNode) -> None:
    wrong = {
        address(node, key="errata_public_unknown"): 403,
        address(node, key=node.account.api_key): 403,
        address(node, project_id=7): 403,
        address(node, event_id="last"): 400,
        f"{PATH}?dsn=https://{node.account.public_key}@errata.example.com/x&eventId={EVENT}": 403,
        f"{PATH}?eventId={EVENT}": 403,
    }
    for path, status in wrong.items():
        assert node.client.get(path).status_code == status, path
        assert report(node, path, FORM).status_code == status, path
    for form in ({}, {"comments": " "}, {"name": "Ann"}):
        assert report(node, address(node), form).status_code == 400
    assert node.client.post(address(node), content=b"\xff=\xfe").status_code == 400
    assert node.lines() == []


def test_a_minidump_is_refused_with_the_reason(node: DirectNode) -> None:
    answer = node.send(b"MDMP", node.path("minidump/"))
    assert answer.status_code == 400 and "memory of a process" in answer.headers["x-sentry-error"]
    assert node.send(b"MDMP", node.path("minidump"), key="errata_public_unknown").status_code == 403
