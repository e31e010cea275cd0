"""The pages that every project, or every organization, has: what navigations list and people find by name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """`path` continues the address of a project; the paths of an organization's pages are whole. `words` are
    further names by which people look for the page. `is_of_all`: only for those who see all projects."""

    name: str
    title: str
    path: str
    words: str = ""
    is_of_all: bool = False


# The sections of a project, in the order of the navigation.
SECTIONS = (
    Place("overview", "Overview", "", "home summary"),
    Place("issues", "Issues", "/issues", "errors exceptions crashes"),
    Place("users", "Users", "/users", "people affected"),
    Place("replays", "Replays", "/replays", "session recordings rage dead clicks video"),
    Place("feedback", "Feedback", "/feedback", "messages user reports widget complaints"),
    Place("performance", "Performance", "/performance", "speed load time vitals"),
    Place("monitors", "Monitors", "/monitors", "crons cron jobs scheduled check-ins heartbeat missed"),
    Place("delivery", "Delivery", "/delivery", "hosts files logs shipper ingest disk"),
    Place("alerts", "Alerts", "/alerts", "rules notify channels mail webhook slack"),
    Place("settings", "Settings", "/settings", ""),
)

# The tabs of performance. A new tab is a line here.
PERFORMANCE = (
    Place("pages", "Pages", "/performance", "page loads vitals lcp inp cls"),
    Place("resources", "Resources", "/performance/resources", "scripts images styles fonts"),
    Place("endpoints", "API", "/performance?tab=endpoints", "endpoints calls requests routes"),
    Place("budgets", "Budgets", "/performance/budgets", "limits thresholds"),
    Place("trends", "Trends", "/performance/trends", "weeks shifts regressions"),
    Place("releases", "Releases", "/performance/releases", "versions deployments verdicts"),
    Place("recommendations", "Recommendations", "/performance/recommendations", "advice faster"),
    Place("reports", "Reports", "/performance/reports", "weekly pdf mail schedule"),
)
SAVED_VIEWS = Place("views", "Saved views", "/performance/views", "bookmarks")

# The settings of a project. A new page is a folder in dashboards/settings/, and a line here.
GENERAL = Place("general", "General", "/settings", "name application keys dsn delete project")
INTEGRATIONS = Place(
    "integrations",
    "Integrations and share links",
    "/settings/integrations",
    "github gitlab jira linear trackers",
)
GROUPING = Place("grouping", "Grouping", "/settings/grouping", "fingerprint rules merge")
FILTERING = Place("filtering", "Filtering", "/settings/filtering", "scrubbing secrets privacy data")
INBOUND_FILTERS = Place(
    "inbound_filters",
    "Inbound filters",
    "/settings/inbound-filters",
    "drop ignore crawlers bots extensions legacy browsers localhost health checks ip address",
)
SOURCE_MAPS = Place(
    "source_maps", "Source maps", "/settings/source-maps", "minified javascript upload sentry-cli debug id"
)
RETENTION = Place("retention", "Retention", "/settings/retention", "keep days delete disk size storage")
ERASURE = Place("erasure", "Erasure", "/settings/erasure", "delete erase person privacy gdpr receipts")
ALERT_CHANNELS = Place(
    "alert_channels",
    "Alert channels",
    "/alerts#channels",
    "mail slack teams discord pagerduty google chat webhook notify",
)
SETTINGS = (
    *(GENERAL, INTEGRATIONS, GROUPING, FILTERING, INBOUND_FILTERS, SOURCE_MAPS, RETENTION, ERASURE),
    ALERT_CHANNELS,
)

# The settings of an organization. A new page is a folder in dashboards/organization/, and a line here.
API_KEYS = Place("api_keys", "API keys", "/settings/api-keys", "token rotate hosts", is_of_all=True)
PEOPLE = Place("people", "People", "/settings/people", "members invite users roles owners")
USAGE = Place("usage", "Usage", "/settings/usage", "limits quota rate spike protection forecast outcomes")
ACTIVITY = Place("activity", "Activity", "/settings/activity", "audit log history", is_of_all=True)
ACCOUNT = Place("account", "Your account", "/settings/account", "password sessions time zone sign out")
ORGANIZATION = (API_KEYS, PEOPLE, USAGE, ACTIVITY, ACCOUNT)

NOTIFICATIONS = Place("notifications", "Notifications", "/account/notifications", "inbox unread bell")
PROJECTS = Place("projects", "All projects", "/projects", "new create project")
API_REFERENCE = Place("api", "API reference", "/api/docs", "rest openapi documentation")
DOCUMENTATION = Place("docs", "Documentation", "/docs", "help manual guide docs")
