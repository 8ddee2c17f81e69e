/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study why`, `forecast` and `explain`: prints their answers, the remaining time of a forecast, and the figure
 * of `explain`. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/study/study.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/text.h"
#include "report/gnuplot.h"
#include "report/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *show(double value, char text[FCPS_NUMBER_SIZE])
{
  return isfinite(value) ? fcps_number_show(value, text) : "-";
}

static double number_of(const fcps_json *object, const char *key)
{
  return fcps_json_get_number(object, key, NAN);
}

static const char *text_of(const fcps_json *object, const char *key)
{
  return cli_shown(fcps_json_get_text(object, key, "-"));
}

static void print_sentence(const fcps_json *answer)
{
  fcps_shown_write_lines(stdout, fcps_json_get_text(answer, "text", ""));
  fputs("\n", stdout);
}

/* -- Why -- */

static void print_choice(const char *label, const fcps_json *choice, const fcps_json *answer, const char *more)
{
  char reward[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  if (choice == NULL) return;
  printf("%-18s ", label);
  cli_numbers_print(stdout, fcps_json_get(choice, "parameters"), answer);
  if (isfinite(number_of(choice, "reward")))
    printf(", reward %s +- %s", show(number_of(choice, "reward"), reward),
           show(number_of(choice, "reward_sd"), deviation));
  printf("%s\n", more);
}

/* Prints "land_x: uncertainty from 0.4 to 0.1" for each number that becomes more certain. */
static void print_lessons(const fcps_json *list)
{
  for (int i = 0; i < fcps_json_count(list); i++) {
    const fcps_json *lesson = fcps_json_at(list, i);
    const char *of = fcps_json_get_text(lesson, "of", "-");
    const bool is_policy = strcmp(of, "policy") == 0;
    printf("%-18s %s: uncertainty from %.2g to %.2g\n", i == 0 ? "it teaches" : "",
           is_policy ? "the reward of the best choices, mean over the contexts" : cli_shown(of),
           number_of(lesson, "before"), number_of(lesson, "after"));
  }
}

static void print_speakers(const fcps_json *list, const fcps_json *answer)
{
  for (int i = 0; i < fcps_json_count(list); i++) {
    const fcps_json *trial = fcps_json_at(list, i);
    printf("%-18s result %s (%.0f %% of the weight): ", i == 0 ? "it rests on" : "", text_of(trial, "name"),
           100.0 * number_of(trial, "share"));
    if (fcps_json_count(fcps_json_get(trial, "environment")) > 0) {
      cli_numbers_print(stdout, fcps_json_get(trial, "environment"), answer);
      printf("  ");
    }
    cli_numbers_print(stdout, fcps_json_get(trial, "parameters"), answer);
    printf("\n");
  }
}

static void print_bindings(const fcps_json *list)
{
  for (int i = 0; i < fcps_json_count(list); i++) {
    const fcps_json *b = fcps_json_at(list, i);
    const char *kind = fcps_json_get_text(b, "kind", "");
    char value[FCPS_NUMBER_SIZE];
    printf("%-18s ", i == 0 ? "held back by" : "");
    if (strcmp(kind, "limit") == 0)
      printf("the limit %s: kept with chance %.3f, and %.3f is required\n", text_of(b, "name"), number_of(b, "chance"),
             number_of(b, "wanted"));
    else if (strcmp(kind, "bound") == 0)
      printf("the bound of %s, %s\n", text_of(b, "name"), show(number_of(b, "value"), value));
    else
      printf("the constraint %s\n", text_of(b, "name"));
  }
}

void cli_why_print(const cli_request *r, const fcps_json *answer)
{
  static const char *const parts[] = {"target", "environment", "parameters"};
  char number[FCPS_NUMBER_SIZE];
  (void)r;
  print_sentence(answer);
  for (int i = 0; i < 3; i++) {
    if (fcps_json_count(fcps_json_get(answer, parts[i])) == 0) continue;
    printf("%-18s ", parts[i]);
    cli_numbers_print(stdout, fcps_json_get(answer, parts[i]), answer);
    printf("\n");
  }
  if (isfinite(number_of(answer, "could_earn")))
    printf("%-18s %s or more, with a chance of one in ten\n", "with luck",
           show(number_of(answer, "could_earn"), number));
  if (isfinite(number_of(answer, "earned")))
    printf("%-18s %s\n", "it earned", show(number_of(answer, "earned"), number));
  print_choice("best known choice", fcps_json_get(answer, "best"), answer, "");
  print_choice("runner-up", fcps_json_get(answer, "runner_up"), answer,
               " (of all other parameters, the largest reward plus deviation)");
  print_lessons(fcps_json_get(answer, "teaches"));
  print_speakers(fcps_json_get(answer, "trials"), answer);
  print_bindings(fcps_json_get(answer, "binds"));
}

/* -- Forecast -- */

static void print_band(const char *label, const fcps_json *band)
{
  char numbers[3][FCPS_NUMBER_SIZE];
  printf("%-18s %s (%s to %s)\n", label, show(number_of(band, "median"), numbers[0]),
         show(number_of(band, "low"), numbers[1]), show(number_of(band, "high"), numbers[2]));
}

void cli_forecast_print(const cli_request *r, const fcps_json *answer)
{
  const fcps_json *curve = fcps_json_get(answer, "curve"), *parallel = fcps_json_get(answer, "parallel");
  (void)r;
  print_sentence(answer);
  printf("%-18s reward per context (8 of 10 rehearsals lie between)\n", "more trials");
  for (int i = 0; i < fcps_json_count(curve); i++) {
    char label[24];
    snprintf(label, sizeof label, "%lld", (long long)fcps_json_get_integer(fcps_json_at(curve, i), "trials", 0));
    print_band(label, fcps_json_at(curve, i));
  }
  if (parallel == NULL) return;
  printf("%-18s %lld robots", "side by side", (long long)fcps_json_get_integer(parallel, "robots", 0));
  if (isfinite(number_of(parallel, "time_saved")))
    printf(" need the time of %.0f trials, %.0f %% less", number_of(parallel, "rounds"),
           100.0 * number_of(parallel, "time_saved"));
  char median[FCPS_NUMBER_SIZE];
  printf("; the policy then earns %s\n", show(number_of(fcps_json_get(parallel, "reward"), "median"), median));
}

static cli_waiting waiting;
static int rehearsed;

static void hear(const char *code)
{
  if (strcmp(code, "I_REHEARSED") == 0) cli_waiting_at(&waiting, ++rehearsed);
}

static fcps_status run_forecast(cli_request *r, int argc, char **argv)
{
  int64_t robots = 1;
  (void)argc, (void)argv;
  (void)fcps_json_integer(fcps_json_get(r->json, "parallel"), &robots);
  cli_waiting_begin(&waiting, "worlds", FCPS_OPERATION_WORLDS * (robots > 1 ? 2 : 1));
  cli_log_listen(hear);
  const fcps_status status = cli_operation_do(r, NULL);
  cli_waiting_end(&waiting);
  return status;
}

const cli_special cli_study_forecast = {"forecast", NULL, NULL, run_forecast};

/* -- Explain -- */

static int compare_shares(const void *a, const void *b)
{
  const double x = **(const double *const *)a, y = **(const double *const *)b;
  return (x < y) - (x > y);
}

/* Prints shares as "speed 62 %  tilt 31 %", the largest first. */
static void print_shares(const fcps_json *shares)
{
  enum { MOST = 64 };
  double values[MOST];
  const double *order[MOST];
  const int all = fcps_json_count(shares), count = all < MOST ? all : MOST;
  for (int i = 0; i < count; i++) {
    values[i] = number_of(shares, fcps_json_key(shares, i));
    order[i] = values + i;
  }
  qsort(order, (size_t)count, sizeof *order, compare_shares);
  for (int i = 0; i < count; i++)
    printf("%s%s %.0f %%", i > 0 ? "  " : "", cli_shown(fcps_json_key(shares, (int)(order[i] - values))),
           100.0 * fmin(*order[i], 1.0));
  printf("\n");
}

static double item(const fcps_json *list, int index)
{
  double value = NAN;
  return fcps_json_number(fcps_json_at(list, index), &value) ? value : NAN;
}

/* Writes an item of a list, which is a number or a word, as text. */
static const char *show_item(const fcps_json *list, int index, char text[FCPS_NUMBER_SIZE])
{
  const char *word = fcps_json_text(fcps_json_at(list, index));
  return word != NULL ? cli_shown(word) : show(item(list, index), text);
}

static bool is_word(const fcps_json *list, int index)
{
  return fcps_json_text(fcps_json_at(list, index)) != NULL;
}

/* Prints how a number changes along a line: "2.1 to 7.9", "2.1 to 7.9 if it applies", or "does not apply". */
static void print_ends(const fcps_json *values)
{
  char ends[2][FCPS_NUMBER_SIZE];
  const int count = fcps_json_count(values);
  int known = 0;
  for (int i = 0; i < count; i++)
    if (isfinite(item(values, i))) show(item(values, i), ends[known++ > 0]);
  if (known == 0)
    printf(" does not apply");
  else
    printf(" %s to %s%s", ends[0], ends[known > 1], known == count ? "" : " if it applies");
}

/* Prints how a value changes along a line: "2.1 to 7.9" for numbers, "soft then hard" for words. If the line goes from
 * word to word, all values are printed: "soft, soft, hard". */
static void print_course(const fcps_json *values, bool is_along_words)
{
  const int count = fcps_json_count(values);
  char number[FCPS_NUMBER_SIZE];
  bool has_words = is_along_words;
  for (int i = 0; i < count; i++)
    has_words = has_words || is_word(values, i);
  if (!has_words) print_ends(values);
  for (int i = 0; i < count && has_words; i++) {
    /* A parameter that does not apply has no value. */
    const char *word = fcps_json_text(fcps_json_at(values, i)),
               *before = i > 0 ? fcps_json_text(fcps_json_at(values, i - 1)) : NULL;
    const bool is_same =
        (word == NULL && before == NULL) || (word != NULL && before != NULL && strcmp(word, before) == 0);
    if (is_along_words || i == 0 || !is_same)
      printf("%s %s", i == 0 ? "" : is_along_words ? "," : " then", show_item(values, i, number));
  }
}

/* Prints how the best parameters change along a dimension of the context, as in "speed 2.1 to 7.9". */
static void print_choices(const fcps_json *choices)
{
  for (int i = 0; i < fcps_json_count(choices); i++) {
    const fcps_json *line = fcps_json_at(choices, i), *parameters = fcps_json_get(line, "parameters"),
                    *along = fcps_json_get(line, "values");
    const bool are_words = is_word(along, 0);
    printf("%-18s along %s%s", i == 0 ? "best parameters" : "", text_of(line, "dimension"), are_words ? "" : " from");
    print_course(along, are_words);
    printf(":");
    for (int p = 0; p < fcps_json_count(parameters); p++) {
      const char *name = fcps_json_key(parameters, p);
      printf("%s %s", p == 0 ? "" : are_words ? ";" : ",", cli_shown(name));
      print_course(fcps_json_get(parameters, name), are_words);
    }
    printf("\n");
  }
}

static void print_calibration(const fcps_json *check)
{
  const fcps_json *outputs = fcps_json_get(check, "outputs");
  for (int i = 0; i < fcps_json_count(outputs); i++) {
    const fcps_json *o = fcps_json_at(outputs, i);
    printf("%-18s %s: %lld of %lld results lie within the 95 %% intervals that the others predict\n",
           i == 0 ? "calibration" : "", text_of(o, "name"), (long long)fcps_json_get_integer(o, "covered", 0),
           (long long)fcps_json_get_integer(o, "predicted", 0));
  }
}

void cli_explain_print(const cli_request *r, const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "sensitivity");
  (void)r;
  print_sentence(answer);
  if (fcps_json_get(answer, "never_varied") != NULL)
    printf("%-18s %s: the influence is unknown\n", "never varied", text_of(answer, "never_varied"));
  if (fcps_json_count(list) == 0) return;
  printf("%-18s the share of the variation over all ranges that each causes, alone or with others\n", "what matters");
  for (int i = 0; i < fcps_json_count(list); i++) {
    printf("%-18s ", text_of(fcps_json_at(list, i), "output"));
    print_shares(fcps_json_get(fcps_json_at(list, i), "total"));
  }
  print_choices(fcps_json_get(answer, "choices"));
  print_calibration(fcps_json_get(answer, "calibration"));
}

/* -- The figure -- */

enum { PANELS_MAX = 24 };
static const double half_of_band = 1.2815515655446004; /* The middle 8 of 10 trials lie within this many deviations. */

static void write_label(const fcps_json *answer, const char *name, size_t size, char *label)
{
  const char *unit = fcps_json_get_text(fcps_json_get(answer, "units"), name, "");
  snprintf(label, size, *unit != '\0' ? "%.60s [%.40s]" : "%.60s", name, unit);
}

/* The place of a word on an axis; a new word is added. NaN if there is no room. */
static double place_word(fcps_slice_axis *axis, const char *word)
{
  int at = 0;
  while (at < axis->word_count && strcmp(axis->words[at], word) != 0)
    at++;
  if (at == FCPS_SLICE_WORDS) return NAN;
  if (at == axis->word_count) axis->words[axis->word_count++] = word;
  return at;
}

/* Copies `count` numbers of a list, each multiplied by `factor`, to `*room`, and moves `*room` behind them; NULL
 * without a list. A word becomes its place on the axis. */
static const double *take(const fcps_json *list, int count, double factor, fcps_slice_axis *axis, double **room)
{
  double *values = *room;
  if (list == NULL) return NULL;
  for (int i = 0; i < count; i++) {
    const char *word = fcps_json_text(fcps_json_at(list, i));
    values[i] = word != NULL ? place_word(axis, word) : factor * item(list, i);
  }
  *room += count;
  return values;
}

/* Sets up the axis of a dimension. The words of the dimension keep their order. */
static void begin_axis(const fcps_json *answer, const char *name, fcps_slice_axis *axis)
{
  const fcps_json *slices = fcps_json_get(answer, "slices");
  write_label(answer, name, sizeof axis->label, axis->label);
  for (int i = 0; i < fcps_json_count(slices); i++) {
    const fcps_json *s = fcps_json_at(slices, i), *values = fcps_json_get(s, "values");
    if (strcmp(fcps_json_get_text(s, "dimension", ""), name) != 0) continue;
    for (int k = 0; k < fcps_json_count(values) && fcps_json_text(fcps_json_at(values, k)) != NULL; k++)
      (void)place_word(axis, fcps_json_text(fcps_json_at(values, k)));
  }
}

static int add_slices(const fcps_json *answer, fcps_slice_panel *panels, double **room)
{
  const fcps_json *slices = fcps_json_get(answer, "slices");
  int count = 0;
  for (int i = 0; i < fcps_json_count(slices) && count < PANELS_MAX; i++) {
    const fcps_json *s = fcps_json_at(slices, i);
    fcps_slice_panel *p = panels + count++;
    const char *name = fcps_json_get_text(s, "dimension", "");
    p->count = fcps_json_count(fcps_json_get(s, "values"));
    snprintf(p->title, sizeof p->title, "reward along %.60s", name);
    begin_axis(answer, name, &p->x);
    snprintf(p->y.label, sizeof p->y.label, "reward");
    p->xs = take(fcps_json_get(s, "values"), p->count, 1.0, &p->x, room);
    p->ys = take(fcps_json_get(s, "rewards"), p->count, 1.0, &p->y, room);
    p->half_widths = take(fcps_json_get(s, "deviations"), p->count, half_of_band, &p->y, room);
    p->averages = take(fcps_json_get(s, "averages"), p->count, 1.0, &p->y, room);
  }
  return count;
}

static int add_choices(const fcps_json *answer, int count, fcps_slice_panel *panels, double **room)
{
  const fcps_json *choices = fcps_json_get(answer, "choices");
  for (int i = 0; i < fcps_json_count(choices); i++) {
    const fcps_json *line = fcps_json_at(choices, i), *parameters = fcps_json_get(line, "parameters");
    const char *along = fcps_json_get_text(line, "dimension", "");
    for (int k = 0; k < fcps_json_count(parameters) && count < PANELS_MAX; k++) {
      fcps_slice_panel *p = panels + count++;
      const char *name = fcps_json_key(parameters, k);
      p->count = fcps_json_count(fcps_json_get(line, "values"));
      snprintf(p->title, sizeof p->title, "best %.40s along %.40s", name, along);
      begin_axis(answer, along, &p->x);
      begin_axis(answer, name, &p->y);
      p->xs = take(fcps_json_get(line, "values"), p->count, 1.0, &p->x, room);
      p->ys = take(fcps_json_get(parameters, name), p->count, 1.0, &p->y, room);
    }
  }
  return count;
}

static fcps_status draw(const char *path, const fcps_json *answer, fcps_error *error)
{
  enum { POINTS_MAX = 64 };
  fcps_slice_panel *panels = fcps_allocate(PANELS_MAX, sizeof *panels);
  double *numbers = fcps_allocate((size_t)PANELS_MAX * 4 * POINTS_MAX, sizeof *numbers), *room = numbers;
  fcps_status status = FCPS_ERR_MEMORY;
  if (panels != NULL && numbers != NULL) {
    const int count = add_choices(answer, add_slices(answer, panels, &room), panels, &room);
    status = fcps_report_slices_draw(
        path,
        "what the model expects, with the band of 8 of 10 cases; dashed, or circles: mean over all other dimensions",
        count, panels, error);
  }
  free(panels);
  free(numbers);
  return status;
}

static fcps_status run_explain(cli_request *r, int argc, char **argv)
{
  fcps_door_answer answer = {0};
  (void)argc, (void)argv;
  fcps_status status = r->figure != NULL ? fcps_gnuplot_check_path(r->figure, &r->error) : FCPS_OK;
  if (status == FCPS_OK) status = cli_open_door(&r->door, r->path, NULL, &r->error);
  if (status == FCPS_OK) status = cli_door_do(r->door, "explain", r->json, &answer, &r->error);
  if (status == FCPS_OK) status = cli_operation_print(r, &answer);
  if (status == FCPS_OK && r->figure != NULL) status = draw(r->figure, answer.json, &r->error);
  fcps_door_answer_destroy(&answer);
  return status;
}

static const cli_argument explain_options[] = {
    {CLI_ARGUMENT_TEXT, "figure", offsetof(cli_request, figure), 'f', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "svg png", .help = "Draw slices and how the best parameters follow the context, as .svg or .png"},
    {0}};

const cli_special cli_study_explain = {"explain", explain_options, NULL, run_explain};
