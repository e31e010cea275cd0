-- purpose: events by step of the span a statement asks about, from rows of counts
sumForEachIf(counts.bucket_counts, ${is_asked})
