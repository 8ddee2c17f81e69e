# SPDX-License-Identifier: Apache-2.0
"""Simulated seconds per processor second with Gymnasium-Robotics: episodes of 50 random actions with their reset, in one
process, and in two at once (on the clock).

    rollout.py [EPISODES]
"""
import json
import multiprocessing
import statistics
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import gymnasium as gym  # noqa: E402
import gymnasium_robotics  # noqa: E402

gym.register_envs(gymnasium_robotics)
STEPS = 50


def play(name, episodes, offset):
    env = gym.make(name)
    draws = np.random.default_rng(offset)
    env.reset(seed=offset)
    seconds = []
    for i in range(episodes):
        actions = draws.uniform(-1, 1, (STEPS, 4)).astype(np.float32)
        start = time.process_time()
        env.reset(seed=offset + i)
        for action in actions:
            env.step(action)
        seconds.append(time.process_time() - start)
    inner = env.unwrapped
    return seconds, STEPS * inner.n_substeps * inner.model.opt.timestep


def main():
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for name, task in (("FetchPush-v4", "fetch-push"), ("FetchSlide-v4", "fetch-slide")):
        seconds, simulated = play(name, episodes, 0)
        with multiprocessing.Pool(2) as pool:
            pool.starmap(play, [(name, 1, 0), (name, 1, 1)])  # imports and models
            start = time.monotonic()
            pool.starmap(play, [(name, episodes, 100), (name, episodes, 200)])
            both = time.monotonic() - start
        print(json.dumps({"benchmark": "rollout", "rival": "gymnasium-robotics", "task": task,
                          "episode ms": 1e3 * statistics.median(seconds),
                          "spread ms": 1e3 * (max(seconds) - min(seconds)), "simulated s": simulated,
                          "simulated s/s": simulated / statistics.median(seconds),
                          "two processes, simulated s/s": 2 * episodes * simulated / both}), flush=True)


if __name__ == "__main__":
    main()
