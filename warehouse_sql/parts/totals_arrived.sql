-- purpose: events received since the build, each in every span that it falls into
-- parameters: wholes, steps (spans with seconds of a step and count of steps), user_spans (those of them that users are counted of)
-- names: own (a condition on issue_id), is_uncounted (a condition on events)
-- returns: rows per issue, span, is_whole (all environments together) and environment. Users, of user_spans alone: either user_count or users_state
select
    issue_id,
    step.1 as span,
    arrayJoin({wholes:Array(Bool)}) as is_whole,
    if(is_whole, '', environment) as environment,
    toUInt64(1) as event_count,
    toUInt64(0) as user_count,
    initializeAggregation(
        'uniqStateIf',
        user_hash,
        user_hash != 0 and (step.1, step.2) in {user_spans:Array(Tuple(String, DateTime('UTC')))}
    ) as users_state,
    arrayMap(
        number -> toUInt64(number = least(
            intDiv(toInt64(toDateTime(occurred_at)) - toInt64(step.2), step.3),
            toInt64(step.4) - 1
        )),
        range(step.4)
    ) as bucket_counts,
    recorded_at,
    occurred_at as first_occurred_at,
    occurred_at as last_occurred_at,
    release as first_release,
    release as last_release
from fresh
array join {steps:Array(Tuple(String, DateTime('UTC'), UInt32, UInt16))} as step
where
    (${own})
    and (${is_uncounted})
    and occurred_at >= step.2
