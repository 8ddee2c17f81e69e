#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learning curves of a push in FetchPush-v4 and FetchSlide-v4 of gymnasium-robotics, through fcps.gymnasium:

    pip install './python[gymnasium]'
    python3 examples/gymnasium_fetch.py [SEED...]

Prints, for each environment and number of episodes, how far from its goal the object ends: the mean over the seeds of the
median over 20 test episodes. The first line is without a push. Each further line continues the study
of the line before.
"""

import sys
import tempfile
from pathlib import Path

import fcps.gymnasium as door
import gymnasium
import gymnasium_robotics
import numpy as np

EPISODES = (10, 20, 40, 80)
TESTS = 20


def idle(env, seed):
    """Distances from the goal if nothing is done."""
    starts = [env.reset(seed=seed * 1000 + i)[0] for i in range(TESTS)]
    return [np.linalg.norm(start["achieved_goal"] - start["desired_goal"]) for start in starts]


def curve(env, seed):
    """The median distance after each number of episodes."""
    skill = door.Push()
    scene = door.GoalScene(env, skill.parameters, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        for episodes in EPISODES:
            learnt = door.learn(env, skill, scene=scene, episodes=episodes, seed=seed, path=Path(folder, "push.fcps"))
            yield -np.median(learnt.evaluate(env, episodes=TESTS, seed=seed)["reward"])


def main():
    gymnasium.register_envs(gymnasium_robotics)
    seeds = [int(seed) for seed in sys.argv[1:]] or [1001, 1002, 1003]
    for name in ("FetchPush-v4", "FetchSlide-v4"):
        env = gymnasium.make(name, reward_type="dense")
        print(f"{name}: {np.mean([np.median(idle(env, seed)) for seed in seeds]):.3f} m without a push", flush=True)
        curves = np.array([list(curve(env, seed)) for seed in seeds])
        for episodes, distance in zip(EPISODES, curves.mean(0)):
            print(f"  {episodes:3} episodes: {distance:.3f} m", flush=True)
        env.close()


main()
