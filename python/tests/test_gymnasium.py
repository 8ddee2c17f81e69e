# SPDX-License-Identifier: Apache-2.0
"""Skills in Gymnasium: a small environment with goals, one without, and the Fetch robot where gymnasium-robotics is
there.
"""

import os
import re
from pathlib import Path

import fcps
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from fcps import gymnasium as door  # noqa: E402


class Puck(gymnasium.Env):
    """A puck on a line: two pushes move it from its start; the goal is where it should be."""

    observation_space = gymnasium.spaces.Dict(
        {name: gymnasium.spaces.Box(-10, 10, (2,)) for name in ("observation", "achieved_goal", "desired_goal")}
    )
    action_space = gymnasium.spaces.Box(-1, 1, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.goal, self.steps = self.np_random.uniform(-1, 1), self.np_random.uniform(-2, 2), 0
        return self.look(), {}

    def look(self):
        there = np.array([self.place, 0.5])
        return {"observation": there, "achieved_goal": there, "desired_goal": np.array([self.goal, 0.5])}

    def compute_reward(self, achieved, desired, info):
        assert np.shape(achieved) == np.shape(desired)
        return -np.linalg.norm(np.asarray(achieved) - desired, axis=-1)

    def step(self, action):
        self.steps += 1
        self.place += 2 * float(action[0])
        reward = self.compute_reward(np.array([self.place, 0.5]), np.array([self.goal, 0.5]), {})
        return self.look(), reward, False, self.steps >= 3, {"is_success": abs(self.place - self.goal) < 0.1}


class TwoPushes:
    parameters = {"first": (-1, 1), "second": (-1, 1)}

    def __call__(self, parameters, observation):
        seen = yield np.array([parameters["first"]])
        assert seen is not None and "achieved_goal" in seen  # a generator sees what came of its action
        yield np.array([parameters["second"]])


def test_goals_are_found_out_and_learnt(tmp_path):
    env = Puck()
    shown = []
    learnt = door.learn(env, TwoPushes(), episodes=25, seed=1001, on_episode=shown.append)
    problem = learnt.scene.problem
    assert problem.target.names == ("goal_0",) and problem.environment.names == (
        "start_0",
    )  # the other number never varies
    assert problem.outcome.names == ("end_0",) and len(shown) == 25 == len(learnt.rewards)
    table = learnt.evaluate(env, episodes=20)
    assert np.median(table["reward"]) > -0.1 and table["success"].mean() > 0.6
    observation, _ = env.reset(seed=5)
    for action in learnt(observation):
        observation, *_ = env.step(action)
        break
    few = door.learn(env, TwoPushes(), episodes=25, seed=1001, on_episode=lambda progress: progress.episode < 4)
    assert len(few.rewards) == 4
    learnt.save(tmp_path / "puck.policy")
    again = door.Learnt.load(tmp_path / "puck.policy", TwoPushes(), learnt.scene)
    observation, _ = env.reset(seed=6)
    assert again.choose(observation) == learnt.choose(observation)


@pytest.mark.parametrize("direction", [0.0, 1.5, 3.0, -2.0])
def test_a_push_comes_from_behind_and_goes_along_its_direction(direction):
    thing, grip = np.array([1.3, 0.7, 0.42]), np.array([1.36, 0.75, 0.42])
    ahead = np.array([np.cos(direction), np.sin(direction)])

    def look():
        return {"observation": np.append(grip, 0.0), "achieved_goal": thing}

    actions = door.Push()({"direction": direction, "length": 0.15, "duration": 1.0}, look())
    answer, along = None, []
    for _ in range(50):
        grip = grip + 0.05 * actions.send(answer)[:3]  # half of the way, and at most 5 cm
        answer = look()
        beside = grip[:2] - thing[:2]
        along.append(beside @ ahead)
        if len(along) < 12:  # on its way it touches nothing
            assert np.linalg.norm(beside) > 0.06 or grip[2] > thing[2] + 0.03
        elif len(along) > 14:
            assert abs(beside @ np.array([-ahead[1], ahead[0]])) < 0.02
    assert along[14] == pytest.approx(-0.09, abs=0.02) and along[-1] == pytest.approx(0.15, abs=0.01)
    assert np.all(np.diff(along[14:]) > -0.005)


def test_a_study_goes_on(tmp_path):
    scene = door.GoalScene(Puck(), TwoPushes.parameters, seed=1001)
    whole = door.learn(Puck(), TwoPushes(), scene=scene, episodes=8, seed=1001)
    door.learn(Puck(), TwoPushes(), scene=scene, episodes=5, seed=1001, path=tmp_path / "puck.fcps")
    rest = door.learn(Puck(), TwoPushes(), scene=scene, episodes=8, seed=1001, path=tmp_path / "puck.fcps")
    assert rest.rewards.tolist() == whole.rewards.tolist()


def test_an_environment_without_goals_has_a_scene_of_its_own():
    class Plain(Puck):
        def look(self):
            return np.array([self.place, self.goal])

    with pytest.raises(fcps.errors.UnsupportedError, match="Scene"):
        door.learn(Plain(), TwoPushes(), episodes=1)

    class Push:
        parameters = {"push": (-1, 1)}

        def __call__(self, parameters, observation):
            return [np.array([parameters["push"]])]

    scene = door.Scene(
        fcps.Problem(environment={"place": (-1, 1), "goal": (-2, 2)}, parameters=Push.parameters),
        lambda observation, info: {"place": observation[0], "goal": observation[1]},
    )
    learnt = door.learn(Plain(), Push(), episodes=40, scene=scene, learner="bo-cps", seed=1001)
    assert np.median(learnt.evaluate(Plain(), episodes=20)["reward"]) > -0.4


def test_what_was_given_up_is_no_episode(tmp_path):
    scene = door.GoalScene(Puck(), TwoPushes.parameters, seed=1001)
    whole = door.learn(Puck(), TwoPushes(), scene=scene, episodes=6, seed=1001)

    class Interrupted(TwoPushes):
        episodes = 0

        def __call__(self, parameters, observation):
            self.episodes += 1
            if self.episodes == 4:
                raise KeyboardInterrupt
            return super().__call__(parameters, observation)

    again = {"scene": scene, "episodes": 6, "seed": 1001, "path": tmp_path / "puck.fcps"}
    with pytest.raises(KeyboardInterrupt):
        door.learn(Puck(), Interrupted(), **again)
    rest = door.learn(Puck(), TwoPushes(), **again)
    assert len(rest.rewards) == 6 and rest.rewards[:3].tolist() == whole.rewards[:3].tolist()
    with fcps.Study(tmp_path / "puck.fcps", scene.problem) as study:
        starts = [trial.environment for trial in study.trials if trial.state == "told"]
    with fcps.Study(None, scene.problem) as study:
        expected = [scene.context(*Puck().reset(seed=door._reset_seed(1001, i)))["start_0"] for i in range(6)]
    assert [start["start_0"] for start in starts] == expected


def test_a_skill_that_fails_has_a_failed_trial():
    class Fragile(TwoPushes):
        def __call__(self, parameters, observation):
            if parameters["first"] > 0.3:
                raise fcps.TrialFailed("too hard")
            yield np.array([parameters["first"]])
            if parameters["second"] > 0.3:
                raise fcps.TrialFailed("slipped", status="refused")
            yield np.array([parameters["second"]])

    shown = []
    learnt = door.learn(Puck(), Fragile(), episodes=20, seed=1001, on_episode=shown.append)
    assert len(shown) == len(learnt.rewards) == 20 and 0 < np.isnan(learnt.rewards).sum() < 20
    assert learnt.evaluate(Puck(), episodes=5).rows == 5

    class Broken(TwoPushes):
        def __call__(self, parameters, observation):
            raise fcps.TrialFailed("always")

    learnt.skill = Broken()
    table = learnt.evaluate(Puck(), episodes=2)
    assert np.isnan(table["reward"]).all() and (table["success"] == 0).all()


def test_an_episode_is_played_or_done_by_hand():
    env = Puck()
    learnt = door.learn(env, TwoPushes(), episodes=12, seed=1001)
    first, _ = env.reset(seed=5)
    end, info, total = learnt.play(env, first)
    observation, info = env.reset(seed=5)
    actions = learnt(observation, info)
    observation, reward, *_ = env.step(next(actions))
    observation, rest, *_ = env.step(actions.send(observation))
    assert end["achieved_goal"][0] == observation["achieved_goal"][0] and total == pytest.approx(reward + rest)
    hand = door.Push()(
        {"direction": 0.0, "length": 0.1, "duration": 1.0},
        {**first, "observation": np.zeros(4), "achieved_goal": np.zeros(3)},
    )
    next(hand)
    with pytest.raises(fcps.errors.ArgumentError, match=r"actions.send\(observation\)"):
        next(hand)


def test_the_example_of_the_page_runs():
    pytest.importorskip("gymnasium_robotics")
    page = Path(__file__).parent.parent.parent / "docs/python.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    (block,) = [block for block in blocks if "import gymnasium_robotics" in block]
    names = {}
    exec(compile(block, "python.md", "exec"), names)
    assert names["is_over"] and np.isfinite(names["total"])


@pytest.mark.skipif(not os.environ.get("FCPS_TEST_LONG"), reason="the Fetch robot: set FCPS_TEST_LONG=1")
@pytest.mark.parametrize("name", ["FetchPush-v4", "FetchSlide-v4"])
def test_the_fetch_robot_learns_to_push(name):
    robots = pytest.importorskip("gymnasium_robotics")
    gymnasium.register_envs(robots)
    env = gymnasium.make(name, reward_type="dense")
    before = door.learn(env, door.Push(), episodes=4, seed=1001).evaluate(env, episodes=10)["reward"].mean()
    after = door.learn(env, door.Push(), episodes=60, seed=1001).evaluate(env, episodes=10)["reward"].mean()
    assert after > before


class Sliding(Puck):
    """A puck whose way depends on a friction, which is observed."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.friction = self.np_random.uniform(0.3, 1)
        return self.look(), {}

    def look(self):
        friction = getattr(self, "friction", 0.5)
        return {**super().look(), "observation": np.array([self.place, 3 * self.place + 1, friction, 7.0])}

    def step(self, action):
        return super().step(np.asarray(action) * self.friction)


def test_what_varies_beside_goal_and_start_is_warned_of_or_taken(caplog):
    with caplog.at_level("WARNING", "fcps"):
        door.GoalScene(Puck(), TwoPushes.parameters, seed=1001)
        door.GoalScene(Sliding(), TwoPushes.parameters, seed=1001, environment=())
    assert caplog.records == []
    with caplog.at_level("WARNING", "fcps"):
        door.GoalScene(Sliding(), TwoPushes.parameters, seed=1001)
    (warning,) = caplog.records
    assert warning.code == "W_OBSERVATION_UNUSED"
    assert "context: 2;" in warning.getMessage() and "environment=[2]" in warning.getMessage()
    caplog.clear()
    with caplog.at_level("WARNING", "fcps"):
        learnt = door.learn(Sliding(), TwoPushes(), episodes=30, seed=1001, environment=[2])
    assert learnt.scene.problem.environment.names == ("start_0", "observation_2")
    assert not [record for record in caplog.records if record.code == "W_OBSERVATION_UNUSED"]
    assert np.median(learnt.evaluate(Sliding(), episodes=20)["reward"]) > -0.15
    with pytest.raises(fcps.errors.ArgumentError, match="0 to 3"):
        door.learn(Sliding(), TwoPushes(), episodes=1, environment=[4])


def test_a_skill_without_parameters_and_a_reward_that_scores_no_batches_are_named():
    with pytest.raises(fcps.errors.ArgumentError, match="parameters") as caught:
        door.learn(Puck(), lambda parameters, observation: [], episodes=1)
    assert caught.value.field == "skill"

    class Single(Puck):
        def compute_reward(self, achieved, desired, info):
            return -float(np.linalg.norm(np.asarray(achieved) - desired))

    with pytest.raises(fcps.errors.ArgumentError, match="compute_reward") as caught:
        door.learn(Single(), TwoPushes(), episodes=6, seed=1001)
    assert caught.value.field == "compute_reward"


def test_what_is_no_environment_no_skill_and_no_list_of_actions_is_named():
    def skill(answer):
        def made(parameters, observation):
            return answer

        made.parameters = {"first": (-1, 1)}
        return made

    for env, given, field, words in (
        ("Puck-v0", TwoPushes(), "env", "gymnasium.make('Puck-v0')"),
        (Puck, TwoPushes(), "env", "Puck(...)"),
        (Puck(), TwoPushes, "skill", "TwoPushes(...)"),
        (Puck(), skill(None), "skill", "`return` or a `yield`"),
        (Puck(), skill(np.array([0.5])), "skill", "one action"),
        (Puck(), skill([0.5]), "skill", "one action"),
        (Puck(), skill(0.5), "skill", "float"),
    ):
        with pytest.raises(fcps.errors.ArgumentError) as caught:
            door.learn(env, given, episodes=1, seed=1001)
        assert caught.value.field == field and words in str(caught.value)
    with pytest.raises(fcps.errors.ArgumentError, match="environment=\\[1\\]"):
        door.learn(Puck(), TwoPushes(), episodes=1, seed=1001, environment=1)
    assert len(door.learn(Puck(), skill([np.array([0.5])]), episodes=1, seed=1001).rewards) == 1  # a list of one action
