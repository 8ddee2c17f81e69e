# SPDX-License-Identifier: Apache-2.0
# The program of docs/c.md learns: it lands near a place that it was never asked for.
set -eu
said=$("$FCPS_BINARY_DIR/examples/example_own_task")
echo "$said"
miss=$(echo "$said" | sed -n 's/.*lands \([0-9.]*\) m from the target.*/\1/p')
awk -v miss="${miss:-99}" 'BEGIN { exit !(miss < 0.3) }'
