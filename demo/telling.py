"""What the demonstration says to the person who started it."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from demo import story
from demo.service import Service

SHOWN_PERIOD = "8w"


def banner(
    service: Service,
    known: Mapping[str, str],
    kept: Mapping[str, str],
    shop: str,
    mail: str,
    logs: Path,
    output: Path,
) -> str:
    tried = _of_story(service, kept, mail) if "came_back" in kept else _without_story(service)
    return f"""
  Errata      {service.base_url}
  Email       {known["email"]}
  Password    {known["password"]}

  The shop    {shop}        (simulated visitors are using it; join them)
  Its mail    {mail}        (what Errata sends)

  Try in Errata
{tried}
  Try in the shop
    · the coupon SUMMER24 in the cart, country MC at the checkout, “Use loyalty points”:
      each causes an error that appears in Errata within seconds

  Press Ctrl-C to stop everything. The service's logs are in {logs}, those of the shop in {output}
"""


def _of_story(service: Service, kept: Mapping[str, str], mail: str) -> str:
    page, performance = service.page, f"{service.page}/performance"
    return f"""\
    · {story.SLOWER.version} made pages slower (figures in a minute):
      {performance}/release?{urlencode({"version": story.SLOWER.version})}
      {performance}/trends?{urlencode({"period": SHOWN_PERIOD})}
    · An issue that was resolved came back in {story.NEWEST.version}:
      {page}/issues/{kept["came_back"]}
    · The budget “{story.BREACHED.name}” is breached, {len(story.BUDGETS) - 1} others are kept:
      {performance}/budgets
    · An alert mailed that it came back (within half a minute): {mail}
      its rule: {page}/alerts
    · A share link, which opens without signing in:
      {kept["share_link"]}
    · A merged, an assigned and an ignored issue, and the saved search “Checkout”:
      {page}/issues
"""


def _without_story(service: Service) -> str:
    return f"""\
    · Issues: open “PaymentDeclinedError” for its cause, request, user and breadcrumbs
    · Performance: pages and endpoints; in a minute, {story.DEPLOYED_LIVE} is deployed: paying is slower
"""


def verdict(service: Service) -> str:
    """As the service judges it."""
    found = service.find(f"{service.project}/performance/releases/{story.SLOWER.version}/verdict")
    if found is None or found["verdict"] != "worse":
        return "The figures are ready."
    change, low, high = (
        round(100 * found[name]) for name in ("effect_ratio", "effect_ratio_low", "effect_ratio_high")
    )
    return (
        f"The figures are ready. Pages of {story.SLOWER.version} take {change}% longer than those of "
        f"{found['previous_release']} (95% sure of {low}% to {high}%)."
    )
