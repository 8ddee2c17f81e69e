/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that begin and end doubts, by the scores of rows. */
#include "model/structures/doubts.h"

#include "base/memory.h"
#include "model/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const fcps_structure_kind fcps_structure_doubts;

bool fcps_doubts_may_judge(int rows)
{
  return rows >= FCPS_LEAST_JUDGED && rows <= FCPS_MOST_JUDGED;
}

/* A tenth of the rows that have no shape. */
int fcps_hearing_left(const fcps_hearing *h)
{
  const int others = h->look->rollouts->count - h->shaped_count;
  return 1 + others / 10 - (h->count - h->shaped_count);
}

static int find(const fcps_hearing *h, int row)
{
  for (int i = 0; i < h->count; i++)
    if (h->doubts[i].row == row) return i;
  return -1;
}

bool fcps_hearing_doubts(const fcps_hearing *hearing, int row)
{
  return find(hearing, row) >= 0;
}

static int count_of(const fcps_structure *structure)
{
  return (int)(structure->size / sizeof(fcps_doubt));
}

const fcps_doubt *fcps_doubts_of(const fcps_description *description, int *count)
{
  const fcps_structure *s = description->structures + fcps_structure_find(fcps_structure_doubts.name);
  *count = count_of(s);
  return s->state;
}

/* -- Hearings -- */

fcps_status fcps_hearing_add(fcps_hearing *h, int row, double noise)
{
  if (!fcps_reserve((void **)&h->doubts, &h->room, (size_t)h->count + 1, sizeof *h->doubts)) return FCPS_ERR_MEMORY;
  memset(h->doubts + h->count, 0, sizeof *h->doubts); /* states are compared as bytes */
  h->doubts[h->count].row = row;
  h->doubts[h->count++].noise = noise;
  return FCPS_OK;
}

static void drop(fcps_hearing *h, int index)
{
  h->count--;
  memmove(h->doubts + index, h->doubts + index + 1, (size_t)(h->count - index) * sizeof *h->doubts);
}

