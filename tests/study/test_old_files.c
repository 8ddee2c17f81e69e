/* SPDX-License-Identifier: Apache-2.0 */
/* Files that earlier versions wrote are still read, and answer what stands beside them: studies, policy files and saved
 * learners of tests/fixtures/VERSION, each beside its answers. */
#include "check.h"
#include "folder.h"
#include "study/old_files.h"

#include <string.h>

/* Processors differ in the last digits, and searches pass the differences on. */
static const double tolerance = 1e-6;

static const char fixtures[] = TEST_SOURCE_DIR "/tests/fixtures/0.1.0";

/* The next word of a line, and the place after it; empty at the end. */
static const char *next_word(const char **text, size_t *length)
{
  const char *word = *text + strspn(*text, " ");
  *length = strcspn(word, " \n");
  *text = word + *length;
  return word;
}

/* Whether two words are the same, or numbers that are near each other. */
static bool is_same_word(const char *a, size_t a_length, const char *b, size_t b_length)
{
  if (a_length == b_length && memcmp(a, b, a_length) == 0) return true;
  if (a_length == 0 || b_length == 0) return false; /* strtod would go on to the next line */
  char *a_end, *b_end;
  const double x = strtod(a, &a_end), y = strtod(b, &b_end);
  if (a_end == a || b_end == b) return false;
  /* what follows the number, a comma say, is text again */
  const size_t a_rest = a_length - (size_t)(a_end - a), b_rest = b_length - (size_t)(b_end - b);
  if (a_rest != b_rest || memcmp(a_end, b_end, a_rest) != 0) return false;
  return fabs(x - y) <= tolerance * fmax(1.0, fabs(y));
}

/* Says where the answers differ; false where they do. */
static bool is_answer(const char *name, const char *got, const char *expected)
{
  for (int line = 1;; line++) {
    const size_t got_line = strcspn(got, "\n"), expected_line = strcspn(expected, "\n");
    const char *a = got, *b = expected;
    size_t a_length = 1, b_length = 1;
    while (a_length > 0 && b_length > 0) {
      const char *x = next_word(&a, &a_length), *y = next_word(&b, &b_length);
      if (is_same_word(x, a_length, y, b_length)) continue;
      print_error("%s.answers:%d: %.*s\n  instead of %.*s\n", name, line, (int)got_line, got, (int)expected_line,
                  expected);
      return false;
    }
    got += got_line, expected += expected_line;
    if (*got == '\0' && *expected == '\0') return true;
    if (*got == '\0' || *expected == '\0') {
      print_error("%s.answers:%d: %s lines\n", name, line + 1, *got == '\0' ? "too few" : "too many");
      return false;
    }
    got++, expected++;
  }
}

/* Writes what a file answers. */
typedef void answer_fn(FILE *out, const char *path, const char *name);

/* Every file of a kind answers what stands beside it; there are at least `least`, so that they were found at all. */
static void check_folder(const char *kind, const char *ending, int least, answer_fn *answer)
{
  char folder[512];
  int count = 0, wrong = 0;
  snprintf(folder, sizeof folder, "%s/%s", fixtures, kind);
  DIR *directory = opendir(folder);
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[1024], name[256];
    const char *dot = strrchr(entry->d_name, '.');
    if (dot == NULL || strcmp(dot, ending) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
    snprintf(path, sizeof path, "%s/%s.answers", folder, name);
    char *expected = file_text(path), *got = NULL;
    size_t size;
    assert_non_null(expected);
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *out = open_memstream(&got, &size);
    assert_non_null(out);
    answer(out, path, name);
    assert_int_equal(fclose(out), 0);
    count++;
    wrong += !is_answer(name, got, expected);
    free(got);
    free(expected);
  }
  closedir(directory);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

/* The problem of a fixture: what stands before the first dash of its name. */
static fcps_problem_file *read_problem(const char *name)
{
  char path[1024];
  fcps_error error;
  fcps_problem_file *problem = NULL;
  snprintf(path, sizeof path, "%s/%.*s.yaml", fixtures, (int)strcspn(name, "-"), name);
  assert_ok(fcps_problem_file_read(&problem, path, &error));
  return problem;
}

static void answer_study(FILE *out, const char *path, const char *name)
{
  const test_folder folder = folder_create();
  fcps_error error = {0};
  FILE *from = fopen(path, "rb"), *to = fopen(folder_file(&folder, "study.fcps"), "wb");
  assert_non_null(from);
  assert_non_null(to);
  for (int c; (c = getc(from)) != EOF;)
    putc(c, to);
  fclose(from);
  assert_int_equal(fclose(to), 0);
  if (old_study_answers(out, folder_file(&folder, "study.fcps"), &error) != FCPS_OK)
    fprintf(out, "%s: %s", name, error.message);
  folder_remove(&folder);
}

static void answer_policy(FILE *out, const char *path, const char *name)
{
  fcps_policy *policy = NULL;
  fcps_problem_file *problem = NULL;
  fcps_error error = {0};
  char *text = file_text(path);
  if (fcps_study_load_policy(&policy, &problem, text, name, &error) == FCPS_OK)
    old_policy_answers(out, policy, &problem->problem);
  else
    fprintf(out, "%s was not loaded: %s", name, error.message);
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(problem);
  free(text);
}

static void answer_learner(FILE *out, const char *path, const char *name)
{
  fcps_problem_file *problem = read_problem(name);
  fcps_learner *learner = NULL;
  fcps_error error = {0};
  char *text = file_text(path);
  if (fcps_learner_load(&learner, &problem->problem, text, &error) == FCPS_OK)
    old_learner_answers(out, learner, &problem->problem);
  else
    fprintf(out, "%s was not loaded: %s", name, error.message);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(problem);
  free(text);
}

static void old_studies_answer_as_they_did(void **state)
{
  (void)state;
  check_folder("studies", ".fcps", 4, answer_study);
}

static void old_policy_files_answer_as_they_did(void **state)
{
  (void)state;
  check_folder("policies", ".policy", 30, answer_policy);
}

static void old_saved_learners_answer_as_they_did(void **state)
{
  (void)state;
  check_folder("learners", ".learner", 50, answer_learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(old_studies_answer_as_they_did),
                                     cmocka_unit_test(old_policy_files_answer_as_they_did),
                                     cmocka_unit_test(old_saved_learners_answer_as_they_did)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
