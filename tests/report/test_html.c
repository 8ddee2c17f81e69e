/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and pictures in HTML, and the decimals of numbers on the page. */
#include "folder.h"

#include "lab/report/saved.h"
#include "report/html.h"

/* What a function writes, freed by the caller. */
static char *text_written(const char *text)
{
  char *written = NULL;
  size_t length = 0;
  FILE *page = open_memstream(&written, &length);
  fcps_html_text(page, text);
  assert_int_equal(fclose(page), 0);
  return written;
}

static char *picture_written(const char *path)
{
  char *written = NULL;
  size_t length = 0;
  FILE *page = open_memstream(&written, &length);
  fcps_html_picture(page, path, "a \"figure\"");
  assert_int_equal(fclose(page), 0);
  return written;
}

static void text_is_never_markup(void **state)
{
  (void)state;
  char *written = text_written("a < b && c > \"d\", é");
  assert_string_equal(written, "a &lt; b &amp;&amp; c &gt; &quot;d&quot;, é");
  free(written);
  written = text_written("a\033b\177c\xC2\x9B, bad \xFF, tab\t");
  assert_string_equal(written, "a\uFFFDb\uFFFDc\uFFFD, bad \uFFFD, tab\t");
  free(written);
}

/* The answers of RFC 4648, section 10. */
static void pictures_are_base64(void **state)
{
  (void)state;
  static const char *const known[][2] = {{"f", "base64,Zg==\""},         {"fo", "base64,Zm8=\""},
                                         {"foo", "base64,Zm9v\""},       {"foob", "base64,Zm9vYg==\""},
                                         {"fooba", "base64,Zm9vYmE=\""}, {"foobar", "base64,Zm9vYmFy\""}};
  const test_folder folder = folder_create();
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *path = folder_file(&folder, "picture.svg");
    file_write(path, known[i][0]);
    char *written = picture_written(path);
    assert_non_null(strstr(written, known[i][1]));
    assert_non_null(strstr(written, "alt=\"a &quot;figure&quot;\""));
    free(written);
  }
  folder_remove(&folder);
}

static void a_missing_picture_leaves_a_sentence(void **state)
{
  (void)state;
  char *written = picture_written("/nowhere/picture.svg");
  assert_null(strstr(written, "<img"));
  assert_non_null(strstr(written, "was not drawn"));
  free(written);
}

static void numbers_have_the_decimals_that_they_need(void **state)
{
  (void)state;
  char text[64];
  assert_string_equal(fcps_saved_experiment_number(-303.4, 34.2, sizeof text, text), "-303 ± 34");
  assert_string_equal(fcps_saved_experiment_number(-1.618, 0.126, sizeof text, text), "-1.62 ± 0.13");
  assert_string_equal(fcps_saved_experiment_number(-1.618, NAN, sizeof text, text), "-1.62");
  assert_string_equal(fcps_saved_experiment_number(NAN, 1, sizeof text, text), "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_never_markup),
      cmocka_unit_test(pictures_are_base64),
      cmocka_unit_test(a_missing_picture_leaves_a_sentence),
      cmocka_unit_test(numbers_have_the_decimals_that_they_need),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