/* Gives the rows of all GPs their noise. */
static fcps_status give_noise(fcps_gps *gps, int source, int rows, int count, const fcps_doubt *doubts)
{
  const int noisy = count > 0 ? rows : 0;
  double *noise = fcps_allocate((size_t)noisy, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    noise[doubts[i].row] = doubts[i].noise;
  for (int g = 0; g < gps->count && status == FCPS_OK; g++)
    status = fcps_gps_set_noise(gps, source, g, noisy, noise, 0.0);
  free(noise);
  return status;
}

fcps_status fcps_hearing_factorize(const fcps_hearing *h)
{
  const int rows = h->look->rollouts->count;
  const fcps_status status = give_noise(h->gps, h->look->index, rows, h->count, h->doubts);
  return status == FCPS_OK ? fcps_gps_factorize(h->gps, rows) : status;
}

/* Whether a row is doubted by the company it is in, whatever the model expects of it alone. */
static bool has_shape(const fcps_hearing *h, int row)
{
  return h->stuck[row] || h->spells[row].factor > 0.0;
}

static void count_shaped(fcps_hearing *h)
{
  h->shaped_count = 0;
  for (int i = 0; i < h->count; i++)
    h->shaped_count += has_shape(h, h->doubts[i].row);
}

void fcps_hearing_close(const fcps_hearing *h)
{
  free(h->doubts);
  free(h->scores);
  free(h->stuck);
  free(h->spells);
  free(h->trifles);
}

fcps_status fcps_hearing_open(fcps_hearing *h, fcps_look *look, int known)
{
  const size_t rows = (size_t)look->rollouts->count;
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(look->description, &count);
  *h = (fcps_hearing){.look = look, .gps = look->gps, .known = known};
  look->index = fcps_structure_find(fcps_structure_doubts.name);
  h->scores = fcps_allocate(rows, sizeof *h->scores);
  h->stuck = fcps_allocate(rows, sizeof(bool));
  h->spells = fcps_allocate(rows, sizeof *h->spells);
  h->trifles = fcps_allocate((size_t)look->outputs, sizeof *h->trifles);
  if (h->scores == NULL || h->stuck == NULL || h->spells == NULL || h->trifles == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = fcps_doubt_scores_find_trifles(h);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = fcps_hearing_add(h, doubts[i].row, doubts[i].noise);
    if (status == FCPS_OK) h->spells[doubts[i].row] = h->doubts[i].spell = doubts[i].spell;
  }
  fcps_stuck_find(look, h->stuck);
  count_shaped(h);
  return status;
}

/* Whether what was found is what was doubted before. */
static bool is_as_before(const fcps_hearing *h)
{
  const fcps_structure *s = h->look->description->structures + h->look->index;
  const size_t size = (size_t)h->count * sizeof *h->doubts;
  return s->size == size && (size == 0 || memcmp(s->state, h->doubts, size) == 0);
}

fcps_status fcps_hearing_keep(const fcps_hearing *h)
{
  fcps_structure *s = h->look->description->structures + h->look->index;
  fcps_status status = FCPS_OK;
  if (h->count > 0)
    status = fcps_structure_set(s, (size_t)h->count * sizeof *h->doubts, h->doubts);
  else
    fcps_structure_clear(s);
  return status == FCPS_OK ? fcps_description_set_aside(h->look->description, h->look->layout, h->look->rollouts)
                           : status;
}

/* -- Evidence -- */

/* The evidence for the description in force, if doubted rows (or only those that are so by their shape) are noisy. */
static fcps_status explain(const fcps_hearing *h, fcps_sample *sample, bool is_doubting, double *nats)
{
  const fcps_look *look = h->look;
  const fcps_description *d = look->description;
  const int k = FCPS_HYPER_COUNT(d->inputs), rows = look->rollouts->count;
  const fcps_evidence_effort effort = {.starts = FCPS_FIT_NOISY_STARTS, .least = -INFINITY};
  double *hyper = fcps_allocate((size_t)k * (size_t)d->gps, sizeof(double));
  fcps_doubt *doubts = fcps_copy(h->doubts, (size_t)h->count, sizeof *doubts);
  fcps_status status = hyper != NULL && doubts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < h->count && status == FCPS_OK; i++)
    if (!is_doubting && !has_shape(h, doubts[i].row)) doubts[i].noise = 0.0;
  if (status == FCPS_OK) status = give_noise(h->gps, look->index, rows, h->count, doubts);
  for (int g = 0; g < d->gps && status == FCPS_OK; g++)
    memcpy(hyper + g * k, h->gps->gp[g]->hyper, (size_t)k * sizeof(double));
  for (int i = 0; i < sample->count; i++)
    sample->doubted[i] = find(h, sample->source[i]) >= 0 && (is_doubting || has_shape(h, sample->source[i]));
  if (status == FCPS_OK) status = fcps_evidence_of(sample, d, effort, hyper, nats);
  free(hyper);
  free(doubts);
  return status;
}

/* A row is wrong in one of a hundred cases a priori. So doubts must explain the rows better than hyper-parameters that believe
 * them all, by what so many mishaps cost: where a function is rough, those do. */
enum { MOST_WEIGHED = 300 };

fcps_status fcps_hearing_weigh(fcps_hearing *h, bool *is_better)
{
  static const double price = 4.6051701859880914, margin = 3.0;
  double doubting = 0.0, believing = 0.0;
  fcps_sample sample;
  *is_better = true;
  if (h->look->rollouts->count > MOST_WEIGHED)
    return FCPS_OK; /* two fits of all rows would cost more than they are worth */
  fcps_status status = fcps_sample_open(&sample, h->look, NULL, MOST_WEIGHED);
  if (status == FCPS_OK) status = explain(h, &sample, true, &doubting);
  if (status == FCPS_OK) status = explain(h, &sample, false, &believing);
  fcps_sample_close(&sample);
  *is_better = doubting > believing + (h->count - h->shaped_count) * price + margin;
  return status;
}

