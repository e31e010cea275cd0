-- purpose: sessions and crashed ones from states of one id: a session told state by state has crashed if any state says so; sessions counted by the SDK are summed
if(
            any(session_id) = toUUID('00000000-0000-0000-0000-000000000000'), sum(states.session_count), 1
        ) as session_count,
        if(
            any(session_id) = toUUID('00000000-0000-0000-0000-000000000000'),
            sumIf(states.session_count, status = 'crashed'),
            max(status = 'crashed')
        ) as crashed_count
