# SPDX-License-Identifier: Apache-2.0
# `fcps serve` under load, against a ledger; see bench/serve/load.py. The long form (FCPS_TEST_LONG) goes on for ten minutes, and
# neither memory nor open files may grow.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
seconds=5
[ -z "${FCPS_TEST_LONG-}" ] || seconds=600
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/bench/serve/load.py" "$fcps" --soak --learner random --rollouts 0 --seconds $seconds
