/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of RFC 4231 (1 to 4, 6 and 7; case 5 truncates the digest), and messages with lengths around the ends
 * of blocks, as computed by Python's hmac. */
#include "check.h"

#include "base/checksum.h"

#include <string.h>

static void check(const void *key, size_t key_size, const void *message, size_t size, const char *expected)
{
  char digits[FCPS_HMAC_SIZE];
  fcps_hmac(key, key_size, message, size, digits);
  assert_string_equal(digits, expected);
}

static void digests_are_those_of_rfc_4231(void **state)
{
  static const char long_data[] =
      "This is a test using a larger than block-size key and a larger than block-size data. The "
      "key needs to be hashed before being used by the HMAC algorithm.";
  static const char long_key[] = "Test Using Larger Than Block-Size Key - Hash Key First";
  unsigned char key[131], data[50];
  (void)state;
  memset(key, 0x0b, 20);
  check(key, 20, "Hi There", 8, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  check("Jefe", 4, "what do ya want for nothing?", 28,
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  memset(key, 0xaa, sizeof key);
  memset(data, 0xdd, sizeof data);
  check(key, 20, data, sizeof data, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  check(key, sizeof key, long_key, strlen(long_key),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  check(key, sizeof key, long_data, strlen(long_data),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
  for (unsigned char i = 0; i < 25; i++)
    key[i] = (unsigned char)(i + 1);
  memset(data, 0xcd, sizeof data);
  check(key, 25, data, sizeof data, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

static void messages_may_end_anywhere_in_a_block(void **state)
{
  static const struct {
    size_t size;
    const char *digits;
  } cases[] = {
      {0, "8bb990c40a7d61cb97597a942125025be50ac8beb74436e3735b98893a7f6620"},
      {55, "2cc44ce77061ae61e565e2ba633d3fb0c3f0a40d8183dc37eb47a18abda4baf2"},
      {56, "bc446082d08be8bf111c25f6b4d227bfbcc94721f7388c69fc93a6699de8ab3b"},
      {63, "3bcad76e5ef6f3b052d58db1a76b2f3dafe2d7bafda31193fde6c7ff10aa8e8e"},
      {64, "51dc6773c877547b2f5658b10ed96a5a72709ba469f445538da56af1b8ffb1cd"},
      {119, "cf4a16a9fb2bd68c1a8a6c6031d71ccf825afaf2b4a9824fbcce733f072563e3"},
      {120, "265c5724e8e371067fb5913e233628f1373cecd93d4261a2e4822938037a781e"},
      {1000, "0e574ea3aace45a0075daca8c1b3c270a2fbad3efbe65e20eace5b31e6c29caf"},
  };
  char message[1000];
  (void)state;
  memset(message, 'a', sizeof message);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check("k", 1, message, cases[i].size, cases[i].digits);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_of_rfc_4231),
                                     cmocka_unit_test(messages_may_end_anywhere_in_a_block)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
