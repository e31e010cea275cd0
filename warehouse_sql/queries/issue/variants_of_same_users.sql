-- purpose: what else the users of an issue met: variants of other issues, the most shared users first
-- returns: one row per variant: users (of the issue's, user_limit at most), own_user_count (all it has), people_count
--   (the issue's latest users that were looked for)

with people as materialized (
    select user_hash
    from errata_raw.error_events
    where
        variant_hash in {variants:Array(UInt64)}
        and received_at >= {since:DateTime64(3, 'UTC')}
        and user_hash != 0
    group by user_hash
    order by max(occurred_at) desc, user_hash
    limit {user_limit:UInt16}
),

shared as materialized (
    select
        variant_hash,
        groupUniqArray(user_hash) as users,
        max(occurred_at) as last_seen
    from errata_raw.error_events
    where
        received_at >= {since:DateTime64(3, 'UTC')}
        and user_hash in (select user_hash from people)
        and variant_hash not in {variants:Array(UInt64)}
    group by variant_hash
    order by length(users) desc, last_seen desc
    limit {variant_limit:UInt16}
),

owned as (
    select
        variant_hash,
        uniq(user_hash) as user_count
    from errata_raw.error_events
    where
        variant_hash in (select variant_hash from shared)
        and received_at >= {since:DateTime64(3, 'UTC')}
        and user_hash != 0
    group by variant_hash
)

select
    shared.variant_hash as variant_hash,
    shared.users as users,
    greatest(owned.user_count, length(shared.users)) as own_user_count,
    (select count() from people) as people_count
from shared
inner join owned on shared.variant_hash = owned.variant_hash
settings enable_materialized_cte = 1
