# SPDX-License-Identifier: Apache-2.0
"""Learns a skill in an environment of Gymnasium: which parameters of the skill to use in which situation.

    import fcps.gymnasium, gymnasium, gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make("FetchPush-v4", reward_type="dense")
    learnt = fcps.gymnasium.learn(env, fcps.gymnasium.Push(), episodes=80)
    observation, info = env.reset()
    observation, info, total = learnt.play(env, observation, info)

An episode of the environment is one trial. A *scene* describes the trial. For a Gymnasium environment with goals (its
observations have `desired_goal` and `achieved_goal`) the target is the desired goal, the outcome is the goal achieved
at the end, the environment is the goal achieved at the start, and the reward is the environment's own `compute_reward`,
which scores whole batches. Other numbers that differ from start to start, such as a friction, belong to the environment
only if `environment` gives their indices in `observation["observation"]`; a warning lists them. For other environments
the caller gives a `Scene`.

A *skill* has `parameters`, a space, and makes them into actions: `skill(parameters, observation)` returns the actions
of an episode one by one; a generator function is sent the new observation after each step. A skill that raises
`TrialFailed` has a failed trial.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ._dimensions import SpaceLike
from ._host import log
from ._policy import Policy
from ._problem import Problem
from ._study import Study
from ._values import Array, Batch, Table, Values
from .errors import ArgumentError, TrialFailed, UnsupportedError
from .primitives import Motion, Primitive, minimum_jerk


class Skill(Protocol):
    """Turns parameters into actions."""

    @property
    def parameters(self) -> SpaceLike:
        """The space of the skill's parameters."""
        ...

    def __call__(self, parameters: Mapping[str, float], observation: Any) -> Iterable[Any]:
        """The actions of an episode."""
        ...


@dataclass(frozen=True)
class Scene:
    """The description of a trial in an environment: the problem, the context of a start, and the outcome of an end.

    `context(observation, info)` returns the context after a reset, `outcome(observation, info)` the outcome after the
    last step. If the problem has no reward, the sum of the environment's rewards is told, and no outcome is needed.
    """

    problem: Problem
    context: Callable[[Any, Any], Mapping[str, float]]
    outcome: Callable[[Any, Any], Mapping[str, float] | None] = lambda observation, info: None


class GoalScene(Scene):
    """The scene of an environment with goals, derived from the environment itself.

    Bounds are a little wider than the values of `probes` resets. Numbers that never vary are left out; of the outcome,
    those that vary neither among goals nor among starts, such as the height of an object on a table. `fixed` leaves the
    start out, for an environment whose episodes all start in the same way.

    `environment` has the indices of numbers of `observation["observation"]` that a trial depends on as well; they are
    dimensions `observation_3`, ... of the environment. By default there are none, and the logger `fcps` warns of
    numbers that vary and do not follow from goal and start (W_OBSERVATION_UNUSED); () stands for none, without a
    warning.
    """

    def __init__(
        self,
        env: Any,
        parameters: SpaceLike,
        *,
        probes: int = 60,
        seed: int = 1,
        fixed: bool = False,
        environment: Sequence[int] | None = None,
    ) -> None:
        _check_env(env)
        if not hasattr(env.unwrapped, "compute_reward"):
            raise UnsupportedError("the environment has no compute_reward; give a Scene of your own", field="env")
        goals, starts, others = _probe(env, probes, seed)
        if environment is None:
            _warn_of_others(goals, starts, others)
        chosen = _indices(() if environment is None else environment, others.shape[1])
        goal, start = _Varying("goal", goals), _Varying("start", starts)
        other = _Varying("observation", others, chosen)
        end = _Varying("end", np.concatenate([goals, starts]))
        score = env.unwrapped.compute_reward

        def reward(target: dict[str, float], environment: Batch, parameters: Batch, outcome: Batch) -> Array:
            reached = end.rows(np.asarray(outcome))
            wanted = np.broadcast_to(goal.whole(target), reached.shape)
            return _scored(score(reached, wanted, {}), len(reached))

        def context(observation: Any, info: Any) -> dict[str, float]:
            there = goal.part(observation["desired_goal"])
            if not fixed:
                there.update(start.part(observation["achieved_goal"]))
            if chosen:
                there.update(other.part(_others(observation)))
            return there

        def outcome(observation: Any, info: Any) -> dict[str, float]:
            return end.numbers(observation["achieved_goal"])

        problem = Problem(
            target=goal.bounds,
            environment={**({} if fixed else start.bounds), **other.bounds},
            parameters=parameters,
            outcome=list(end.bounds),
            reward=reward,
            name=getattr(env.spec, "id", None) or type(env.unwrapped).__name__,
        )
        super().__init__(problem, context, outcome)


