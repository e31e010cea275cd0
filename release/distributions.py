"""The four distributions of a release, and where their files come from."""

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Distribution:
    name: str
    # Relative to the repository; empty for its root.
    folder: str
    packages: tuple[str, ...]
    # By folder or file of the distribution: where a wheel has it.
    moved: dict[str, str] = field(default_factory=dict)
    # What an sdist has beside all that.
    sources: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ("LICENSE", "NOTICE")
    command: str | None = None

    @property
    def file_name(self) -> str:
        return self.name.replace("-", "_")

    @property
    def import_name(self) -> str:
        return self.packages[0]

    def path(self, root: Path) -> Path:
        return root / self.folder

    def wheel_name(self, version: str) -> str:
        return f"{self.file_name}-{version}-py3-none-any.whl"

    def sdist_name(self, version: str) -> str:
        return f"{self.file_name}-{version}.tar.gz"


SHARED = "share/errata-shipper"
WIRE = Distribution("errata-wire", "wire", ("errata_wire",))
SHIPPER = Distribution(
    "errata-shipper",
    "shipper",
    ("errata_shipper",),
    moved={
        f"errata{end}": f"{{data}}/data/{SHARED}/errata{end}"
        for end in (".yaml.example", "-shipper.service", "-shipper.socket", "-shipper.logrotate")
    },
    command="errata-shipper",
)
SDK = Distribution("errata-sdk", "sdk", ("errata_sdk",))
SERVER = Distribution(
    "errata-server",
    "",
    ("errata", "api", "pipelines", "dashboards", "warehouse_sql"),
    moved={"docs": "errata/documentation/files"},
    sources=("shipper", "sdk", "wire", "hatch_build.py", "constraints.txt", "workspace.yaml"),
    licenses=(
        "LICENSE",
        "NOTICE",
        "dashboards/static/vendor/inter/LICENSE",
        "dashboards/static/vendor/plotly/LICENSE",
        "dashboards/static/vendor/plotly/LICENSE-parts",
        "dashboards/static/vendor/rrweb/LICENSE",
        "dashboards/static/vendor/rrweb/LICENSE-parts",
    ),
    command="errata",
)
# In the order in which they need each other.
DISTRIBUTIONS = (WIRE, SHIPPER, SDK, SERVER)
# The wheels that the server's wheel has for hosts.
SERVED = (WIRE, SHIPPER, SDK)
