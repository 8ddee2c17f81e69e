/* SPDX-License-Identifier: Apache-2.0 */
/* A place is an environment (joint: a context) among the representers, with one belief for each target. Where the model
 * has split, a trial tells nothing about the other side: each side is searched alone, and the larger value wins. */
#include "acquisition/contextual/contextual_gain.h"

#include "base/memory.h"
#include "gp/joint.h"
#include "optim/optim.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const fcps_belief_settings fcps_contextual_belief_settings = {.pool = 200,
                                                              .best = 30,
                                                              .others = 30,
                                                              .draws = 64,
                                                              .representers = 20,
                                                              .samples = 208,
                                                              .outcomes = 5,
                                                              .maxima = 2,
                                                              .winners = 4};

/* The search: random trials and representers, then ever smaller steps. */
enum { CANDIDATES = 160, KNOWN_CANDIDATES = 80 };
static const fcps_shrinking_search_settings narrowing = {
    .rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

typedef struct place {
  double *x;            /* coordinates of the context that the model sees */
  double *features;     /* its features */
  fcps_belief *beliefs; /* one a target */
} place;

/* The search of one side. */
typedef struct side_search {
  const fcps_contextual_decision *decision;
  const fcps_model *model; /* of this side */
  fcps_belief_builder entropy;
  fcps_gp_outputs outputs; /* for all targets */
  int seen;                /* context coordinates that the model sees */
  int count;               /* places on this side */
  place *places;
  int free_count;
  int *free_dims;         /* which of the seen coordinates vary */
  double *lower, *upper;  /* their bounds on this side */
  double *fixed;          /* all seen coordinates; the free ones vary */
  fcps_candidates trials; /* all of a batch */
  fcps_candidates near;   /* those near a place */
  void *scratch;
  double *beta;     /* L' alpha of each target */
  double *means;    /* CANDIDATES x targets: of all trials */
  double *distance; /* CANDIDATES x places: scaled squared distances, then the place's rank */
  double *gains;    /* CANDIDATES */
  double *doubtful; /* what failing depends on, of one trial */
  int *members;     /* CANDIDATES: trials near a place */
  bool *wraps;      /* of all varying coordinates */
} side_search;

/* Context coordinates of a trial: the fixed ones, and the free ones from the first numbers of `point`, which are
 * fractions of this side's range. */
static void context_of(const side_search *s, const double *point, double *context)
{
  memcpy(context, s->fixed, (size_t)s->seen * sizeof(double));
  for (int i = 0; i < s->free_count; i++)
    context[s->free_dims[i]] = s->lower[i] + point[i] * (s->upper[i] - s->lower[i]);
}

static void fill_trials(side_search *s, int count, const double *points, double *context)
{
  const size_t dim = (size_t)s->model->gp->dim, n = (size_t)(s->free_count + s->entropy.n);
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = s->trials.features + i * dim;
    context_of(s, points + i * n, context);
    fcps_embed(&s->model->context, context, features);
    fcps_embed(&s->model->parameters, points + i * n + s->free_count, features + s->model->context.width);
  }
  fcps_candidates_prepare(&s->trials, s->model->gp, count);
  fcps_candidates_predict(&s->trials, s->model->gp, &s->outputs, s->beta, s->means);
}

/* distance[trial*places + place] in the kernel's length-scales. */
static void measure_distances(side_search *s, int count)
{
  const fcps_gp *gp = s->model->gp;
  memset(s->distance, 0, (size_t)count * (size_t)s->count * sizeof(double));
  for (int d = 0; d < s->model->context.width; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    double *sum = s->distance;
    for (int i = 0; i < count; i++)
      for (int p = 0; p < s->count; p++) {
        const double t = s->trials.features[(size_t)i * (size_t)gp->dim + (size_t)d] - s->places[p].features[d];
        *sum++ += weight * t * t;
      }
  }
}

/* Whether place `p` is among the nearest of a trial: fewer than `neighbours` places come before it. */
static bool is_near(const side_search *s, int trial, int p)
{
  const double *distance = s->distance + (size_t)trial * (size_t)s->count;
  const int most = s->decision->settings->neighbours;
  int before = 0;
  for (int other = 0; other < s->count && before < most; other++)
    before += distance[other] < distance[p] || (distance[other] == distance[p] && other < p);
  return before < most;
}

