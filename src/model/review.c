/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the candidates of each kind of structure, one kind after the other. Each comparison (a contest) starts from
 * the description that the one before has left. So an older belief is tested again together with the newer ones. */
#include "model/review.h"

#include "base/memory.h"
#include "model/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most rows that descriptions are fitted to; if there are more rows, these are evenly spread over them. A first
 * comparison of many candidates uses GLANCE_ROWS. If it does not decide clearly, a second one uses EVIDENCE_ROWS. More
 * rows are not needed: the evidence decides with fewer. */
enum { GLANCE_ROWS = 50, EVIDENCE_ROWS = 80 };

/* Below CERTAIN_ROWS rows every review compares all proposals. Below FEW_ROWS it does so unless one leads clearly.
 * Otherwise it does so when the number of rows passes a multiple of LOOK_EARLY or, from FEW_ROWS on, of LOOK_EVERY. */
enum { CERTAIN_ROWS = 10, FEW_ROWS = 30, LOOK_EARLY = 5, LOOK_EVERY = 25 };

/* Differences of evidence, in nats:
 *
 *   margin      another candidate must be better by this much to replace the one in force
 *   decisive    with this lead the contest waits for the next comparison of all proposals
 *   clear       with this lead a comparison on GLANCE_ROWS is enough
 *   hopeless    a candidate this far behind only takes part if all proposals are compared
 *   believable  with this lead a structure counts as decided, even while the first design is incomplete
 *   undecided   a candidate less far behind than this is a rival; the difference means odds of twenty to one */
static const double margin = 1.0, decisive = 10.0, clear = 25.0, hopeless = 15.0, believable = 4.0, undecided = 3.0;

/* -- Life -- */

static void clear_candidate(fcps_candidate *candidate)
{
  fcps_structure_clear(&candidate->structure);
  free(candidate->hyper);
  *candidate = (fcps_candidate){0};
}

static void clear_contest(fcps_contest *contest)
{
  for (int k = 0; k < contest->count; k++)
    clear_candidate(contest->candidates + k);
  free(contest->candidates);
  *contest = (fcps_contest){0};
}

void fcps_contests_destroy(fcps_contests *contests)
{
  for (int i = 0; i < FCPS_STRUCTURES; i++)
    clear_contest(contests->of + i);
}

