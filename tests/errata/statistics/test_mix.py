"""A mix of visitors that moves with a release is told, unless one user or chance moved it."""

import numpy as np

from errata.statistics.mix import has_moved


def moves(share: float, seed: int, loads_a_user: int = 2) -> bool:
    generator = np.random.default_rng(seed)
    users = np.repeat(np.arange(1, 1001), loads_a_user).astype(np.uint64)
    is_after = users > 500
    browsers = (generator.random(1000) < np.where(np.arange(1000) >= 500, share, 0.3))[users.astype(int) - 1]
    return has_moved(browsers.astype(np.int64), is_after, users)


def test_a_mix_that_moved_is_told_and_chance_is_not() -> None:
    assert all(moves(0.45, seed) for seed in range(5))
    assert not any(moves(0.3, seed) for seed in range(20))


def test_a_bot_that_comes_once_moves_no_mix_for_certain() -> None:
    users = np.concatenate((np.arange(1, 501), np.full(100, 9999))).astype(np.uint64)
    is_after = np.concatenate((np.arange(500) % 2 == 0, np.full(100, True)))
    browsers = np.concatenate((np.zeros(500), np.ones(100))).astype(np.int64)
    assert not has_moved(browsers, is_after, users)
    assert has_moved(browsers, is_after, np.zeros(600, dtype=np.uint64))
