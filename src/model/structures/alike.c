/* SPDX-License-Identifier: Apache-2.0 */
/* Members of one kind, such as machines, batches or days: the words of a dimension with `alike: true`. From the start
 * gps.c makes the distances between these words small, and a length-scale is learnt for them as for any input. So a new
 * member profits from the results of all others. This structure does not change the model. It only describes to people
 * how the members differ:
 *
 *   the share by which an outcome of a member exceeds that of the others, over the places of all rows: sum d m / sum
 *   m^2, where m is the mean prediction for the others, and d the prediction for the member minus m;
 *
 *   how much a trial of another member counts for this one: the mean kernel correlation at the same place. */
#include "model/description.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 60, MOST_MEMBERS = 3 };
/* A difference below this share is not reported. */
static const double least_share = 0.005;

/* A dimension whose words are members of one kind, and the index of its input. */
typedef struct kin {
  const fcps_dimension *dim;
  int input;
} kin;

/* Finds the first dimension with `alike: true` in an embedding whose features begin at `first`. Returns false if there
 * is none. */
static bool find_in(const fcps_embedding *embedding, const fcps_space *space, int coordinates, int first, kin *found)
{
  for (int i = 0; i < coordinates; first += fcps_embedding_width(embedding, i++))
    if (embedding->choices[i] != NULL && embedding->choices[i]->is_alike) {
      *found = (kin){space->dims + i, first};
      return true;
    }
  return false;
}

static bool find_kin(const fcps_layout *layout, kin *found)
{
  const fcps_problem *p = layout->problem;
  return find_in(&layout->context, &p->environment, p->environment.count, 0, found) ||
         find_in(&layout->parameters, &p->parameters, p->parameters.count, layout->context.width, found);
}

static fcps_status begin(const fcps_look *look, fcps_structure *structure)
{
  kin found;
  return look->layout->predicts_outcomes && find_kin(look->layout, &found) ? fcps_structure_mark(structure) : FCPS_OK;
}

static int word_of(const fcps_look *look, const kin *k, int row)
{
  const fcps_gp *gp = look->gps->gp[0];
  return fcps_tables_word(&look->description->tables.of[k->input],
                          gp->inputs[(size_t)k->input * (size_t)gp->capacity + (size_t)row]);
}

/* Writes to predicted[member] the outcomes that the model predicts for `rows` rows as trials of that member. */
static fcps_status predict_members(const fcps_look *look, const kin *k, int rows, double *predicted)
{
  const fcps_layout *layout = look->layout;
  const fcps_gp_norm norm = fcps_description_norm(look->description, layout);
  const int all = look->rollouts->count, outputs = layout->outputs, members = k->dim->choices->count;
  double *y = fcps_allocate((size_t)(all * outputs + layout->features + look->description->inputs), sizeof(double));
  double *features = y + all * outputs, *seen = features + layout->features;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_work work = {0};
  fcps_status status = y == NULL ? FCPS_ERR_MEMORY : FCPS_OK;
  if (status == FCPS_OK) status = fcps_description_outcomes(look->description, layout, look->rollouts, all, y);
  if (status == FCPS_OK) status = fcps_gps_condition(look->gps, norm, all, outputs, y, &conditioned);
  if (status == FCPS_OK) status = fcps_gps_reserve(&work, look->gps, 1);
  for (int m = 0; m < members && status == FCPS_OK; m++)
    for (int i = 0; i < rows; i++, predicted += outputs) {
      const fcps_gp_query query = {.count = 1, .points = seen, .mean = predicted};
      fcps_layout_rollout(layout, look->rollouts, (int)((int64_t)i * all / rows), features);
      features[k->input] = (m + 0.5) / members;
      fcps_description_see(look->description, layout, features, all - 1, seen, NULL);
      fcps_gps_predict(look->gps, &conditioned, &query, &work);
      fcps_description_unsee_outcomes(look->description, layout, features, 1, 1, predicted);
    }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&conditioned);
  free(y);
  return status;
}

/* Returns how much a trial of another member counts for `member`: the mean kernel correlation with all other members
 * that have results. */