/* -- Judging -- */

/* The most surprising row that is to be doubted; -1: none is surprising. */
static int worst_row(const fcps_hearing *h)
{
  const fcps_rollouts *rollouts = h->look->rollouts;
  double most = 1.0;
  int worst = -1;
  for (int i = 0; i < rollouts->count; i++) {
    const bool is_asked = h->scores[i].excess > most && !rollouts->confirmed[i] && find(h, i) < 0;
    if (!is_asked || fcps_doubt_scores_have_witness(h, h->scores, i)) continue;
    most = h->scores[i].excess;
    worst = i;
  }
  return worst;
}

/* A row is doubted with at least so much noise, if it is not with about as much. */
static fcps_status doubt_row(fcps_hearing *h, int row, double noise, bool *has_changed)
{
  static const double about = 0.25;
  const int index = find(h, row);
  if (index >= 0 && h->doubts[index].noise >= about * noise) return FCPS_OK;
  *has_changed = true;
  if (index < 0) return fcps_hearing_add(h, row, noise);
  h->doubts[index].noise = noise;
  return FCPS_OK;
}

/* Rows of a dead sensor, and of a spell, are doubted, with so much noise that many of them together say nothing. */
static fcps_status doubt_shaped(fcps_hearing *h, bool *has_changed)
{
  static const double nothing_told = 1000.0;
  bool is_new = false;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < h->look->rollouts->count && status == FCPS_OK; i++)
    if (has_shape(h, i)) status = doubt_row(h, i, nothing_told * (1.0 + h->spells[i].distance), &is_new);
  for (int i = 0; i < h->count; i++)
    h->doubts[i].spell = h->spells[h->doubts[i].row];
  count_shaped(h);
  *has_changed = *has_changed || is_new;
  return status == FCPS_OK && is_new ? fcps_hearing_factorize(h) : status;
}

/* The GPs as they are if doubted rows count as all others, but for those of a dead sensor and, on demand, of a spell. */
static fcps_status factorize_trusting(const fcps_hearing *h, bool trusts_spells)
{
  fcps_hearing other = *h;
  other.doubts = fcps_copy(h->doubts, (size_t)h->count, sizeof *h->doubts);
  if (other.doubts == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < h->count; i++) {
    const int row = h->doubts[i].row;
    if (!h->stuck[row] && (trusts_spells || h->spells[row].factor == 0.0)) other.doubts[i].noise = 0.0;
  }
  const fcps_status status = fcps_hearing_factorize(&other);
  free(other.doubts);
  return status;
}

/* Looks for spells as if no row were doubted. */
static fcps_status find_spells(const fcps_hearing *h)
{
  fcps_status status = h->count > 0 ? factorize_trusting(h, true) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_spells_find(h->look, h->stuck, h->spells);
  return status == FCPS_OK && h->count > 0 ? fcps_hearing_factorize(h) : status;
}

/* The model is wrong, not so many rows: only a dead sensor and spells are still doubted. */
static fcps_status believe_rows(fcps_hearing *h)
{
  for (int i = h->count - 1; i >= 0; i--)
    if (!has_shape(h, h->doubts[i].row)) drop(h, i);
  return fcps_hearing_factorize(h);
}

/* Believes rows again that all others now explain, as the GPs are. */
static fcps_status clear_explained(fcps_hearing *h, bool *has_changed)
{
  const fcps_status status = fcps_doubt_scores_find(h);
  for (int i = h->count - 1; i >= 0 && status == FCPS_OK; i--) {
    const int row = h->doubts[i].row;
    if (has_shape(h, row)) continue;
    if (!fcps_doubt_scores_explain(h, row) && !fcps_doubt_scores_have_witness(h, h->scores, row)) continue;
    drop(h, i);
    *has_changed = true;
  }
  return status;
}

/* Believes rows again that the others explain, first without other doubted rows, then with them: their noise is what is in
 * question, so for the length of this question none has any. */
