"""The axes of a latent semantic space in four bits a component.

Comes in: float axes of shape (features, dimensions). Goes out: the same, each component rounded
to one of fifteen steps of its feature's largest one. A text's vector sums hundreds of features,
so that their rounding errors cancel: cosines stay within some 0.002 of the unrounded ones, and the
trained index takes an eighth of the space (figures in benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_STEPS = 7


class Axes:
    """Rounded axes. Thread-safe; `whole` keeps what it makes."""

    def __init__(self, codes: npt.NDArray[np.uint8], scale: Floats, dimensions: int) -> None:
        """`codes` holds two components a byte, shape (features, (dimensions + 1) // 2).

        `scale` has one value a feature. Raises ValueError for shapes that do not agree.
        """
        if codes.shape != (len(scale), (dimensions + 1) // 2):
            raise ValueError(f"axes of the shape {codes.shape} do not agree with {dimensions}")
        self.codes = codes
        self.scale = scale
        self.dimensions = dimensions
        self._whole: Floats | None = None

    @classmethod
    def of(cls, axes: Floats) -> Axes:
        """Round float axes."""
        features, dimensions = axes.shape
        scale = np.abs(axes).max(axis=1, initial=0.0).astype(np.float32) / _STEPS
        steps = np.divide(axes, scale[:, None], out=np.zeros_like(axes), where=scale[:, None] > 0)
        shifted = np.full((features, dimensions + dimensions % 2), _STEPS, dtype=np.uint8)
        shifted[:, :dimensions] = np.rint(steps) + _STEPS
        codes = (shifted[:, ::2] << 4 | shifted[:, 1::2]).astype(np.uint8)
        return cls(codes, scale, dimensions)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Axes:
        """The axes that `arrays` gave. Raises KeyError or ValueError for torn ones."""
        return cls(
            np.asarray(arrays["codes"], dtype=np.uint8),
            np.asarray(arrays["scale"], dtype=np.float32),
            int(arrays["dimensions"][0]),
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The axes as arrays, to be kept."""
        dimensions = np.array([self.dimensions], dtype=np.int32)
        return {"codes": self.codes, "scale": self.scale, "dimensions": dimensions}

    def rows(self, features: npt.NDArray[np.int32]) -> Floats:
        """The axes of some features, shape (features, dimensions)."""
        return self._floats(self.codes[features], self.scale[features])

    def whole(self) -> Floats:
        """All axes, shape (features, dimensions)."""
        if self._whole is None:
            self._whole = self._floats(self.codes, self.scale)
        return self._whole

    def _floats(self, codes: npt.NDArray[np.uint8], scale: Floats) -> Floats:
        steps = np.empty((len(codes), 2 * codes.shape[1]), dtype=np.float32)
        steps[:, ::2] = codes >> 4
        steps[:, 1::2] = codes & 15
        steps -= _STEPS
        steps *= scale[:, None]
        return np.ascontiguousarray(steps[:, : self.dimensions])
