/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and prints the values of a problem, and prints texts and counts. Errors name the option and list the possible names. */
#include "cli/support/values.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/text.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- Room -- */

static double *rows_of(const fcps_space *space, int rows)
{
  return fcps_allocate((size_t)rows * (size_t)space->count, sizeof(double));
}

fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error)
{
  *points = (cli_points){.target = rows_of(&problem->target, rows),
                         .environment = rows_of(&problem->environment, rows),
                         .parameters = rows_of(&problem->parameters, rows),
                         .outcome = rows_of(&problem->outcome, rows)};
  if (points->target != NULL && points->environment != NULL && points->parameters != NULL && points->outcome != NULL)
    return FCPS_OK;
  cli_points_destroy(points);
  return fcps_error_memory(error);
}

void cli_points_destroy(cli_points *points)
{
  free(points->target);
  free(points->environment);
  free(points->parameters);
  free(points->outcome);
  *points = (cli_points){0};
}

/* -- By name -- */

static int find_dimension(const fcps_space *space, const char *name)
{
  for (int i = 0; i < space->count; i++)
    if (strcmp(space->dims[i].name, name) == 0) return i;
  return -1;
}

/* Returns the other space to which a name belongs; NULL if no space has it. */
static const char *find_elsewhere(const fcps_problem *p, const char *name)
{
  if (find_dimension(&p->target, name) >= 0) return "a target: give it with --target";
  if (find_dimension(&p->environment, name) >= 0) return "an environment: give it with --environment";
  if (find_dimension(&p->parameters, name) >= 0) return "a parameter";
  return find_dimension(&p->outcome, name) >= 0 ? "an outcome, which is told with --outcome" : NULL;
}

static fcps_status unknown_name(const fcps_problem *problem, const fcps_space *space, const char *option,
                                const char *name, fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX], *elsewhere = find_elsewhere(problem, name);
  char hint[300];
  if (elsewhere != NULL) return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "\"%s\" is %s", name, elsewhere);
  if (space->count == 0)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "this problem has no such dimension; leave out %s",
                          option);
  for (int i = 0; i < space->count; i++)
    names[i] = space->dims[i].name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "there is no \"%s\"; %s", name,
                        fcps_name_hint(name, space->count, names, sizeof hint, hint));
}

/* Makes the error about a missing name. It shows how all names are given. */
static fcps_status missing_name(const fcps_space *space, const char *option, int index, fcps_error *error)
{
  char all[300] = "";
  for (int i = 0; i < space->count; i++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s=%s", i ? "," : "", space->dims[i].name,
             space->dims[i].choices != NULL ? "WORD" : "NUMBER");
  }
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s is missing; give %s %s", space->dims[index].name, option,
                        all);
}

/* Reads one "name=value", the first `length` characters of `text`. */
static fcps_status read_pair(const char *option, const char *text, size_t length, fcps_json **numbers,
                             fcps_error *error)
{
  char pair[FCPS_NAME_MAX + FCPS_WORD_MAX + 2];
  double value = 0;
  if (length >= sizeof pair) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "a value is too long");
  memcpy(pair, text, length);
  pair[length] = '\0';
  char *equals = strchr(pair, '=');
  if (equals == NULL && pair[0] >= '0' && pair[0] <= '9' && pair[strspn(pair, "0123456789eE+-")] == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                          "\"%s\" is not NAME=NUMBER; a comma separates two values, so write decimals with a point, as "
                          "in 3.5",
                          pair);
  if (equals == NULL) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=VALUE", pair);
  *equals = '\0';
  if (fcps_json_get(*numbers, pair) != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is given twice", pair);
  /* If the value is not a plain number, it has a unit, which only the dimension can read. */
  const bool is_number = fcps_number_read(equals + 1, &value);
  fcps_json_put(numbers, pair, is_number ? fcps_json_from_number(value) : fcps_json_from_text(equals + 1));
  return FCPS_OK;
}

