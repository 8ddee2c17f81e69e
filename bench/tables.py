# SPDX-License-Identifier: Apache-2.0
"""Tables and the figure from what the benchmarks wrote as JSON Lines: ours.jsonl (make bench) and rivals.jsonl
(make bench-peers). A row that a rival does not have is shown as missing.

    tables.py RESULTS                  prints all tables
    tables.py RESULTS docs/lab/PAGE.md   writes those of the page between the marks "<!-- table NAME -->" and "<!-- end -->" there
"""
import datetime
import itertools
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

SIZES = (20, 50, 150, 500, 1000)
TRIALS = 60  # trials of a run in the workshop
# rival, context inputs, our learner on the same question
ASKED = [("emukit", 0, "bo-fcps"), ("scikit_learn", 0, "bo-fcps"), ("optuna", 0, "bo-fcps"), ("bayes_opt", 0, "bo-fcps"),
         ("botorch", 0, "bo-fcps"), ("ax", 0, "bo-fcps"), ("emukit", 2, "bo-cps"), ("scikit_learn", 2, "bo-cps"),
         ("botorch", 2, "bo-cps"), ("ax", 2, "bo-cps"), ("composite", 0, "outcome")]
LABELS = {"emukit": "Emukit", "scikit_learn": "scikit-learn + NLopt", "optuna": "Optuna GPSampler", "ax": "Ax",
          "botorch": "BoTorch", "composite": "BoTorch composite"}


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Results:
    def __init__(self, folder):
        self.folder = folder
        self.ours = read(folder / "ours.jsonl")
        self.rivals = read(folder / "rivals.jsonl")

    def rows(self, benchmark):
        return [r for r in self.ours if r["benchmark"] == benchmark and "row" in r]

    def rival(self, benchmark, **wanted):
        """The rows of rivals that have these values."""
        return [r for r in self.rivals if r["benchmark"] == benchmark and all(r.get(k) == v for k, v in wanted.items())]


