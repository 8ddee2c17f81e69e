# SPDX-License-Identifier: Apache-2.0
# What docs/serve.md shows works: the commands of fcps and of curl in their order, the workers of docs/cluster.md, the client in
# C, Python if `requests` is there, nginx if it is installed.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need curl curl
need_serve
export HOME="$folder"
unset FCPS_TOKEN_FILE XDG_STATE_HOME
"$fcps" study new throw.fcps --problem "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" >/dev/null
proxy=$((20000 + $$ % 20000))
"$fcps" serve throw.fcps --host "fcps.example.org:$proxy" >url &
server=$!
trap 'kill $server 2>/dev/null || :; rm -rf "$folder"' EXIT
tries=0
while [ ! -s url ] && [ $tries -lt 200 ]; do sleep 0.2; tries=$((tries + 1)); done
port=$(sed 's|.*:\([0-9]*\)/#.*|\1|' url)
[ "$(stat -c %a .local/state/fcps/token)" = 600 ] || complain 'the token file can be read by others'

# the blocks of a language, with the port of this server
blocks() { awk -v kind="$1" '/^```/ { inside = $0 == "```" kind; next } inside' "$FCPS_SOURCE_DIR/docs/serve.md" | sed "s/8017/$port/g"; }
PATH=$FCPS_BINARY_DIR:$PATH
printf 'x,y,wind\n1,2,0\n' >contexts.csv
blocks sh | grep -v '^fcps serve' >commands.sh
grep -q '/tell' commands.sh || complain 'the commands with curl were not found'
grep -q '^fcps study ask http:' commands.sh || complain 'the commands of fcps were not found'
sh -e commands.sh >out 2>err || complain "the commands of the page: $(cat out err)"
grep -q '^ask 1$' out || complain "the ask by fcps has another number: $(cat out)"
grep -q '"ask":2.*"client":"robot"' out || complain "the ask by curl answers: $(cat out)"
[ "$(grep -c '"ask":1' out)" -ge 2 ] || complain "the commands with curl answer: $(cat out)"

${CC:-cc} -o robot "$FCPS_SOURCE_DIR/examples/serve/robot.c" -lm
FCPS_TOKEN=$(cat .local/state/fcps/token) ./robot "$port" 3 >out 2>err || complain "the client in C: $(cat out err)"
[ "$(grep -c '^ask .* reward -' out)" -eq 3 ] || complain "the client in C says: $(cat out err)"

if python3 -c 'import requests' 2>/dev/null; then
  blocks python >client.py
  python3 client.py || complain 'the client in Python failed'
else
  echo 'skipped: the client in Python; requests is missing (Debian: python3-requests)'
fi

if command -v nginx >/dev/null && command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out pem -days 2 -subj /CN=fcps.example.org 2>/dev/null
  {
    echo "pid $folder/nginx.pid; error_log $folder/nginx.log; daemon off; events {} http { access_log off;"
    echo "client_body_temp_path $folder; proxy_temp_path $folder; fastcgi_temp_path $folder; uwsgi_temp_path $folder; scgi_temp_path $folder;"
    sed "s/8017/$port/; s/listen 443/listen 127.0.0.1:$proxy/; s|/etc/ssl/certs/.*pem|$folder/pem|; s|/etc/ssl/private/.*key|$folder/key|" \
      "$FCPS_SOURCE_DIR/examples/serve/nginx.conf"
    echo '}'
  } >nginx.conf
  nginx -c "$folder/nginx.conf" &
  nginx=$!
  trap 'kill $server $nginx 2>/dev/null || :; rm -rf "$folder"' EXIT
  sleep 1
  curl -sSk --resolve "fcps.example.org:$proxy:127.0.0.1" -H "Origin: https://fcps.example.org:$proxy" -H "Authorization: Bearer $(cat .local/state/fcps/token)" \
    "https://fcps.example.org:$proxy/v1/studies" >out 2>err || complain "through nginx: $(cat out err nginx.log)"
  grep -q '"study":"throw"' out || complain "through nginx: $(cat out err nginx.log)"
else
  echo 'skipped: the way through nginx; it is missing, or openssl is (Debian: nginx-light openssl)'
fi

kill $server
wait $server || complain "the server ended with $?"
exit $failed