fcps_status cli_numbers_read(const char *option, const char *text, fcps_json **value, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  *value = fcps_json_object();
  for (const char *rest = text; *rest != '\0' && status == FCPS_OK;) {
    rest += strspn(rest, " ");
    const size_t length = strcspn(rest, ",");
    status = read_pair(option, rest, length, value, error);
    rest += length + (rest[length] == ',');
  }
  return status;
}

fcps_status cli_values_read(const fcps_problem *problem, const fcps_space *space, const char *option, const char *text,
                            bool is_complete, double *values, fcps_error *error)
{
  fcps_json *numbers = NULL;
  fcps_status status = cli_numbers_read(option, text != NULL ? text : "", &numbers, error);
  for (int i = 0; i < fcps_json_count(numbers) && status == FCPS_OK; i++)
    if (find_dimension(space, fcps_json_key(numbers, i)) < 0)
      status = unknown_name(problem, space, option, fcps_json_key(numbers, i), error);
  for (int i = 0; i < space->count && status == FCPS_OK; i++) {
    const fcps_json *number = fcps_json_get(numbers, space->dims[i].name);
    if (is_complete && number == NULL) status = missing_name(space, option, i, error);
    if (!fcps_json_number(number, &values[i]) && fcps_json_text(number) != NULL)
      status = fcps_wire_number_read(&space->dims[i], fcps_json_text(number), option, &values[i], error);
  }
  fcps_json_destroy(numbers);
  return status;
}

/* Prints a value. People see four digits; only a setting with steps is printed exactly. */
static void print_value(FILE *stream, const char *name, double value, bool is_exact, const char *unit)
{
  char number[FCPS_NUMBER_SIZE];
  fprintf(stream, "%s=%s%s%s", cli_shown(name),
          is_exact ? fcps_number_write(cli_values_plain(value), number) : fcps_number_show(value, number),
          unit != NULL ? " " : "", unit != NULL ? cli_shown(unit) : "");
}

static void print_word(FILE *stream, const char *name, const char *word)
{
  fprintf(stream, "%s=", cli_shown(name));
  fputs(cli_shown(word), stream);
}

void cli_values_print(FILE *stream, const fcps_space *space, const double *values)
{
  if (!space->count || values == NULL) fputc('-', stream);
  const char *between = "";
  for (int i = 0; values != NULL && i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    if (dim->when != NULL && isnan(values[i])) continue;
    fputs(between, stream);
    between = "  ";
    const char *word = fcps_dimension_word(dim, values[i]);
    if (word != NULL)
      print_word(stream, dim->name, word);
    else
      print_value(stream, dim->name, values[i], dim->step > 0 || dim->scale == FCPS_SCALE_INTEGER, dim->unit);
  }
}

void cli_parameters_print(FILE *stream, const fcps_problem *problem, const double *target, const double *environment,
                          const double *parameters)
{
  double shown[FCPS_SPACE_MAX];
  cli_values_print(stream, &problem->parameters, fcps_wire_shown(problem, target, environment, parameters, shown));
}

void cli_numbers_print(FILE *stream, const fcps_json *numbers, const fcps_json *beside)
{
  const fcps_json *units = fcps_json_get(beside, "units"), *steps = fcps_json_get(beside, "steps");
  if (fcps_json_count(numbers) == 0) fputc('-', stream);
  for (int i = 0; i < fcps_json_count(numbers); i++) {
    const char *name = fcps_json_key(numbers, i);
    double value = NAN;
    const bool is_number = fcps_json_number(fcps_json_get(numbers, name), &value);
    const char *word = fcps_json_text(fcps_json_get(numbers, name));
    if (i > 0) fputs("  ", stream);
    if (!is_number && word != NULL)
      print_word(stream, name, word);
    else
      print_value(stream, name, value, fcps_json_get(steps, name) != NULL, fcps_json_text(fcps_json_get(units, name)));
  }
}