/* Makes room for exactly `count` candidates. Keeps the first ones, and frees those beyond `count`. */
static fcps_status resize(fcps_contest *contest, int count)
{
  if (count == contest->count) return FCPS_OK;
  fcps_candidate *made = fcps_allocate((size_t)count, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  for (int k = 0; k < contest->count; k++) {
    if (k < count)
      made[k] = contest->candidates[k];
    else
      clear_candidate(contest->candidates + k);
  }
  free(contest->candidates);
  contest->candidates = made;
  contest->count = count;
  if (contest->active >= count) contest->active = 0;
  return FCPS_OK;
}

static fcps_status set_hyper(fcps_candidate *candidate, int count, const double *hyper)
{
  double *kept = fcps_copy(hyper, (size_t)count, sizeof(double));
  if (kept == NULL) return FCPS_ERR_MEMORY;
  free(candidate->hyper);
  candidate->hyper = kept;
  candidate->hyper_count = count;
  return FCPS_OK;
}

static fcps_status copy_contest(const fcps_contest *contest, fcps_contest *copy)
{
  fcps_status status = resize(copy, contest->count);
  for (int k = 0; k < contest->count && status == FCPS_OK; k++) {
    const fcps_candidate *from = contest->candidates + k;
    copy->candidates[k].nats = from->nats;
    status = fcps_structure_copy(&from->structure, &copy->candidates[k].structure);
    if (status == FCPS_OK) status = set_hyper(copy->candidates + k, from->hyper_count, from->hyper);
  }
  copy->active = contest->active;
  copy->looked = contest->looked;
  return status;
}

fcps_status fcps_contests_copy(const fcps_contests *contests, fcps_contests *copy)
{
  fcps_status status = FCPS_OK;
  fcps_contests_destroy(copy);
  for (int i = 0; i < FCPS_STRUCTURES && status == FCPS_OK; i++)
    status = copy_contest(contests->of + i, copy->of + i);
  return status;
}

void fcps_contests_truncate(fcps_contests *contests, int rows)
{
  for (int i = 0; i < FCPS_STRUCTURES; i++)
    if (contests->of[i].looked > rows) contests->of[i].looked = 0;
}

/* -- Standing -- */

static int best_of(const fcps_contest *c, int except)
{
  int best = except == 0 ? 1 : 0;
  for (int k = 0; k < c->count; k++)
    if (k != except && c->candidates[k].nats > c->candidates[best].nats) best = k;
  return best;
}

/* Returns by how many nats a candidate is better than the best of the others; INFINITY if there are no others. */
static double lead_of(const fcps_contest *c, int candidate)
{
  return c->count > 1 ? c->candidates[candidate].nats - c->candidates[best_of(c, candidate)].nats : INFINITY;
}

bool fcps_contest_is_decided(const fcps_contest *contest, int rows)
{
  return contest->count > 1 && contest->active > 0 && contest->looked == rows &&
         lead_of(contest, contest->active) > believable;
}

int fcps_contests_rivals(const fcps_contests *contests, const fcps_description *description,
                         fcps_rival rivals[FCPS_RIVALS])
{
  int count = 0;
  for (int i = 0; i < FCPS_STRUCTURES; i++) {
    const fcps_contest *c = contests->of + i;
    if (c->looked == 0 || !fcps_description_has(description, i) || fcps_structure_kind_at(i)->rests != NULL) continue;
    for (int k = 0; k < c->count; k++) {
      const double behind = c->candidates[c->active].nats - c->candidates[k].nats;
      if (k == c->active || !(behind < undecided) || c->candidates[k].hyper_count == 0) continue;
      const fcps_rival rival = {i, k, exp(-behind)};
      int place = count < FCPS_RIVALS ? count++ : FCPS_RIVALS;
      for (; place > 0 && rivals[place - 1].weight < rival.weight; place--)
        if (place < FCPS_RIVALS) rivals[place] = rivals[place - 1];
      if (place < FCPS_RIVALS) rivals[place] = rival;
    }
  }
  return count;
}

/* -- The schedule -- */

/* The candidates that a review compares: no candidate, those that are not hopelessly behind, or all. */
typedef enum scope { NOBODY, THE_HOPEFUL, EVERYBODY } scope;

static scope scope_of(const fcps_contest *c, int least_rows, int rows)
{
  if (rows < least_rows || rows == 0) return NOBODY;
  if (c->looked == 0) return EVERYBODY;
  if (rows <= c->looked) return NOBODY;
  if (c->count == 0) return EVERYBODY; /* the kind proposed nothing last time; new rows may suggest something */
  const double lead = lead_of(c, c->active);
  const int every = rows < FEW_ROWS ? LOOK_EARLY : LOOK_EVERY;
  if (rows < CERTAIN_ROWS || (rows < FEW_ROWS && lead < clear) || rows / every != c->looked / every) return EVERYBODY;
  return c->count > 2 && lead < decisive ? THE_HOPEFUL : NOBODY; /* of two candidates none can be left out */
}

/* -- A contest -- */

/* The data of one contest: the comparison of the candidates of one kind in a review. */
typedef struct hearing {
  /* The description in force is a candidate of every contest. Its evidence on GLANCE_ROWS (index 0) and on
   * EVIDENCE_ROWS (index 1) is computed once, and shared by all contests until the description changes. */
  fcps_candidate *ours;
  fcps_look *look;
  const fcps_structure_kind *kind;
  fcps_contest *contest;
} hearing;

/* Whether the fit of a candidate can begin at the hyper-parameters of the model's GPs. The GPs must have been fitted to
 * the same outputs and have the same inputs, except that the candidate may have one more or one fewer at the end. */
static bool can_begin_at_ours(const hearing *h, const fcps_description *with)
{
  const fcps_gps *gps = h->look->gps;
  const int more = with->inputs - gps->gp[0]->dim;
  return h->kind->counts == NULL && h->look->known > 0 && gps->count == with->gps && more >= -1 && more <= 1;
}

/* Finds the hyper-parameters at which the fit of a candidate begins: those of its last fit, those of the model's GPs,
 * or the prior's centre. Returns whether the optimum is probably near. */
static bool begin_hyper(const hearing *h, const fcps_candidate *candidate, const fcps_description *with, double *hyper)
{
  const int inputs = with->inputs, k = FCPS_HYPER_COUNT(inputs), count = k * with->gps;
  const fcps_hyper_prior prior = fcps_description_prior(with);
  if (candidate->hyper_count == count) {
    memcpy(hyper, candidate->hyper, (size_t)count * sizeof(double));
    return true;
  }
  const bool is_ours = can_begin_at_ours(h, with);
  for (int g = 0; g < with->gps; g++) {
    double *own = hyper + g * k;
    fcps_gp_hyper_centre(&prior, inputs, own);
    if (!is_ours) continue;
    const fcps_gp *gp = h->look->gps->gp[g];
    const int shared = gp->dim < inputs ? gp->dim : inputs;
    memcpy(own, gp->hyper, (size_t)shared * sizeof(double));
    memcpy(own + inputs, gp->hyper + gp->dim, 2 * sizeof(double));
  }
  return is_ours;
}

/* Returns the log of a candidate's share of the prior, relative to that of candidate 0, which has one half. All
 * proposals together have the other half. */
static double share_of(const fcps_contest *c, int candidate)
{
  return candidate > 0 ? -log(c->count - 1) : 0.0;
}

static fcps_status try_structure(const hearing *h, const fcps_sample *sample, fcps_evidence_effort effort,
                                 fcps_candidate *candidate)
{
  fcps_description with;
  fcps_status status =
      fcps_description_with(h->look->description, h->look->layout, h->look->index, &candidate->structure, &with);
  if (status != FCPS_OK) return status;
  const int count = with.gps * FCPS_HYPER_COUNT(with.inputs);
  double *hyper = fcps_allocate((size_t)count, sizeof(double));
  status = hyper != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    /* With many rows one start near the optimum is enough: other starts find no better one. */
    if (begin_hyper(h, candidate, &with, hyper) && h->look->rollouts->count > GLANCE_ROWS) effort.starts = 1;
    status = fcps_evidence_of(sample, &with, effort, hyper, &candidate->nats);
  }
  if (status == FCPS_OK) status = set_hyper(candidate, count, hyper);
  free(hyper);
  fcps_description_destroy(&with);
  return status;
}

