-- texts_left_out
-- purpose: no condition asks what variants are called
-- inputs:  none
select toUInt64(0) as issue_id
