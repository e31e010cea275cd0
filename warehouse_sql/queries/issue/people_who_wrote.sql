-- purpose: how many people wrote about the errors of an issue
-- definition: People whose messages name an error of this issue: by e-mail address, else by user; of unknown people each message counts.
-- parameters: project_id (the condition put in has parameters of its own)
-- returns: one row: person_count

select
    uniqExact(
        multiIf(user_email != '', user_email, user_hash != 0, toString(user_hash), toString(item_id))
    ) as person_count
from errata_raw.feedback
where
    project_id = {project_id:UInt32}
    and (${is_about})