static fcps_status try_candidate(const hearing *h, const fcps_sample *sample, int index, fcps_evidence_effort effort)
{
  const bool is_ours = index == h->contest->active && h->kind->counts == NULL && !(h->kind->resolution > 0.0);
  fcps_candidate *candidate = h->contest->candidates + index, *ours = h->ours + (sample->count > GLANCE_ROWS);
  fcps_status status = FCPS_OK;
  if (is_ours && ours->hyper_count > 0) {
    candidate->nats = ours->nats;
    if (candidate->hyper_count == 0) status = set_hyper(candidate, ours->hyper_count, ours->hyper);
  } else {
    status = try_structure(h, sample, effort, candidate);
    if (is_ours && status == FCPS_OK) status = set_hyper(ours, candidate->hyper_count, candidate->hyper);
    if (is_ours) ours->nats = candidate->nats;
  }
  candidate->nats += share_of(h->contest, index);
  return status;
}

/* Candidate 0 believes nothing of this kind. If a proposal is ahead of it, the kind's placebo, a proposal without
 * meaning, is fitted as well, and candidate 0 is given the larger of its own evidence and the placebo's. */
static fcps_status try_placebo(const hearing *h, const fcps_sample *sample, fcps_evidence_effort effort)
{
  fcps_candidate placebo = {.hyper_count = 0}, *none = h->contest->candidates;
  if (h->kind->placebo == NULL || best_of(h->contest, -1) == 0) return FCPS_OK;
  fcps_status status = h->kind->placebo(h->look, &placebo.structure);
  if (status == FCPS_OK) status = try_structure(h, sample, effort, &placebo);
  if (status == FCPS_OK) none->nats = fmax(none->nats, placebo.nats);
  clear_candidate(&placebo);
  return status;
}

/* Computes the evidence for the hypothesis that outputs are nothing but noise. Candidate 0 gets the better of this and
 * its own evidence, so a structure must beat both to be believed. */
static fcps_status count_noise(const hearing *h, const fcps_sample *sample, double *nats)
{
  const fcps_structure none = {0};
  fcps_description plain;
  const fcps_status status =
      fcps_description_with(h->look->description, h->look->layout, h->look->index, &none, &plain);
  if (status != FCPS_OK) return status;
  *nats = fcps_evidence_of_noise(sample, &plain);
  fcps_description_destroy(&plain);
  return FCPS_OK;
}

