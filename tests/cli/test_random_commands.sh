# SPDX-License-Identifier: Apache-2.0
# Random commands against a model of what must be stored (random_commands.py): forty steps with a fixed seed, or, if
# FCPS_TEST_LONG is set, five minutes with a new seed, which is printed. The tester must also catch programs that lie about
# one result; otherwise it proves nothing.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
command -v python3 >/dev/null || {
  echo 'skipped: python3 is missing'
  exit 77
}
tester=$FCPS_SOURCE_DIR/tests/cli/random_commands.py

if [ -n "${FCPS_TEST_LONG-}" ]; then
  python3 "$tester" --fcps "$fcps" --seconds 300 --keep "$FCPS_BINARY_DIR/random_commands" ||
    complain 'there is a difference'
  exit $failed
fi
python3 "$tester" --fcps "$fcps" --seed 1 --steps 40 --seconds 200 || complain 'there is a difference'

# liar HOW: a program that is fcps, but from its third `study tell` with an outcome on they go wrong as HOW says
liar() {
  cat >liar <<SH
#!/bin/sh
case "\$1 \$2 \$*" in
"study tell "*--outcome*)
  echo told >>"$folder/told"
  [ "\$(grep -c told "$folder/told")" -lt 3 ] || { $1; }
  ;;
esac
exec "$fcps" "\$@"
SH
  chmod +x liar
  rm -f told
}

# expect_caught WORDS: the tester says that there is a difference, and how to repeat it
expect_caught() {
  expect 1 "DIFFERENCE with --seed 3 --study [0-9]*: .*$1" python3 "$tester" --fcps ./liar --seed 3 --seconds 120
  grep -q 'liar study tell' out || complain "the commands are not shown: $(cat out)"
}

acknowledgement='{"ask":1,"stored":true,"repeated":false,"late":false,"flagged":false,"reward":0.0}'
liar "echo '$acknowledgement'; exit 0" # stores nothing
expect_caught 'not stored'
liar "\"$fcps\" \"\$@\" >/dev/null 2>&1" # stores it and then says that it was there
expect_caught 'told to be new and is not'
other='--target x=1 --environment wind=0 --executed speed=1,tilt=1 --no-outcome'
liar "\"$fcps\" study tell \"\$3\" $other >/dev/null" # stores something else besides
expect_caught 'nobody told'
liar "set -- \"\$@\" --client other" # stores another client
expect_caught 'nobody told, or not so'
exit $failed
