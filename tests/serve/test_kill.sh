# SPDX-License-Identifier: Apache-2.0
# `kill -9` of the server under load: nothing that was acknowledged is lost or doubled; see kill.py. The long form
# (FCPS_TEST_LONG) has 200 kills while 20 clients work on 4 studies of 200 rollouts.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
set -- 8
[ -z "${FCPS_TEST_LONG-}" ] || set -- 200 --clients 20 --studies 4 --rollouts 200 --learner outcome --pause 1
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/kill.py" "$fcps" "$folder" "$@"
