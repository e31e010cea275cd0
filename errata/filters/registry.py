"""The kinds of inbound filters: every module of `errata/filters/kinds` is one."""

from collections.abc import Mapping

from errata.filters import kinds
from errata.filters.inbound_filter import InboundFilter
from errata.package_modules import modules_of

FILTERS: Mapping[str, InboundFilter] = {
    each.kind: each for each in (module.FILTER for module in modules_of(kinds))
}
