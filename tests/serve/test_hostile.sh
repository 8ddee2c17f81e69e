# SPDX-License-Identifier: Apache-2.0
# What strangers send to `fcps serve`; see hostile.py. The long form (FCPS_TEST_LONG) has 10,000 silent connections and two
# minutes of random requests.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
ulimit -n "$(ulimit -Hn)" 2>/dev/null || :
python3 "$FCPS_SOURCE_DIR/tests/serve/hostile.py" "$fcps" "$folder" ${FCPS_TEST_LONG:+--long}