def _scored(rewards: Any, count: int) -> Array:
    answer = np.asarray(rewards, np.float64)
    if answer.shape != (count,):
        raise ArgumentError(
            f"compute_reward of the environment must score whole batches: it was given {count} rows, and returned the shape "
            f"{answer.shape}; let it reduce over the last axis alone, or give a Scene of your own",
            field="compute_reward",
        )
    return answer


class _Varying:
    """The numbers of a vector that vary, by name, with bounds around all observed values."""

    def __init__(self, name: str, rows: Array, among: Iterable[int] | None = None) -> None:
        lower, upper = rows.min(0), rows.max(0)
        wide = 0.05 * (upper - lower)
        self._usual = rows.mean(0)
        among = range(rows.shape[1]) if among is None else among
        self._index = {f"{name}_{i}": i for i in among if upper[i] - lower[i] > 1e-6}
        self.bounds = {key: (float(lower[i] - wide[i]), float(upper[i] + wide[i])) for key, i in self._index.items()}

    def part(self, vector: Any) -> dict[str, float]:
        """The varying numbers of a vector, clipped to their bounds."""
        return {
            key: min(max(float(vector[i]), self.bounds[key][0]), self.bounds[key][1]) for key, i in self._index.items()
        }

    def numbers(self, vector: Any) -> dict[str, float]:
        """The varying numbers of a vector, not clipped."""
        return {key: float(vector[i]) for key, i in self._index.items()}

    def rows(self, parts: Array) -> Array:
        """Makes whole vectors from rows of varying numbers."""
        whole = np.tile(self._usual, (len(parts), 1))
        whole[:, list(self._index.values())] = parts
        return whole

    def whole(self, part: Mapping[str, float]) -> Array:
        """Makes the whole vector again."""
        vector = self._usual.copy()
        for key, i in self._index.items():
            vector[i] = part[key]
        return vector


def _probe(env: Any, probes: int, seed: int) -> tuple[Array, Array, Array]:
    """Collects goals, starts, and other observed numbers after resets."""
    goals: list[Any] = []
    starts: list[Any] = []
    others: list[Array] = []
    for i in range(max(probes, 2)):
        observation, _ = env.reset(seed=_reset_seed(seed, -1 - i))
        if (
            not isinstance(observation, Mapping)
            or "desired_goal" not in observation
            or "achieved_goal" not in observation
        ):
            raise UnsupportedError(
                "the observations have no desired_goal and achieved_goal; give a Scene of your own", field="env"
            )
        goals.append(observation["desired_goal"])  # type: ignore[reportUnknownArgumentType]
        starts.append(observation["achieved_goal"])  # type: ignore[reportUnknownArgumentType]
        others.append(_others(observation))
    return np.array(goals, np.float64), np.array(starts, np.float64), np.array(others)


def _others(observation: Any) -> Array:
    """The numbers of `observation["observation"]`; none if it is something else."""
    try:
        return np.asarray(observation.get("observation", ()), np.float64).ravel()
    except (TypeError, ValueError):
        return np.empty(0)


def _indices(given: Sequence[int], count: int) -> list[int]:
    if not isinstance(given, Iterable):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"give a list of indices, as in environment=[{given!r}]", field="environment")
    for i in given:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i < count:
            raise ArgumentError(
                f"{i!r} is not the index of one of the {count} numbers of observation['observation']; give indices from 0 to "
                f"{count - 1}"
                if count
                else f"{i!r}: observation['observation'] has no numbers; give a Scene of your own",
                field="environment",
            )
    return [int(i) for i in given]


