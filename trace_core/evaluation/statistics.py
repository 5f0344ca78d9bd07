"""How sure a number is: bootstrap intervals and a paired randomisation test, both seeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds between which it lies with the given confidence."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better a is than b over the same questions; `p` is two-sided."""

    mean: float
    low: float
    high: float
    p: float


def bootstrap(
    values: Sequence[float], *, confidence: float = 0.95, samples: int = 2000, seed: int = 1887
) -> Interval:
    """Percentile bootstrap of the mean over questions (Efron and Tibshirani 1993, ch. 13)."""
    data = np.asarray(values, dtype=float)
    if not len(data):
        return Interval(0.0, 0.0, 0.0)
    resampled = data[_samples(len(data), samples, seed)].mean(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(float(data.mean()), float(low), float(high))


@lru_cache(maxsize=2)
def _samples(n: int, samples: int, seed: int) -> npt.NDArray[np.int64]:
    """Which questions each resampling draws; the same for every measure of a set."""
    return np.random.default_rng(seed).integers(0, n, (samples, n))


def paired(
    a: Sequence[float], b: Sequence[float], *, samples: int = 5000, seed: int = 1887
) -> Difference:
    """Paired randomisation test of the mean difference (Smucker, Allan and Carterette 2007).

    The signs of the differences are flipped at random; p = (1 + flips at least as far from 0 as
    what was seen) / (1 + samples). Raises ValueError for lists of unequal length.
    """
    if len(a) != len(b):
        raise ValueError("paired lists need one value a question each")
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    interval = bootstrap(list(difference), seed=seed)
    if not len(difference):
        return Difference(0.0, 0.0, 0.0, 1.0)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (samples, len(difference)))
    flipped = np.abs((signs * difference).mean(axis=1))
    far = int((flipped >= abs(difference.mean()) - 1e-12).sum())
    return Difference(interval.mean, interval.low, interval.high, (1 + far) / (1 + samples))
