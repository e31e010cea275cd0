-- purpose: accepted lines of projects by how they arrived: their sum is what the page of usage counts as accepted
-- definition: Each accepted line counts by when it was received, and by how it arrived: in a log file of the period, in one of another day, in a
--   repeated delivery of the same batch, or without a log file.
-- parameters: since (moment of receipt), files_since (first day of log files), files_until (the day after the last)
-- returns: one row per project with deliveries: project_id, period_count (in log files of these days), other_count (in log files of other days),
--   repeated_count (in repeated deliveries of the same batch), direct_count (in deliveries that name no log file)

with batches as (
    select
        project_id,
        host != '' and base_name != '' as is_of_file,
        day >= {files_since:Date} and day < {files_until:Date} as is_in_period,
        sum(deliveries.accepted_count) as accepted_count,
        -- The first delivery of a batch counts in the ledger; repeated ones do not.
        argMin(deliveries.accepted_count, (received_at, deliveries.rejected_count)) as first_count
    from errata_raw.deliveries as deliveries
    where received_at >= {since:DateTime64(3, 'UTC')}
    group by project_id, is_of_file, is_in_period, host, base_name, batch_id, byte_from, byte_to
)

select
    project_id,
    sumIf(first_count, is_of_file and is_in_period) as period_count,
    sumIf(first_count, is_of_file and not is_in_period) as other_count,
    sumIf(batches.accepted_count - first_count, is_of_file) as repeated_count,
    sumIf(batches.accepted_count, not is_of_file) as direct_count
from batches
group by project_id
order by project_id