static fcps_status clear_doubts(fcps_hearing *h, bool *has_changed)
{
  if (h->count == h->shaped_count) return FCPS_OK;
  fcps_status status = clear_explained(h, has_changed);
  if (status == FCPS_OK) status = factorize_trusting(h, false);
  if (status == FCPS_OK) status = clear_explained(h, has_changed);
  return status == FCPS_OK ? fcps_hearing_factorize(h) : status;
}

/* The worst row is doubted, until none is surprising. */
static fcps_status find_doubts(fcps_hearing *h, bool *has_changed)
{
  fcps_status status = FCPS_OK;
  while (status == FCPS_OK) {
    status = fcps_doubt_scores_find(h);
    const int worst = status == FCPS_OK ? worst_row(h) : -1;
    if (worst < 0) break;
    *has_changed = true;
    if (fcps_hearing_left(h) == 0) return believe_rows(h);
    status = fcps_hearing_add(h, worst, h->scores[worst].noise);
    if (status == FCPS_OK) status = fcps_hearing_factorize(h);
  }
  return status;
}

static fcps_status weigh_doubts(fcps_hearing *h)
{
  bool is_better = true;
  const fcps_status status = h->count > h->shaped_count ? fcps_hearing_weigh(h, &is_better) : FCPS_OK;
  if (status != FCPS_OK) return status;
  return is_better ? fcps_hearing_factorize(h) : believe_rows(h);
}

fcps_status fcps_doubts_judge(fcps_look *look, bool *has_changed)
{
  fcps_hearing h;
  *has_changed = false;
  if (!fcps_doubts_may_judge(look->rollouts->count) || look->known < FCPS_LEAST_JUDGED) return FCPS_OK;
  fcps_status status = fcps_hearing_open(&h, look, look->known);
  if (status == FCPS_OK) status = find_spells(&h);
  if (status == FCPS_OK) status = doubt_shaped(&h, has_changed);
  if (status == FCPS_OK) status = clear_doubts(&h, has_changed);
  const int before = h.count;
  if (status == FCPS_OK) status = find_doubts(&h, has_changed);
  if (status == FCPS_OK && h.count > before) status = weigh_doubts(&h);
  *has_changed = *has_changed && !is_as_before(&h);
  if (status == FCPS_OK) status = fcps_hearing_keep(&h);
  fcps_hearing_close(&h);
  return status;
}

/* -- From outside -- */