/* Makes nats relative to the best candidate compared now, so that candidates of other comparisons can be compared. */
static void settle(fcps_contest *c, const bool *is_new)
{
  double best = -INFINITY;
  for (int k = 0; k < c->count; k++)
    if (is_new[k]) best = fmax(best, c->candidates[k].nats);
  for (int k = 0; k < c->count; k++)
    if (is_new[k] && isfinite(best)) c->candidates[k].nats -= best;
}

/* Compares the candidates in scope `who` on at most `most` rows. */
static fcps_status hear(const hearing *h, scope who, int most)
{
  fcps_contest *c = h->contest;
  bool is_new[FCPS_PROPOSALS + 1] = {false};
  const double best_before = c->looked > 0 ? c->candidates[best_of(c, -1)].nats : 0.0;
  double noise = -INFINITY;
  fcps_sample sample;
  fcps_status status = fcps_sample_open(&sample, h->look, h->kind, most);
  const int starts =
      FCPS_FIT_NOISY_STARTS - (sample.count > GLANCE_ROWS); /* with many rows the noisy start is not needed */
  fcps_evidence_effort effort = {.starts = starts, .least = -INFINITY};
  if (status == FCPS_OK) status = count_noise(h, &sample, &noise);
  for (int k = 0; k < c->count && status == FCPS_OK; k++) {
    is_new[k] = who == EVERYBODY || k == 0 || k == c->active || c->candidates[k].nats > best_before - hopeless;
    if (!is_new[k]) continue;
    status = try_candidate(h, &sample, k, effort);
    if (k == 0) {
      const bool is_noisy = noise > c->candidates[0].nats - hopeless;
      c->candidates[0].nats = fmax(c->candidates[0].nats, noise);
      effort.starts = is_noisy ? starts : FCPS_FIT_NOISY_STARTS - 1;
    }
    effort.least = fmax(effort.least, c->candidates[k].nats - decisive); /* width cannot make up for more */
  }
  if (status == FCPS_OK) status = try_placebo(h, &sample, effort);
  fcps_sample_close(&sample);
  if (status == FCPS_OK) settle(c, is_new);
  return status;
}

/* Collects the candidates: no structure, and all proposals of the kind, or if it has none the believed structure. */
static fcps_status call(const hearing *h)
{
  fcps_contest *c = h->contest;
  fcps_structure proposals[FCPS_PROPOSALS] = {{0}};
  const fcps_structure *believed = h->look->description->structures + h->look->index;
  int count = 0;
  fcps_status status = h->kind->propose(h->look, proposals, &count);
  if (status == FCPS_OK && count == 0 && believed->size > 0)
    status = fcps_structure_copy(believed, proposals + count++);
  if (status == FCPS_OK) status = resize(c, count > 0 ? count + 1 : 0);
  for (int k = 0; k < count && status == FCPS_OK; k++)
    status = fcps_structure_copy(proposals + k, &c->candidates[k + 1].structure);
  for (int k = 0; k < FCPS_PROPOSALS; k++)
    fcps_structure_clear(proposals + k);
  return status;
}

/* Puts the structure of the active candidate into the description. */
static fcps_status take(const hearing *h)
{
  fcps_description with;
  fcps_look *look = h->look;
  const fcps_status status = fcps_description_with(look->description, look->layout, look->index,
                                                   &h->contest->candidates[h->contest->active].structure, &with);
  if (status != FCPS_OK) return status;
  fcps_description_destroy(look->description);
  *look->description = with;
  return FCPS_OK;
}

static void note_nats(const hearing *h)
{
  const fcps_contest *c = h->contest;
  fcps_structure *believed = h->look->description->structures + h->look->index;
  if (believed->size > 0) believed->nats = c->candidates[c->active].nats - c->candidates[0].nats;
}

/* Whether the active candidate differs from the believed structure, because new rows have changed the proposal. If the
 * kind learns after each fit, the believed structure is newer than the proposal, and the answer is no. */
