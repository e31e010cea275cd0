-- purpose: issues whose users totals cannot tell: an identified user or a variant came to them since the build
select issue_id from fresh where user_hash != 0 union all select issue_id from moved
