#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A private PostgreSQL for a test: makes DIR/data where it is not there yet and becomes the server, on a socket in DIR and on
# no port. Whoever starts it ends it by its process id (QUIT); it also ends with its parent. Exit code 77, with the reason on
# stderr: there is no PostgreSQL.
#
#   tests/store/postgresql-server.sh DIR          the study NAME is then postgresql:///postgres?host=DIR&user=fcps#NAME
set -eu
folder=$1
bin=
for candidate in /usr/lib/postgresql/*/bin; do
  [ ! -x "$candidate/postgres" ] || bin=$candidate
done
if [ -z "$bin" ] && command -v initdb >/dev/null; then bin=$(dirname "$(command -v initdb)"); fi
if [ -z "$bin" ]; then
  echo 'skipped: PostgreSQL is not installed (scripts/setup --full installs it)' >&2
  exit 77
fi
user=
if [ "$(id -u)" -eq 0 ]; then # initdb refuses root
  id postgres >/dev/null 2>&1 || { echo 'skipped: there is no user postgres for the server' >&2; exit 77; }
  user='setpriv --reuid=postgres --regid=postgres --init-groups --pdeathsig QUIT'
  chown postgres "$folder"
fi
cd "$folder"
[ -d data ] ||
  $user "$bin/initdb" -D "$folder/data" -U fcps -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >initdb.log
exec $user "$bin/postgres" -D "$folder/data" -c listen_addresses= -c unix_socket_directories="$folder" \
  -c unix_socket_permissions=0777 -c fsync="${FCPS_TEST_FSYNC:-off}" -c max_connections=150 -c shared_buffers=16MB \
  -c log_min_messages=fatal >>server.log 2>&1