int cli_values_level(double value, double least, double most, int count)
{
  /* The difference of very large numbers overflows; then half of each number is used. The smallest numbers are compared
   * as they are, because halving would lose them. */
  const double scale = isinf(most - least) ? 0.5 : 1.0;
  const double range = scale * most - scale * least, share = (scale * value - scale * least) / range;
  if (!(range > 0) || !(share > 0)) return 0;
  return share < 1 ? (int)(share * (count - 0.001)) : count - 1;
}

/* -- The answer of a policy -- */

/* As long as the model has too few results, programs get its numbers with a flag, and people see words in their
 * place. */

/* Prints a chance, unless it is 1. */
static void print_chance(const char *what, double chance)
{
  if (chance < 1.0) printf("\n%-13s with chance %.2f", what, chance);
}

static void print_part(const char *label, const fcps_json *answer, const char *key)
{
  printf("%s", label);
  cli_numbers_print(stdout, fcps_json_get(answer, key), answer);
}

static void print_reward(const fcps_json *answer, int lacking, bool may_go_wrong)
{
  const double reward = fcps_json_get_number(answer, "predicted_reward", NAN);
  const char *lacks = fcps_json_text(fcps_json_get(answer, "lacks"));
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  if (isnan(reward)) {
    printf("\nreward       %s",
           lacks != NULL ? cli_shown(lacks) : "none: the reward has no value for the expected outcome");
    return;
  }
  if (lacking > 0) {
    printf("\nreward       too few results to predict it: %d more %s needed", lacking, lacking == 1 ? "is" : "are");
    return;
  }
  printf("\nreward       %s +- %s%s", fcps_number_show(reward, mean),
         fcps_number_show(fcps_json_get_number(answer, "predicted_reward_sd", NAN), deviation),
         may_go_wrong ? " (with what may go wrong)" : "");
  if (may_go_wrong)
    printf("\n  ends well  %s +- %s if it does",
           fcps_number_show(fcps_json_get_number(answer, "success_reward", NAN), mean),
           fcps_number_show(fcps_json_get_number(answer, "success_reward_sd", NAN), deviation));
}

void cli_query_print(const fcps_json *answer)
{
  const double success = fcps_json_get_number(answer, "chance_of_success", NAN),
               outcome = fcps_json_get_number(answer, "chance_of_outcome", NAN);
  const int64_t lacking = fcps_json_get_integer(answer, "lacking_results", 0);
  const char *before = "";
  for (int i = 0; i < 3; i++) {
    static const char *const parts[] = {"target", "environment", "parameters"};
    if (fcps_json_count(fcps_json_get(answer, parts[i])) == 0) continue;
    printf("%s%-12s ", before, parts[i]);
    cli_numbers_print(stdout, fcps_json_get(answer, parts[i]), answer);
    before = "\n";
  }
  if (fcps_json_get(answer, "predicted_reward") != NULL)
    print_reward(answer, (int)lacking, success < 1.0 || outcome < 1.0);
  print_chance("does not fail", success);
  print_chance("has outcome", outcome);
  if (fcps_json_get(answer, "predicted_outcome") != NULL) {
    print_part("\noutcome      ", answer, "predicted_outcome");
    if (lacking == 0) print_part("\n  deviation  ", answer, "predicted_outcome_sd");
  }
  const fcps_json *limits = fcps_json_get(answer, "limits");
  for (int k = 0; k < fcps_json_count(limits); k++)
    printf("\n%-12s %s with chance %.3f", k == 0 ? "keeps" : "", cli_shown(fcps_json_key(limits, k)),
           fcps_json_get_number(limits, fcps_json_key(limits, k), NAN));
  printf("\n");
}

/* -- Texts --
 *
 * The functions use several buffers in turn, so that one call of printf can show several texts. Only the thread that
 * prints may call them. */

enum { ROOMS = 8, ROOM = 4096 };

