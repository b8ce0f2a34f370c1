"""Finds the least of a smooth function, with L-BFGS (J. Nocedal, 1980); NumPy is all it needs."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]
"""Gives a function's value at a point, and its slope."""
_STEPS = 150
_PAIRS = 10
_LEAST_GAIN = 3e-5
_LEAST_FALL = 1e-4
_SHORTEST = 1e-8


def minimise(loss: Loss, size: int) -> Floats:
    """The point of so many numbers where a function is least, looked for from zero."""
    point = np.zeros(size)
    value, slope = loss(point)
    steps, turns = list[Floats](), list[Floats]()
    for _ in range(_STEPS):
        direction = -_precondition(slope, steps, turns)
        step = direction
        after, bent = loss(point + step)
        while after > value + _LEAST_FALL * (slope @ step) and np.abs(step).max() > _SHORTEST:
            step = step / 2
            after, bent = loss(point + step)
        turn = bent - slope
        point = point + step
        if step @ turn > 0:
            steps, turns = [*steps, step][-_PAIRS:], [*turns, turn][-_PAIRS:]
        if abs(value - after) < _LEAST_GAIN * abs(value):
            break
        value, slope = after, bent
    return point


def _precondition(slope: Floats, steps: Sequence[Floats], turns: Sequence[Floats]) -> Floats:
    """The slope as the last steps say that the function is curved."""
    found, shares = slope.copy(), list[float]()
    for step, turn in zip(reversed(steps), reversed(turns), strict=True):
        shares.append(float(step @ found) / float(step @ turn))
        found -= shares[-1] * turn
    if steps:
        found *= (steps[-1] @ turns[-1]) / (turns[-1] @ turns[-1])
    else:
        found /= max(1.0, float(np.linalg.norm(found)))
    for step, turn, share in zip(steps, turns, reversed(shares), strict=True):
        found += (share - float(turn @ found) / float(step @ turn)) * step
    return np.asarray(found)