static bool is_outdated(const hearing *h)
{
  const fcps_structure *now = &h->contest->candidates[h->contest->active].structure;
  const fcps_structure *believed = h->look->description->structures + h->look->index;
  if (now->size == 0 || h->kind->after_fit != NULL) return false;
  return now->size != believed->size || memcmp(now->state, believed->state, now->size) != 0;
}

static bool is_agreed(const hearing *h, int index)
{
  const fcps_candidate *winner = h->contest->candidates + index;
  return h->kind->agrees == NULL || h->look->y == NULL || h->kind->agrees(h->look, winner->hyper);
}

/* Whether this review has refuted the believed structure. */
static bool is_refuted(const fcps_contest *c)
{
  return c->active > 0 && c->candidates[c->active].nats <= c->candidates[0].nats - hopeless;
}

/* Holds the contest of one kind if it is due, and decides it. */
static fcps_status review_kind(const hearing *h, bool *has_changed)
{
  fcps_contest *c = h->contest;
  const int rows = h->look->rollouts->count;
  const scope who = scope_of(c, h->kind->least_rows, rows);
  if (who == NOBODY) return FCPS_OK;
  fcps_status status = who == EVERYBODY ? call(h) : FCPS_OK;
  c->looked = rows;
  if (status != FCPS_OK || c->count == 0) return status;
  const bool has_glance =
      who == EVERYBODY && rows > GLANCE_ROWS && c->count > 2; /* of two candidates seldom one leads clearly */
  if (has_glance) status = hear(h, who, GLANCE_ROWS);
  if (status == FCPS_OK && !(has_glance && lead_of(c, best_of(c, -1)) > clear)) status = hear(h, who, EVIDENCE_ROWS);
  if (status != FCPS_OK) return status;
  int best = best_of(c, -1);
  if (best > 0 && !is_agreed(h, best)) {
    c->candidates[best].nats = c->candidates[0].nats - hopeless;
    best = 0;
  }
  if (c->candidates[best].nats > c->candidates[c->active].nats + margin || (best == 0 && is_refuted(c))) {
    c->active = best;
    *has_changed = true;
  }
  *has_changed = *has_changed || is_outdated(h);
  if (*has_changed) status = take(h);
  if (status == FCPS_OK) note_nats(h);
  return status;
}

/* Whether a kind is not reviewed because the description has a structure that excludes it. That structure only counts
 * if the user declared it, or if its kind has no contest. */
static bool is_excluded(const fcps_look *look, const fcps_structure_kind *kind, int index)
{
  const fcps_structure_kind *other;
  for (int i = 0; (other = fcps_structure_kind_at(i)) != NULL; i++)
    if (i != index && fcps_description_has(look->description, i) && fcps_structure_excludes(kind, other) &&
        (other->propose == NULL || fcps_structure_setting_of(look->settings, i) == FCPS_STRUCTURE_ON))
      return true;
  return false;
}

static bool may_propose(const fcps_look *look, const fcps_structure_kind *kind, int index)
{
  return kind->propose != NULL && (kind->concerns == NULL || kind->concerns(look->layout)) &&
         fcps_structure_setting_of(look->settings, index) == FCPS_STRUCTURE_AUTO &&
         (look->is_whole || !kind->needs_whole) && !is_excluded(look, kind, index);
}

/* Makes candidate 0 active for every kind whose structure was removed because another one excludes it. */
static void follow(fcps_contests *contests, const fcps_description *description)
{
  for (int i = 0; i < FCPS_STRUCTURES; i++) {
    fcps_contest *c = contests->of + i;
    if (!fcps_description_has(description, i)) c->active = 0;
  }
}

fcps_status fcps_contests_review(fcps_contests *contests, fcps_look *look, bool *has_changed, double **hyper)
{
  const fcps_structure_kind *kind;
  fcps_status status = FCPS_OK;
  fcps_candidate ours[2] = {{.hyper_count = 0}, {.hyper_count = 0}};
  int last = -1;
  *has_changed = false;
  *hyper = NULL;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL && status == FCPS_OK; i++) {
    if (!may_propose(look, kind, i)) continue;
    bool is_other = false;
    look->index = i;
    const hearing h = {ours, look, kind, contests->of + i};
    status = review_kind(&h, &is_other);
    if (!is_other) continue;
    *has_changed = true;
    last = i;
    clear_candidate(ours);
    clear_candidate(ours + 1);
    follow(contests, look->description);
  }
  clear_candidate(ours);
  clear_candidate(ours + 1);
  if (status != FCPS_OK || last < 0) return status;
  const fcps_candidate *winner = contests->of[last].candidates + contests->of[last].active;
  const fcps_description *d = look->description;
  if (winner->hyper_count != d->gps * FCPS_HYPER_COUNT(d->inputs))
    return FCPS_OK; /* the winner was read from a file and not fitted since */
  *hyper = fcps_copy(winner->hyper, (size_t)winner->hyper_count, sizeof(double));
  return *hyper != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* -- State -- */

