/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on a terminal: characters that the terminal would obey are made visible, harmless ones stay. */
#include "format/text.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void assert_shown(const char *text, const char *expected)
{
  char room[256], *written;
  size_t length;
  assert_string_equal(fcps_shown_line(text, sizeof room, room), expected);
  FILE *stream = open_memstream(&written, &length);
  fcps_shown_write(stream, text);
  fclose(stream);
  assert_string_equal(written, expected);
  free(written);
}

static void harmless_texts_stay_as_they_are(void **state)
{
  (void)state;
  static const char *const texts[] = {"", "plain", "Größe, 大きさ, \U0001F600", "back\\slash", "a b", "\u200B"};
  char room[4];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_shown(texts[i], texts[i]);
    assert_ptr_equal(fcps_shown_line(texts[i], sizeof room, room), texts[i]);
  }
}

static void whatever_a_terminal_obeys_is_made_visible(void **state)
{
  (void)state;
  assert_shown("\033]0;x\a", "\\x1b]0;x\\x07");
  assert_shown("a\nb\tc\rd\b", "a\\nb\\tc\\rd\\x08");
  assert_shown("\177", "\\x7f");
  assert_shown("\xC2\x9B"
               "31m\xC2\x85",
               "\\u009b31m\\u0085");
  assert_shown("\u202Eabc\u2066\u200F\u2028\uFEFF", "\\u202eabc\\u2066\\u200f\\u2028\\ufeff");
  assert_shown("\xFF\xC3", "\\xff\\xc3");
  assert_shown("\xED\xA0\x80", "\\xed\\xa0\\x80"); /* a surrogate is not UTF-8 */
}

static void a_text_that_does_not_fit_is_cut_between_two_characters(void **state)
{
  (void)state;
  char room[8];
  assert_string_equal(fcps_shown_line("a\033\033", sizeof room, room), "a\\x1b");
  assert_string_equal(fcps_shown_line("\nabcdé", sizeof room, room), "\\nabcd");
}

static void lines_after_the_first_are_indented(void **state)
{
  (void)state;
  char *written;
  size_t length;
  FILE *stream = open_memstream(&written, &length);
  fcps_shown_write_lines(stream, "one\n\ttwo\rfcps: forged\n\033");
  fclose(stream);
  assert_string_equal(written, "one\n    \ttwo\\rfcps: forged\n    \\x1b");
  free(written);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(harmless_texts_stay_as_they_are),
      cmocka_unit_test(whatever_a_terminal_obeys_is_made_visible),
      cmocka_unit_test(a_text_that_does_not_fit_is_cut_between_two_characters),
      cmocka_unit_test(lines_after_the_first_are_indented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
