/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of a sum, if it has a conditional form (sum_form.h). For given outer outcomes it is integrated exactly over
 * the inner one (pieces.c); a rule with few nodes integrates over the outer ones. The derivatives use the same
 * nodes. */
#include "base/normal.h"
#include "problem/problem.h"
#include "reward/expected_reward_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES, MOST_REST = FCPS_CONDITIONAL_OUTER + 1 };

/* Edges between pieces: the roots of lines, and the bounds of the outcome. */
enum { MOST_EDGES = FCPS_CONDITIONAL_LINES + 2 };

/* Edges that are further from the mean than this many deviations are ignored. */
static const double furthest = 8.0;

/* The rule over one outer outcome has panels from -reach to reach. A panel is at most `widest` wide, because it has
 * only twelve nodes. */
static const double reach = 6.0, widest = 6.2;

/* -- The rule over the outer outcomes -- */

enum { PANEL = 12, PANELS = FCPS_CONDITIONAL_BREAKS + 4 };

typedef struct outer_rule {
  int count, dimensions;
  const double *nodes, *weights;
  double panel_nodes[PANEL * PANELS], panel_weights[PANEL * PANELS];
} outer_rule;

/* Adds the Gauss-Legendre nodes from z = low to z = high, with the normal density in the weights. */
static void add_panel(outer_rule *rule, double low, double high)
{
  static const double x[PANEL / 2] = {0.1252334085114689, 0.3678314989981802, 0.5873179542866175,
                                      0.7699026741943047, 0.9041172563704749, 0.9815606342467193},
                                w[PANEL / 2] = {0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
                                                0.1600783285433462, 0.1069393259953184, 0.0471753363865118};
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  for (int i = 0; i < PANEL; i++) {
    const double z = middle + (i % 2 == 0 ? half : -half) * x[i / 2];
    rule->panel_nodes[rule->count] = z;
    rule->panel_weights[rule->count++] = half * w[i / 2] * fcps_normal_density(z);
  }
}

/* Writes the breaks that are near enough to matter, in standard units and ascending order. Returns their number. */
static int place_breaks(const fcps_expected_reward *s, const fcps_conditional *c, int outcome, double m,
                        double deviation, double *places)
{
  const fcps_dimension *dim = s->problem->outcome.dims + outcome;
  double all[FCPS_CONDITIONAL_BREAKS + 2];
  int count = 0, found = 0;
  for (int i = 0; i < c->breaks_count; i++)
    all[count++] = c->breaks[i];
  if (dim->lower < dim->upper) all[count++] = dim->lower;
  if (dim->lower < dim->upper) all[count++] = dim->upper;
  for (int i = 0; i < count; i++) {
    const double z = (all[i] - m) / deviation;
    int at = found;
    if (fabs(z) >= reach) continue;
    for (found++; at > 0 && places[at - 1] > z; at--)
      places[at] = places[at - 1];
    places[at] = z;
  }
  return found;
}

/* Returns the Gauss-Hermite rule for the outer outcomes. It has few nodes if the function is smooth enough: ten nodes
 * are exact to 1e-6 if kinks are rounded off over at least the width of the distribution. */
static const fcps_quadrature *hermite(fcps_expected_reward *s, const fcps_conditional *c, int dimensions, int gp_count)
{
  static const int sides[2] = {10, 32};
  if (dimensions > 1) return fcps_sum_quadrature(s, dimensions, false);
  const int which = gp_count == 1 && c->width >= 0.95 ? 0 : 1;
  fcps_quadrature *rule = &s->rules[which];
  if (rule->count == 0 && fcps_quadrature_create_product(rule, 1, sides[which]) != FCPS_OK) return NULL;
  return rule;
}

/* Makes the rule at a point. Its outcomes are those of the rest, in order, without the inner one. Returns false if
 * there is no memory. */
