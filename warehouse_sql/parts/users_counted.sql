-- purpose: users of the span a statement asks about, from rows of counts
sumIf(counts.user_count, ${is_asked}) + uniqMergeIf(counts.users_state, ${is_asked})
