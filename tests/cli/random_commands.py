#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random commands on studies, compared with a model of what must be stored.

    random_commands.py --fcps PROGRAM [--seed N] [--seconds S] [--steps T] [--study K] [--keep FOLDER]

Every study lives for some dozens of steps: asks, choices, results (also repeated, contradicting, late, without an ask),
given-up asks, choices between results, amendments, imports, exports, repairs, backups, runs with a small program,
groups of processes at once; and kill -9 at random moments. After each step the log and the unfinished asks are
compared with the model:

  - what was acknowledged is there, whole, once, and in its order;
  - what was never acknowledged is not there, or it is there whole;
  - nothing else is there, and nothing that was there has changed.

A difference ends the program with exit code 1. It prints the seed, the number of the study, and the commands that led
to it. `--seed N --study K` makes the same choices for that study again; only the moments at which processes meet and
are killed are not the same. Needs nothing but Python's standard library.
"""
import argparse
import copy
import csv
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROBLEM = r"""
target: {x: [0, 5]}
environment: {wind: [-1, 1]}
parameters: {speed: [0, 3], tilt: [0, 1.5]}
outcome: [land]
achieved: {x: land}
reward: "%s"
learner: {%s}
run: {command: [sed, -u, 's/.*"ask": *\([0-9]*\).*"speed": *\([-0-9.e]*\).*/{"ask":\1,"outcome":{"land":\2}}/'], timeout_s: 60}
"""
CHEAP = "initial: 2, candidates: 12, starts: 1, fit_starts: 1, fit_budget: 4"
LEARNERS = ("name: c-reps, update_every: 5", "name: c-reps", "name: random, " + CHEAP, "name: bo-fcps, " + CHEAP,
            "name: outcome, " + CHEAP, "name: outcome-active, " + CHEAP)
SPACES = {"target": ("x",), "environment": ("wind",), "parameters": ("speed", "tilt")}
MESSAGES = ("gripper slipped", 'a "quote", a comma', "gr\u00fc\u00dfe \u00b1 1", "ends with a blank ", "two\nlines",
            "=1+1")
INFINITE = "inf"
STATUSES = ("failed", "refused", "timeout", "unstable")
MOST_SECONDS = 120  # for one command: more is a command that hangs

DONE, USAGE, LOCKED = 0, 2, 5
KILLED = "killed"


def is_run(client):
    """Whether it is a client of `fcps run`: run, or run/2, run/3, ... of several programs at once."""
    return re.fullmatch(r"run(/[0-9]+)?", client or "") is not None


class Difference(Exception):
    """The study is not what the model says."""


def require(condition, words, *details):
    if not condition:
        raise Difference(" ".join([words, *(json.dumps(d, default=str) for d in details)]))


# -- The model ---------------------------------------------------------------------------------------------------------


def is_infinite(result):
    """An outcome that is measured and cannot be used; a log has it as a text."""
    return result["outcome"] is not None and result["outcome"]["land"] == INFINITE


def reward_of(formula, result):
    """The reward of a result by one of the formulas below; None: it has none."""
    if result["status"] in STATUSES:
        return None
    outcome = result["outcome"]
    if is_infinite(result):
        return None
    distance = None if outcome is None else abs(result["target"]["x"] - outcome["land"])
    reward = FORMULAS[formula](distance, result["parameters"]["speed"])
    return reward if reward is not None and math.isfinite(reward) else None


FORMULAS = {
    "present ? -distance - 0.05*speed^2 : -9": lambda d, s: -9.0 if d is None else -d - 0.05 * s * s,
    "-distance": lambda d, s: None if d is None else -d,
    "present ? -2*distance : -speed": lambda d, s: -s if d is None else -2 * d,
}


class Model:
    """What must be stored. Results are in the order of the log."""

    def __init__(self, formula):
        self.formula = formula
        self.asks = {}  # id: {"client", "target", "environment", "parameters", "state"}
        self.results = []

    def of_ask(self, ask):
        return [r for r in self.results if r["ask"] == ask]

    def trial(self, result):
        """The results among which at most one counts."""
        if result["ask"] is not None:
            return self.of_ask(result["ask"])
        return [r for r in self.results if r is result or (r["ask"] is None and result["key"] is not None
                                                           and r["key"] == result["key"])]

    def earlier(self, result):
        """The same result, if it was stored before."""
        for r in self.results:
            if r["ask"] != result["ask"] or not is_same_trial(r, result):
                continue
            if result["ask"] is not None:
                return r
            if (r["key"] is None) != (result["key"] is None):
                continue
            if r["key"] == result["key"] if result["key"] is not None else r["client"] == result["client"]:
                return r
        return None

    def is_acceptable(self, earlier):
        """A result that was only ever refused counts when it is told again and nothing else does."""
        return not earlier["was_used"] and not any(r["used"] for r in self.trial(earlier))

    def verdict(self, result):
        """What a tell must answer: "new", "late", "repeated", "conflict"."""
        earlier = self.earlier(result)
        if earlier is not None:
            return "repeated" if earlier["used"] or self.is_acceptable(earlier) else "conflict"
        used = [r for r in self.trial(result) if r["used"]]
        if used and result["ask"] is not None and used[0]["status"] == "timeout" and result["status"] != "timeout":
            return "late"
        if used and is_infinite(used[0]) and used[0]["status"] == "ok" and not is_infinite(result):
            return "new"  # it makes up for what could not be used
        return "conflict" if used else "new"

    def store(self, result):
        """Adds a result as the study would, whatever its verdict; a repeated one is not added."""
        verdict = self.verdict(result)
        earlier = self.earlier(result)
        if earlier is not None:
            if verdict == "repeated" and not earlier["used"]:
                self.use(earlier)
            return verdict
        result = dict(result)
        if result["ask"] is not None:
            result["evidence"] = len(self.of_ask(result["ask"])) + 1
        else:
            result["evidence"] = 2 if verdict == "conflict" else 1
        self.results.append(result)
        result["used"] = result["was_used"] = False
        if verdict != "conflict":
            self.use(result)
        if result["ask"] in self.asks:
            self.asks[result["ask"]]["state"] = "told"
        return verdict

    def use(self, result):
        for r in self.trial(result):
            if r is not result:
                self.take_out(r)
        result["used"] = True

    @staticmethod
    def take_out(result):
        result["was_used"] = result["was_used"] or result["used"]
        result["used"] = False

    def pending(self):
        return {i: a for i, a in self.asks.items() if a["state"] == "pending"}


def is_same_trial(a, b):
    return all(a[part] == b[part] for part in ("status", "outcome", "target", "environment", "parameters"))


def is_close(a, b):
    if a is None or b is None:
        return a is None and b is None
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def compare_result(model, expected, line, is_renumbered=False):
    for part in ("ask", "status", "target", "environment", "parameters", "outcome", "client", "message", "evidence",
                 "used"):
        require(line[part] == expected[part], f"{part} of a result differs:", expected, line)
    require(line.get("key") == expected["key"], "the key of a result differs:", expected, line)
    require(is_close(line["reward"], reward_of(model.formula, expected)), "the reward of a result differs:",
            reward_of(model.formula, expected), line)
    if "result" in expected and not is_renumbered:
        require(line["result"] == expected["result"], "the number of a result differs:", expected, line)


# -- Processes ---------------------------------------------------------------------------------------------------------


class Step:
    """One command: its process, what it printed, and what the tester knows of it."""

    def __init__(self, arguments, folder, **known):
        self.arguments = [str(a) for a in arguments]
        self.known = known
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.out,
                                        stderr=self.err)
        self.code = None

    def kill(self):
        self.process.kill()

    def finish(self):
        try:
            code = self.process.wait(MOST_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Difference(f"no end within {MOST_SECONDS} s: " + " ".join(self.arguments)) from None
        self.code = KILLED if code == -9 else code
        self.out.seek(0)
        self.err.seek(0)
        self.stdout = self.out.read().decode()
        self.stderr = self.err.read().decode(errors="replace")
        self.out.close()
        self.err.close()
        require(self.code == KILLED or self.code >= 0, f"ended by signal {code}:", self.arguments, self.stderr)
        return self

    def whole_lines(self):
        """JSON of the lines that were printed to their ends: what follows the last newline is no acknowledgement."""
        return [json.loads(line) for line in self.stdout.split("\n")[:-1]]

    def words(self):
        return f"{' '.join(self.arguments)}   -> {self.code} {self.stdout.strip()[:300]} {self.stderr.strip()[:300]}"


# -- One study ---------------------------------------------------------------------------------------------------------


class Tester:
    def __init__(self, fcps, seed, number, folder):
        self.fcps, self.folder, self.number = fcps, pathlib.Path(folder), number
        self.random = random.Random(f"{seed}/{number}")
        self.study = "s.fcps"
        self.commands = []
        self.counts = {"steps": 0, "commands": 0, "kills": 0, "groups": 0}
        self.unique = 0
        self.pace = 0.02  # seconds that a command takes here, about
        self.waiting = []  # killed while their results waited on disk: a later run may store them
        self.saved = None  # the model of the last backup
        self.backup_known = None  # whether there is the command
        formula = self.random.choice(list(FORMULAS)[:1] * 3 + list(FORMULAS))
        learner = self.random.choice(LEARNERS)
        self.is_active = "active" in learner
        self.is_walking = "c-reps" in learner
        (self.folder / "p.yaml").write_text(PROBLEM % (formula, learner))
        self.model = Model(formula)

    # running

    def start(self, *arguments, **known):
        self.counts["commands"] += 1
        return Step((self.fcps, *arguments), self.folder, **known)

    def end(self, step):
        step.finish()
        self.commands.append(step.words())
        return step

    def run(self, *arguments, **known):
        return self.end(self.start(*arguments, **known))

    def run_or_kill(self, *arguments, chance=0.25, longest=1.5, **known):
        """One command, sometimes killed at a random moment: within `longest` times what commands usually take."""
        begin = time.monotonic()
        step = self.start(*arguments, **known)
        is_victim = self.random.random() < chance
        moment = self.random.random() * longest
        if is_victim:
            time.sleep(moment * self.pace)
            step.kill()
        self.end(step)
        self.counts["kills"] += step.code == KILLED
        if not is_victim and longest < 2:
            self.pace += 0.2 * (time.monotonic() - begin - self.pace)
        return step

    # choosing

    def number_text(self):
        """A number that no other result has, so that each can be recognized."""
        self.unique += 1
        return round(self.random.uniform(0, 5), 3) + self.unique * 1e-9

    def context(self):
        return {"x": self.random.uniform(0, 5)}, {"wind": self.random.uniform(-1, 1)}

    def told(self, ask):
        """A result to tell: its description, and the arguments that say it."""
        r = self.random
        result = {"ask": ask, "status": "ok", "outcome": None, "client": "", "message": "", "key": None}
        arguments = [] if ask is None else [ask]
        kind = r.random()
        if kind < 0.75:
            result["outcome"] = {"land": self.number_text() if kind > 0.12 else INFINITE}
            arguments += ["--outcome", pairs(result["outcome"])]
        elif kind < 0.85:
            result["status"] = "no outcome"
            arguments += ["--no-outcome"]
        else:
            result["status"], result["message"] = r.choice(STATUSES), r.choice(MESSAGES)
            arguments += ["--failed", result["message"], "--status", result["status"]]
        if r.random() < 0.3:
            result["client"] = r.choice(("robot-1", "robot-2"))
            arguments += ["--client", result["client"]]
        known = self.model.asks.get(ask)
        for part in SPACES:
            result[part] = dict(known[part]) if known else None
        if ask is None:
            target, environment = self.context()
            result.update(target=target, environment=environment,
                          parameters={"speed": r.uniform(0, 3), "tilt": self.number_text() / 10})
            arguments += ["--target", pairs(target), "--environment", pairs(environment), "--executed",
                          pairs(result["parameters"])]
            if r.random() < 0.5:
                result["key"] = f"key {r.randrange(8)}"
                arguments += ["--key", result["key"]]
        elif r.random() < 0.15:
            result["parameters"]["speed"] = self.number_text() / 5
            arguments += ["--executed", f"speed={result['parameters']['speed']!r}"]
        return result, arguments

    def repeated(self):
        """A stored result, told once more."""
        result = dict(self.random.choice(self.model.results))
        arguments = [] if result["ask"] is None else [result["ask"]]
        if result["outcome"] is not None:
            arguments += ["--outcome", pairs(result["outcome"])]
        elif result["status"] == "no outcome":
            arguments += ["--no-outcome"]
        if result["status"] in STATUSES:
            arguments += ["--failed", result["message"], "--status", result["status"]]
        if result["client"]:
            arguments += ["--client", result["client"]]
        if result["ask"] is None:
            arguments += ["--target", pairs(result["target"])]
            if result["key"] is not None:
                arguments += ["--key", result["key"]]
        arguments += ["--environment", pairs(result["environment"]), "--executed", pairs(result["parameters"])]
        return result, arguments

    # looking

    def read_log(self, study):
        step = self.run("study", "log", study, "--json")
        require(step.code == DONE, "the log cannot be read:", step.words())
        return step.whole_lines()

    def read_pending(self, study):
        step = self.run("study", "status", study, "--json")
        require(step.code == DONE, "the status cannot be read:", step.words())
        return {a["ask"]: a for a in step.whole_lines()[0]["pending_asks"]}

    def check(self):
        """The study is what the model says."""
        lines = self.read_log(self.study)
        count = len(self.model.results)
        require(len(lines) == count, f"{count} results expected, {len(lines)} found:", lines[count:],
                self.model.results[len(lines):])
        numbers = [line["result"] for line in lines]
        require(numbers == sorted(set(numbers)), "the numbers of results do not grow:", numbers)
        for expected, line in zip(self.model.results, lines):
            compare_result(self.model, expected, line)
            expected["result"] = line["result"]
        self.check_pending(self.study)

    def check_pending(self, study):
        found, expected = self.read_pending(study), self.model.pending()
        require(sorted(found) == sorted(expected), "other unfinished asks:", sorted(expected), sorted(found))
        for i, ask in expected.items():
            for part in (*SPACES, "client"):
                require(found[i][part] == ask[part], f"{part} of ask {i} differs:", ask, found[i])

    def settle(self, candidates):
        """One of several models is true, because nobody knows how far a command came."""
        words = None
        for candidate in candidates:
            self.model = candidate
            try:
                return self.check()
            except Difference as difference:
                words = words or difference
        raise words

    # taking in what processes did

    def take_asks(self, steps):
        """Asks that are new are those that some command wanted."""
        found = self.read_pending(self.study)
        for i in sorted(set(found) - set(self.model.asks)):
            ask = {part: found[i][part] for part in (*SPACES, "client")}
            makers = [s for s in steps if s.known["kind"] == "ask" and s.known["explained"] < s.known["count"]
                      and s.known["client"] == ask["client"] and s.known["context"] in
                      (None, (ask["target"], ask["environment"]))]
            makers.sort(key=lambda s: s.known["context"] is None)  # who chooses may have any context: last
            require(makers or is_run(ask["client"]) and any(s.known["kind"] == "run" for s in steps),
                    "an ask that nobody wanted:", found[i])
            if makers and not ask["client"]:
                makers[0].known["explained"] += 1
            speed, tilt = (ask["parameters"][name] for name in SPACES["parameters"])
            require(0 <= speed <= 3 and 0 <= tilt <= 1.5, "an ask outside its bounds:", found[i])
            self.model.asks[i] = dict(ask, state="pending")
        for step in steps:
            require(step.known["kind"] != "ask" or step.known["explained"] in (0, step.known["count"]),
                    "some asks of one command are stored, others are not:", step.known)

    def take_results(self, steps):
        """Results that are new are those that some command told. Their order is that of the log."""
        lines = self.read_log(self.study)
        for line in lines[len(self.model.results):]:
            told = {part: line[part] for part in ("ask", "status", "outcome", "client", "message", *SPACES)}
            told["key"] = line.get("key")
            if is_run(told["client"]) and line["ask"] is not None:
                self.take_run_result(told, steps)
                continue
            tellers = sorted((s for s in steps if s.known["kind"] == "tell" and not s.known.get("is_stored")
                              and s.known["result"] == told), key=teller_rank)
            require(tellers, "a result that nobody told, or not so:", line)
            tellers[0].known["is_stored"] = True
            require(self.model.earlier(told) is None, "a result is there twice:", line)
            tellers[0].known["verdict"] = self.model.store(told)

    def take_repeated(self, steps):
        """A result that was only ever refused, told again where nothing else counts, counts now; no line of the log is new."""
        for step in steps:
            if step.known["kind"] != "tell" or step.known.get("is_stored") or step.code not in (DONE, KILLED):
                continue
            earlier = self.model.earlier(step.known["result"])
            if earlier is None or not self.model.is_acceptable(earlier):
                continue
            place = next(i for i, r in enumerate(self.model.results) if r is earlier)
            if step.code == DONE or self.read_log(self.study)[place]["used"]:
                self.model.use(earlier)

    def take_run_result(self, told, steps):
        require(any(s.known["kind"] == "run" for s in steps), "the result of a run, but nothing ran:", told)
        require(told["status"] == "ok" and told["outcome"] == {"land": told["parameters"]["speed"]},
                "not what the program answered:", told)
        ask = self.model.asks.setdefault(told["ask"], dict({p: told[p] for p in (*SPACES, "client")}, state="pending"))
        require(is_run(ask["client"]) and ask["state"] == "pending", "a run told another ask than its own:", ask, told)
        require(all(ask[p] == told[p] for p in SPACES), "the result is not that of the ask:", ask, told)
        require(not self.model.of_ask(told["ask"]), "an ask was run twice:", told)
        self.model.store(told)

    def judge(self, step):
        """What was acknowledged is there; what was refused is not."""
        {"ask": self.judge_ask, "tell": self.judge_tell, "run": self.judge_run}[step.known["kind"]](step)

    def judge_ask(self, step):
        if step.code != DONE:
            return require(step.code in (KILLED, LOCKED), "an ask failed:", step.words())
        answer = step.whole_lines()[0]
        asks = answer.get("asks", [answer])
        require(len(asks) == step.known["count"], "another number of asks was wanted:", answer)
        for shown in asks:
            ask = self.model.asks.get(shown["ask"])
            require(ask is not None, "an ask was shown, but it is not stored:", shown)
            require(all(ask[p] == shown[p] for p in SPACES), "another ask was shown than is stored:", ask, shown)
            require(ask["client"] == step.known["client"], "the ask of another client:", ask, shown)
        return None

    def judge_tell(self, step):
        is_stored, verdict = step.known.get("is_stored", False), step.known.get("verdict")
        earlier = self.model.earlier(step.known["result"])
        if step.code == KILLED:
            return
        if step.code == DONE:
            require(earlier is not None, "acknowledged, but not stored:", step.words())
            repeated = step.whole_lines()[0]["repeated"]
            require(repeated != is_stored, "told to be new and is not, or the other way round:", step.words())
            require(verdict in (None, "new", "late"), "acknowledged, but it contradicts another:", step.words())
        elif step.code == USAGE:
            require("E_CONFLICT" in step.stderr and earlier is not None, "refused for another reason:", step.words())
            require(verdict in (None, "conflict"), "refused, but nothing contradicts it:", step.words())
        else:
            require(step.code == LOCKED and not is_stored, "a tell failed:", step.words())

    def judge_run(self, step):
        for line in step.whole_lines():
            stored = [r for r in self.model.of_ask(line["ask"]) if is_run(r["client"])]
            require(len(stored) == 1, "shown, but not stored once:", line)
            require(all(stored[0][p] == line[p] for p in (*SPACES, "outcome", "status")), "shown is not stored:", line)
        require(step.code in (DONE, KILLED, LOCKED), "a run failed:", step.words())
        if step.code == DONE:
            mine = sum(is_run(a["client"]) for a in self.model.asks.values())
            require(mine == max(step.known["episodes"], step.known["before"]), "not the wanted number of episodes:",
                    mine, step.words())

    # steps

    def make(self):
        while True:  # the same command again always works
            step = self.run_or_kill("study", "new", self.study, "--problem", "p.yaml", chance=0.2, longest=1)
            if step.code != KILLED:
                break
            if self.run("study", "log", self.study, "--json").code == DONE:
                return
        if step.code != DONE:  # killed while it was made, on a version that does not make it again
            self.remove(self.study)
            require(self.run("study", "new", self.study, "--problem", "p.yaml").code == DONE, "no study can be made")

    def start_ask(self, client=None):
        client = self.random.choice(("", "", "robot-1", "robot-2", "robot-3")) if client is None else client
        is_choice = self.is_active and self.random.random() < 0.5
        target, environment = self.context()
        arguments = ["study", "choose" if is_choice else "ask", self.study, "--json"]
        if not is_choice:
            arguments += ["--target", pairs(target), "--environment", pairs(environment)]
        count = self.random.choice((1, 1, 3)) if not (client or is_choice) else 1
        if client:
            arguments += ["--client", client]
        if count > 1:
            arguments += ["--count", str(count)]
        return arguments, {"kind": "ask", "client": client, "context": None if is_choice else (target, environment),
                           "count": count, "explained": 0}

    def start_tell(self, is_alone=False):
        # while a run goes on, its unfinished asks are its own: else it would do one episode more
        asks = [i for i, a in self.model.asks.items()
                if is_alone or not is_run(a["client"]) or a["state"] != "pending"]
        if self.model.results and self.random.random() < 0.2:
            result, arguments = self.repeated()
        elif asks and self.random.random() < 0.8:
            pending = [i for i in asks if self.model.asks[i]["state"] == "pending"]
            is_first = pending and self.random.random() < 0.8
            result, arguments = self.told(self.random.choice(pending if is_first else asks))
        else:
            result, arguments = self.told(None)
        for part in ("evidence", "used", "was_used", "result"):
            result.pop(part, None)
        earlier = self.model.earlier(result)
        if not is_alone and earlier is not None and self.model.is_acceptable(earlier):
            result, arguments = self.told(None)  # the log does not say whether it counted before or after another's result
        return ["study", "tell", self.study, "--json", *arguments], {"kind": "tell", "result": result}

    def start_run(self):
        before = sum(is_run(a["client"]) for a in self.model.asks.values())
        episodes = max(1, before + self.random.randrange(4))
        return (["run", "p.yaml", "--store", self.study, "--episodes", episodes, "--parallel", 1 + episodes % 3,
                 "--json", "--quiet"],
                {"kind": "run", "episodes": episodes, "before": before})

    def finish_group(self, steps):
        self.take_asks(steps)
        self.take_results(steps + self.waiting)
        self.take_repeated(steps)
        # an ask of a run that was told meanwhile is no longer pending, so its result brings it
        for step in steps:
            if step.known["kind"] in ("ask", "tell", "run"):
                self.judge(step)
        self.check()
        has_kept = any(self.folder.glob(self.study + "-kept*"))
        self.waiting += [s for s in steps if has_kept and s.code == KILLED and s.known["kind"] in ("tell", "run")]
        self.waiting = [s for s in self.waiting if not s.known.get("is_stored")]

    def do_ask(self):
        arguments, known = self.start_ask()
        self.finish_group([self.run_or_kill(*arguments, **known)])

    def do_tell(self):
        arguments, known = self.start_tell(is_alone=True)
        self.finish_group([self.run_or_kill(*arguments, **known)])

    def do_run(self):
        arguments, known = self.start_run()
        self.finish_group([self.run_or_kill(*arguments, chance=0.5, longest=5, **known)])

    def do_group(self):
        """Several processes at once; some are killed."""
        self.counts["groups"] += 1
        made = [self.random.choice((self.start_ask, self.start_tell, self.start_tell))()
                for _ in range(self.random.randint(2, 5))]
        if self.random.random() < 0.3:
            made.append(self.start_run())
        if self.random.random() < 0.3:  # the same command from two processes
            made.append(copy.deepcopy(self.random.choice(made)))
        reader = self.random.choice(("log", "status", "export"))
        made.append((["study", reader, self.study], {"kind": "read"}))
        self.random.shuffle(made)
        steps = [self.start(*arguments, **known) for arguments, known in made]
        for step in steps:
            if self.random.random() < 0.2:
                time.sleep(self.random.random() * self.pace)
                step.kill()
        for step in steps:
            self.end(step)
            self.counts["kills"] += step.code == KILLED
            if step.known["kind"] == "read":
                require(step.code in (DONE, KILLED, LOCKED), "a reader failed:", step.words())
        self.finish_group(steps)

    def do_forget(self):
        if not self.model.asks:
            return
        i = self.random.choice(list(self.model.asks))
        ask = self.model.asks[i]
        step = self.run_or_kill("study", "forget", self.study, i)
        after = copy.deepcopy(self.model)
        if ask["state"] == "pending":
            after.asks[i]["state"] = "forgotten"
        if step.code == DONE:
            require(ask["state"] != "told", "an ask with a result was forgotten:", step.words())
        elif step.code == USAGE:
            require(ask["state"] == "told", "an ask was not forgotten:", step.words())
        else:
            require(step.code == KILLED, "forget failed:", step.words())
        self.settle([after] if step.code != KILLED else [self.model, after])

    def do_choose_result(self):
        if not self.model.results:
            return
        index = self.random.randrange(len(self.model.results))
        is_use = self.random.random() < 0.5
        result = self.model.results[index]
        name = result["result"] if result["ask"] is None else f"{result['ask']}.{result['evidence']}"
        step = self.run_or_kill("study", "amend", self.study, "--use" if is_use else "--drop", name)
        after = copy.deepcopy(self.model)
        if is_use:
            after.use(after.results[index])
        else:
            after.take_out(after.results[index])
        require(step.code in (DONE, KILLED), "a choice failed:", step.words())
        self.settle([after] if step.code == DONE else [self.model, after])

    def do_amend(self):
        formula = self.random.choice(list(FORMULAS))
        scored = [r for r in self.model.results if r["used"] and r["status"] not in STATUSES]
        force = ["--force"] if self.random.random() < 0.5 else []
        step = self.run_or_kill("study", "amend", self.study, "--reward", formula, *force)
        after = copy.deepcopy(self.model)
        if scored and not force and all(reward_of(formula, r) is None for r in scored):
            require(step.code in (USAGE, KILLED), "a reward that nothing has was taken:", step.words())
            self.settle([self.model])
            return
        after.formula = formula
        require(step.code in (DONE, KILLED), "an amendment failed:", step.words())
        self.settle([after] if step.code == DONE else [self.model, after])
        self.write_reward()

    def do_amend_settings(self):
        """Who learns is no part of the model: whatever the learner does, what is stored stays."""
        setting = self.random.choice(("update_every=4", "update_every=6") if self.is_walking else
                                     ("fit_starts=1", "fit_starts=2", "initial=3"))
        step = self.run_or_kill("study", "amend", self.study, "--set", setting)
        require(step.code in (DONE, KILLED), "an amendment of the learner failed:", step.words())
        self.settle([self.model])

    def write_reward(self):
        """A run takes its problem from the file, which must say the same as the study."""
        text = (self.folder / "p.yaml").read_text().split("\n")
        text[6] = f'reward: "{self.model.formula}"'
        (self.folder / "p.yaml").write_text("\n".join(text))

    def do_import(self):
        rows = []
        for _ in range(self.random.randint(1, 4)):
            result, _ = self.told(None)
            rows.append(dict(result, client="import", key=None))
        with open(self.folder / "old.csv", "w", newline="") as file:
            table = csv.writer(file, quoting=csv.QUOTE_ALL)  # blanks at the end of a cell count
            table.writerow(("x", "wind", "tilt", "speed", "land", "status", "message"))
            for r in rows:
                table.writerow((repr(r["target"]["x"]), repr(r["environment"]["wind"]), repr(r["parameters"]["tilt"]),
                                repr(r["parameters"]["speed"]), text_of(r["outcome"]["land"]) if r["outcome"] else "",
                                r["status"], r["message"]))
        step = self.run_or_kill("study", "import", self.study, "old.csv")
        after = copy.deepcopy(self.model)
        for r in rows:
            after.store(r)
        require(step.code in (DONE, KILLED), "an import failed:", step.words())
        self.settle([after] if step.code == DONE else [self.model, after])
        if step.code == DONE:  # a second time brings nothing
            require(self.run("study", "import", self.study, "old.csv").code == DONE, "a second import failed")
            self.check()

    def do_round_trip(self):
        """What is exported is imported by another study."""
        self.remove("copy.fcps")
        for arguments in (("export", self.study, "--output", "out.csv"), ("new", "copy.fcps", "--problem", "p.yaml"),
                          ("import", "copy.fcps", "out.csv")):
            step = self.run("study", *arguments)
            require(step.code == DONE, "a round trip failed:", step.words())
        kept = [r for r in self.model.results if r["used"]]
        lines = self.read_log("copy.fcps")
        require(len(lines) == len(kept), "other results after a round trip:", kept, lines)
        for r, line in zip(kept, lines):
            expected = dict(r, ask=None, client="import", key=None, evidence=1)
            compare_result(self.model, expected, line, is_renumbered=True)

    def do_repair(self):
        """A whole study is repaired to the same; of one that is cut short, a part of the same."""
        self.remove("repaired.fcps")
        source = self.study
        if self.random.random() < 0.5:
            source = "cut.fcps"
            data = (self.folder / self.study).read_bytes()
            (self.folder / source).write_bytes(data[:self.random.randrange(len(data) + 1)])
        step = self.run("study", "repair", source, "--to", "repaired.fcps")
        if source == self.study:
            require(step.code == DONE, "a repair failed:", step.words())
            lines = self.read_log("repaired.fcps")
            require(len(lines) == len(self.model.results), "a repair lost results:", lines)
            for expected, line in zip(self.model.results, lines):
                compare_result(self.model, expected, line, is_renumbered=True)
            self.check_pending("repaired.fcps")
            if self.random.random() < 0.5:  # go on with it
                os.replace(self.folder / "repaired.fcps", self.folder / self.study)
                for expected, line in zip(self.model.results, lines):
                    expected["result"] = line["result"]
                self.check()
        elif step.code == DONE:
            known = [(r["ask"], r["evidence"], json.dumps(r["outcome"]), r["message"]) for r in self.model.results]
            for line in self.read_log("repaired.fcps"):
                mine = (line["ask"], line["evidence"], json.dumps(line["outcome"]), line["message"])
                require(mine in known, "a repair made up a result:", line)

    def do_backup(self):
        """A backup has what the study has."""
        self.remove("backup.fcps")
        self.saved = None
        step = self.run_or_kill("study", "backup", self.study, "backup.fcps", chance=0.1)
        if step.code == KILLED:
            return
        require(step.code == DONE, "a backup failed:", step.words())
        lines = self.read_log("backup.fcps")
        require(len(lines) == len(self.model.results), "a backup lost results:", lines)
        for expected, line in zip(self.model.results, lines):
            compare_result(self.model, expected, line)
        self.check_pending("backup.fcps")
        self.saved = copy.deepcopy(self.model)

    def do_restore(self):
        """A restored study is what it was when it was saved."""
        if self.saved is None:
            return
        step = self.run_or_kill("study", "restore", "backup.fcps", self.study)
        require(step.code in (DONE, KILLED), "a restore failed:", step.words())
        after = copy.deepcopy(self.saved)
        self.settle([after] if step.code == DONE else [self.model, after])
        self.write_reward()
        self.remove(self.study + ".before-restore")
        self.waiting = []

    def do_read(self):
        target, environment = self.context()
        step = self.run(*self.random.choice((
            ("study", "best", self.study, "--target", pairs(target), "--environment", pairs(environment)),
            ("study", "status", self.study),
            ("study", "log", self.study))))
        require(step.code == DONE, "a reader failed:", step.words())

    def remove(self, name):
        for file in self.folder.glob(name + "*"):
            file.unlink()

    def has_backup(self):
        if self.backup_known is None:
            self.backup_known = "\n  backup " in self.run("study", "--help").stdout
        return self.backup_known

    def live(self, deadline, most_steps):
        self.make()
        self.check()
        for _ in range(self.random.randint(10, 60)):
            if time.monotonic() > deadline or self.counts["steps"] == most_steps:
                return
            self.counts["steps"] += 1
            step = self.random.choices(
                (self.do_ask, self.do_tell, self.do_group, self.do_run, self.do_forget, self.do_choose_result,
                 self.do_amend, self.do_import, self.do_round_trip, self.do_repair, self.do_read, self.do_backup,
                 self.do_restore, self.do_amend_settings),
                (20, 26, 12, 6, 5, 8, 3, 4, 3, 4, 6, *((3, 3) if self.has_backup() else (0, 0)), 3))[0]
            step()


def teller_rank(step):
    """Of processes that told the same, the one that says that it stored it comes first."""
    if step.code == DONE:
        return 3 if step.whole_lines()[0]["repeated"] else 0
    return 1 if step.code == USAGE else 2


def text_of(value):
    return value if value == INFINITE else repr(value)


def pairs(values):
    return ",".join(f"{name}={text_of(value)}" for name, value in values.items())


# -- The program -------------------------------------------------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--fcps", required=True, help="the program to test")
    parser.add_argument("--seed", type=int, default=None, help="of the choices (default: another one each time)")
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--steps", type=int, default=math.inf, help="how many steps at most (default: any number)")
    parser.add_argument("--study", type=int, default=None, help="only the study with this number")
    parser.add_argument("--keep", default=None, help="folder for the files of a study that differs")
    return parser.parse_args()


def report(tester, seed, difference, keep):
    print(f"DIFFERENCE with --seed {seed} --study {tester.number}: {difference}")
    print("The commands that led to it, with their exit codes (or `killed`) and words:")
    for words in tester.commands:
        print("  " + words.replace("\n", "\\n"))
    if keep is not None:
        shutil.copytree(tester.folder, keep, dirs_exist_ok=True)
        print(f"its files are in {keep}")


def main():
    a = parse()
    seed = random.SystemRandom().randrange(10**6) if a.seed is None else a.seed
    fcps = os.path.abspath(a.fcps)
    print(f"random commands, seed {seed}", flush=True)
    deadline = time.monotonic() + a.seconds
    totals, number = {"steps": 0}, a.study or 0
    while time.monotonic() < deadline and totals["steps"] < a.steps:
        with tempfile.TemporaryDirectory() as folder:
            tester = Tester(fcps, seed, number, folder)
            try:
                tester.live(deadline, a.steps - totals["steps"])
            except Difference as difference:
                report(tester, seed, difference, a.keep)
                return 1
            for name, count in tester.counts.items():
                totals[name] = totals.get(name, 0) + count
        number += 1
        if a.study is not None:
            break
    print(f"{number - (a.study or 0)} studies, " + ", ".join(f"{c} {n}" for n, c in totals.items()) + ": no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
