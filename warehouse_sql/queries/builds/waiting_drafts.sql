-- purpose: the configurations of grouping that somebody wrote and nobody has applied or thrown away
-- returns: one row per project with a draft: project_id, configuration, fingerprint_version, rules

select
    drafts.project_id as project_id,
    argMax(drafts.configuration, drafted_at) as configuration,
    argMax(drafts.fingerprint_version, drafted_at) as fingerprint_version,
    argMax(drafts.rules, drafted_at) as rules
from errata_raw.grouping_drafts as drafts
group by project_id
having
    configuration != 0
    and (project_id, configuration) not in (
        select
            project_id,
            configuration
        from errata_raw.grouping_switches
    )
order by project_id