/* Collects the trials near a place. */
static void gather_near(side_search *s, int count, int p)
{
  const size_t dim = (size_t)s->model->gp->dim, rows = (size_t)s->model->gp->factored;
  fcps_candidates *near = &s->near;
  near->count = 0;
  for (int i = 0; i < count; i++) {
    if (!is_near(s, i, p)) continue;
    const size_t to = (size_t)near->count, from = (size_t)i;
    memcpy(near->features + to * dim, s->trials.features + from * dim, dim * sizeof(double));
    memcpy(near->whitened + to * rows, s->trials.whitened + from * rows, rows * sizeof(double));
    near->variance[to] = s->trials.variance[from];
    s->members[near->count++] = i;
  }
}

static void summed_gains(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  side_search *s = user;
  fill_trials(s, count, points, s->gains); /* the gains' room holds a context for a moment */
  measure_distances(s, count);
  memset(values, 0, (size_t)count * sizeof(double));
  for (int p = 0; p < s->count; p++) {
    gather_near(s, count, p);
    memset(s->gains, 0, (size_t)s->near.count * sizeof(double));
    for (int t = 0; t < s->outputs.outputs; t++) {
      for (int i = 0; i < s->near.count; i++)
        s->near.mean[i] = s->means[(size_t)t * (size_t)count + (size_t)s->members[i]];
      s->decision->gain->add(&s->entropy, s->model->gp, s->places[p].beliefs + t, &s->near, s->scratch, s->gains);
    }
    for (int i = 0; i < s->near.count; i++)
      values[s->members[i]] += s->gains[i];
  }
  /* what may fail is known to the whole model, not to its sides */
  fcps_model_weigh_by_feasibility(s->decision->model, count, s->trials.features, s->doubtful, values);
}

/* Uniform trials, after some in the places at their representers. */
static void draw_candidates(const side_search *s, fcps_rng *rng, double *candidates)
{
  const int n = s->free_count + s->entropy.n;
  fcps_points_uniform(rng, n, CANDIDATES, candidates);
  for (int i = 0; i < KNOWN_CANDIDATES && s->count > 0; i++) {
    const place *p = s->places + fcps_rng_below(rng, (uint64_t)s->count);
    const fcps_belief *b = p->beliefs + fcps_rng_below(rng, (uint64_t)s->outputs.outputs);
    const double *representer = b->x + fcps_rng_below(rng, (uint64_t)b->count) * (size_t)s->entropy.n;
    double *to = candidates + (size_t)i * (size_t)n;
    for (int f = 0; f < s->free_count; f++) {
      const double range = s->upper[f] - s->lower[f];
      to[f] = range > 0 ? fmin(fmax((p->x[s->free_dims[f]] - s->lower[f]) / range, 0.0), 1.0) : 0.0;
    }
    memcpy(to + s->free_count, representer, (size_t)s->entropy.n * sizeof(double));
  }
}

static fcps_status run_search(side_search *s, double *value, double *context, double *best)
{
  const int n = s->free_count + s->entropy.n;
  double *candidates = fcps_allocate((size_t)(CANDIDATES + 1) * (size_t)n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  double *x = candidates + (size_t)CANDIDATES * (size_t)n;
  fcps_rng rng = s->decision->rng;
  draw_candidates(s, &rng, candidates);
  const fcps_objective objective = {.n = n, .batch = summed_gains, .wraps = s->wraps, .user = s};
  fcps_optimum optimum;
  const fcps_status status =
      fcps_shrinking_search_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, x, &optimum);
  if (status == FCPS_OK && optimum.value > *value) {
    *value = optimum.value;
    context_of(s, x, context);
    memcpy(best, x + s->free_count, (size_t)s->entropy.n * sizeof(double));
  }
  free(candidates);
  return status;
}

/* The representers of a decision: places (rows of the seen coordinates, unit cube) and targets (in their own units). */
typedef struct representers {
  int places, targets;
  double *place_units, *targets_values;
} representers;

