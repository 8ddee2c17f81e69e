# SPDX-License-Identifier: Apache-2.0
"""A study as the generator of a libEnsemble. The manager of libEnsemble asks and tells. Its workers run the simulation,
as threads, as processes or on the nodes of a cluster (comms="mpi").

    pip install fcps[gest] libensemble
    python3 throw.py [TRIALS] [STUDY.fcps]

Everything is kept in the study, so a second call continues where the first ended, and every command of fcps works on
it.
"""

import random
import sys

from fcps.gest import Generator
from gest_api.vocs import VOCS, ContextualVariable
from libensemble import Ensemble
from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

VARIABLES = VOCS(
    variables={"x": ContextualVariable(domain=[2, 8]), "speed": [1.0, 10.0]}, objectives={}, observables=["land"]
)


def throw(point):
    """The simulation: where a ball lands that is thrown with this speed."""
    return {"land": 0.1 * point["speed"] ** 2}


def main():
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    path = sys.argv[2] if len(sys.argv) > 2 else "throw.fcps"
    sys.argv[1:] = []  # libEnsemble would read the arguments too
    draw = random.Random(1)
    generator = Generator(VARIABLES, "-abs(land - x)", contexts=lambda: {"x": draw.uniform(2, 8)}, path=path)
    Ensemble(
        libE_specs=LibeSpecs(comms="threads", nworkers=4, gen_on_manager=True, final_gen_send=True, disable_log_files=True),
        gen_specs=GenSpecs(generator=generator, initial_batch_size=4, batch_size=2, vocs=VARIABLES),
        sim_specs=SimSpecs(simulator=throw, vocs=VARIABLES),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens),
        exit_criteria=ExitCriteria(sim_max=trials),
    ).run()
    best = generator.study.policy()(x=5.0)
    print("%d trials; to reach 5 m: speed %.3g m/s" % (len(generator.study), best.parameters["speed"]))


if __name__ == "__main__":
    main()
