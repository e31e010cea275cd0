-- errata_mart.release_impact
-- purpose: how much the page loads of a comparison tell where many are of one user, and why there is no verdict
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.release_impact
    add column if not exists independent_count UInt64 default after_count comment 'independent values that would tell as much as those of this release, since values of one user or hour are alike' after user_count,
    add column if not exists largest_share Float64 default 0 comment 'share of the most active user in the values compared, 0 to 1; 0: nobody is known' after independent_count,
    add column if not exists is_constant Bool default false comment 'no value differs from another of its release, page and device' after superiority,
    add column if not exists reason LowCardinality(String) default '' comment 'why the verdict is not_enough_data: few_users or one_user; empty: the interval is too wide, or there is a verdict' after verdict;
