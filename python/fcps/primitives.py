# SPDX-License-Identifier: Apache-2.0
"""Movement primitives: smooth movements that reach a goal with a given velocity, along a shape learnt from one
demonstration; and a check of motions against limits before anything moves."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._failures import from_status
from ._fcps import ffi, lib
from ._host import Handle, Host, whole_number
from ._values import Array
from .errors import ArgumentError


def minimum_jerk(s: float) -> float:
    """A smooth move from 0 to 1 while s goes from 0 to 1, at rest before and after.

    >>> minimum_jerk(0.5)
    0.5
    """
    return float(lib.fcps_minimum_jerk(float(s)))


class Primitive:
    """The shape of a movement in one or more dimensions.

    >>> lift = Primitive(1)
    >>> times = np.linspace(0, 1, 101)
    >>> lift.imitate([[minimum_jerk(s)] for s in times], duration=1.0)
    >>> motion = Motion([(lift, 1.0)], dt=0.002)
    >>> motion.set_goal([2.0])
    >>> bool(abs(motion.trajectory([0.0]).positions[-1, 0] - 2) < 0.01)
    True
    """

    def __init__(
        self,
        dimensions: int,
        *,
        basis_count: int | None = None,
        gain: float | None = None,
        decay: float | None = None,
        fades_in: bool = True,
    ) -> None:
        self._host = Host()
        most = 2**31 - 1
        count = whole_number("dimensions", dimensions, 1, most)
        settings = ffi.new("fcps_primitive_settings *", lib.fcps_primitive_settings_default(count))
        settings.fades_in = fades_in
        if basis_count is not None:
            settings.basis_count = whole_number("basis_count", basis_count, 1, most)
        if gain is not None:
            settings.gain = gain
        if decay is not None:
            settings.decay = decay
        out = ffi.new("fcps_primitive **")
        self._host.call(lib.fcps_primitive_create, out, settings)
        self._primitive = Handle(self._host, out[0], lib.fcps_primitive_destroy, "primitive")
        self.dimensions = settings.dimensions
        self.basis_count = settings.basis_count
        self._settings: dict[str, Any] = {
            "basis_count": self.basis_count,
            "gain": settings.gain,
            "decay": settings.decay,
            "fades_in": fades_in,
        }

    @property
    def weights(self) -> Array:
        """The weights: a row for each dimension."""
        size = self.dimensions * self.basis_count
        with self._host.lock:
            pointer = self._host.read(lib.fcps_primitive_weights, self._primitive)
            return np.frombuffer(ffi.buffer(pointer, 8 * size)).reshape(self.dimensions, self.basis_count).copy()

    @weights.setter
    def weights(self, weights: ArrayLike) -> None:
        rows = _rows("weights", weights, (self.dimensions, self.basis_count))
        self._host.call(lib.fcps_primitive_set_weights, self._primitive, _memory(rows))

    def imitate(
        self,
        positions: ArrayLike,
        *,
        duration: float,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        end_velocity: ArrayLike | None = None,
        ridge: float = 1e-8,
    ) -> None:
        """Learns the shape of a movement: rows of positions at equal times from 0 to `duration`."""
        rows = np.ascontiguousarray(positions, np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dimensions:
            raise ArgumentError(
                f"expected an array of shape (samples, {self.dimensions}), not {rows.shape}", field="positions"
            )
        keep = [rows]
        c = ffi.new(
            "fcps_demonstration *", {"count": rows.shape[0], "duration": float(duration), "positions": _memory(rows)}
        )
        for name, given in (("velocities", velocities), ("accelerations", accelerations)):
            if given is not None:
                keep.append(_rows(name, given, (rows.shape[0], self.dimensions)))
                setattr(c, name, _memory(keep[-1]))
        if end_velocity is not None:
            keep.append(_rows("end_velocity", end_velocity, (self.dimensions,)))
            c.end_velocity = _memory(keep[-1])
        self._host.call(lib.fcps_primitive_imitate, self._primitive, c, float(ridge))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.dimensions, self._settings, self.weights)

    def __repr__(self) -> str:
        return f"Primitive({self.dimensions}, basis_count={self.basis_count})"


def _again(dimensions: int, settings: dict[str, Any], weights: Array) -> Primitive:
    primitive = Primitive(dimensions, **settings)
    primitive.weights = weights
    return primitive


@dataclass(frozen=True)
class Trajectory:
    """A whole motion: rows of positions and velocities at `times`; there is one row of accelerations less."""

    times: Array
    positions: Array
    velocities: Array
    accelerations: Array


@dataclass(frozen=True)
class Violation:
    """A limit that a motion breaks."""

    kind: str  # "position", "velocity", "acceleration" or "workspace"
    dimension: int  # -1 for the workspace
    time: float  # of the first breach
    worst_time: float
    value: float
    limit: float
    text: str


class Motion:
    """Plays primitives one after another, with goals, at a fixed time step.

    `parts` has a primitive and its duration in seconds for each part, and optionally whether it starts from rest.
    """

    def __init__(self, parts: Sequence[tuple[Primitive, float] | tuple[Primitive, float, bool]], dt: float) -> None:
        self._host = Host()
        if not parts:
            raise ArgumentError("a motion needs at least one part", field="parts")
        for part in parts:
            if not isinstance(part, Sequence) or len(part) not in (2, 3) or not isinstance(part[0], Primitive):  # type: ignore[reportUnnecessaryIsInstance]
                raise ArgumentError(
                    f"expected a primitive and its duration, not {part!r}; as in Motion([(lift, 1.0)], dt=0.002)",
                    field="parts",
                )
        c = ffi.new("fcps_motion_part[]", len(parts))
        out = ffi.new("fcps_motion **")
        with contextlib.ExitStack() as locks:
            for one in sorted({part[0]._host.number: part[0]._host for part in parts}.items()):
                locks.enter_context(one[1].lock)
            for slot, (primitive, duration, *rest) in zip(c, parts):
                slot.primitive, slot.duration = primitive._primitive.c, float(duration)
                slot.from_rest = bool(rest and rest[0])
            self._host.call(lib.fcps_motion_create, out, len(parts), c, float(dt))
        self._motion = Handle(self._host, out[0], lib.fcps_motion_destroy, "motion")
        self.dimensions = parts[0][0].dimensions
        self.parts = len(parts)
        self.dt = float(dt)
        self.steps = int(self._host.read(lib.fcps_motion_step_count, self._motion))

    def set_goal(self, position: ArrayLike, velocity: ArrayLike | None = None, *, part: int | None = None) -> None:
        """Sets the position and the velocity (by default rest) at the end of a part; by default of the last part."""
        there = _rows("position", position, (self.dimensions,))
        speed = None if velocity is None else _rows("velocity", velocity, (self.dimensions,))
        number = self.parts - 1 if part is None else whole_number("part", part)
        if not 0 <= number < self.parts:
            raise ArgumentError(f"there is no part {number}; parts are counted from 0 to {self.parts - 1}", field="part")
        status = self._host.read(lib.fcps_motion_set_goal, self._motion, number, _memory(there), _memory(speed))
        if status != lib.FCPS_OK:
            raise from_status(status)

    def trajectory(self, start: ArrayLike, velocity: ArrayLike | None = None) -> Trajectory:
        """Computes the whole motion from a start, with velocity 0 unless one is given."""
        begin = _rows("start", start, (self.dimensions,))
        speed = None if velocity is None else _rows("velocity", velocity, (self.dimensions,))
        positions, velocities = (np.empty((self.steps + 1, self.dimensions)) for _ in range(2))
        accelerations = np.empty((self.steps, self.dimensions))
        self._host.read(
            lib.fcps_motion_trajectory,
            self._motion,
            _memory(begin),
            _memory(speed),
            _memory(positions),
            _memory(velocities),
            _memory(accelerations),
        )
        times = np.linspace(0.0, self.dt * self.steps, self.steps + 1, dtype=np.float64)
        return Trajectory(times, positions, velocities, accelerations)

    def check(
        self,
        start: ArrayLike,
        *,
        velocity: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        speed: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        inside: Callable[[Array], bool] | None = None,
    ) -> list[Violation]:
        """Checks a motion before anything moves: returns the limits that it breaks, one for each kind and dimension.
        `inside` says whether a position lies in the workspace.
        """
        shape = (self.dimensions,)
        begin = _rows("start", start, shape)
        first = None if velocity is None else _rows("velocity", velocity, shape)
        limits = ffi.new("fcps_limits *")
        keep: list[Any] = []
        for name, field, given in (
            ("lower", "lower", lower),
            ("upper", "upper", upper),
            ("speed", "velocity", speed),
            ("acceleration", "acceleration", acceleration),
        ):
            if given is not None:
                keep.append(_rows(name, given, shape))
                setattr(limits, field, _memory(keep[-1]))
        host = self._host
        most = 3 * self.dimensions + 1
        found, count = ffi.new("fcps_violation[]", most), ffi.new("int *")
        with host.lock:
            before = host.workspace
            if inside is not None:
                host.workspace = lambda position: bool(inside(np.array(ffi.unpack(position, self.dimensions))))
                limits.inside, limits.user = lib.fcps_py_inside, host.user
            try:
                status = host.read(
                    lib.fcps_motion_check, self._motion, _memory(begin), _memory(first), limits, most, found, count
                )
            finally:
                host.workspace = before
        if status != lib.FCPS_OK:
            raise from_status(status)
        return [_violation(ffi.addressof(found, i)) for i in range(min(count[0], most))]

    def __repr__(self) -> str:
        return f"Motion({self.parts} parts, {self.steps} steps of {self.dt} s)"


_LIMITS = ("position", "velocity", "acceleration", "workspace")  # in the order of fcps_limit_kind


def _violation(c: Any) -> Violation:
    words = ffi.new("char[]", 256)
    lib.fcps_violation_format(c, 256, words)
    return Violation(
        _LIMITS[int(c.kind)], c.dimension, c.time, c.worst_time, c.value, c.limit, ffi.string(words).decode()
    )


def _rows(name: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        rows = np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError("expected numbers", field=name) from None
    if rows.shape != shape:
        raise ArgumentError(f"expected an array of shape {shape}, not {rows.shape}", field=name)
    if not all(math.isfinite(number) for number in rows.flat):
        raise ArgumentError("a number is NaN or infinite", field=name, code="FCPS_ERR_NOT_FINITE")
    return rows


def _memory(array: Array | None) -> Any:
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


__all__ = ["Motion", "Primitive", "Trajectory", "Violation", "minimum_jerk"]


def __dir__() -> list[str]:
    return __all__