fcps_status fcps_doubts_screen(const fcps_look *look, bool *is_worth_a_look)
{
  const int rows = look->rollouts->count;
  *is_worth_a_look = false;
  if (look->known < FCPS_LEAST_JUDGED || look->known == rows || rows > FCPS_MOST_JUDGED) return FCPS_OK;
  fcps_look own = *look;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_norm norm;
  fcps_hearing h;
  int *aside = NULL;
  double *line = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = fcps_hearing_open(&h, &own, look->known);
  if (line == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_doubt_scores_norm(&h, &norm, &aside);
  if (status == FCPS_OK) status = fcps_gps_condition(look->gps, norm, rows, look->outputs, look->y, &conditioned);
  for (int i = look->known; i < rows && status == FCPS_OK && !*is_worth_a_look; i++)
    *is_worth_a_look =
        !look->rollouts->confirmed[i] && find(&h, i) < 0 && fcps_doubt_scores_may_surprise(look, &conditioned, i, line);
  fcps_gp_outputs_destroy(&conditioned);
  fcps_hearing_close(&h);
  free(aside);
  free(line);
  return status;
}

fcps_status fcps_doubts_describe(fcps_look *look, fcps_surprise *surprises)
{
  fcps_hearing h;
  fcps_status status = fcps_hearing_open(&h, look, look->rollouts->count);
  if (status == FCPS_OK && h.count > 0) status = fcps_doubt_scores_find(&h);
  for (int i = 0; i < h.count && status == FCPS_OK; i++) {
    surprises[i] = h.scores[h.doubts[i].row].surprise;
    surprises[i].row = h.doubts[i].row;
    surprises[i].spell = h.doubts[i].spell;
    surprises[i].is_mishap |= has_shape(&h, h.doubts[i].row);
  }
  fcps_hearing_close(&h);
  return status;
}

/* -- As a structure -- */

static fcps_status judge(fcps_look *look, fcps_structure *structure, bool is_hidden, bool *has_changed)
{
  (void)structure; /* a hearing changes the description's own */
  *has_changed = false;
  if (!look->layout->predicts_outcomes) return FCPS_OK;
  return is_hidden ? fcps_doubts_unmask(look, has_changed) : fcps_doubts_judge(look, has_changed);
}

static bool sets_aside(const fcps_structure *structure, int row)
{
  const fcps_doubt *doubts = structure->state;
  for (int i = 0; i < count_of(structure); i++)
    if (doubts[i].row == row) return true;
  return false;
}

static bool is_complete(const fcps_look *look, const fcps_structure *structure)
{
  return structure->size == 0 || fcps_gps_noise_known(look->gps, look->index, 0) > 0;
}

static fcps_status grow(fcps_look *look, fcps_structure *structure)
{
  return give_noise(look->gps, look->index, look->rollouts->count, count_of(structure), structure->state);
}

/* Rows that are gone are doubted no more. */
static void truncate_rows(fcps_structure *structure, int rows)
{
  fcps_doubt *doubts = structure->state;
  size_t kept = 0;
  for (int i = 0; i < count_of(structure); i++)
    if (doubts[i].row < rows) doubts[kept++] = doubts[i];
  structure->size = kept * sizeof *doubts;
  if (kept == 0) fcps_structure_clear(structure);
}

/* [[row, noise, factor of its spell, output, distance], ...] */
static fcps_json *write_state(const fcps_layout *layout, const fcps_description *description, const void *state)
{
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(description, &count);
  fcps_json *json = fcps_json_array();
  (void)layout, (void)state;
  for (int i = 0; i < count; i++) {
    const double numbers[] = {doubts[i].row, doubts[i].noise, doubts[i].spell.factor, doubts[i].spell.output,
                              doubts[i].spell.distance};
    fcps_json_add(&json, fcps_json_from_numbers(5, numbers));
  }
  return json;
}

static bool is_index(double number, int count)
{
  return number >= 0 && number < count && number == floor(number);
}

static fcps_status read_state(const fcps_look *look, const fcps_json *json, fcps_structure *structure)
{
  const int count = fcps_json_count(json), rows = look->rollouts->count;
  if (!fcps_json_is_array(json) || count < 1 || count > rows) return FCPS_ERR_FORMAT;
  fcps_doubt *doubts = fcps_allocate((size_t)count, sizeof *doubts);
  fcps_status status = doubts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    double n[5];
    const bool is_ok = fcps_json_numbers(fcps_json_at(json, i), 5, n) && is_index(n[0], rows) && n[1] >= 0.0 &&
                       n[1] < INFINITY && n[2] >= 0.0 && n[2] < INFINITY && is_index(n[3], look->layout->outputs) &&
                       n[4] >= 0.0 && n[4] < INFINITY;
    if (!is_ok) status = FCPS_ERR_FORMAT;
    if (is_ok) {
      doubts[i].row = (int)n[0];
      doubts[i].noise = n[1];
      doubts[i].spell.factor = n[2];
      doubts[i].spell.output = (int)n[3];
      doubts[i].spell.distance = n[4];
    }
  }
  if (status == FCPS_OK) status = fcps_structure_set(structure, (size_t)count * sizeof *doubts, doubts);
  free(doubts);
  return status;
}

const fcps_structure_kind fcps_structure_doubts = {.name = "doubts",
                                                   .judges_values = true,
                                                   .is_always_asked = true,
                                                   .judge = judge,
                                                   .sets_aside = sets_aside,
                                                   .grow = grow,
                                                   .is_complete = is_complete,
                                                   .truncate = truncate_rows,
                                                   .write = write_state,
                                                   .read = read_state};
