"""Where the documentation explains a page or a part of one: what each `?` opens."""

from markupsafe import Markup

from errata.documentation.documents import ADDRESS

# The words name the link; a document, and the anchor of a heading in it.
HELP = {
    "access tokens": "keys#access-tokens",
    "activity of an issue": "issues#timeline-and-comments",
    "activity of the key": "people#the-activity-log",
    "age of the last backup": "backup#age-of-the-last-backup",
    "alert rules": "alerts#rules",
    "annotations": "around#annotations",
    "API endpoint": "performance#one-endpoint",
    "API key": "keys",
    "application keys": "keys",
    "backtest": "alerts#test-before-saving",
    "budgets": "budgets#when-it-is-kept",
    "attachments": "attachments",
    "channels": "alert-channels#channels",
    "data arriving": "ledger#how-to-read-it",
    "delivery": "ledger#how-to-read-it",
    "dsn": "dsn",
    "erasure": "erasure#what-happens",
    "feedback": "feedback",
    "filtering": "filtering#rules-of-a-project",
    "finding by name": "around#find-by-name",
    "grouping of an issue": "grouping#reading-an-explanation",
    "grouping rules": "grouping-rules#grouping-rules-of-a-project",
    "how a figure is computed": "around#how-a-figure-is-computed",
    "inbound filters": "inbound-filters",
    "integrations": "integrations",
    "issue list": "around#the-issue-list",
    "limits": "usage#limits",
    "logs": "logs",
    "monitors": "monitors",
    "missing source maps": "source-maps#why-is-it-still-minified",
    "not stored as sent": "ledger#not-stored-as-sent",
    "notifications": "around#notifications",
    "one page": "performance#one-page-one-load",
    "people": "people",
    "performance figures": "performance#page-views",
    "recommendations": "recommendations#recommendations",
    "related issues": "issue-view#related-issues",
    "release verdicts": "releases#the-verdict",
    "replays": "replay#the-list",
    "reports": "reports#performance-reports",
    "resources": "performance#resources",
    "retention": "retention",
    "rotating the key": "keys#rotate-the-api-key-without-downtime",
    "saved views": "around#saved-views",
    "share links": "sharing",
    "shifts": "statistics#shifts-of-daily-series",
    "source maps": "source-maps#upload",
    "suspect commits": "releases#suspect-commits",
    "trends": "releases#trends",
    "two-factor authentication": "people#two-factor-authentication",
    "usage": "usage",
    "users": "around#users",
    "what can be limited": "budgets#what-can-be-limited",
    "what users waited for": "causes",
    "what's different": "different#what-is-compared",
}

# Without scripts it leads there; help.js opens it beside the page.
LINK = Markup(
    '<a class="help" href="{}" data-help aria-label="Help: {}"><span aria-hidden="true">?</span></a>'
)


def help_link(topic: str) -> Markup:
    """The `?` beside a heading. Raises KeyError for a topic that HELP lacks."""
    return LINK.format(f"{ADDRESS}/{HELP[topic]}", topic)