static double count_others(const fcps_look *look, const kin *k, int member, const int *results)
{
  const fcps_table *table = &look->description->tables.of[k->input];
  const fcps_gp *gp = look->gps->gp[0];
  double sum = 0.0;
  int others = 0;
  for (int m = 0; m < table->count; m++) {
    double phi, square = table->square[member * table->count + m] * exp(-2.0 * gp->hyper[k->input]);
    if (m == member || results[m] == 0) continue;
    gp->kernel->eval(1, &square, &phi, NULL);
    sum += phi;
    others++;
  }
  return others > 0 ? sum / others : 0.0;
}

/* Returns by which share an outcome of a member differs from the mean of all other members that have results. */
static double differ(int members, int rows, int outputs, int member, int output, const int *results,
                     const double *predicted)
{
  double products = 0.0, squares = 0.0;
  for (int i = 0; i < rows; i++) {
    double mean = 0.0;
    int others = 0;
    for (int m = 0; m < members; m++) {
      if (m == member || results[m] == 0) continue;
      mean += predicted[(m * rows + i) * outputs + output];
      others++;
    }
    if (others == 0) return 0.0;
    mean /= others;
    products += (predicted[(member * rows + i) * outputs + output] - mean) * mean;
    squares += mean * mean;
  }
  return squares > 0.0 ? products / squares : 0.0;
}

/* Writes a text such as "robot c: land_x 5 % less; trials of the others count 0.8". Returns its length. */
static int put_member(const fcps_look *look, const kin *k, int rows, int member, const int *results,
                      const double *predicted, size_t size, char *text)
{
  const int outputs = look->layout->outputs, members = k->dim->choices->count;
  int used = snprintf(text, size, "%s %s", k->dim->name, k->dim->choices->words[member]);
  const char *between = ": ";
  for (int o = 0; o < outputs && (size_t)used + 2 < size; o++) {
    const double share = differ(members, rows, outputs, member, o, results, predicted);
    if (fabs(share) < least_share) continue;
    used += snprintf(text + used, size - (size_t)used, "%s%s %.2g %% %s", between,
                     look->layout->problem->outcome.dims[o].name, 100.0 * fabs(share), share > 0.0 ? "more" : "less");
    between = ", ";
  }
  if ((size_t)used + 2 < size)
    used += snprintf(text + used, size - (size_t)used, "%strials of the others count %.2g",
                     *between == ':' ? ": " : "; ", count_others(look, k, member, results));
  return used;
}

/* Describes the members with the most results. */
static char *describe(const fcps_look *look, const void *state, size_t size, char *text)
{
  kin k;
  (void)state;
  snprintf(text, size, "members of one kind differ a little");
  if (!find_kin(look->layout, &k) || look->rollouts->count < 2) return text;
  const int members = k.dim->choices->count, all = look->rollouts->count, rows = all < LOOKED_AT ? all : LOOKED_AT;
  int *results = fcps_allocate((size_t)members, sizeof *results), used = (int)strlen(text);
  double *predicted = fcps_allocate((size_t)members * (size_t)rows * (size_t)look->layout->outputs, sizeof *predicted);
  bool is_known = results != NULL && predicted != NULL && predict_members(look, &k, rows, predicted) == FCPS_OK;
  for (int i = 0; i < all && is_known; i++)
    results[word_of(look, &k, i)]++;
  for (int shown = 0; shown < MOST_MEMBERS && is_known; shown++) {
    int most = -1;
    for (int m = 0; m < members; m++)
      if (results[m] > 0 && (most < 0 || results[m] > results[most])) most = m;
    if (most < 0 || (size_t)used + 40 >= size) break;
    used += snprintf(text + used, size - (size_t)used, "%s", shown == 0 ? ": " : " | ");
    used += put_member(look, &k, rows, most, results, predicted, size - (size_t)used, text + used);
    if ((size_t)used >= size) used = (int)size - 1;
    results[most] = -results[most];
  }
  free(results);
  free(predicted);
  return text;
}

const fcps_structure_kind fcps_structure_alike = {.name = "alike", .begin = begin, .describe = describe};
