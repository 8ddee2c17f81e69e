# SPDX-License-Identifier: Apache-2.0
"""The table of run.sh: milliseconds of each rival, and how many times longer than fcps that is. Then the figure."""
import json
import pathlib
import subprocess
import sys

SIZES = (20, 50, 150, 500)
# rival, contexts, our learner on the same question
ROWS = [("emukit", 0, "bo-fcps"), ("scikit_learn", 0, "bo-fcps"), ("optuna", 0, "bo-fcps"), ("bayes_opt", 0, "bo-fcps"),
        ("botorch", 0, "bo-fcps"), ("ax", 0, "bo-fcps"), ("emukit", 2, "bo-cps"), ("scikit_learn", 2, "bo-cps"),
        ("botorch", 2, "bo-cps"), ("ax", 2, "bo-cps"), ("composite", 0, "outcome")]


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    folder = pathlib.Path(sys.argv[1])
    ours = {(r["row"], int(r["N"])): r["steady ms"] for r in read(folder / "ours.jsonl") if "row" in r}
    rivals = {(r["rival"], r["contexts"], r["N"]): r["ms"] for r in read(folder / "rivals.jsonl")}

    def cell(rival, contexts, learner, n):
        ms = rivals.get((rival, contexts, n))
        return "missing" if ms is None else f"{ms:.0f} ms = {ms / ours[learner, n]:.0f} x"

    print("\none suggestion: milliseconds of the rival, and how many times those of fcps (steady state)")
    print(f"{'':28}" + "".join(f"{'N=' + str(n):>18}" for n in SIZES))
    for learner in ("bo-fcps", "bo-cps", "outcome"):
        print(f"{'fcps ' + learner:28}" + "".join(f"{ours[learner, n]:15.2f} ms" for n in SIZES))
        for rival, contexts, same in ROWS:
            if same == learner:
                label = f"  {rival}, {contexts} context inputs"
                print(f"{label:28}" + "".join(f"{cell(rival, contexts, same, n):>18}" for n in SIZES))

    series = [(rival.replace("_", " "), [(n, rivals[rival, contexts, n]) for n in SIZES if (rival, contexts, n) in rivals])
              for rival, contexts, _ in ROWS if contexts == 0]
    series += [("fcps " + learner, [(n, ours[learner, n]) for n in SIZES + (1000,)]) for learner in ("outcome", "bo-fcps")]
    series = [(name, points) for name, points in series if points]
    (folder / "ask.dat").write_text("\n\n".join("\n".join(f"{n} {ms}" for n, ms in points) for _, points in series) + "\n")
    (folder / "ask.labels").write_text("".join(f'{points[-1][0]} {points[-1][1]} "{name}"\n' for name, points in series))
    subprocess.run(["gnuplot", "-e", f"folder='{folder}'", pathlib.Path(__file__).with_name("ask.gp")], check=False)


main()
