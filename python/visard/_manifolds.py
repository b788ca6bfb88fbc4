"""Riemannian manifolds as values, with the vocabulary and the order of arguments of geomstats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _visard
from ._arrays import Array, numbers
from ._errors import InputError

__all__ = ["Hyperbolic", "Kendall", "Manifold", "Spd", "Sphere"]


class Manifold:
    """A complete Riemannian manifold.

    Points and tangent vectors are arrays of shape :attr:`shape`, or batches (n, \\*shape). A single point goes with a batch of any length.
    Distances are in the units of the metric (radians on spheres and shape spaces).
    """

    #: The shape of one point.
    shape: tuple[int, ...]
    #: The dimension of the manifold, not of its embedding.
    dim: int
    _space: _visard.Space
    _words: str

    def __init__(self, name: str, size: int, shape: tuple[int, ...], words: str) -> None:
        self._space = _visard.Space(name, size)
        self.shape = shape
        self.dim = self._space.dim
        self._words = words

    def __repr__(self) -> str:
        return self._words

    def _rows(self, name: str, value: ArrayLike) -> tuple[Array, bool]:
        # The library looks whether points are finite; where one is not, the array is asked for its place.
        array = numbers(name, value, ("...", *self.shape), finite=name == "tangent_vec")
        extra = array.ndim - len(self.shape)
        if extra > 1:
            shape = ", ".join(map(str, self.shape))
            raise InputError(f"{name}: expected ({shape}) or (n, {shape}), this one is {array.shape}")
        return array.reshape(-1, self._space.width), extra == 1

    def _told(self, call: Callable[[], Any], **arrays: ArrayLike) -> Any:
        try:
            return call()
        except InputError:
            for name, value in arrays.items():
                numbers(name, value, ("...", *self.shape))
            raise

    def _pair(self, a: tuple[str, ArrayLike], b: tuple[str, ArrayLike]) -> tuple[Array, Array, bool]:
        (first, many_a), (second, many_b) = self._rows(*a), self._rows(*b)
        return first, second, many_a or many_b

    def _points(self, rows: Array, many: bool) -> Array:
        return rows.reshape(-1, *self.shape) if many else rows.reshape(self.shape)

    def dist(self, point_a: ArrayLike, point_b: ArrayLike) -> Any:
        """The geodesic distance d(a, b), accurate for nearly equal points: a float, or an array (n,).

        Raises :class:`InputError` where a point is not on the manifold.
        """
        a, b, many = self._pair(("point_a", point_a), ("point_b", point_b))
        found = self._told(lambda: self._space.dist(a, b), point_a=point_a, point_b=point_b)
        return found if many else float(found[0])

    def exp(self, tangent_vec: ArrayLike, base_point: ArrayLike) -> Array:
        """The point reached from `base_point` along `tangent_vec` in unit time; the vector is projected onto the tangent space first."""
        v, p, many = self._pair(("tangent_vec", tangent_vec), ("base_point", base_point))
        return self._points(self._told(lambda: self._space.exp(v, p), base_point=base_point), many)

    def log(self, point: ArrayLike, base_point: ArrayLike) -> Array:
        """The initial velocity of the shortest geodesic from `base_point` to `point` in unit time.

        Raises :class:`InputError` where it is not unique (the cut locus), never returns an arbitrary branch.
        """
        q, p, many = self._pair(("point", point), ("base_point", base_point))
        return self._points(self._told(lambda: self._space.log(q, p), point=point, base_point=base_point), many)

    def belongs(self, point: ArrayLike) -> Any:
        """Whether points are finite and on the manifold (constraints to about 1e-8, relative): a bool, or an array (n,)."""
        array = numbers("point", point, ("...", *self.shape), finite=False)
        rows = array.reshape(-1, self._space.width)
        each = np.array([self._space.complaint(rows[i : i + 1]) is None for i in range(len(rows))])
        return each if array.ndim > len(self.shape) else bool(each[0])

    def frechet_mean(
        self, X: ArrayLike, weights: ArrayLike | None = None, *, tol: float = 1e-10, max_iter: int = 200
    ) -> Array:
        """The Fréchet mean of points X (n, \\*shape): where the mean of the logarithms vanishes.

        Without privacy. `weights` (n,): nonnegative, not all zero. `tol`: the largest norm of that mean of logarithms, in the unit of
        distance (relative to the spread of points that are more than 1 apart).

        Raises :class:`InputError` for points that are not on the manifold or so spread that the mean is not unique,
        :class:`NotConvergedError` if the tolerance was not reached.
        """
        rows, many = self._rows("X", X)
        if not many:
            raise InputError(f"X: expected points (n, {', '.join(map(str, self.shape))}), this is a single one")
        if not (tol > 0 and np.isfinite(tol)):
            raise InputError("tol: must be a positive number")
        if max_iter < 1:
            raise InputError("max_iter: must be 1 or more")
        w = None if weights is None else numbers("weights", weights, (len(rows),))
        found = self._told(lambda: self._space.frechet_mean(rows, w, float(tol), int(max_iter)), X=X)
        return found[0].reshape(self.shape)


class Spd(Manifold):
    """Symmetric positive definite matrices of order k.

    `metric`: "affine-invariant" (invariant under congruence; curvature −½ to 0), "log-euclidean" (flat) or "bures-wasserstein" (that of
    optimal transport between normal laws; curvature 0 and more).

    >>> import numpy as np, visard
    >>> space = visard.Spd(2)
    >>> round(space.dist(np.eye(2), np.diag([np.e, 1.0])), 12)
    1.0
    >>> space.frechet_mean([np.diag([1.0, 4.0]), np.diag([4.0, 1.0])]).round(9)
    array([[2., 0.],
           [0., 2.]])
    """

    #: The metric's name.
    metric: str

    def __init__(self, k: int, metric: str = "affine-invariant") -> None:
        known = ("affine-invariant", "log-euclidean", "bures-wasserstein")
        if metric not in known:
            raise InputError(f"metric: {metric!r} is none of {', '.join(known)}")
        super().__init__(metric, _size("k", k), (k, k), f"Spd({k}, metric={metric!r})")
        self.metric = metric


class Sphere(Manifold):
    """The unit sphere of dimension d: vectors of length 1 in ℝᵈ⁺¹.

    >>> import visard
    >>> visard.Sphere(2).dist([1, 0, 0], [0, 1, 0])
    1.5707963267948966
    """

    def __init__(self, d: int) -> None:
        super().__init__("sphere", _size("d", d), (d + 1,), f"Sphere({d})")

    def projection(self, point: ArrayLike) -> Array:
        """Vectors scaled to length 1."""
        array = numbers("point", point, ("...", *self.shape))
        return array / np.linalg.norm(array, axis=-1, keepdims=True)


class Hyperbolic(Manifold):
    """Hyperbolic space of dimension d and curvature −1.

    `model`: "poincare" (points of the open unit ball of ℝᵈ) or "lorentz" (the hyperboloid in ℝᵈ⁺¹, time coordinate first).

    >>> import visard
    >>> round(visard.Hyperbolic(2).dist([0, 0], [0.5, 0]), 12)
    1.098612288668
    """

    #: The model's name.
    model: str

    def __init__(self, d: int, model: str = "poincare") -> None:
        if model not in ("poincare", "lorentz"):
            raise InputError(f"model: {model!r} is none of poincare, lorentz")
        shape = (d if model == "poincare" else d + 1,)
        super().__init__(model, _size("d", d), shape, f"Hyperbolic({d}, model={model!r})")
        self.model = model


class Kendall(Manifold):
    """Kendall's space of shapes of k landmarks in the plane (m=2) or in space (m=3): configurations (k, m) modulo translation, scale and
    rotation.

    Any configuration may be given where a point is asked for; points that are returned are centred and of unit size. Distances are the
    Riemannian (Procrustes) ones, at most π/2.

    >>> import numpy as np, visard
    >>> triangle = np.array([[0, 0], [1, 0], [0, 1]])
    >>> bool(visard.Kendall(3).dist(triangle, 7 * triangle[:, ::-1] * [-1, 1] + 3) < 1e-7)
    True
    """

    def __init__(self, k: int, m: int = 2) -> None:
        if isinstance(m, bool) or m not in (2, 3):
            raise InputError("m: must be 2 or 3")
        words = f"Kendall({k})" if m == 2 else f"Kendall({k}, 3)"
        super().__init__("kendall" if m == 2 else "kendall-3d", _size("k", k), (k, m), words)

    def projection(self, point: ArrayLike) -> Array:
        """Configurations centred and scaled to unit size."""
        array = numbers("point", point, ("...", *self.shape))
        centred = array - array.mean(axis=-2, keepdims=True)
        return centred / np.linalg.norm(centred, axis=(-2, -1), keepdims=True)


def _size(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name}: must be a whole number, 1 or more")
    return int(value)
