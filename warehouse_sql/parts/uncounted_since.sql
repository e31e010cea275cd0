-- purpose: a condition: an event was received since the totals that its variant is read from were built
-- parameters: issues_through, variants_through (what the totals of issues and of variants count)
received_at >= if(
        variant_hash in (select variant_hash from moved),
        {variants_through:DateTime64(3, 'UTC')},
        {issues_through:DateTime64(3, 'UTC')}
    )
