# SPDX-License-Identifier: Apache-2.0
# The robots' module is code: one that others may have planted near the program is not loaded, and the working folder
# does not decide which one is.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# a program in a folder of its own, and a planted module in the folder beside it: it leaves a mark when it is loaded
mkdir -p shared/bin shared/robots/models/fetch
cp "$fcps" shared/bin/fcps
cat >planted.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void)
{
  FILE *stream = fopen(getenv("MARK"), "w");
  if (stream) fclose(stream);
}
C
"$CC" -shared -fPIC -o shared/robots/libfcps_robots.so planted.c || { echo 'skipped: no shared library can be built'; exit 77; }
touch shared/robots/models/fetch/push.xml shared/robots/models/fetch/slide.xml shared/robots/models/thrower.xml
MARK=$folder/mark
export MARK
unset FCPS_ROBOTS_DIR
throw='hand_x=0,hand_y=1.25,hand_z=0,speed_x=0.5,speed_y=0.5,speed_z=0.5'
try() { # WORDS: what `render` says
  rm -f mark
  expect 2 "$1" shared/bin/fcps render thrower --parameters "$throw" -o x.png
}
chmod -R go-w shared

# ours, and only ours to change: loaded (and found to be of another version)
try 'another version of fcps'
[ -e mark ] || complain 'the module of the user was not loaded'

for path in shared/robots shared/robots/libfcps_robots.so; do
  chmod o+w $path
  try 'others may change it'
  [ ! -e mark ] || complain "a module was loaded although others may write to $path"
  shared/bin/fcps tasks >out || complain 'fcps tasks fails'
  grep -q 'others may change it' out || complain 'fcps tasks does not say why robots are missing'
  chmod o-w $path
done
# a library beside the module is loaded with it
touch shared/robots/libmujoco.so.0 && chmod o+w shared/robots/libmujoco.so.0
try 'others may change it'
rm shared/robots/libmujoco.so.0
# somebody else's
if [ "$(id -u)" -eq 0 ] && chown 65534 shared/robots/libfcps_robots.so 2>/dev/null; then
  try 'others may change it'
  [ ! -e mark ] || complain 'a module of somebody else was loaded'
  chown 0 shared/robots/libfcps_robots.so
fi

# the environment chooses, but only by an absolute path
rm -f mark
expect 2 'FCPS_ROBOTS_DIR must be an absolute path' env FCPS_ROBOTS_DIR=shared/robots "$fcps" render thrower --parameters "$throw" -o x.png
[ ! -e mark ] || complain 'the working folder chose a module'
FCPS_ROBOTS_DIR=shared/robots "$fcps" tasks >out || complain 'fcps tasks fails'
grep -q 'must be an absolute path' out || complain 'fcps tasks does not say that the path is relative'
chmod o+w shared/robots
expect 2 'another version of fcps' env FCPS_ROBOTS_DIR="$folder/shared/robots" "$fcps" render thrower --parameters "$throw" -o x.png
[ -e mark ] || complain 'the module that the user chose was not loaded'
exit $failed
