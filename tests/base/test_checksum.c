/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum is FNV-1a, and no single bit can change without changing it. */
#include "base/checksum.h"

#include "check.h"

#include <string.h>

/* values that the authors of FNV publish for 64 bits */
static void texts_have_their_published_checksums(void **state)
{
  (void)state;
  assert_true(fcps_checksum_add(FCPS_CHECKSUM_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(fcps_checksum_add(FCPS_CHECKSUM_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(fcps_checksum_add(FCPS_CHECKSUM_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void parts_give_the_checksum_of_the_whole(void **state)
{
  (void)state;
  const uint64_t parts = fcps_checksum_add(fcps_checksum_add(FCPS_CHECKSUM_START, "foo", 3), "bar", 3);
  assert_true(parts == fcps_checksum_add(FCPS_CHECKSUM_START, "foobar", 6));
}

static void every_single_bit_counts(void **state)
{
  (void)state;
  unsigned char bytes[64];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(37 * i);
  const uint64_t whole = fcps_checksum_add(FCPS_CHECKSUM_START, bytes, sizeof bytes);
  for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_true(fcps_checksum_add(FCPS_CHECKSUM_START, bytes, sizeof bytes) != whole);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_have_their_published_checksums),
      cmocka_unit_test(parts_give_the_checksum_of_the_whole),
      cmocka_unit_test(every_single_bit_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
