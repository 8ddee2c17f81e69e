# SPDX-License-Identifier: Apache-2.0
"""Skills in Gymnasium: a small environment with goals, one without, and the Fetch robot where gymnasium-robotics is
there.
"""

import os

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
    assert problem.outcome.names == ("end_0", "end_1") and len(shown) == 25 == len(learnt.rewards)
    table = learnt.evaluate(env, episodes=20)
    assert np.median(table["reward"]) > -0.1 and table["success"].mean() > 0.6
    observation, _ = env.reset(seed=5)
    for action in learnt(observation):
        observation, *_ = env.step(action)
        break
    learnt.save(tmp_path / "puck.policy")
    again = door.Learnt.load(tmp_path / "puck.policy", TwoPushes(), learnt.scene)
    observation, _ = env.reset(seed=6)
    assert again.choose(observation) == learnt.choose(observation)


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

    with pytest.raises(fcps.UnsupportedError, match="Scene"):
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


@pytest.mark.skipif(not os.environ.get("FCPS_TEST_LONG"), reason="the Fetch robot: set FCPS_TEST_LONG=1")
@pytest.mark.parametrize("name", ["FetchPush-v4", "FetchSlide-v4"])
def test_the_fetch_robot_learns_to_push(name):
    robots = pytest.importorskip("gymnasium_robotics")
    gymnasium.register_envs(robots)
    env = gymnasium.make(name, reward_type="dense")
    before = door.learn(env, door.Push(), episodes=4, seed=1001).evaluate(env, episodes=10)["reward"].mean()
    after = door.learn(env, door.Push(), episodes=60, seed=1001).evaluate(env, episodes=10)["reward"].mean()
    assert after > before
