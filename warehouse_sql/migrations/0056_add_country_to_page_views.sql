-- errata_raw.page_views
-- purpose: the country that a page view came from, where the SDK names it or the operator has a file of addresses; the address itself is not kept
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.page_views
    add column if not exists country LowCardinality(String) comment 'two letters of ISO 3166-1; empty: unknown';
