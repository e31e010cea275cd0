-- purpose: no condition asks what variants are called
select toUInt64(0) as issue_id
