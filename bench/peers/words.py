# SPDX-License-Identifier: Apache-2.0
"""Words with other packages: the process of bench_words, and the table of a direct arylation.

    words.py process BUILD METHOD SEED...             one JSON object per seed
    words.py arylation BUILD TABLE METHOD SEED...     TABLE: the direct arylation of BayBE's source package

BUILD has the programs fcps and bench/bench_words.

process     three gates, two environments, four numbers; 60 trials in random contexts with the noise that fcps meets. The
            mean regret of the answers in 40 other contexts, and the share of those with the right gate.
  fcps      what bench_words prints
  composite BoTorch: a MixedSingleTaskGP for each outcome, the reward of 64 samples as objective
  plain     BoTorch: a MixedSingleTaskGP of the told reward
  ax        Ax's Client, method `fast`; contexts by `fixed_parameters`
  baybe     BotorchRecommender in a hybrid space, in which two constraints set the context
  optuna    GPSampler, which knows no contexts; the answer is its best trial

            BoTorch asks by the upper confidence bound with kappa 1, as fcps does, the others by their defaults. All begin
            with five points of a Sobol sequence, with the gates in turn, and then fit from scratch for each trial. The
            answer in a context is the best expected reward of points that come nearer and nearer to the best.

arylation   4 bases, 12 ligands, 4 solvents, 3 concentrations, 3 temperatures: the best yield of 15 and of 30 trials
  fcps      words; concentrations and temperatures are ordered words
  fcps-known    the same, with four numbers known of each base, ligand and solvent (RDKit: weight, logP, polar area, surface)
  baybe, baybe-rdkit, baybe-mordred    its words, or its chemical encodings, as in its own benchmark
  random    any row
"""
import csv
import json
import logging
import math
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
TRIALS, INITIAL, CHECKS, KAPPA, SAMPLES = 60, 5, 40, 1.0, 64
GATES = ("a", "b", "c")
CONTEXT, NUMBERS = ("heat", "moisture"), ("speed", "place", "hold", "cool")
SEARCH = {"num_restarts": 2, "raw_samples": 64, "options": {"maxiter": 20}}
COUNTS = (15, 30)  # trials in the table

# -- The process: as in bench_words.c --

MASK = (1 << 64) - 1


def uniform_at(seed, number):
    x = (seed * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9 + 1) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return (((x ^ x >> 31) >> 11) + 0.5) / 2**53


def normal_at(seed, number):
    return math.sqrt(-2 * math.log(uniform_at(seed, 2 * number))) * math.cos(2 * math.pi * uniform_at(seed, 2 * number + 1))


def contexts(seed, count):
    return [(uniform_at(seed, 2 * i), uniform_at(seed, 2 * i + 1)) for i in range(count)]


BEST = ((0.3, 0.7, 0.4, 0.5), (0.6, 0.3, 0.6, 0.4), (0.75, 0.55, 0.3, 0.7))
COST = (0.1, 0.0, 0.15)


def fill(gate, context, p):
    heat, moisture = context
    shift = (0.25 * (heat - 0.5), -0.3 * (heat - 0.5), 0.2 * (moisture - 0.5))[gate]
    a, b, c = p[0] - BEST[gate][0] - shift, p[1] - BEST[gate][1] + 0.5 * shift, p[2] - BEST[gate][2]
    d = p[3] - BEST[gate][3] - 0.3 * (moisture - 0.5)
    level = (heat, 1 - heat * moisture, moisture)[gate]
    return 2 * a + 1.2 * b + a * c, COST[gate] + 1.5 * b * b + c * c + d * d + 1.5 * level


def worth(outcome):
    return -abs(outcome[0]) - 2 * outcome[1]


