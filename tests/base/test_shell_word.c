/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

static void what_a_shell_leaves_alone_is_not_quoted(void **state)
{
  (void)state;
  static const char *const plain[] = {"throw.fcps", "/a/b-c_d.fcps", "http://127.0.0.1:80/my%20study",
                                      "w\xc3\xbcrfe.fcps"};
  char room[100];
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    assert_ptr_equal(fcps_shell_word(plain[i], sizeof room, room), plain[i]);
}

static void a_shell_reads_a_word_back_as_it_was(void **state)
{
  (void)state;
  static const char *const names[] = {
      "my study; touch PWN.fcps", "it's.fcps", "''", "$HOME `x` \\ \"q\"", "a#b", "~", "*?[x]", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char room[100], command[200], back[100] = "";
    snprintf(command, sizeof command, "printf %%s %s", fcps_shell_word(names[i], sizeof room, room));
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    back[fread(back, 1, sizeof back - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(back, names[i]);
  }
}

static void a_word_without_room_is_not_cut(void **state)
{
  (void)state;
  static const char name[] = "a b''c";
  for (size_t size = 0; size < 4 * strlen(name) + 3; size++) {
    char room[40];
    memset(room, '?', sizeof room);
    const char *word = fcps_shell_word(name, size, room);
    if (word == room)
      assert_string_equal(word, "'a b'\\'''\\''c'");
    else
      assert_ptr_equal(word, name);
    for (size_t i = size; i < sizeof room; i++)
      assert_int_equal(room[i], '?');
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_shell_leaves_alone_is_not_quoted),
                                     cmocka_unit_test(a_shell_reads_a_word_back_as_it_was),
                                     cmocka_unit_test(a_word_without_room_is_not_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
