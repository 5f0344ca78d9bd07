"""Axes of four bits: small, nearly the same, and torn ones refused."""

from __future__ import annotations

import numpy as np
import pytest

from trace_core.search.lsa_axes import Axes


@pytest.mark.parametrize("dimensions", [1, 2, 7, 8])
def test_each_component_is_within_half_a_step(dimensions: int) -> None:
    axes = np.random.default_rng(3).normal(size=(50, dimensions)).astype(np.float32)
    axes[4] = 0.0
    kept = Axes.of(axes)
    step = np.abs(axes).max(axis=1, keepdims=True) / 7
    assert (np.abs(kept.whole() - axes) <= step / 2 + 1e-6).all()
    assert not kept.whole()[4].any()


def test_single_rows_are_those_of_the_whole() -> None:
    kept = Axes.of(np.random.default_rng(3).normal(size=(9, 5)).astype(np.float32))
    wanted = np.array([7, 0, 7], dtype=np.int32)
    assert np.array_equal(kept.rows(wanted), kept.whole()[wanted])


def test_sums_of_many_rows_keep_their_direction() -> None:
    axes = np.random.default_rng(3).normal(size=(400, 300)).astype(np.float32)
    one, other = axes.sum(axis=0), Axes.of(axes).whole().sum(axis=0)
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.99


def test_kept_in_an_eighth_of_the_space_and_read_again() -> None:
    axes = np.random.default_rng(3).normal(size=(400, 300)).astype(np.float32)
    arrays = Axes.of(axes).arrays()
    assert sum(array.nbytes for array in arrays.values()) < 0.14 * axes.nbytes
    assert np.array_equal(Axes.from_arrays(arrays).whole(), Axes.of(axes).whole())


def test_torn_axes_are_refused() -> None:
    arrays = Axes.of(np.ones((4, 6), dtype=np.float32)).arrays()
    with pytest.raises(ValueError):
        Axes.from_arrays(arrays | {"codes": arrays["codes"][:3]})
    with pytest.raises(KeyError):
        Axes.from_arrays({"codes": arrays["codes"]})


def test_no_features_or_no_dimensions() -> None:
    assert Axes.of(np.zeros((3, 0), dtype=np.float32)).whole().shape == (3, 0)
    assert Axes.of(np.zeros((0, 4), dtype=np.float32)).whole().shape == (0, 4)