def best_of(gate, context):
    p, most, step = [0.5] * 4, worth(fill(gate, context, [0.5] * 4)), 0.25
    while step > 1e-4:
        moves = [[min(1, max(0, v + (move // 3**d % 3 - 1) * step)) for d, v in enumerate(p)] for move in range(81)]
        value, point = max((worth(fill(gate, context, q)), q) for q in moves)
        if value > most:
            most, p = value, point
        else:
            step /= 2
    return most


# -- Methods: suggest(context) and answer(context) give a gate and four numbers --

def best_predicted(predict, points):
    """The best predicted of these points and a Sobol sequence with each gate, then of points nearer and nearer to the best."""
    from torch.quasirandom import SobolEngine
    drawn = SobolEngine(4, scramble=True, seed=0).draw(128).double().tolist()
    points = points + [(gate, p) for p in drawn for gate in range(3)]
    for width in (0.2, 0.1, 0.05, 0.02, 0):
        said = list(predict(points))
        gate, best = points[said.index(max(said))]
        points = [(gate, best)] + [(gate, [min(1, max(0, b + width * (2 * v - 1))) for b, v in zip(best, p)]) for p in drawn]
    return gate, best


class BoTorch:
    """`knows`: the model predicts outcomes, and the reward is the objective; otherwise the model predicts the reward."""

    def __init__(self, seed, knows):
        import torch
        self.torch, self.knows, self.rows, self.told, self.model = torch, knows, [], [], None
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.double)
        torch.manual_seed(seed)

    def add(self, context, gate, p, outcome):
        self.rows.append([*context, *p, gate])
        self.told.append(list(outcome) if self.knows else [worth(outcome)])
        self.model = None

    def fit(self):
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import MixedSingleTaskGP, ModelListGP
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import SumMarginalLogLikelihood
        if self.model is not None:
            return
        inputs, told = self.torch.tensor(self.rows, dtype=self.torch.double), self.torch.tensor(self.told)
        self.model = ModelListGP(*(MixedSingleTaskGP(inputs, told[:, i:i + 1], cat_dims=[6], outcome_transform=Standardize(1))
                                   for i in range(told.shape[1])))
        fit_gpytorch_mll(SumMarginalLogLikelihood(self.model.likelihood, self.model))

    def reward(self, samples, X=None):
        return -samples[..., 0].abs() - 2 * samples[..., 1] if self.knows else samples[..., 0]

    def suggest(self, context):
        from botorch.acquisition import qUpperConfidenceBound
        from botorch.acquisition.objective import GenericMCObjective
        from botorch.optim import optimize_acqf_mixed
        from botorch.sampling import SobolQMCNormalSampler
        self.fit()
        acquisition = qUpperConfidenceBound(self.model, beta=KAPPA**2, objective=GenericMCObjective(self.reward),
                                            sampler=SobolQMCNormalSampler(self.torch.Size([SAMPLES]), seed=0))
        box = self.torch.tensor([[0.0] * 7, [1.0] * 6 + [2.0]])
        fixed = [{0: context[0], 1: context[1], 6: float(g)} for g in range(3)]
        found = optimize_acqf_mixed(acquisition, box, q=1, fixed_features_list=fixed, **SEARCH)[0][0].tolist()
        return round(found[6]), found[2:6]

    def answer(self, context):
        self.fit()
        normals = self.torch.distributions.Normal(0.0, 1.0).icdf((self.torch.arange(SAMPLES) + 0.5) / SAMPLES)[:, None, None]

        def predict(points):
            rows = self.torch.tensor([[*context, *p, gate] for gate, p in points], dtype=self.torch.double)
            with self.torch.no_grad():
                said = self.model.posterior(rows)
                return self.reward(said.mean + normals * said.variance.sqrt()).mean(0).tolist()

        return best_predicted(predict, [(round(row[6]), row[2:6]) for row in self.rows])


class Ax:
    def __init__(self, seed):
        from ax.api.client import Client
        from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
        logging.disable(logging.WARNING)
        self.client, self.points = Client(random_seed=seed), []
        numbers = [RangeParameterConfig(name=n, parameter_type="float", bounds=(0.0, 1.0)) for n in CONTEXT + NUMBERS]
        gate = ChoiceParameterConfig(name="gate", parameter_type="str", values=list(GATES), is_ordered=False)
        self.client.configure_experiment(parameters=[*numbers, gate])
        self.client.configure_optimization(objective="reward")
        self.client.configure_generation_strategy(method="fast", initialization_budget=INITIAL, initialize_with_center=False)

    def row(self, context, gate, p):
        return {**dict(zip(CONTEXT, context)), **dict(zip(NUMBERS, p)), "gate": GATES[gate]}

    def add(self, context, gate, p, outcome):
        self.points.append((gate, list(p)))
        trial = self.client.attach_trial(parameters=self.row(context, gate, p))
        self.client.complete_trial(trial_index=trial, raw_data={"reward": worth(outcome)})

    def suggest(self, context):
        (index, found), = self.client.get_next_trials(max_trials=1, fixed_parameters=dict(zip(CONTEXT, context))).items()
        self.client.mark_trial_abandoned(trial_index=index)  # what is done is attached
        return GATES.index(found["gate"]), [found[n] for n in NUMBERS]

    def answer(self, context):
        def predict(points):
            return [said["reward"][0] for said in self.client.predict([self.row(context, *point) for point in points])]

        return best_predicted(predict, self.points)


class BayBE:
    def __init__(self, seed):
        import pandas
        import torch
        from baybe.targets import NumericalTarget
        from baybe.utils.random import set_random_seed
        torch.set_num_threads(1)
        set_random_seed(seed)
        self.pandas, self.objective = pandas, NumericalTarget("reward").to_objective()
        self.rows, self.points, self.fitted = [], [], None

    def row(self, context, gate, p):
        return {**dict(zip(CONTEXT, context)), **dict(zip(NUMBERS, p)), "gate": GATES[gate]}

    def add(self, context, gate, p, outcome):
        self.rows.append({**self.row(context, gate, p), "reward": worth(outcome)})
        self.points.append((gate, list(p)))

    def space(self, context):
        from baybe.constraints import ContinuousLinearConstraint
        from baybe.parameters import CategoricalParameter, NumericalContinuousParameter
        from baybe.searchspace import SearchSpace
        return SearchSpace.from_product(
            [*(NumericalContinuousParameter(name=n, bounds=(0, 1)) for n in CONTEXT + NUMBERS),
             CategoricalParameter(name="gate", values=GATES)],
            [ContinuousLinearConstraint([n], "=", [1.0], v) for n, v in zip(CONTEXT, context)])

    def suggest(self, context):
        from baybe.recommenders import BotorchRecommender
        found = BotorchRecommender().recommend(1, self.space(context), self.objective,
                                               self.pandas.DataFrame(self.rows)).iloc[0]
        return GATES.index(found["gate"]), [float(found[n]) for n in NUMBERS]

    def answer(self, context):
        from baybe.surrogates import GaussianProcessSurrogate
        if self.fitted is None:
            self.fitted = GaussianProcessSurrogate()
            self.fitted.fit(self.space(context), self.objective, self.pandas.DataFrame(self.rows))

        def predict(points):
            rows = self.pandas.DataFrame([self.row(context, *point) for point in points])
            return self.fitted.posterior_stats(rows)["reward_mean"].tolist()

        return best_predicted(predict, self.points)


class Optuna:
    def __init__(self, seed):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.optuna = optuna
        self.space = {**{n: optuna.distributions.FloatDistribution(0, 1) for n in NUMBERS},
                      "gate": optuna.distributions.CategoricalDistribution(GATES)}
        self.study = optuna.create_study(direction="maximize",
                                         sampler=optuna.samplers.GPSampler(seed=seed, n_startup_trials=INITIAL))

    def add(self, context, gate, p, outcome):
        self.study.add_trial(self.optuna.trial.create_trial(params={**dict(zip(NUMBERS, p)), "gate": GATES[gate]},
                                                            distributions=self.space, value=worth(outcome)))

    def suggest(self, context):
        trial = self.study.ask(self.space)
        self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        return GATES.index(trial.params["gate"]), [trial.params[n] for n in NUMBERS]

    def answer(self, context):
        best = self.study.best_params
        return GATES.index(best["gate"]), [best[n] for n in NUMBERS]


METHODS = {"composite": lambda seed: BoTorch(seed, True), "plain": lambda seed: BoTorch(seed, False), "ax": Ax,
           "baybe": BayBE, "optuna": Optuna}


def learn_process(name, seed):
    from torch.quasirandom import SobolEngine
    first = SobolEngine(4, scramble=True, seed=seed).draw(INITIAL).double().tolist()
    method, start = METHODS[name](seed), time.process_time()
    for i, context in enumerate(contexts(seed, TRIALS)):
        gate, p = (i % 3, first[i]) if i < INITIAL else method.suggest(context)
        outcome = fill(gate, context, p)
        method.add(context, gate, p, [o + 0.02 * normal_at(seed + 77, 2 * i + k) for k, o in enumerate(outcome)])
    checks = contexts(seed + 9, CHECKS)
    answers = [method.answer(context) for context in checks]
    seconds = time.process_time() - start
    regret = right = 0.0
    for context, (gate, p) in zip(checks, answers):
        best = [best_of(g, context) for g in range(3)]
        regret += (max(best) - worth(fill(gate, context, p))) / CHECKS
        right += (best[gate] == max(best)) / CHECKS
    return {"regret": regret, "right": right, "seconds": seconds}


def learn_process_fcps(build, seed):
    text = subprocess.run([f"{build}/bench/bench_words", str(seed), str(seed), "process", "words"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    found = re.search(r"words +(\S+) \+- +\S+ +(\S+)", text)
    return {"regret": float(found[1]), "right": float(found[2])}


# -- The table --

WORDS, ORDERED = ("Base", "Ligand", "Solvent"), ("Concentration", "Temp_C")


def read_table(path):
    with open(path, encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def values_of(rows, name):
    values = dict.fromkeys(row[name] for row in rows)
    return sorted(values, key=float) if name in ORDERED else list(values)


def yield_of(rows):
    return {tuple(row[n] for n in WORDS + ORDERED): float(row["yield"]) for row in rows}


def known_of(rows, name):
    """Numbers that are known of each word, from its chemical structure."""
    from rdkit import Chem
    from rdkit.Chem import Crippen, Descriptors, MolSurf, rdMolDescriptors
    found = {}
    for row in rows:
        molecule = Chem.MolFromSmiles(row[f"{name}_SMILES"])
        found[row[name]] = {"weight": Descriptors.MolWt(molecule), "logp": Crippen.MolLogP(molecule),
                            "polar": rdMolDescriptors.CalcTPSA(molecule), "surface": MolSurf.LabuteASA(molecule)}
    return found


def best_after(yields):
    return {f"best of {n}": max(yields[:n]) for n in COUNTS}


def varying(known):
    """Without the numbers that are equal for all words, which fcps refuses."""
    names = [n for n in next(iter(known.values())) if len({k[n] for k in known.values()}) > 1]
    return {word: {n: numbers[n] for n in names} for word, numbers in known.items()}


def learn_table_fcps(build, rows, seed, knows):
    names = {n: {word: f"w{i}" for i, word in enumerate(values_of(rows, n))} for n in WORDS + ORDERED}
    parameters = {n.lower(): {"choices": {names[n][w]: k for w, k in varying(known_of(rows, n)).items()} if knows
                              else list(names[n].values())} for n in WORDS}
    parameters |= {n.lower(): {"choices": list(names[n].values()), "ordered": True} for n in ORDERED}
    table, yields = yield_of(rows), []
    with tempfile.TemporaryDirectory() as folder:
        study, problem = f"{folder}/table.fcps", f"{folder}/table.yaml"
        with open(problem, "w", encoding="utf-8") as file:
            json.dump({"parameters": parameters, "outcome": ["gain"], "reward": "gain"}, file)

        def run(*arguments):
            return subprocess.run([f"{build}/fcps", "study", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout

        run("new", study, "--problem", problem, "--seed", str(seed))
        for _ in range(COUNTS[-1]):
            asked = json.loads(run("ask", study, "--json"))
            word = {n: next(w for w, short in names[n].items() if short == asked["parameters"][n.lower()]) for n in names}
            yields.append(table[tuple(word[n] for n in WORDS + ORDERED)])
            run("tell", study, str(asked["ask"]), "--outcome", f"gain={yields[-1]}")
    return best_after(yields)


def learn_table_baybe(rows, seed, encoding):
    import pandas
    from baybe import Campaign
    from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter, SubstanceParameter
    from baybe.searchspace import SearchSpace
    from baybe.targets import NumericalTarget
    from baybe.utils.random import set_random_seed
    set_random_seed(seed)
    numbers = [NumericalDiscreteParameter(n, [float(v) for v in values_of(rows, n)]) for n in ORDERED]
    if encoding:
        words = [SubstanceParameter(name=n, data={r[n]: r[f"{n}_SMILES"] for r in rows}, encoding=encoding) for n in WORDS]
    else:
        words = [CategoricalParameter(name=n, values=values_of(rows, n)) for n in WORDS]
    campaign = Campaign(SearchSpace.from_product([*words, *numbers]), NumericalTarget("yield").to_objective())
    table = {(*key[:3], float(key[3]), float(key[4])): value for key, value in yield_of(rows).items()}
    yields = []
    for _ in range(COUNTS[-1]):
        found = campaign.recommend(1)
        yields.append(table[tuple(found.iloc[0][n] for n in WORDS + ORDERED)])
        campaign.add_measurements(pandas.DataFrame(found).assign(**{"yield": yields[-1]}))
    return best_after(yields)


def learn_table(build, path, name, seed):
    rows, start = read_table(path), time.process_time()
    if name.startswith("fcps"):
        return learn_table_fcps(build, rows, seed, name == "fcps-known")
    if name == "random":
        return best_after(random.Random(seed).sample(list(yield_of(rows).values()), COUNTS[-1]))
    encoding = {"baybe": None, "baybe-rdkit": "RDKIT2DDESCRIPTORS", "baybe-mordred": "MORDRED"}[name]
    return {**learn_table_baybe(rows, seed, encoding), "seconds": time.process_time() - start}


def main():
    what, build, *rest = sys.argv[1:]
    path = rest.pop(0) if what == "arylation" else None
    name, *seeds = rest
    for seed in map(int, seeds):
        if path:
            result = learn_table(build, path, name, seed)
        elif name == "fcps":
            result = learn_process_fcps(build, seed)
        else:
            result = learn_process(name, seed)
        print(json.dumps({"benchmark": f"words-{what}", "rival": name, "seed": seed, **result}), flush=True)


main()
