/* SPDX-License-Identifier: Apache-2.0 */
/* Names of contents, compared with those that `git hash-object` prints. */
#include "check.h"

#include "base/checksum.h"

#include <string.h>

static void contents_have_the_names_that_git_gives_them(void **state)
{
  (void)state;
  char id[FCPS_BLOB_ID_SIZE], many[1000];
  fcps_blob_id("", 0, id);
  assert_string_equal(id, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  fcps_blob_id("hello\n", 6, id);
  assert_string_equal(id, "ce013625030ba8dba906f756967f9e9ca394464a");
  memset(many, 'a', sizeof many); /* several blocks */
  fcps_blob_id(many, sizeof many, id);
  assert_string_equal(id, "a50be72b20f0e3f078d252e8e56b11b4bec67509");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(contents_have_the_names_that_git_gives_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