def number(value):
    return "-" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def grid(rows):
    """Rows of named cells as text; the longest row names the columns."""
    if not rows:
        return "missing"
    names = list(max(rows, key=len))
    cells = [[""] + names[1:]] + [[row[names[0]]] + [number(row.get(n)) for n in names[1:]] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    return "\n".join("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
                     for line in cells)


def plain(results, benchmark):
    """Our own rows, unchanged."""
    rows = [{k: v for k, v in r.items() if k != "benchmark"} for r in results.rows(benchmark)]
    return grid(rows)


def times(rival, ours):
    return "missing" if rival is None or not ours else f"{rival / ours:.0f} x" if rival >= 3 * ours else f"{rival / ours:.2f} x"


def ask_rivals(results):
    ours = {(r["row"], int(r["N"])): r["steady ms"] for r in results.rows("ask")}
    asked = {(r["rival"], r["contexts"], r["N"]): r["ms"] for r in results.rival("ask")}
    if not ours:
        return "missing"

    def cell(rival, contexts, learner, n):
        ms = asked.get((rival, contexts, n))
        return "missing" if ms is None else f"{ms:.0f} ms = {ms / ours[learner, n]:.0f} x"

    rows = []
    for learner in ("bo-fcps", "bo-cps", "outcome"):
        rows.append({"": "fcps " + learner} | {f"N={n}": f"{ours[learner, n]:.2f} ms" for n in SIZES})
        rows += [{"": f"  {LABELS.get(rival, rival)}, {contexts} context inputs"} |
                 {f"N={n}": cell(rival, contexts, learner, n) for n in SIZES}
                 for rival, contexts, same in ASKED if same == learner]
    return grid(rows)


def retarget(results):
    rows = []
    for r in results.rows("retarget"):
        found = results.rival("retarget", N=int(r["N"])) if r["row"] == "outcome" else None
        row = {k: v for k, v in r.items() if k != "benchmark"}
        if found is None:
            row |= {"BoTorch targets/s": "", "ratio": ""}
        else:
            rate = found[0]["targets/s"] if found else None
            row |= {"BoTorch targets/s": rate if rate else "missing", "ratio": times(r["targets/s"], rate)}
        rows.append(row)
    return grid(rows)


def tell(results):
    rows = []
    for r in results.rows("tell"):
        found = results.rival("tell", N=int(r["N"]))
        ms = found[0]["ms"] if found else None
        rows.append({k: v for k, v in r.items() if k != "benchmark"} |
                    {"BoTorch refit ms": ms if ms else "missing", "ratio": times(ms, r["grow ms"])})
    return grid(rows)


def learn(results):
    rows = [{"": r["row"], "seeds": 10} | {k: v for k, v in r.items() if k not in ("benchmark", "row")}
            for r in results.rows("learn")]
    for rival in ("botorch joint", "botorch composite"):
        runs = results.rival("learn", rival=rival)
        if not runs:
            rows.append({"": rival, "seeds": "missing"})
            continue
        mean = {k: statistics.mean(r[k] for r in runs) for k in ("at 50", "at 100", "at 150", "offline", "seconds")}
        error = statistics.stdev(r["at 150"] for r in runs) / len(runs)**0.5 if len(runs) > 1 else None
        rows.append({"": rival, "seeds": len(runs)} | mean | {"error": error})
    return grid(rows)


def day_cells(label, runs):
    """The mean rewards of one side in the workshop, over its runs."""
    def mean(key):
        return statistics.mean(r[key] for r in runs)

    names = [f"{label} {what}" for what in ("offline", "no outcome", "s/trial")]
    return dict(zip(names, (mean("offline"), mean("fallen"), mean("seconds") / TRIALS) if runs else ("missing",) * 3))


def ordinary_day(results):
    """A row for each task and mishap that a side has run. If both sides have runs, only the seeds of both count."""
    rows = []
    for task, mishap in itertools.product(("reactor", "reach", "dosing"), ("clean", "failures=5", "typo=50", "unit=3")):
        sides = {label: results.rival("ordinary-day", rival=rival, task=task, mishap=mishap)
                 for label, rival in (("BoTorch", "botorch"), ("fcps", "fcps outcome"))}
        seeds = [{r["seed"] for r in runs} for runs in sides.values() if runs]
        if not seeds:
            continue
        common = set.intersection(*seeds)
        row = {"": f"{task}, {mishap}", "seeds": len(common)}
        for label, runs in sides.items():
            row |= day_cells(label, [r for r in runs if r["seed"] in common])
        rows.append(row)
    return grid(rows)


def lab(results):
    """The rewards of the policies on the test functions: the mean, its standard error and the number of runs."""
    def cell(earned):
        if len(earned) < 2:
            return f"{earned[0]:.4g} (1)" if earned else "missing"
        return f"{statistics.mean(earned):.4g} +- {statistics.stdev(earned) / len(earned) ** 0.5:.2g} ({len(earned)})"

    runs = results.rival("lab")
    methods = ("fcps", "composite", "plain", "ax", "optuna")
    return grid([{"problem": problem} |
                 {m: cell([r["policy"] for r in runs if r["problem"] == problem and r["rival"] == m]) for m in methods}
                 for problem in dict.fromkeys(r["problem"] for r in runs)])


def limits(results):
    """The worlds with limits: shares of trials that broke one, all and those after the tenth, and the policy's reward."""
    def row(world, rival):
        runs = results.rival("limits", world=world, rival=rival)
        mean = {k: statistics.mean(r[k] for r in runs) for k in ("broken", "late", "policy", "policy broken", "seconds")}
        return {"": f"{world}, {rival}", "seeds": len(runs), "broken %": 100 * mean["broken"], "after ten %": 100 * mean["late"],
                "policy": mean["policy"], "policy broken %": 100 * mean["policy broken"], "s": mean["seconds"]}

    worlds = ("throw", "hartmann", "pendulum", "vessel", "beam", "reducer")
    order = ("fcps", "penalty", "safeopt", "botorch", "ax")
    return grid([row(w, r) for w in worlds for r in order
                 if results.rival("limits", world=w, rival=r)])


def process(results):
    """The process with three gates."""
    rows = []
    for rival in dict.fromkeys(r["rival"] for r in results.rival("words-process")):
        runs = results.rival("words-process", rival=rival)
        rows.append({"": rival, "seeds": len(runs), "regret": statistics.mean(r["regret"] for r in runs),
                     "right gate %": 100 * statistics.mean(r["right"] for r in runs)} |
                    ({"s": statistics.mean(r["seconds"] for r in runs)} if "seconds" in runs[0] else {}))
    return grid(rows)


def arylation(results):
    """The best yields of a direct arylation, the mean and each seed's."""
    rows = []
    for rival in dict.fromkeys(r["rival"] for r in results.rival("words-arylation")):
        runs = results.rival("words-arylation", rival=rival)
        best = [r["best of 30"] for r in sorted(runs, key=lambda r: r["seed"])]
        rows.append({"": rival, "seeds": len(runs), "best of 15": statistics.mean(r["best of 15"] for r in runs),
                     "best of 30": statistics.mean(best), "seeds 1 to 3": " ".join(f"{b:.0f}" for b in best[:3])})
    return grid(rows)


def dmp(results):
    rows = []
    for r in results.rows("dmp"):
        row = {k: v for k, v in r.items() if k != "benchmark"}
        for integrator in ("rk4", "euler"):
            found = results.rival("dmp", rival=f"movement_primitives {integrator}-cython", dimensions=int(r["dimensions"]))
            us = 1e3 * found[0]["ms"] if found else None
            row[f"{integrator} us"] = us if us else "missing"
            row[f"{integrator} ratio"] = times(us, r["create us"] + r["play us"])
        rows.append(row)
    return grid(rows)


def rollout(results):
    rows = []
    for r in results.rows("rollout"):
        found = results.rival("rollout", task=r["row"])
        rows.append({k: v for k, v in r.items() if k != "benchmark"} |
                    {"Gymnasium s/s": found[0]["simulated s/s"] if found else "missing",
                     "two": found[0]["two processes, simulated s/s"] if found else "missing",
                     "times": times(r["simulated s/s"], found[0]["simulated s/s"] if found else None)})
    return grid(rows)


def head(results):
    first = next((r for r in results.ours if "machine" in r), None)
    if first is None:
        return "missing"
    day = datetime.date.fromtimestamp((results.folder / "ours.jsonl").stat().st_mtime)
    text = (f"{day.day} {day:%B %Y}: {first['machine']}, compiler {first['compiler']}, OpenBLAS kernels {first['blas']}, "
            f"fcps {first['version']} at {first['commit']}")
    about = [r for r in results.rivals if r["benchmark"] == "about"]
    return text + "".join("\n" + r["text"] for r in about)


TABLES = {"head": head, "ask-rivals": ask_rivals, "retarget": retarget, "tell": tell, "learn": learn,
          "ordinary-day": ordinary_day, "lab": lab, "limits": limits, "process": process, "arylation": arylation, "dmp": dmp,
          "rollout": rollout}
PLAIN = ("ask", "study-retarget", "arm-retarget", "entropy", "scale")


def draw(results):
    """RESULTS/ask.png: time of a suggestion against the number of rollouts."""
    folder = results.folder
    ours = {(r["row"], int(r["N"])): r["steady ms"] for r in results.rows("ask")}
    asked = {(r["rival"], r["contexts"], r["N"]): r["ms"] for r in results.rival("ask")}
    series = [(LABELS.get(rival, rival), [(n, asked[rival, contexts, n]) for n in SIZES if (rival, contexts, n) in asked])
              for rival, contexts, _ in ASKED if contexts == 0]
    series += [("fcps " + name, [(n, ours[name, n]) for n in SIZES]) for name in ("outcome", "bo-fcps")]
    series = [(name, points) for name, points in series if points]
    (folder / "ask.dat").write_text("\n\n\n".join("\n".join(f"{n} {ms}" for n, ms in points) for _, points in series) + "\n")
    height = 0.0  # height of the label below; labels keep a distance
    with open(folder / "ask.labels", "w") as labels:
        for name, points in sorted(series, key=lambda s: s[1][-1][1]):
            height = max(points[-1][1], 1.42 * height)
            labels.write(f'{points[-1][0]} {height} "{name}"\n')
    script = pathlib.Path(__file__).parent / "peers" / "ask.gp"
    subprocess.run(["gnuplot", "-e", f"folder='{folder}'", script], check=False)


def fill(page, tables):
    text = page.read_text()
    for name, table in tables.items():
        text = re.sub(rf"(<!-- table {name} -->\n```\n).*?(\n```\n<!-- end -->)", lambda m: m[1] + table + m[2], text,
                      flags=re.S)
    page.write_text(text)


def main():
    results = Results(pathlib.Path(sys.argv[1]))
    tables = {name: table(results) for name, table in TABLES.items()} | {name: plain(results, name) for name in PLAIN}
    if results.ours:
        draw(results)
    if len(sys.argv) > 2:
        page = pathlib.Path(sys.argv[2])
        fill(page, tables)
        if "figures/ask-time.png" in page.read_text():
            shutil.copy(results.folder / "ask.png", page.parent / "figures" / "ask-time.png")
        return
    for name, table in tables.items():
        print(f"\n{name}\n{table}")


main()