def _warn_of_others(goals: Array, starts: Array, others: Array) -> None:
    """Warns of numbers that vary, and are neither a part of goal or start nor a linear function of them."""
    known = np.column_stack([np.ones(len(goals)), goals, starts])
    if not others.shape[1] or len(goals) <= known.shape[1]:
        return
    spread = others.std(0)
    rest = others - known @ np.linalg.lstsq(known, others, rcond=None)[0]
    large = 1e-3 * max(float(spread.max()), float(goals.std(0).max()), float(starts.std(0).max()))
    found = [i for i in range(others.shape[1]) if spread[i] > large and rest[:, i].std() > 0.1 * spread[i]]
    if found:
        names = ", ".join(str(i) for i in found[:20]) + (", ..." if len(found) > 20 else "")
        log.warning(
            "W_OBSERVATION_UNUSED: observation['observation'] differs from start to start in numbers that are no part of the "
            "context: %s; if a trial depends on some of them, give their indices, as in learn(..., environment=[%d]), else "
            "environment=()",
            names,
            found[0],
            extra={"code": "W_OBSERVATION_UNUSED"},
        )


def _reset_seed(seed: int, episode: int) -> int:
    return (seed * 1_000_003 + episode) % 2**31


@dataclass(frozen=True)
class Progress:
    """A finished episode."""

    episode: int  # counted from 1
    reward: float
    parameters: Values
    context: Mapping[str, float]


class Learnt:
    """A skill with the policy that chooses its parameters: `learnt(observation)` gives the actions of an episode."""

    def __init__(self, skill: Skill, scene: Scene, policy: Policy, rewards: Array) -> None:
        self.skill = skill
        self.scene = scene
        self.policy = policy
        self.rewards = rewards  # the rewards of the episodes that it has learnt from

    def __call__(self, observation: Any, info: Any = None) -> Iterator[Any]:
        """Returns the actions for a start. If the skill is a generator function, each action needs the observation
        after the last one: `action = next(actions)`, then `action = actions.send(observation)` after each step.
        """
        return iter(self.skill(self.choose(observation, info), observation))

    def play(self, env: Any, observation: Any, info: Any = None) -> tuple[Any, Any, float]:
        """Does an episode from its start, as `env.reset()` returned it; returns the last observation and info, and the
        sum of rewards.
        """
        return _play(env, self.skill, self.choose(observation, info), observation, info or {})

    def choose(self, observation: Any, info: Any = None) -> Values:
        """Chooses the parameters for a start."""
        return self.policy(self.scene.context(observation, info or {})).parameters

    def evaluate(self, env: Any, *, episodes: int, seed: int = 0) -> Table:
        """Does episodes without learning: `reward`, `return` (the sum of the environment's rewards), and `success` if
        the info of the last step contains it. An episode in which the skill raises `TrialFailed` has no reward and no
        success.
        """
        columns: dict[str, list[float]] = {"reward": [], "return": [], "success": []}
        for i in range(episodes):
            observation, info = env.reset(seed=_reset_seed(seed, 1_000_000 + i))
            context = self.scene.context(observation, info)
            parameters = self.policy(context).parameters
            try:
                end, info, total = _play(env, self.skill, parameters, observation, info)
                reward = _score(self.scene, context, parameters, end, info, total)
                success = float(info.get("is_success", math.nan))
            except TrialFailed:
                reward, total, success = math.nan, math.nan, 0.0
            for name, number in (("reward", reward), ("return", total), ("success", success)):
                columns[name].append(number)
        return Table({name: np.array(column) for name, column in columns.items()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy to a file; `load` needs the environment's scene and the skill, too."""
        self.policy.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], skill: Skill, scene: Scene) -> Learnt:
        """Reads the file of `save`."""
        return cls(skill, scene, Policy.load(path, scene.problem), np.empty(0))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("Learnt cannot be pickled: its scene has functions of the environment; use save and Learnt.load")

    def __repr__(self) -> str:
        return f"Learnt({self.policy!r}, {len(self.rewards)} episodes)"