static bool find_rule(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, outer_rule *rule)
{
  double places[FCPS_CONDITIONAL_BREAKS + 2];
  int breaks = 0;
  rule->dimensions = form->rest_count - 1;
  rule->count = 0;
  if (rule->dimensions == 0) {
    rule->nodes = rule->panel_nodes;
    rule->weights = rule->panel_weights;
    rule->count = 1;
    rule->panel_weights[0] = 1.0;
    return true;
  }
  if (rule->dimensions == 1) {
    const int outer =
        form->rest_outcomes[s->formula->outcome + form->rest_outcomes[0] == form->conditional.inner ? 1 : 0];
    breaks = place_breaks(s, &form->conditional, outer, at->means[outer],
                          fcps_sum_deviation(s, outer, at->variances, at->gp_count), places);
  }
  if (breaks == 0) {
    const fcps_quadrature *nodes = hermite(s, &form->conditional, rule->dimensions, at->gp_count);
    if (nodes == NULL) return false;
    rule->count = nodes->count;
    rule->nodes = nodes->nodes;
    rule->weights = nodes->weights;
    return true;
  }
  double low = -reach;
  for (int i = 0; i <= breaks; i++) {
    const double high = i < breaks ? places[i] : reach;
    const int panels = high - low > widest ? 2 : 1;
    for (int k = 0; k < panels; k++)
      add_panel(rule, low + (high - low) * k / panels, low + (high - low) * (k + 1) / panels);
    low = high;
  }
  rule->nodes = rule->panel_nodes;
  rule->weights = rule->panel_weights;
  return true;
}

/* -- Pieces along the inner outcome -- */

/* One point with some of its outer nodes. The pieces at these nodes are evaluated in one call. */
typedef struct slice {
  fcps_expected_reward *s;
  const fcps_sum_form *form;
  fcps_wanted what;
  const outer_rule *rule;
  int inner; /* the number of the inner outcome in the rest */
  double means[MOST_REST], deviations[MOST_REST];
  int first, count;      /* the first of these outer nodes, and their number */
  int edges[LANES];      /* the number of edges at each node */
  double z[LANES];       /* the edges of all nodes, one after the other */
  double samples[LANES]; /* two points in each piece, as z */
  int lanes;             /* the number of samples */
  double outcomes[MOST_REST * LANES];
} slice;

/* Returns the value of outcome r at outer node k. */
static double outer_outcome(const slice *p, int r, int k)
{
  const int d = r < p->inner ? r : r - 1;
  const double z = p->rule->nodes[(p->first + k) * p->rule->dimensions + d];
  return fcps_dimension_clip(p->s->problem->outcome.dims + p->form->rest_outcomes[r],
                             p->means[r] + p->deviations[r] * z);
}

static const double *eval(slice *p, const fcps_formula *formula, int lanes)
{
  fcps_expected_reward *s = p->s;
  if (!fcps_sum_reserve_work(s, formula)) return NULL;
  for (int r = 0; r < p->form->rest_count; r++)
    s->formula_inputs[s->formula->outcome + p->form->rest_outcomes[r]] =
        (fcps_formula_input){p->outcomes + r * LANES, 1};
  for (int d = 0; d < s->parameters; d++)
    s->formula_inputs[s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + d, 0};
  return fcps_formula_eval(formula, lanes, s->formula_inputs, s->formula_work);
}

static void insert_edge(double *edges, int *count, double z)
{
  int at = *count;
  if (!(fabs(z) < furthest)) return;
  for (; at > 0 && edges[at - 1] > z; at--)
    edges[at] = edges[at - 1];
  edges[at] = z;
  ++*count;
}

