-- purpose: a cheap look at whether anything came in or was decided: each number only grows, but for what is erased
-- returns: one row: asked_at; event_count (received from since on), action_count, mapping_count, switch_count, upload_count of all time. What
--   decisions and mappings come to is counted too: it is written after its entry of the log

select
    now64(3) as asked_at,
    (
        select count()
        from errata_raw.error_events
        where received_at >= {since:DateTime64(3, 'UTC')}
    ) as event_count,
    (select count() from errata_raw.issue_actions) + (
        select sum(version)
        from errata_raw.issue_states final
    ) as action_count,
    (select count() from errata_raw.variant_issues) + (
        select sum(version)
        from errata_raw.variant_assignments final
    ) as mapping_count,
    (select count() from errata_raw.grouping_switches) as switch_count,
    (select count() from errata_raw.source_bundles) as upload_count