static fcps_json *write_candidate(const fcps_candidate *candidate, const fcps_structure_kind *kind,
                                  const fcps_layout *layout)
{
  fcps_json *json = fcps_json_object();
  if (candidate->structure.size > 0)
    fcps_json_put(&json, "state", fcps_structure_write(kind, layout, &candidate->structure));
  fcps_json_put(&json, "nats", fcps_json_from_number(fmax(candidate->nats, -1e100)));
  fcps_json_put(&json, "hyper", fcps_json_from_numbers(candidate->hyper_count, candidate->hyper));
  return json;
}

fcps_json *fcps_contest_write(const fcps_contest *contest, int index, const fcps_layout *layout)
{
  if (contest->looked == 0 && contest->count == 0)
    return NULL; /* it has candidates but was never compared if rows were removed since */
  fcps_json *json = fcps_json_object(), *candidates = fcps_json_array();
  for (int k = 0; k < contest->count; k++)
    fcps_json_add(&candidates, write_candidate(contest->candidates + k, fcps_structure_kind_at(index), layout));
  fcps_json_put(&json, "active", fcps_json_from_integer(contest->active));
  fcps_json_put(&json, "looked", fcps_json_from_integer(contest->looked));
  fcps_json_put(&json, "candidates", candidates);
  return json;
}

static fcps_status read_candidate(fcps_candidate *candidate, const fcps_structure_kind *kind, const fcps_look *look,
                                  const fcps_json *json)
{
  const fcps_json *state = fcps_json_get(json, "state"), *hyper = fcps_json_get(json, "hyper");
  const int count = fcps_json_count(hyper);
  if (!fcps_json_number(fcps_json_get(json, "nats"), &candidate->nats) || !isfinite(candidate->nats))
    return FCPS_ERR_FORMAT;
  fcps_status status = state != NULL ? fcps_structure_read(kind, look, state, &candidate->structure) : FCPS_OK;
  if (status != FCPS_OK) return status;
  free(candidate->hyper);
  candidate->hyper = fcps_allocate((size_t)count, sizeof(double));
  if (candidate->hyper == NULL) return FCPS_ERR_MEMORY;
  candidate->hyper_count = count;
  return fcps_json_numbers(hyper, count, candidate->hyper) && fcps_gp_hyper_usable(count, candidate->hyper)
             ? FCPS_OK
             : FCPS_ERR_FORMAT;
}

fcps_status fcps_contest_read(fcps_contest *contest, int index, const fcps_look *look, const fcps_json *json)
{
  const fcps_structure_kind *kind = fcps_structure_kind_at(index);
  const fcps_json *candidates = fcps_json_get(json, "candidates");
  const int count = fcps_json_count(candidates);
  int64_t active = -1, looked = -1;
  if (json == NULL) return FCPS_OK;
  const bool has_numbers = fcps_json_integer(fcps_json_get(json, "active"), &active) &&
                           fcps_json_integer(fcps_json_get(json, "looked"), &looked);
  if (kind->propose == NULL || !has_numbers || !fcps_json_is_array(candidates) || count > FCPS_PROPOSALS + 1 ||
      active < 0 || active >= (count > 0 ? count : 1) || looked < 0 || looked > look->rollouts->count)
    return FCPS_ERR_FORMAT;
  fcps_status status = resize(contest, count);
  for (int k = 0; k < count && status == FCPS_OK; k++) {
    status = read_candidate(contest->candidates + k, kind, look, fcps_json_at(candidates, k));
    if (status == FCPS_OK && (contest->candidates[k].structure.size > 0) != (k > 0)) status = FCPS_ERR_FORMAT;
  }
  contest->active = (int)active;
  contest->looked = (int)looked;
  return status;
}
