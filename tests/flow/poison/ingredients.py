"""What can be odd about a seed: each ingredient changes lines of a pot or adds some."""

from collections.abc import Callable, Mapping

from tests.flow.poison import contradictions, names, shapes, times

Ingredient = Callable[..., None]

INGREDIENTS: Mapping[str, Ingredient] = {
    ingredient.__name__: ingredient
    for ingredient in (
        shapes.odd_texts,
        shapes.odd_numbers,
        shapes.enormous_numbers,
        shapes.odd_shapes,
        shapes.duplicate_keys,
        shapes.odd_headers,
        shapes.deep_nesting,
        shapes.large_texts,
        shapes.unknown_types,
        shapes.refused_lines,
        times.edges,
        times.past_times,
        times.future_times,
        times.odd_logged_at,
        times.missing_times,
        times.moved_copies,
        contradictions.changed_copies,
        contradictions.neighbors_ids,
        contradictions.other_project,
        contradictions.parents_in_cycles,
        contradictions.parts_before_loads,
        contradictions.shared_span_ids,
        contradictions.ends_before_starts,
        contradictions.session_states,
        contradictions.session_aggregates,
        contradictions.replay_segments,
        names.many_names,
        names.few_names,
    )
}