/* Finds the edges at each outer node. The root of a line follows from its values at z = 0 and z = 1. */
static bool find_edges(slice *p)
{
  const fcps_conditional *c = &p->form->conditional;
  const fcps_dimension *dim = p->s->problem->outcome.dims + p->form->rest_outcomes[p->inner];
  const double m = p->means[p->inner], deviation = p->deviations[p->inner], *work = NULL;
  for (int k = 0; k < p->count; k++)
    for (int r = 0; r < p->form->rest_count; r++) {
      double *lanes = p->outcomes + r * LANES + k;
      lanes[0] = r == p->inner ? m : outer_outcome(p, r, k);
      lanes[p->count] = r == p->inner ? m + deviation : lanes[0];
    }
  if (c->lines_count > 0 && eval(p, &c->lines, 2 * p->count) == NULL) return false;
  work = p->s->formula_work;
  double *edges = p->z;
  for (int k = 0; k < p->count; k++) {
    int count = 0;
    for (int i = 0; i < c->lines_count; i++) {
      const double *values = work + (size_t)c->line_steps[i] * LANES;
      insert_edge(edges, &count, values[k] / (values[k] - values[k + p->count]));
    }
    if (dim->lower < dim->upper) {
      insert_edge(edges, &count, (dim->lower - m) / deviation);
      insert_edge(edges, &count, (dim->upper - m) / deviation);
    }
    p->edges[k] = count;
    edges += count;
  }
  return true;
}

/* Writes two points within each piece, at which the formula will be evaluated. */
static void lay_samples(slice *p)
{
  const fcps_dimension *dim = p->s->problem->outcome.dims + p->form->rest_outcomes[p->inner];
  const double m = p->means[p->inner], deviation = p->deviations[p->inner], *edges = p->z;
  int lane = 0;
  for (int k = 0; k < p->count; k++) {
    const int count = p->edges[k], begin = lane;
    for (int i = 0; i <= count; i++) {
      const double low = i > 0 ? edges[i - 1] : count > 0 ? edges[0] - 2.0 : -1.0;
      const double high = i < count ? edges[i] : count > 0 ? edges[count - 1] + 2.0 : 1.0;
      p->samples[lane++] = 0.75 * low + 0.25 * high;
      p->samples[lane++] = 0.25 * low + 0.75 * high;
    }
    for (int r = 0; r < p->form->rest_count; r++) {
      double *lanes = p->outcomes + r * LANES;
      const double outer = r == p->inner ? 0.0 : outer_outcome(p, r, k);
      for (int l = begin; l < lane; l++)
        lanes[l] = r == p->inner ? m + deviation * p->samples[l] : outer;
      if (r == p->inner) fcps_sum_clip(dim, lane - begin, lanes + begin);
    }
    edges += count;
  }
  p->lanes = lane;
}

/* -- Integrals -- */

/* A straight line c + b z, from its values at two points of a piece. */
typedef struct straight {
  double c, b;
} straight;

static straight line_through(const double *z, const double *values, double reference)
{
  const double width = z[1] - z[0], slope = width > 1e-12 ? (values[1] - values[0]) / width : 0.0;
  return (straight){values[0] - reference - slope * z[0], slope};
}

/* Sums over the outer nodes: E f g and E f^2 g for g = 1, z_r, z_r^2 - 1 of each outcome r, and E f z_r z_t. */
typedef struct totals {
  double f, square, first[MOST_REST][2], second[MOST_REST][2], mixed[MOST_REST][MOST_REST];
  double reference; /* f is the function less this number */
} totals;

static void add_node(const slice *p, int k, const fcps_integrals *in, totals *sums)
{
  const int rest = p->form->rest_count, node = p->first + k;
  const double w = p->rule->weights[node];
  double z[MOST_REST] = {0};
  sums->f += w * in->f[0];
  sums->square += w * in->square[0];
  if (p->what != FCPS_WANTED_SLOPES) return;
  for (int r = 0; r < rest; r++)
    if (r != p->inner) z[r] = p->rule->nodes[node * p->rule->dimensions + (r < p->inner ? r : r - 1)];
  for (int r = 0; r < rest; r++) {
    const bool is_inner = r == p->inner;
    sums->first[r][0] += w * (is_inner ? in->f[1] : in->f[0] * z[r]);
    sums->first[r][1] += w * (is_inner ? in->square[1] : in->square[0] * z[r]);
    sums->second[r][0] += w * (is_inner ? in->f[2] : in->f[0] * (z[r] * z[r] - 1.0));
    sums->second[r][1] += w * (is_inner ? in->square[2] : in->square[0] * (z[r] * z[r] - 1.0));
    for (int t = 0; t < r; t++)
      sums->mixed[r][t] += w * (is_inner ? in->f[1] * z[t] : t == p->inner ? in->f[1] * z[r] : in->f[0] * z[r] * z[t]);
  }
}

