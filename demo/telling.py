"""What the demonstration says to the person who started it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from demo import story
from demo.service import Service
from demo.tour import Step, as_text


def banner(
    known: Mapping[str, str],
    steps: Sequence[Step],
    share_link: str,
    shop: str,
    mail: str,
    logs: Path,
    output: Path,
) -> str:
    tried = _of_story(steps, share_link, mail) if steps else _without_story()
    return f"""
  Errata      {known["base_url"]}
  Email       {known["email"]}
  Password    {known["password"]}

  The shop    {shop}        (simulated visitors are using it; join them)
  Its mail    {mail}        (what Errata sends)

  A tour of Errata
{tried}
  Try in the shop
    · the coupon SUMMER24 in the cart, country MC at the checkout, “Use loyalty points”:
      each causes an error that appears in Errata within seconds

  Press Ctrl-C to stop everything. The service's logs are in {logs}, those of the shop in {output}
"""


def _of_story(steps: Sequence[Step], share_link: str, mail: str) -> str:
    return f"""\
{as_text(steps)}

    The same as a page: {mail}/tour
    A share link, which opens without signing in: {share_link}
"""


def _without_story() -> str:
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
