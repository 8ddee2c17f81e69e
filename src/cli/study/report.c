/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study report`: writes a study as one page that needs no other file, no server and no script. It changes
 * nothing in the study. Every text of the study goes through fcps_html_text, so that no text is read as markup. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/exit.h"
#include "cli/support/map.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "report/html.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <fcps/study_check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct arguments {
  const char *path, *output;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "output", offsetof(arguments, output), 'o', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "html htm", .help = "The page to write, FILE.html"},
    {0}};

static const char doc[] =
    "Writes a study as one page: its state, the learning curve, where the policy is good, how far "
    "the model can be believed, what was changed, and every result. The page needs no other file.\v"
    "Example:\n"
    "  fcps study report throw.fcps -o throw.html\n";

/* The contents of the page. A NULL pointer means that the study does not have this part yet. */
typedef struct report {
  fcps_door *door;
  fcps_study *study;
  const fcps_problem *problem;
  const char *name;
  fcps_wire_tally tally;
  fcps_policy *policy;
  fcps_outlook outlook;
  fcps_study_check *check;
  /* the file into which each figure is drawn before it becomes part of the page; NULL: it cannot be written */
  const char *figure;
} report;

/* -- Gathering -- */

static fcps_status gather(report *r, const char *path, fcps_error *error)
{
  fcps_status status = cli_open_study(&r->door, &r->study, path, error);
  if (status != FCPS_OK) return status;
  /* The call fails without a model. Then no result is a suspect. */
  (void)fcps_study_find_suspects(r->study, NULL, NULL);
  r->problem = fcps_study_problem(r->study);
  const char *name = fcps_study_name(r->study);
  r->name = name != NULL ? name : path;
  status = fcps_wire_tally_create(&r->tally, r->study, error);
  if (status == FCPS_OK && r->tally.reward_count > 0) status = fcps_study_policy(r->study, &r->policy, error);
  if (status == FCPS_OK && r->policy != NULL)
    status = fcps_study_outlook(r->study, r->policy, &r->outlook, NULL, NULL, error);
  if (status == FCPS_OK && r->policy != NULL) /* If the check is not possible, the page has none. */
    (void)fcps_study_check_model(r->study, r->policy, &r->check, NULL);
  r->figure = cli_passing_folder_make(CLI_PASSING_REPORT, "figure.svg");
  return status;
}

static void destroy(report *r)
{
  fcps_study_check_destroy(r->check);
  fcps_policy_destroy(r->policy);
  fcps_wire_tally_destroy(&r->tally);
  fcps_door_close(r->door);
  cli_passing_folder_remove(CLI_PASSING_REPORT);
}

/* -- Figures -- */

typedef fcps_status draw_fn(const report *r, const char *path, fcps_error *error);

static fcps_status draw_study(const report *r, const char *path, fcps_error *error)
{
  return cli_study_figure_draw(r->study, r->policy, 1, &path, error);
}

static fcps_status draw_check(const report *r, const char *path, fcps_error *error)
{
  return cli_check_figure_draw(r->check, path, error);
}

/* Writes a figure with its title. If the figure cannot be drawn, the page says so. */
static void write_figure(FILE *page, const report *r, const char *title, draw_fn *draw)
{
  fprintf(page, "<section><h2>%s</h2>\n<figure>", title);
  if (r->figure != NULL) (void)draw(r, r->figure, NULL);
  fcps_html_picture(page, r->figure != NULL ? r->figure : "", title);
  if (r->figure != NULL) unlink(r->figure);
  fputs("</figure></section>\n", page);
}

/* -- Tables -- */

static void write_cell(FILE *page, const char *text)
{
  fputs("<td>", page);
  fcps_html_text(page, text);
  fputs("</td>", page);
}

static void write_fact(FILE *page, const char *name, const char *text)
{
  fprintf(page, "<tr><th>%s</th>", name);
  write_cell(page, text);
  fputs("</tr>\n", page);
}

static void write_state(FILE *page, const report *r)
{
  const fcps_problem_file *file = fcps_study_file(r->study);
  char text[512];
  fputs("<section><h2>State</h2>\n<table><tbody>\n", page);
  snprintf(text, sizeof text, "%s, seed %llu", fcps_study_learner(r->study),
           (unsigned long long)fcps_study_seed(r->study));
  write_fact(page, "learner", text);
  write_fact(page, "reward", file == NULL ? "that of the task" : file->reward != NULL ? file->reward : "told");
  write_fact(page, "results", cli_counts_text(r->study, sizeof text, text));
  snprintf(text, sizeof text, "%d", r->tally.pending);
  write_fact(page, "unfinished asks", text);
  if (r->tally.costs.trials > 0) {
    snprintf(text, sizeof text, "%.6g so far, mean %.3g a trial", r->tally.costs.spent,
             r->tally.costs.spent / r->tally.costs.trials);
    write_fact(page, "cost", text);
  }
  if (r->tally.reward_count > 0) write_fact(page, "rewards", fcps_wire_earned_text(&r->tally, text));
  const char *lacks = r->policy != NULL ? fcps_wire_policy_lacks(r->policy) : NULL;
  if (lacks != NULL) {
    write_fact(page, "policy", lacks);
  } else if (r->policy != NULL && fcps_policy_predicts_reward(r->policy)) {
    snprintf(text, sizeof text, "predicted reward %.4g \xc2\xb1 %.2g, mean over %d contexts", r->outlook.reward,
             r->outlook.deviation, r->outlook.contexts - r->outlook.without_value);
    write_fact(page, "policy", text);
    write_fact(page, "going on", fcps_wire_going_on_text(r->study, &r->outlook, text));
  }
  if (fcps_study_complain(r->study, sizeof text, text)) write_fact(page, "trouble", text);
  fputs("</tbody></table></section>\n", page);
}

static void write_names(FILE *page, const fcps_space *space)
{
  for (int i = 0; i < space->count; i++) {
    fputs("<th>", page);
    fcps_html_text(page, space->dims[i].name);
    if (space->dims[i].unit != NULL) {
      fputs("<br><small>", page);
      fcps_html_text(page, space->dims[i].unit);
      fputs("</small>", page);
    }
    fputs("</th>", page);
  }
}

/* Writes a number, or an empty cell if `value` is NULL. */
static void write_number(FILE *page, const double *value)
{
  if (value != NULL)
    fprintf(page, "<td>%.4g</td>", *value + 0.0);
  else
    fputs("<td>\xe2\x80\x93</td>", page);
}

/* Writes numbers, and words for dimensions with choices. The cell of a parameter that does not apply has a dash. */
static void write_numbers(FILE *page, const fcps_space *space, const double *values)
{
  for (int i = 0; i < space->count; i++) {
    const bool applies = values != NULL && !(isnan(values[i]) && space->dims[i].when != NULL);
    const char *word = applies ? fcps_dimension_word(space->dims + i, values[i]) : NULL;
    if (word != NULL)
      write_cell(page, word);
    else
      write_number(page, applies ? values + i : NULL);
  }
}

/* Writes only the beginning of a message. Older studies may contain whole logs, which would make the page slow. */
static void write_message(FILE *page, const char *message)
{
  enum { SHOWN = 4096 };
  char beginning[SHOWN + 1];
  const size_t length = strlen(message);
  size_t shown = length < SHOWN ? length : SHOWN;
  while (shown > 0 && shown < length && ((unsigned char)message[shown] & 0xC0) == 0x80) /* within a character */
    shown--;
  snprintf(beginning, sizeof beginning, "%.*s", (int)shown, message);
  fcps_html_text(page, beginning);
  if (shown < length) fprintf(page, "... (%zu bytes)", length);
}

static void write_notes(FILE *page, const report *r, const fcps_stored_result *stored)
{
  char text[FCPS_SURPRISE_SIZE];
  fputs("<td class=\"source\">", page);
  if (!stored->is_used) fputs("not used. ", page);
  if (stored->is_suspect) {
    fcps_study_surprise_text(r->study, stored, text);
    fputs("<b>suspect</b>: ", page);
    fcps_html_text(page, text);
    fputs(". ", page);
  }
  if (stored->result.rollout.is_confirmed) fputs("confirmed. ", page);
  fcps_html_text(page, stored->result.client);
  fputs(*stored->result.client != '\0' && *stored->result.message != '\0' ? ": " : "", page);
  write_message(page, stored->result.message);
  fputs("</td>", page);
}

static void write_results(FILE *page, const report *r)
{
  const fcps_problem *p = r->problem;
  fputs("<section><h2>Results</h2>\n<table class=\"numbers\"><thead><tr><th>ask</th><th>status</th>", page);
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  for (int s = 0; s < 4; s++)
    write_names(page, spaces[s]);
  fputs("<th>reward</th><th>notes</th></tr></thead><tbody>\n", page);
  for (int i = 0; i < fcps_study_result_count(r->study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(r->study, i, &stored);
    const fcps_rollout *rollout = &stored.result.rollout;
    double shown[FCPS_SPACE_MAX];
    const double *const values[] = {
        rollout->target, rollout->environment,
        fcps_wire_shown(p, rollout->target, rollout->environment, rollout->parameters, shown), rollout->outcome};
    fprintf(page, "<tr%s><th>", stored.is_used ? "" : " class=\"paper\"");
    if (stored.ask != FCPS_NOT_ASKED) fprintf(page, "%lld", (long long)stored.ask);
    fputs("</th>", page);
    write_cell(page, fcps_rollout_ending_text(p, rollout));
    for (int s = 0; s < 4; s++)
      write_numbers(page, spaces[s], values[s]);
    write_number(page, isfinite(rollout->reward) ? &rollout->reward : NULL);
    write_notes(page, r, &stored);
    fputs("</tr>\n", page);
  }
  fputs("</tbody></table></section>\n", page);
}

/* -- Recipes: the best parameters for a dozen contexts -- */

enum { RECIPES = 12 };

/* Spreads contexts over a space: evenly along one dimension; along several by multiples of powers of a golden ratio. */
static void lay_out(const fcps_space *space, double *rows)
{
  double ratio = 1.0;
  for (int i = 0; i < 32; i++)
    ratio = pow(1.0 + ratio, 1.0 / (space->count + 1.0));
  for (int i = 0; i < RECIPES; i++)
    for (int d = 0; d < space->count; d++)
      rows[i * space->count + d] = fcps_dimension_at(
          space->dims + d, space->count == 1 ? i / (RECIPES - 1.0) : fmod(0.5 + (i + 1) * pow(ratio, -(d + 1.0)), 1.0));
}

static void write_recipe_rows(FILE *page, const report *r, const cli_points *points, const double *rewards,
                              const double *deviations)
{
  const fcps_problem *p = r->problem;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  const double *const values[] = {points->target, points->environment, points->parameters};
  for (int i = 0; i < RECIPES; i++) {
    double shown[FCPS_SPACE_MAX];
    const double *at[3];
    for (int s = 0; s < 3; s++)
      at[s] = values[s] + i * spaces[s]->count;
    at[2] = fcps_wire_shown(p, at[0], at[1], at[2], shown);
    fputs("<tr>", page);
    for (int s = 0; s < 3; s++)
      write_numbers(page, spaces[s], at[s]);
    write_number(page, isfinite(rewards[i]) ? rewards + i : NULL);
    write_number(page, isfinite(deviations[i]) ? deviations + i : NULL);
    fputs("</tr>\n", page);
  }
}

/* Writes the best parameters for targets spread over their space, with the environment in the middle of its ranges. If
 * the problem has no target, the environments are spread instead. */
static void write_recipes(FILE *page, const report *r)
{
  const fcps_problem *p = r->problem;
  double rewards[RECIPES], deviations[RECIPES];
  cli_points points = {0};
  if (p->target.count + p->environment.count == 0 || cli_points_create(&points, p, RECIPES, NULL) != FCPS_OK) return;
  const bool has_target = p->target.count > 0;
  lay_out(has_target ? &p->target : &p->environment, has_target ? points.target : points.environment);
  for (int i = 0; i < RECIPES * p->environment.count && has_target; i++)
    points.environment[i] = fcps_dimension_at(p->environment.dims + i % p->environment.count, 0.5);
  if (fcps_policy_query_batch(r->policy, RECIPES, points.target, points.environment, points.parameters, rewards,
                              deviations) == FCPS_OK) {
    fputs("<section><h2>Recipes</h2>\n<p>The best parameters known for a dozen contexts, and the reward of a trial "
          "with its deviation.</p>\n<table class=\"numbers recipes\"><thead><tr>",
          page);
    write_names(page, &p->target);
    write_names(page, &p->environment);
    write_names(page, &p->parameters);
    fputs("<th>reward</th><th>\xc2\xb1</th></tr></thead><tbody>\n", page);
    write_recipe_rows(page, r, &points, rewards, deviations);
    fputs("</tbody></table></section>\n", page);
  }
  cli_points_destroy(&points);
}

static void write_events(FILE *page, const report *r)
{
  const fcps_study_event *event;
  if (fcps_study_event_at(r->study, 0) == NULL) return;
  fputs("<section><h2>What was changed and noted</h2>\n<table><tbody>\n", page);
  for (int i = 0; (event = fcps_study_event_at(r->study, i)) != NULL; i++) {
    fputs("<tr>", page);
    write_cell(page, event->code);
    write_cell(page, event->text);
    fputs("</tr>\n", page);
  }
  fputs("</tbody></table></section>\n", page);
}

/* -- The page -- */

static void write_page(FILE *page, const report *r)
{
  fprintf(page,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "img-src data:\">\n<style>\n%s</style>\n<title>",
          fcps_page_style);
  fcps_html_text(page, r->name);
  fputs("</title>\n</head>\n<body>\n<header><h1>", page);
  fcps_html_text(page, r->name);
  fputs("</h1><p class=\"lead\">what was learnt, and the results behind it</p></header>\n<main>\n", page);
  write_state(page, r);
  if (r->policy != NULL) write_figure(page, r, "Where the policy is good, and the learning curve", draw_study);
  if (r->check != NULL) write_figure(page, r, "Each result, predicted from all others", draw_check);
  if (r->policy != NULL) write_recipes(page, r);
  write_events(page, r);
  write_results(page, r);
  fprintf(page, "</main>\n<footer>fcps %s</footer>\n</body>\n</html>\n", fcps_version());
}

int cli_study_report(int argc, char **argv)
{
  arguments a = {0};
  report r = {0};
  fcps_draft *draft = NULL;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && (a.output == NULL || !fcps_file_ends_with(a.output, ".html")))
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--output", "give the page a name: -o FILE.html");
  if (status == FCPS_OK) status = gather(&r, a.path, &a.error);
  if (status == FCPS_OK) status = fcps_draft_open(&draft, a.output, &a.error);
  if (status == FCPS_OK) {
    write_page(fcps_draft_stream(draft), &r);
    status = fcps_draft_finish(draft, FCPS_OK, &a.error);
  }
  if (status == FCPS_OK) printf("wrote %s\n", a.output);
  destroy(&r);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
