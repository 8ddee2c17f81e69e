/* SPDX-License-Identifier: Apache-2.0 */
/* Our mean of n seeds has the standard error s/sqrt(n), the paper's that of its ten runs; those of the difference add up
 * as squares. */
#include "lab/report/read/baselines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAPER_RUNS = 10 };

static void add_words(size_t size, char *text, const char *words)
{
  const size_t length = strlen(text);
  if (length < size) snprintf(text + length, size - length, "%s%s", length > 0 ? "; " : "", words);
}

/* Whether two rows are the same learner with the same settings on the same task. */
static bool are_same(const fcps_saved_experiment *a, const fcps_json *row_a, const fcps_saved_experiment *b,
                     const fcps_json *row_b)
{
  static const char *const keys[] = {"learner", "settings", "task", "task_settings"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(fcps_saved_experiment_text(row_a, keys[i]), fcps_saved_experiment_text(row_b, keys[i])) != 0)
      return false;
  return strcmp(fcps_saved_experiment_text(a->summary, "task"), fcps_saved_experiment_text(b->summary, "task")) == 0;
}

/* Says where a row with the paper's numbers differs from them. */
static void say_row(const fcps_saved_experiment *saved, const fcps_json *row, size_t size, char *text)
{
  const double seeds = (double)fcps_saved_experiment_integer(saved->summary, "seed_count");
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
    const double se = mark.sd / sqrt(seeds), paper_se = mark.paper_sd / sqrt(PAPER_RUNS);
    const double difference = mark.mean - mark.paper_mean;
    char words[256], ours[64], paper[64];
    if (!(fabs(difference) > 2.0 * hypot(se, paper_se))) continue; /* NaN: the paper has no number */
    snprintf(words, sizeof words, "%s is %s than the paper's: %s after %.0f episodes, the paper %s",
             fcps_saved_experiment_text(row, "title"), difference > 0 ? "stronger" : "weaker",
             fcps_saved_experiment_number(mark.mean, se, sizeof ours, ours), mark.episode,
             fcps_saved_experiment_number(mark.paper_mean, paper_se, sizeof paper, paper));
    add_words(size, text, words);
  }
}

/* Says it of the first row in any experiment that is the same and has the paper's numbers. */
static void say_same(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, const fcps_json *row,
                     size_t size, char *text)
{
  for (size_t i = 0; i < all->count; i++) {
    const fcps_saved_experiment *other = &all->items[i];
    const fcps_json *found;
    for (int j = 0; (found = fcps_saved_experiment_row(other, j)) != NULL; j++) {
      if (!fcps_saved_experiment_has_paper(found) || !are_same(saved, row, other, found)) continue;
      say_row(other, found, size, text);
      return;
    }
  }
}

char *fcps_baselines_say(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim, size_t size,
                         char *text)
{
  const char *labels = strchr(fcps_saved_experiment_claim(saved, claim, "rows"), ' ');
  text[0] = '\0';
  while (labels != NULL) { /* " bo-cps c-reps": all but the first */
    char label[128];
    const char *end = strchr(++labels, ' ');
    snprintf(label, sizeof label, "%.*s", (int)(end != NULL ? (size_t)(end - labels) : strlen(labels)), labels);
    const fcps_json *row = fcps_saved_experiment_row_labelled(saved, label);
    if (row != NULL) say_same(all, saved, row, size, text);
    labels = end;
  }
  return text;
}
