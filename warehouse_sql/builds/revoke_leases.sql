-- purpose: takes marts from the attempts that no longer beat
-- parameters: marts, attempt (not this one), lifetime_ms

insert into errata_ops.build_leases (mart, attempt, state)
select mart, attempt, 'revoked'
from errata_ops.build_leases
where
    mart in {marts:Array(String)}
    and attempt != {attempt:String}
    and recorded_at > now64(6) - interval 2 day
group by mart, attempt
having
    argMax(state, recorded_at) not in ('released', 'revoked')
    and max(recorded_at) <= now64(6) - toIntervalMillisecond({lifetime_ms:UInt32})
