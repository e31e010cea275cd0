-- errata_raw.page_views
-- purpose: which element and which script made INP, LCP and CLS what they are: the long animation frames of a page view, and what browsers said of the
--   elements
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.page_views
    add column if not exists lcp_id String comment 'id attribute of the LCP element; empty: none',
    add column if not exists lcp_size Float64 default nan comment 'visible area of the LCP element in CSS pixels; nan: not sent',
    add column if not exists lcp_load_ms Float64 default nan comment 'when the LCP image had loaded, since the start of the view; nan: text, or not sent',
    add column if not exists lcp_render_ms Float64 default nan comment 'when the LCP element was painted, since the start of the view; nan: hidden by the browser, or not sent',
    add column if not exists inp_at_ms Float64 default nan comment 'unix ms: start of the interaction; nan: none',
    add column if not exists inp_type LowCardinality(String) comment 'click, press, drag or hover; empty: none',
    add column if not exists cls_sources Array(String) comment 'elements of the reported layout shift, the one that moved most first',
    add column if not exists frames Array(Tuple(start_ms Float64, duration_ms Float64, invoker String, invoker_type String, file String, function String, position Int32)) comment 'long animation frames: unix ms, duration, and the first script of each, with the character of the file at which its function begins (-1: unknown)';
