-- errata_read.releases
-- purpose: the releases of projects in their order: by semantic version where both have one, else by first seen
-- returns: one row per release that an event or a decision names: package, is_version, first_seen and last_seen (2299 and
--   1970: not seen yet), position (from 1, the latest has the greatest)
-- inputs:  errata_read.release_sightings, errata_read.actions_in_force

create or replace view errata_read.releases
sql security invoker
as
with named as (
    select
        project_id,
        release::String as release,
        min(first_occurred_at) as first_seen,
        max(last_occurred_at) as last_seen
    from errata_read.release_sightings
    where release != ''
    group by project_id, release
    union all
    select
        project_id,
        JSONExtractString(detail, 'release') as release,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC') as first_seen,
        toDateTime64(0, 3, 'UTC') as last_seen
    from errata_read.actions_in_force
    where
        action = 'resolve'
        and release != ''
    group by project_id, release
),

seen as (
    select
        project_id,
        release,
        min(named.first_seen) as first_seen,
        max(named.last_seen) as last_seen,
        -- shop@v1.2.3.4-rc.1+56: package, numbers, what comes before it, build.
        extractGroups(
            release,
            '^(?:(.+)@)?v?(\\d{1,18}(?:\\.\\d{1,18}){1,3})(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$'
        ) as parts,
        notEmpty(parts) as is_version
    from named
    group by project_id, release
),

keyed as (
    select
        * except (parts),
        if(is_version, parts[1], release) as package,
        arrayResize(arrayMap(number -> toUInt64OrZero(number), splitByChar('.', parts[2])), 4, toUInt64(0)) as numbers,
        -- A number is less than a word; a version is greater than what comes before it, and less than its builds.
        if(
            parts[3] = '',
            [(toUInt8(2), toUInt64(0), '')],
            arrayMap(
                word -> if(match(word, '^\\d{1,18}$'), (toUInt8(0), toUInt64OrZero(word), ''), (toUInt8(1), toUInt64(0), word)),
                splitByChar('.', parts[3])
            )
        ) as stage,
        if(
            parts[4] = '',
            [],
            arrayMap(
                word -> if(match(word, '^\\d{1,18}$'), (toUInt8(0), toUInt64OrZero(word), ''), (toUInt8(1), toUInt64(0), word)),
                splitByChar('.', parts[4])
            )
        ) as build
    from seen
),

placed as (
    -- A version that is seen late, such as a mended older one, stands where a higher one was seen before it.
    select
        *,
        min(first_seen) over (
            partition by project_id, is_version, package
            order by numbers desc, stage desc, build desc, first_seen desc, release desc
            rows between unbounded preceding and current row
        ) as placed_at
    from keyed
)

select
    * except (numbers, stage, build, placed_at),
    row_number() over (
        partition by project_id
        order by placed_at, is_version, package, numbers, stage, build, first_seen, release
    ) as position
from placed