def learn(
    env: Any,
    skill: Skill,
    *,
    episodes: int,
    scene: Scene | None = None,
    environment: Sequence[int] | None = None,
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 1,
    path: str | os.PathLike[str] | None = None,
    on_episode: Callable[[Progress], object] | None = None,
) -> Learnt:
    """Learns the parameters of a skill in an environment, with one episode per trial, until there are `episodes`
    trials.

    An episode in which the skill or the scene raises `TrialFailed` is told as failed. With a `path` everything is kept
    in a study, and the same call continues it. The starts depend only on the seed and the number of the episode. If
    `on_episode(progress)` returns False, the learning ends, and its result so far is returned. `environment` is that of
    `GoalScene`, if no scene is given.
    """
    if scene is not None and environment is not None:
        raise ArgumentError("a scene brings its own environment; give either `scene` or `environment`", field="environment")
    _check_env(env)
    scene = scene or GoalScene(env, _space_of(skill), seed=seed, environment=environment)
    with Study(path, scene.problem, learner=learner, settings=settings, seed=seed) as study:
        for trial in study.pending:  # of a call that was interrupted: its start is lost
            study.forget(trial)
        done = sum(trial.state == "told" for trial in study.trials)  # forgotten asks were not episodes
        for episode in range(done, episodes):
            observation, info = env.reset(seed=_reset_seed(seed, episode))
            context = scene.context(observation, info)
            trial = study.ask(context)
            try:
                end, info, total = _play(env, skill, trial.parameters, observation, info)
                total = total if scene.problem.reward is None else math.nan  # the problem's reward scores the outcome
                receipt = study.tell(trial, scene.outcome(end, info), reward=total)
            except TrialFailed as failure:
                receipt = study.tell(trial, status=failure.status, message=str(failure))
            progress = Progress(episode + 1, receipt.reward, trial.parameters, context)
            if on_episode is not None and on_episode(progress) is False:
                break
        return Learnt(skill, scene, study.policy(), study.rollouts().known("reward"))


def _check_env(env: Any) -> None:
    if isinstance(env, (str, type)):
        way = f"gymnasium.make({env!r})" if isinstance(env, str) else f"{env.__name__}(...)"
        raise ArgumentError(f"expected an environment, not its name or class; make one, as in {way}", field="env")


def _space_of(skill: Any) -> SpaceLike:
    """Reads the space of a skill's parameters."""
    if isinstance(skill, type):
        raise ArgumentError(f"expected a skill, not its class; make one, as in {skill.__name__}(...)", field="skill")
    if not hasattr(skill, "parameters"):
        raise ArgumentError(
            "the skill does not say its parameters; give a function its space, as in push.parameters = {'force': (0, 5)}, or "
            "make it an object with `parameters`",
            field="skill",
        )
    return skill.parameters


def _play(env: Any, skill: Skill, parameters: Values, observation: Any, info: Any) -> tuple[Any, Any, float]:
    """Does one episode, until the actions or the environment end; returns the last observation and info, and the sum of
    rewards.
    """
    actions: Any = _actions(env, skill(parameters, observation))
    send: Any = getattr(actions, "send", None)  # a generator has it
    total, answer = 0.0, None
    while True:
        try:
            action = send(answer) if send is not None else next(actions)
        except StopIteration:
            return observation, info, total
        observation, reward, terminated, truncated, info = env.step(action)
        total += float(reward)
        answer = observation
        if terminated or truncated:
            return observation, info, total


