-- errata_ops.window_arrivals
-- purpose: builds recorded when a page view's load came in, not what had come of it in the two days before
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.window_arrivals
    update first_received_at = first_received_at - toIntervalDay(2)
    where mart in ('page_metrics_daily', 'page_metrics_hourly', 'resource_metrics_daily')
    settings mutations_sync = 1;
