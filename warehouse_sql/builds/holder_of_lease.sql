-- purpose: the attempt that holds a mart: the earliest claim that still beats

select
    attempt,
    argMax(state, recorded_at) as latest_state,
    maxIf(recorded_at, state = 'claimed') as claimed_at
from errata_ops.build_leases
where mart = {mart:String} and recorded_at > now64(6) - interval 2 day
group by attempt
having
    latest_state != 'released'
    -- Lost is lost: what beats again was paused, and another one has built since.
    and countIf(state = 'revoked') = 0
    and max(recorded_at) > now64(6) - toIntervalMillisecond({lifetime_ms:UInt32})
order by claimed_at, attempt
limit 1
