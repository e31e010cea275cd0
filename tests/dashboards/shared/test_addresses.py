from dashboards.shared.addresses import View

DEFAULTS = {"status": "unresolved", "period": "14d"}


def test_an_address_holds_only_what_is_not_the_default() -> None:
    view = View("/issues", {"status": "unresolved", "query": "a b&c", "environment": ""}, DEFAULTS)
    assert view.address() == "/issues?query=a+b%26c"
    assert view.address(query="") == "/issues"


def test_any_change_begins_at_the_first_page_again() -> None:
    view = View("/issues", {"cursor": "abc", "query": "x"}, DEFAULTS)
    assert view.address(status="resolved") == "/issues?query=x&status=resolved"
    assert view.address(cursor="def") == "/issues?cursor=def&query=x"


def test_what_the_address_leaves_out_reads_as_its_default() -> None:
    view = View("/issues", {"status": "", "period": "7d"}, DEFAULTS)
    assert (view["status"], view["period"], view["query"]) == ("unresolved", "7d", "")


def test_a_view_is_filtered_by_more_than_sort_and_period() -> None:
    assert not View("/", {"period": "7d", "status": "unresolved"}, DEFAULTS).is_filtered
    assert View("/", {"environment": "staging"}, DEFAULTS).is_filtered