static char *next_room(void)
{
  static char rooms[ROOMS][ROOM];
  static int next;
  next = (next + 1) % ROOMS;
  return rooms[next];
}

const char *cli_shown(const char *text)
{
  return fcps_shown_line(text, ROOM, next_room());
}

const char *cli_shown_word(const char *text)
{
  return fcps_shell_word(cli_shown(text), ROOM, next_room());
}

/* -- Whole outputs -- */

static bool is_terminal(void)
{
  return isatty(STDOUT_FILENO) == 1;
}

/* Writes a text with control characters made visible. In a table, a line end between quotes belongs to its cell and is
 * made visible, too. */
static void write_visible(const char *text, size_t length, bool is_table)
{
  bool is_quoted = false;
  for (size_t at = 0, size; at < length; at += size) {
    const size_t bytes = fcps_utf8_length(text + at);
    char one[5] = "";
    size = bytes > 0 ? bytes : 1;
    memcpy(one, text + at, size);
    is_quoted ^= is_table && *one == '"';
    if (*one == '\t' || (*one == '\n' && !is_quoted))
      putchar(*one);
    else if (*one == '\0')
      fputs("\\x00", stdout);
    else
      fcps_shown_write(stdout, one);
  }
}

void cli_shown_print(const char *text, size_t length, bool is_table)
{
  if (is_terminal())
    write_visible(text, length, is_table);
  else
    fwrite(text, 1, length, stdout);
}

void cli_shown_output_open(cli_shown_output *output)
{
  *output = (cli_shown_output){0};
  output->stream = is_terminal() ? open_memstream(&output->text, &output->length) : stdout;
}

fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error)
{
  const bool is_kept = output->stream != stdout;
  if (output->stream == NULL || (is_kept && fclose(output->stream) != 0)) status = fcps_error_memory(error);
  if (is_kept && status == FCPS_OK) cli_shown_print(output->text, output->length, true);
  free(output->text);
  return status;
}

/* -- JSON -- */

/* The line is first built in memory, so that it is printed whole or not at all. */

fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error)
{
  char *text = fcps_json_finish(json);
  if (text == NULL) return fcps_error_memory(error);
  if (stream == stdout)
    cli_shown_print(text, strlen(text), false);
  else
    fputs(text, stream);
  fputc('\n', stream);
  fcps_free(text);
  return FCPS_OK;
}

/* -- Counts of results, and the names of results with a finding -- */

char *cli_counts_text(const fcps_study *study, size_t size, char *text)
{
  fcps_study_counts c;
  fcps_study_count(study, &c);
  snprintf(text, size, "%d result%s: %d with an outcome, %d without, %d failed", c.results, c.results == 1 ? "" : "s",
           c.with_outcome, c.without_outcome, c.failed);
  return text;
}

void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding)
{
  char names[4000];
  fputs(fcps_wire_names_text(study, finding, sizeof names, names), stream);
}

/* -- Suspects -- */

void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path)
{
  int in_other_unit = 0;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    char text[FCPS_SURPRISE_SIZE], name[FCPS_WIRE_RESULT_NAME_SIZE];
    fcps_study_result_at(study, i, &stored);
    if (!stored.is_suspect) continue;
    if (stored.is_in_other_unit) {
      in_other_unit++;
      continue;
    }
    fcps_study_surprise_text(study, &stored, text);
    fcps_wire_result_name(&stored, name);
    fprintf(stream, "%s%s: %s; it hardly counts. A typo? ", label, name, cli_shown(text));
    if (path != NULL)
      fprintf(stream, "fcps study amend %s --drop %s, or --confirm %s\n", cli_shown_word(path), name, name);
    else
      fprintf(stream, "It could be amended in a study with a file (--store FILE.fcps)\n");
  }
  if (in_other_unit > 0)
    fprintf(stream, "%s%d results that seem to be in another unit hardly count: see W_UNIT\n", label, in_other_unit);
}
