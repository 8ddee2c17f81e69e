/* SPDX-License-Identifier: Apache-2.0 */
/* No single bit of a study file can change a result unnoticed: the file is refused, or its contents are the same as
 * before. FCPS_TEST_LONG=1: ten times as many bits. TEST_SEED=n chooses other ones. */
#include "study_fixture.h"

#include "base/rng.h"

enum { ROLLOUTS = 60, FLIPS = 1500, LONG_FLIPS = 15000, REPAIR_EVERY = 10 };

static const double next_target = 2.5, next_wind = 0.25;

typedef struct flips {
  char path[96], repaired[112], *bytes, *log;
  size_t size;
  double next[2]; /* the next ask of the study */
} flips;

static void print_numbers(FILE *out, int count, const double *numbers)
{
  for (int i = 0; numbers != NULL && i < count; i++)
    fprintf(out, " %a", numbers[i]);
  fputs(numbers != NULL ? " ;" : " absent;", out);
}

static void print_result(FILE *out, const fcps_problem *p, const fcps_stored_result *r)
{
  const fcps_rollout *o = &r->result.rollout;
  fprintf(out, "result %lld ask %lld.%d key %s used %d", (long long)r->sequence, (long long)r->ask, r->result_number,
          r->result.key != NULL ? r->result.key : "-", r->is_used);
  fprintf(out, " time %lld status %d flagged %d misplaced %d reward %a %a", (long long)r->time_ms, (int)o->status,
          r->is_flagged, r->is_misplaced, o->reward, o->hindsight_reward);
  print_numbers(out, p->target.count, o->target);
  print_numbers(out, p->environment.count, o->environment);
  print_numbers(out, p->parameters.count, o->parameters);
  print_numbers(out, p->outcome.count, o->outcome);
  fprintf(out, " %s, %s\n", r->result.client, r->result.message);
}

/* Everything that is stored, one line each. */
static char *write_log(const fcps_study *s)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  const fcps_problem *p = fcps_study_problem(s);
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result r;
    fcps_study_result_at(s, i, &r);
    print_result(out, p, &r);
  }
  for (int i = 0; i < fcps_study_ask_count(s); i++) {
    fcps_ask ask;
    fcps_study_ask_at(s, i, &ask);
    fprintf(out, "ask %lld %s %d", (long long)ask.id, ask.client, (int)ask.state);
    print_numbers(out, p->target.count, ask.target);
    print_numbers(out, p->environment.count, ask.environment);
    print_numbers(out, p->parameters.count, ask.parameters);
    fputs("\n", out);
  }
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(s, i)) != NULL; i++)
    fprintf(out, "event %lld %lld %s %s\n", (long long)event->sequence, (long long)event->time_ms, event->code,
            event->text);
  fprintf(out, "learner %s seed %llu\n", fcps_study_learner(s), (unsigned long long)fcps_study_seed(s));
  assert_int_equal(fclose(out), 0);
  return text;
}

static void write_file(const flips *f)
{
  FILE *file = fopen(f->path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(f->bytes, 1, f->size, file), f->size);
  assert_int_equal(fclose(file), 0);
}

static void read_file(flips *f)
{
  FILE *file = fopen(f->path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  f->size = (size_t)ftell(file);
  rewind(file);
  f->bytes = malloc(f->size);
  assert_non_null(f->bytes);
  assert_int_equal(fread(f->bytes, 1, f->size, file), f->size);
  fclose(file);
}

static const fcps_study_options quick = {.is_relaxed = true, .wait_ms = 1};

/* A study with records of all kinds. */
static void make_it(flips *f)
{
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 7};
  const fcps_result unasked = {.rollout = {.target = &next_target,
                                           .environment = &next_wind,
                                           .parameters = (const double[]){1, 0.5},
                                           .status = FCPS_ROLLOUT_FAILED},
                               .client = "robot",
                               .message = "fell",
                               .key = "first"};
  fcps_study *s = NULL;
  fcps_ask ask;
  assert_ok(fcps_study_create(&s, f->path, &setup, &quick, NULL));
  for (int i = 0; i < ROLLOUTS; i++)
    throw_once(s);
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &unasked, NULL, NULL));
  assert_ok(fcps_study_ask(s, "left", &next_target, &next_wind, &ask, NULL));
  assert_ok(fcps_study_forget(s, ask.id, NULL));
  assert_ok(fcps_study_amend(s, "bounds.speed", "0,2.5", NULL));
  assert_ok(fcps_study_use_result(s, 4, false, NULL));
  assert_ok(fcps_study_note(s, "NOTE", "the motor was changed", NULL));
  assert_ok(fcps_study_ask(s, "robot", &next_target, &next_wind, &ask, NULL));
  fcps_study_close(s);
  read_file(f);
  /* what the whole file says */
  assert_ok(fcps_study_open(&s, f->path, &quick, NULL));
  f->log = write_log(s);
  assert_ok(fcps_study_ask(s, NULL, &next_target, &next_wind, &ask, NULL));
  memcpy(f->next, ask.parameters, sizeof f->next);
  fcps_study_close(s);
}

