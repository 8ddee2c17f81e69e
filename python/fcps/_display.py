# SPDX-License-Identifier: Apache-2.0
"""Studies and policies in a notebook: HTML with drawings as SVG. No plotting library is needed."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ._dimensions import Choice, Dimension
from ._values import Array
from .errors import UnavailableError

if TYPE_CHECKING:
    from ._policy import Policy
    from ._study import Study

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 460, 260, 58, 40, 24, 74
CELLS = 24  # of a map, in each direction


def study_html(study: Study) -> str:
    """A line about the study, and its learning curve."""
    with study._host.lock:
        if study.is_closed:
            return "<p>a closed study</p>"
        counts = study.counts
        rows = {
            "kept in": study.path or "memory",
            "learner": study.learner,
            "seed": str(study.seed),
            "results": str(counts.results),
            "failed": str(counts.failed),
            "without outcome": str(counts.without_outcome),
            "pending": str(len(study.pending)),
        }
        rewards = study.rollouts().known("reward")
    return study_table(rows) + curve_svg(rewards)


def study_table(rows: Mapping[str, Any]) -> str:
    """Facts about a study, one per line."""
    lines = "".join(f"<tr><th>{key}</th><td>{html.escape(str(value))}</td></tr>" for key, value in rows.items())
    return f"<table>{lines}</table>"


def policy_html(policy: Policy) -> str:
    """The policy, and a map of its expected reward if it predicts one and the context has bounds."""
    words = f"<p>{html.escape(repr(policy))}</p>"
    return words + (map_svg(policy) if policy.predicts_reward and policy.problem.context else "")


def curve_svg(rewards: Array) -> str:
    """The reward of each trial, and the mean of the last ten."""
    good = np.isfinite(rewards)
    if good.sum() < 2:
        return ""
    low, high = float(rewards[good].min()), float(rewards[good].max())
    high = high if high > low else low + 1
    x, y = _scale(1, len(rewards), LEFT, WIDTH - RIGHT), _scale(low, high, HEIGHT - BOTTOM, TOP)
    dots = "".join(
        f'<circle cx="{x(i + 1):.1f}" cy="{y(reward):.1f}" r="2.5"/>'
        for i, reward in enumerate(rewards.tolist())
        if math.isfinite(reward)
    )
    means = [
        (i + 1, float(np.nanmean(rewards[max(0, i - 9) : i + 1])))
        for i in range(len(rewards))
        if good[max(0, i - 9) : i + 1].any()
    ]
    line = " ".join(f"{x(i):.1f},{y(mean):.1f}" for i, mean in means)
    return _svg(
        f'<g fill="#888" fill-opacity="0.6">{dots}</g>'
        f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>'
        + _axes(("trial", "1", f"{len(rewards):.3g}"), ("reward", f"{low:.3g}", f"{high:.3g}"))
    )


_NOTHING = "<p>nothing is known yet</p>"  # before the first result


def map_svg(policy: Policy) -> str:
    """The expected reward over the first one or two numbers of the context; the others are in the middle of their
    range.
    """
    problem = policy.problem
    bounds = {name: dim for space in (problem.target, problem.environment) for name, dim in space.items()}
    middle: dict[str, Any] = {name: _given(dim, np.array([dim.at(0.5)]))[0] for name, dim in bounds.items()}
    names = list(bounds)[:2]
    ends = [_ends(bounds[name]) for name in names]
    grid = [np.linspace(low, high, 2 * CELLS + 1)[1::2] for low, high in ends]
    if len(names) == 1:
        table = policy.predict({**middle, names[0]: _given(bounds[names[0]], grid[0])})
        if not np.isfinite(table.known("reward")).any():
            return _NOTHING
        return _line_map(_axis(names[0], bounds[names[0]]), ends[0], grid[0], table.known("reward"), table.known("deviation"))
    across, up = np.meshgrid(*grid)
    asked = {name: _given(bounds[name], numbers.ravel()) for name, numbers in zip(names, (across, up))}
    reward = policy.predict({**middle, **asked}).known("reward")
    if not np.isfinite(reward).any():
        return _NOTHING
    low, high = float(np.nanmin(reward)), float(np.nanmax(reward))
    x, y = _scale(*ends[0], LEFT, WIDTH - RIGHT), _scale(*ends[1], HEIGHT - BOTTOM, TOP)
    wide, tall = (WIDTH - RIGHT - LEFT) / CELLS, (HEIGHT - BOTTOM - TOP) / CELLS
    cells = "".join(
        f'<rect x="{x(a) - wide / 2:.1f}" y="{y(b) - tall / 2:.1f}" width="{wide + 0.4:.1f}" '
        f'height="{tall + 0.4:.1f}" fill="{_colour(r, low, high)}"/>'
        for a, b, r in zip(across.ravel().tolist(), up.ravel().tolist(), reward.tolist())
    )
    bar = "".join(
        f'<rect x="{WIDTH - RIGHT + 12}" y="{TOP + (HEIGHT - BOTTOM - TOP) * (1 - (i + 1) / 20):.1f}" width="12" '
        f'height="{(HEIGHT - BOTTOM - TOP) / 20 + 0.4:.1f}" fill="{_colour(i / 19, 0, 1)}"/>'
        for i in range(20)
    )
    marks = "".join(
        f'<text x="{WIDTH - RIGHT + 28}" y="{at}">{number:.3g}</text>'
        for at, number in ((TOP + 9, high), (HEIGHT - BOTTOM, low))
    )
    title = f'<text x="{LEFT}" y="{TOP - 9}">expected reward</text>'
    return _svg(cells + bar + marks + title + _axes(*(_axis(name, bounds[name]) for name in names)))


def _ends(dim: Dimension) -> tuple[float, float]:
    """The ends of an axis; every word has the same room."""
    low, high = dim.lower or 0.0, dim.upper or 0.0
    return (low - 0.5, high + 0.5) if isinstance(dim, Choice) else (low, high)


def _axis(name: str, dim: Dimension) -> tuple[str, str, str]:
    """The name and the ends of an axis, as they are printed."""
    if isinstance(dim, Choice):
        return name, dim.words[0], dim.words[-1]
    return name, f"{dim.lower or 0.0:.3g}", f"{dim.upper or 0.0:.3g}"


def _given(dim: Dimension, numbers: Array) -> Any:
    """Numbers of an axis as a policy takes them."""
    if not isinstance(dim, Choice):
        return numbers
    return [dim.words[min(max(round(number), 0), len(dim.words) - 1)] for number in numbers.tolist()]


def _line_map(axis: tuple[str, str, str], ends: tuple[float, float], at: Array, reward: Array, deviation: Array) -> str:
    low, high = float(np.nanmin(reward - 2 * deviation)), float(np.nanmax(reward + 2 * deviation))
    high = high if high > low else low + 1
    x, y = _scale(*ends, LEFT, WIDTH - RIGHT), _scale(low, high, HEIGHT - BOTTOM, TOP)
    upper = [(x(a), y(r + 2 * d)) for a, r, d in zip(at.tolist(), reward.tolist(), deviation.tolist())]
    lower = [(x(a), y(r - 2 * d)) for a, r, d in zip(at.tolist(), reward.tolist(), deviation.tolist())]
    band = " ".join(f"{a:.1f},{b:.1f}" for a, b in upper + lower[::-1])
    line = " ".join(f"{x(a):.1f},{y(r):.1f}" for a, r in zip(at.tolist(), reward.tolist()))
    return _svg(
        f'<polygon points="{band}" fill="#1f5fa8" fill-opacity="0.2"/>'
        f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>'
        + _axes(axis, ("expected reward", f"{low:.3g}", f"{high:.3g}"))
    )


def plot_study(study: Study, axes: Any = None) -> Any:
    """Draws the learning curve with matplotlib, on the given axes or on new ones; returns the axes."""
    if axes is None:
        try:
            from matplotlib import pyplot  # type: ignore[import-not-found]
        except ImportError:
            raise UnavailableError(
                "matplotlib is not installed; pip install matplotlib, or show the study itself in a notebook",
                field="matplotlib",
            ) from None
        axes = cast(Any, pyplot).subplots()[1]
    rewards = study.rollouts().known("reward")
    trials = np.arange(1, len(rewards) + 1)
    axes.plot(trials, rewards, ".", color="0.6", label="trial")
    means = [part[np.isfinite(part)] for part in (rewards[max(0, i - 9) : i + 1] for i in range(len(rewards)))]
    axes.plot(trials, [part.mean() if part.size else np.nan for part in means], label="mean of ten")
    axes.set_xlabel("trial")
    axes.set_ylabel("reward")
    axes.legend()
    return axes


def _svg(body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="11"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>{body}</svg>'
    )


def _axes(across: tuple[str, str, str], up: tuple[str, str, str]) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    return (
        f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" stroke="#444"/>'
        f'<text x="{LEFT}" y="{bottom + 14}">{html.escape(across[1])}</text>'
        f'<text x="{right}" y="{bottom + 14}" text-anchor="end">{html.escape(across[2])}</text>'
        f'<text x="{(LEFT + right) / 2}" y="{bottom + 28}" text-anchor="middle">{html.escape(across[0])}</text>'
        f'<text x="{LEFT - 4}" y="{bottom}" text-anchor="end">{html.escape(up[1])}</text>'
        f'<text x="{LEFT - 4}" y="{TOP + 9}" text-anchor="end">{html.escape(up[2])}</text>'
        f'<text transform="translate(14,{(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">'
        f"{html.escape(up[0])}</text>"
    )


def _scale(low: float, high: float, begin: float, end: float) -> Callable[[Any], Any]:
    wide = high - low or 1.0

    def scaled(value: Any) -> Any:
        return begin + (end - begin) * (value - low) / wide

    return scaled


def _colour(value: float, low: float, high: float) -> str:
    """From dark blue to yellow: lighter is better, also in grey."""
    if not math.isfinite(value):
        return "#bbbbbb"
    share = (value - low) / (high - low) if high > low else 1.0
    stops = ((38, 24, 95), (33, 113, 142), (94, 201, 98), (253, 231, 37))
    at = min(max(share, 0.0), 1.0) * 3
    i = min(int(at), 2)
    return "#" + "".join(f"{round(a + (b - a) * (at - i)):02x}" for a, b in zip(stops[i], stops[i + 1]))