static fcps_status draw_representers(const fcps_contextual_decision *decision, representers *r)
{
  const fcps_model *model = decision->model;
  const fcps_space *space = &model->problem->target;
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  const bool has_targets = fcps_model_kind_has_outputs_per_target(model->ops) && space->count > 0;
  r->targets = has_targets ? decision->settings->targets : 1;
  r->places =
      model->context.count > 0 ? decision->settings->contexts / r->targets : 1; /* or all would be the same one */
  if (r->places < 1) r->places = 1;
  r->place_units = fcps_allocate((size_t)r->places * (size_t)model->context.count, sizeof(double));
  r->targets_values = fcps_allocate((size_t)r->targets * (size_t)space->count, sizeof(double));
  if (r->place_units == NULL || r->targets_values == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = fcps_points_latin(&rng, model->context.count, r->places, r->place_units);
  if (status == FCPS_OK && has_targets) status = fcps_points_latin(&rng, space->count, r->targets, r->targets_values);
  for (int i = 0; i < r->targets && has_targets; i++) {
    double *target = r->targets_values + (size_t)i * (size_t)space->count;
    fcps_space_from_unit(space, target, target);
  }
  return status;
}

/* Bounds of the free coordinates on a side; false where the fixed ones lie on the other side. */
static bool bound_side(side_search *s, int side)
{
  const fcps_model *parent = s->decision->model;
  double threshold = 0.0;
  const int split_dim = fcps_model_split_dimension(parent, &threshold);
  for (int i = 0; i < s->seen; i++) {
    const bool is_split = i == split_dim && side >= 0;
    if (!s->decision->is_free[i]) {
      if (is_split && (s->fixed[i] >= threshold) != (side == 1)) return false;
      continue;
    }
    const double below = threshold - 1e-9; /* the threshold itself is on side 1 */
    s->free_dims[s->free_count] = i;
    s->lower[s->free_count] = is_split && side == 1 ? fmin(threshold, 1.0) : 0.0;
    s->upper[s->free_count] = is_split && side == 0 ? fmax(below, 0.0) : 1.0;
    s->free_count++;
  }
  return true;
}

/* The wraps of the varying coordinates: a context only where the side leaves it whole. */
static void fill_wraps(side_search *s)
{
  const fcps_problem *problem = s->model->problem;
  for (int i = 0; i < s->free_count; i++) {
    const int d = s->free_dims[i], environments = problem->environment.count;
    const fcps_dimension *dim =
        d < environments ? problem->environment.dims + d : problem->target.dims + d - environments;
    s->wraps[i] = fcps_dimension_wraps(dim) && s->upper[i] - s->lower[i] >= 1.0;
  }
  fcps_space_wraps(&problem->parameters, s->wraps + s->free_count);
}

static fcps_status allocate_side(side_search *s, int places)
{
  const size_t seen = (size_t)s->seen, width = (size_t)s->model->context.width, count = (size_t)places;
  const size_t gains = CANDIDATES > s->seen ? CANDIDATES : seen;
  const size_t doubtful = (size_t)fcps_model_feasibility_dim(s->model);
  s->places = fcps_allocate(count, sizeof *s->places);
  s->free_dims = fcps_allocate(seen, sizeof(int));
  s->fixed = fcps_allocate(3 * seen + gains + doubtful + CANDIDATES * count + count * (seen + width), sizeof(double));
  s->members = fcps_allocate(CANDIDATES, sizeof(int));
  s->wraps = fcps_allocate(seen + (size_t)s->model->parameters.count, sizeof(bool));
  if (s->places == NULL || s->free_dims == NULL || s->fixed == NULL || s->members == NULL || s->wraps == NULL)
    return FCPS_ERR_MEMORY;
  s->lower = s->fixed + seen;
  s->upper = s->lower + seen;
  s->gains = s->upper + seen;
  s->doubtful = s->gains + gains;
  s->distance = s->doubtful + doubtful;
  double *next = s->distance + CANDIDATES * count;
  for (size_t p = 0; p < count; p++, next += seen + width)
    s->places[p] = (place){.x = next, .features = next + seen};
  return FCPS_OK;
}

static void close_side(side_search *s)
{
  for (int p = 0; p < s->count; p++) {
    for (int t = 0; t < s->outputs.outputs && s->places[p].beliefs != NULL; t++)
      fcps_belief_destroy(s->places[p].beliefs + t);
    free(s->places[p].beliefs);
  }
  free(s->places);
  free(s->free_dims);
  free(s->fixed);
  free(s->members);
  free(s->wraps);
  free(s->scratch);
  free(s->beta);
  fcps_candidates_destroy(&s->trials);
  fcps_candidates_destroy(&s->near);
  fcps_gp_outputs_destroy(&s->outputs);
  fcps_belief_builder_destroy(&s->entropy);
}

/* The places of this side, with a belief for each target. */
static fcps_status build_places(side_search *s, const representers *r, int side)
{
  double threshold = 0.0;
  const int split_dim = fcps_model_split_dimension(s->decision->model, &threshold);
  for (int p = 0; p < r->places; p++) {
    place *to = s->places + s->count;
    memcpy(to->x, r->place_units + (size_t)p * (size_t)s->seen, (size_t)s->seen * sizeof(double));
    fcps_embed(&s->model->context, to->x, to->features);
    if (side >= 0 && (to->x[split_dim] >= threshold) != (side == 1)) continue;
    s->count++;
    to->beliefs = fcps_allocate((size_t)s->outputs.outputs, sizeof *to->beliefs);
    if (to->beliefs == NULL) return FCPS_ERR_MEMORY;
    const fcps_status status =
        fcps_gain_beliefs(s->decision->gain, &s->entropy, s->model, &s->outputs, to->features, to->beliefs);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* Room for trials, and what their means come from. */
static fcps_status prepare_trials(side_search *s)
{
  const size_t targets = (size_t)s->outputs.outputs, rows = (size_t)s->outputs.count;
  fcps_status status = fcps_candidates_create(&s->trials, s->model->gp, CANDIDATES);
  if (status == FCPS_OK) status = fcps_candidates_create(&s->near, s->model->gp, CANDIDATES);
  if (status != FCPS_OK) return status;
  s->beta = fcps_allocate((rows + CANDIDATES) * targets, sizeof(double));
  s->scratch = s->decision->gain->scratch(&s->entropy, CANDIDATES);
  if (s->beta == NULL || s->scratch == NULL) return FCPS_ERR_MEMORY;
  s->means = s->beta + rows * targets;
  fcps_gp_whitened_weights(s->model->gp, &s->outputs, s->beta);
  return FCPS_OK;
}

/* Everything that gains on one side (-1: the model has not split) need. `is_empty` says that the given context lies on
 * the other side. */
static fcps_status open_side(side_search *s, const representers *r, int side, const double *given, bool *is_empty,
                             fcps_error *error)
{
  fcps_rng rng = s->decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  rng.index = UINT64_C(1) << 32; /* far behind the representers' numbers */
  fcps_status status = allocate_side(s, r->places);
  if (status != FCPS_OK) return status;
  memcpy(s->fixed, given, (size_t)s->seen * sizeof(double));
  *is_empty = !bound_side(s, side);
  if (*is_empty) return FCPS_OK;
  fill_wraps(s);
  status = fcps_belief_builder_create(&s->entropy, &fcps_contextual_belief_settings, s->model, rng);
  if (status == FCPS_OK) status = fcps_model_condition(s->model, r->targets, r->targets_values, &s->outputs, error);
  if (status == FCPS_OK) status = build_places(s, r, side);
  return status == FCPS_OK ? prepare_trials(s) : status;
}

/* What is asked of each side: the best trial, or the value of the given one. */
typedef fcps_status side_fn(side_search *s, double *value, double *context, double *x);

static fcps_status value_trial(side_search *s, double *value, double *context, double *x)
{
  (void)context;
  summed_gains(s, s->entropy.n, 1, x, value);
  return FCPS_OK;
}

static fcps_status visit_sides(const fcps_contextual_decision *decision, side_fn *visit, double *value, double *context,
                               double *x, fcps_error *error)
{
  const fcps_model *model = decision->model;
  const bool has_split = fcps_model_side_count(model) > 1;
  representers r = {0};
  double *given = fcps_copy(context, (size_t)model->context.count, sizeof(double));
  fcps_status status = given != NULL ? draw_representers(decision, &r) : FCPS_ERR_MEMORY;
  for (int side = has_split ? 0 : -1; side < (has_split ? 2 : 0) && status == FCPS_OK; side++) {
    side_search s = {
        .decision = decision, .model = side < 0 ? model : fcps_model_side(model, side), .seen = model->context.count};
    bool is_empty = false;
    status = open_side(&s, &r, side, given, &is_empty, error);
    if (status == FCPS_OK && !is_empty) status = visit(&s, value, context, x);
    close_side(&s);
  }
  free(r.place_units);
  free(r.targets_values);
  free(given);
  return status;
}

fcps_status fcps_contextual_select(const fcps_contextual_decision *decision, double *context, double *x,
                                   fcps_error *error)
{
  double value = -INFINITY;
  return visit_sides(decision, run_search, &value, context, x, error);
}

fcps_status fcps_contextual_value(const fcps_contextual_decision *decision, double *context, double *x, double *value,
                                  fcps_error *error)
{
  return visit_sides(decision, value_trial, value, context, x, error);
}