def _actions(env: Any, made: Any) -> Iterator[Any]:
    """Returns the actions of a skill one by one. It refuses a single action: in an environment that broadcasts numbers,
    its numbers would pass for actions, and something else would be learnt.
    """
    if made is None:
        raise ArgumentError("the skill made no actions: is a `return` or a `yield` missing?", field="skill")
    if not isinstance(made, Iterable):
        raise ArgumentError(f"the skill must make actions one by one, not {type(made).__name__} {made!r}", field="skill")
    shape: Any = getattr(env.action_space, "shape", None)
    several = cast("Sequence[Any]", made)
    is_list = isinstance(made, (np.ndarray, list, tuple))
    if shape and is_list and len(several) == shape[0] and np.shape(several[0]) == tuple(shape[1:]):
        raise ArgumentError("the skill made one action; return a list of them, or yield them one by one", field="skill")
    return iter(several)


def _score(scene: Scene, context: Mapping[str, float], parameters: Values, end: Any, info: Any, total: float) -> float:
    outcome = scene.outcome(end, info)
    if outcome is None or scene.problem.reward is None:
        return total
    with Study(None, scene.problem, learner="random", seed=1) as study:
        target, environment = (
            {name: context[name] for name in space.names} for space in (scene.problem.target, scene.problem.environment)
        )
        return study.tell(None, outcome, parameters=parameters, target=target, environment=environment).reward


class Push:
    """A push for the Fetch robot of gymnasium-robotics, by movement primitives: the gripper rises, moves to the side of
    the object from which it pushes, goes down, and moves along a smooth line. The skill is the same for FetchPush and
    FetchSlide.

    Parameters, in the plane and relative to the object: the `direction` of the push (rad), its `length` (m), and the
    `duration` of the stroke (s).
    """

    def __init__(self, *, steps: int = 50, longest: float = 0.6, behind: float = 0.09, gain: float = 10.0) -> None:
        self.parameters: SpaceLike = {"direction": _full_circle(), "length": (0.0, longest), "duration": (0.4, 1.4)}
        self.steps = steps
        self.behind = behind
        self.gain = gain
        self._dt = 0.04  # of one step of the environment
        self._stroke = Primitive(1)  # the share of the way
        self._stroke.imitate([[minimum_jerk(s)] for s in np.linspace(0, 1, 101)], duration=1.0)

    def __call__(self, parameters: Mapping[str, float], observation: Any) -> Generator[NDArray[np.float32], Any, None]:
        """Yields actions in a closed loop: each action moves to the next point of the path."""
        grip, thing = (
            np.asarray(part, np.float64) for part in (observation["observation"][:3], observation["achieved_goal"][:3])
        )
        ahead = np.array([math.cos(parameters["direction"]), math.sin(parameters["direction"])])
        start = thing[:2] - self.behind * ahead
        for point in self._path(grip, np.append(start, thing[2]), ahead, parameters):
            action = np.append(np.clip(self.gain * (point - grip), -1, 1), -1.0)
            answer: Any = yield action.astype(np.float32)
            if answer is None:
                raise ArgumentError(
                    "the next action needs the observation after the last one; get it with actions.send(observation), or let "
                    "learnt.play(env, observation, info) do the episode",
                    field="observation",
                )
            grip = np.asarray(answer["observation"][:3], np.float64)

    def _path(self, grip: Array, start: Array, ahead: Array, parameters: Mapping[str, float]) -> Iterator[Array]:
        high = start[2] + _CLEAR
        approach = [np.array([grip[0], grip[1], high])] * 3 + [np.array([start[0], start[1], high])] * 8 + [start] * 4
        yield from approach
        motion = Motion([(self._stroke, parameters["duration"])], dt=self._dt)
        motion.set_goal([1.0])
        share = motion.trajectory([0.0]).positions
        way = (self.behind + parameters["length"]) * ahead
        for i in range(self.steps - len(approach)):
            here = start[:2] + share[min(i + 1, len(share) - 1), 0] * way
            yield np.array([here[0], here[1], start[2]])


_CLEAR = 0.12  # m: above the object, where the gripper touches nothing


def _full_circle() -> Any:
    from ._dimensions import Angle

    return Angle(-math.pi, math.pi, unit="rad")


__all__ = ["GoalScene", "Learnt", "Progress", "Push", "Scene", "Skill", "learn"]


def __dir__() -> list[str]:
    return __all__