/* Each result of a repaired study is one of the whole one; the choices between them, and their keys, may be lost. */
static void check_repaired(const flips *f, size_t bit)
{
  fcps_study *s = NULL;
  int64_t saved = 0;
  fcps_error error = {0};
  unlink(f->repaired);
  if (fcps_study_repair(f->path, f->repaired, &saved, &error) != FCPS_OK) {
    assert_true(error.message[0] != '\0');
    return;
  }
  if (fcps_study_open(&s, f->repaired, &quick, &error) != FCPS_OK) return; /* a part that every study needs is lost */
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result r;
    char *line = NULL;
    size_t size = 0;
    fcps_study_result_at(s, i, &r);
    FILE *out = open_memstream(&line, &size);
    assert_non_null(out);
    print_result(out, fcps_study_problem(s), &r);
    assert_int_equal(fclose(out), 0);
    if (strstr(f->log, strstr(line, " time ")) == NULL) fail_msg("bit %zu: repaired: %s", bit, line);
    free(line);
  }
  fcps_study_close(s);
}

/* Whether the changed file was refused; if not, it says the same. */
static bool try_bit(flips *f, size_t bit, int number)
{
  fcps_study *s = NULL;
  fcps_error error = {0};
  f->bytes[bit / 8] = (char)(f->bytes[bit / 8] ^ 1 << bit % 8);
  write_file(f);
  f->bytes[bit / 8] = (char)(f->bytes[bit / 8] ^ 1 << bit % 8);
  if (fcps_study_open(&s, f->path, &quick, &error) != FCPS_OK) {
    assert_true(error.message[0] != '\0');
    if (number % REPAIR_EVERY == 0) check_repaired(f, bit);
    return true;
  }
  char *log = write_log(s);
  if (strcmp(log, f->log) != 0) fail_msg("bit %zu changes the log in silence:\n%s", bit, log);
  free(log);
  fcps_ask ask;
  if (fcps_study_ask(s, NULL, &next_target, &next_wind, &ask, &error) == FCPS_OK &&
      memcmp(ask.parameters, f->next, sizeof f->next) != 0)
    fail_msg("bit %zu changes the next ask in silence", bit);
  fcps_study_close(s);
  return false;
}

static void no_bit_changes_a_result_in_silence(void **state)
{
  (void)state;
  const char *seed = getenv("TEST_SEED");
  const int count = getenv("FCPS_TEST_LONG") != NULL ? LONG_FLIPS : FLIPS;
  fcps_rng rng = fcps_rng_stream(seed != NULL ? strtoull(seed, NULL, 10) : 1, FCPS_PURPOSE_TEST, 1);
  int refused = 0;
  flips f = {0};
  snprintf(f.path, sizeof f.path, "%s/study.fcps", test_folder);
  snprintf(f.repaired, sizeof f.repaired, "%s/repaired.fcps", test_folder);
  make_it(&f);
  for (int i = 0; i < count; i++)
    refused += try_bit(&f, fcps_rng_below(&rng, 8 * f.size), i);
  print_message("%d of %d bits refused, the others change nothing\n", refused, count);
  assert_true(refused > count / 4);
  free(f.bytes);
  free(f.log);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_bit_changes_a_result_in_silence, make_folder, remove_folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