/* Adds the contributions of a slice's outer nodes to the sums. Returns false if a value is not usable. */
static bool add_slice(slice *p, totals *sums)
{
  if (!find_edges(p)) return false;
  lay_samples(p);
  const double *values = eval(p, &p->form->rest, p->lanes), *edges = p->z, *samples = p->samples;
  if (values == NULL || !fcps_rollout_values_usable(p->lanes, values)) return false;
  if (p->first == 0) sums->reference = values[p->lanes / 2];
  for (int k = 0; k < p->count; k++) {
    fcps_integrals in = {0};
    fcps_edge low = {0};
    for (int i = 0; i <= p->edges[k]; i++, values += 2, samples += 2) {
      const fcps_edge high = i < p->edges[k] ? fcps_edge_at(edges[i]) : (fcps_edge){.below = 1.0};
      const straight f = line_through(samples, values, sums->reference);
      fcps_integrals_add(&in, p->what, f.c, f.b, &low, &high);
      low = high;
    }
    add_node(p, k, &in, sums);
    edges += p->edges[k];
  }
  return true;
}

static bool add_up(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, fcps_wanted what,
                   slice *p, totals *sums)
{
  outer_rule rule;
  if (!find_rule(s, form, at, &rule)) return false;
  *sums = (totals){0};
  p->s = s;
  p->form = form;
  p->what = what;
  p->rule = &rule;
  for (int r = 0; r < form->rest_count; r++) {
    const int j = form->rest_outcomes[r];
    if (s->formula->outcome + j == form->conditional.inner) p->inner = r;
    p->means[r] = at->means[j];
    p->deviations[r] = fcps_sum_deviation(s, j, at->variances, at->gp_count);
  }
  const int group = LANES / (2 * (form->conditional.lines_count + 3));
  for (p->first = 0; p->first < rule.count; p->first += group) {
    p->count = rule.count - p->first < group ? rule.count - p->first : group;
    if (!add_slice(p, sums)) return false;
  }
  return true;
}

bool fcps_sum_add_conditional(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance)
{
  slice p;
  totals sums;
  if (!add_up(s, form, at, variance != NULL ? FCPS_WANTED_VARIANCE : FCPS_WANTED_MEAN, &p, &sums)) return false;
  *mean += sums.reference + sums.f;
  if (variance != NULL) *variance += fmax(sums.square - sums.f * sums.f, 0.0);
  return true;
}

bool fcps_sum_add_conditional_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                                     double *mean, double *variance, fcps_sum_slopes *slopes)
{
  slice p;
  totals sums;
  const int rest = form->rest_count;
  if (!add_up(s, form, at, FCPS_WANTED_SLOPES, &p, &sums)) return false;
  *mean += sums.reference + sums.f;
  *variance += fmax(sums.square - sums.f * sums.f, 0.0);
  for (int r = 0; r < rest; r++) {
    const int j = form->rest_outcomes[r];
    const double deviation = p.deviations[r];
    slopes->mean_m[j] = sums.first[r][0] / deviation;
    slopes->mean_s[j] = sums.second[r][0] / deviation;
    slopes->variance_m[j] = (sums.first[r][1] - 2.0 * sums.f * sums.first[r][0]) / deviation;
    slopes->variance_s[j] = (sums.second[r][1] - 2.0 * sums.f * sums.second[r][0]) / deviation;
    slopes->bends[r * rest + r] = -sums.second[r][0] / (deviation * deviation);
    for (int t = 0; t < r; t++)
      slopes->bends[r * rest + t] = slopes->bends[t * rest + r] = -sums.mixed[r][t] / (deviation * p.deviations[t]);
  }
  return true;
}
