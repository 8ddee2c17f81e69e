#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Workers of one study on machines that are connected only by ssh. The study stays on this machine, behind a server that
# only this machine can reach; ssh forwards the port of the server to each of the others:
#
#   examples/ssh/work.sh throw.fcps throw.yaml 200 robot1 robot2 robot3
#
# Each host needs fcps (or the command in $FCPS_REMOTE), and throw.yaml with its program in the folder where ssh begins.
# The token is passed in a file, because all users of a host can see the arguments of a command. If a connection breaks,
# its worker ends; start the script again. Finished trials are stored, and the other hosts continue meanwhile.
set -eu
study=$1 problem=$2 trials=$3
shift 3
fcps=${FCPS:-fcps} remote=${FCPS_REMOTE:-fcps}
folder=$(mktemp -d)
"$fcps" serve "$study" --listen 127.0.0.1:0 --token-file "$folder/token" >"$folder/address" &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
until [ -s "$folder/address" ]; do
  kill -0 $server
  sleep 0.1
done
port=$(sed -n '1s|http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$folder/address")
name=$(basename "$study" .fcps)

workers=
for host; do
  ssh -o ExitOnForwardFailure=yes -R "$port:127.0.0.1:$port" "$host" "
    umask 077; token=\$(mktemp); cat >\"\$token\"; trap 'rm -f \"\$token\"' EXIT
    FCPS_TOKEN_FILE=\$token $remote work http://127.0.0.1:$port/$name --problem $problem --trials $trials" \
    <"$folder/token" &
  workers="$workers $!"
done
failed=0
for worker in $workers; do wait "$worker" || failed=1; done
exit $failed
