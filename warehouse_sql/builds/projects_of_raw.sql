-- purpose: which projects an insert that failed may have read raw rows of, and how many
-- parameters: first, last, excluded (projects), received_from, received_to, receipt_days

select
    project_id,
    count() as row_count
from ${table}
where
    project_id between {first:UInt32} and {last:UInt32}
    and project_id not in {excluded:Array(UInt32)}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
    and toDate(received_at) in {receipt_days:Array(Date)}
group by project_id
order by project_id
