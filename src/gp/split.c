/* SPDX-License-Identifier: Apache-2.0 */
/* One factorization gives the likelihood of every prefix. Sort the rows along an input, and let K = L L' and a = L^-1
 * y. The likelihood of the first k rows needs only the first k entries of a and of the diagonal of L, because the
 * factor of a leading block is the leading block of the factor. So two factorizations, forwards and backwards, score
 * all gaps.
 *
 * The mean of a side is unknown; it is integrated out with a prior of the outputs' own scale, m ~ N(0, 1). With e =
 * L^-1 1, A = a'a, B = a'e, C = e'e over the first k entries,
 *   log p(y_1..k) = -1/2 (A - B^2/(C + 1)) - 1/2 log(1 + C) - sum log L_ii - k/2 log(2 pi). */
#include "gp/split.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fixed length-scales of the quick likelihood, in units of the prior's. Each side takes the one that fits it best. */
static const double length_factors[] = {0.4, 1.0, 2.5};
enum { FACTORS = (int)(sizeof length_factors / sizeof *length_factors), SHORTLIST = 4 };

/* Values nearer to each other than this count as equal, so there is no gap between them. */
static const double least_gap = 1e-9;

typedef struct row_key {
  double value;
  int row;
} row_key;

static int compare(const void *a, const void *b)
{
  const row_key *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return (p->row > q->row) - (p->row < q->row);
}

typedef struct search {
  const fcps_gp *gp;
  fcps_hyper_prior prior;
  fcps_fit_settings fit;
  int rows, outputs;
  double *y;      /* rows x outputs, standardized over all rows */
  double *part;   /* the same for the rows on one side of a gap */
  double *hyper;  /* FCPS_HYPER_COUNT(dim) */
  double *column; /* rows x (outputs + 1): a and e */
  double *before; /* rows + 1: at k, the quick likelihood of the first k rows in the sorted order */
  double *after;  /* rows + 1: at k, that of all rows but the first k */
  row_key *order; /* one entry per row */
  int *chosen;    /* one entry per row */
  fcps_split shortlist[SHORTLIST];
  int listed, gaps;
} search;

static void close_search(search *s)
{
  free(s->y);
  free(s->order);
  free(s->chosen);
}

static fcps_status open_search(search *s, const double *y)
{
  const size_t n = (size_t)s->rows, q = (size_t)s->outputs, h = (size_t)FCPS_HYPER_COUNT(s->gp->dim);
  s->y = fcps_allocate(2 * n * q + h + n * (q + 1) + 2 * (n + 1) + 2 * q, sizeof(double));
  s->order = fcps_allocate(n, sizeof *s->order);
  s->chosen = fcps_allocate(n, sizeof *s->chosen);
  if (s->y == NULL || s->order == NULL || s->chosen == NULL) return FCPS_ERR_MEMORY;
  s->part = s->y + n * q;
  s->hyper = s->part + n * q;
  s->column = s->hyper + h;
  s->before = s->column + n * (q + 1);
  s->after = s->before + n + 1;
  double *offset = s->after + n + 1, *scale = offset + q;
  fcps_gp_normalize((fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, s->rows, s->outputs, y,
                    offset, scale);
  for (size_t o = 0; o < q; o++)
    for (size_t i = 0; i < n; i++)
      s->y[o * n + i] = (y[o * n + i] - offset[o]) / scale[o];
  return FCPS_OK;
}

/* Makes a GP with `count` chosen rows of the whole. */
static fcps_status take_rows(const search *s, int count, const int *chosen, fcps_gp **part)
{
  fcps_status status = fcps_gp_create_like(part, s->gp);
  if (status != FCPS_OK) return status;
  double *input = fcps_allocate((size_t)s->gp->dim, sizeof(double));
  if (input == NULL) status = FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    for (int d = 0; d < s->gp->dim; d++)
      input[d] = s->gp->inputs[(size_t)d * (size_t)s->gp->capacity + (size_t)chosen[i]];
    status = fcps_gp_add(*part, input);
    if (status == FCPS_OK) (*part)->noise[i] = s->gp->noise[chosen[i]];
  }
  free(input);
  if (status != FCPS_OK) {
    fcps_gp_destroy(*part);
    *part = NULL;
  }
  return status;
}

/* Raises likelihood[k] (k = 0 ... rows) to the likelihood of the first k rows of `part`, if that is larger. The rows of
 * `part` have the order of s->chosen. */
static void raise_prefixes(search *s, const fcps_gp *part, double *likelihood)
{
  const double log_2pi = 1.8378770664093453;
  const int n = s->rows, q = s->outputs;
  for (int o = 0; o <= q; o++)
    for (int i = 0; i < n; i++)
      s->column[(size_t)o * (size_t)n + (size_t)i] = o < q ? s->y[(size_t)o * (size_t)n + (size_t)s->chosen[i]] : 1.0;
  fcps_chol_solve_lower(n, part->factor, part->capacity, q + 1, s->column, n);
  const double *e = s->column + (size_t)q * (size_t)n;
  double total[3] = {0};  /* C, sum log L_ii, and the likelihood of the prefix that ends with the row */
  double *sums = s->part; /* A and B of each output */
  memset(sums, 0, 2 * (size_t)q * sizeof(double));
  for (int k = 0; k < n; k++) {
    total[0] += e[k] * e[k];
    total[1] += log(part->factor[(size_t)k * (size_t)part->capacity + (size_t)k]);
    total[2] = 0.0;
    for (int o = 0; o < q; o++) {
      const double a = s->column[(size_t)o * (size_t)n + (size_t)k];
      sums[2 * o] += a * a;
      sums[2 * o + 1] += a * e[k];
      total[2] -= 0.5 * (sums[2 * o] - sums[2 * o + 1] * sums[2 * o + 1] / (total[0] + 1.0) + log(1.0 + total[0])) +
                  total[1] + 0.5 * (k + 1) * log_2pi;
    }
    likelihood[k + 1] = fmax(likelihood[k + 1], total[2]);
  }
}

/* Computes the quick likelihood of all prefixes of s->chosen: the largest of some for fixed hyper-parameters. */
static fcps_status prefix_likelihoods(search *s, double *likelihood)
{
  fcps_gp *part = NULL;
  fcps_status status = take_rows(s, s->rows, s->chosen, &part);
  if (status != FCPS_OK) return status;
  likelihood[0] = 0.0;
  for (int k = 1; k <= s->rows; k++)
    likelihood[k] = -INFINITY;
  for (int f = 0; f < FACTORS; f++) {
    fcps_gp_hyper_centre(&s->prior, s->gp->dim, s->hyper);
    for (int d = 0; d < s->gp->dim; d++)
      s->hyper[d] += log(length_factors[f]);
    fcps_gp_set_hyper(part, s->hyper);
    status = fcps_gp_factorize(part, s->rows);
    if (status == FCPS_OK) raise_prefixes(s, part, likelihood);
    if (status == FCPS_ERR_MEMORY) break;
    status = FCPS_OK; /* goes on, because other hyper-parameters may be usable */
  }
  fcps_gp_destroy(part);
  return status;
}

/* Inserts a gap into the shortlist, whose best gap comes first. */
static void list_gap(search *s, fcps_split gap)
{
  if (!isfinite(gap.gain)) return;
  if (s->listed == SHORTLIST && gap.gain <= s->shortlist[SHORTLIST - 1].gain) return;
  int rank = s->listed < SHORTLIST ? s->listed++ : SHORTLIST - 1;
  for (; rank > 0 && gap.gain > s->shortlist[rank - 1].gain; rank--)
    s->shortlist[rank] = s->shortlist[rank - 1];
  s->shortlist[rank] = gap;
}

/* Scores every gap along one input. */
static fcps_status score_gaps(search *s, int input)
{
  const int n = s->rows;
  const double *x = s->gp->inputs + (size_t)input * (size_t)s->gp->capacity;
  for (int i = 0; i < n; i++)
    s->order[i] = (row_key){x[i], i};
  qsort(s->order, (size_t)n, sizeof *s->order, compare);
  for (int i = 0; i < n; i++)
    s->chosen[i] = s->order[i].row;
  fcps_status status = prefix_likelihoods(s, s->before);
  for (int i = 0; i < n; i++)
    s->chosen[i] = s->order[n - 1 - i].row;
  if (status == FCPS_OK) status = prefix_likelihoods(s, s->after);
  for (int k = 1; k < n && status == FCPS_OK; k++) {
    const double below = s->order[k - 1].value, above = s->order[k].value;
    if (above - below <= least_gap) continue;
    s->gaps++;
    list_gap(s, (fcps_split){input, 0.5 * (below + above), s->before[k] + s->after[n - k]});
  }
  return status;
}

/* Computes the likelihood, with fitted hyper-parameters, of the rows on one side of `split` (side -1: of all rows). */
static fcps_status fitted_likelihood(search *s, fcps_split split, int side, double *value)
{
  const size_t n = (size_t)s->rows;
  int count = 0;
  for (int i = 0; i < s->rows; i++) {
    const bool above =
        side >= 0 && s->gp->inputs[(size_t)split.input * (size_t)s->gp->capacity + (size_t)i] >= split.threshold;
    if (side < 0 || above == (side == 1)) s->chosen[count++] = i;
  }
  for (size_t o = 0; o < (size_t)s->outputs; o++)
    for (size_t i = 0; i < (size_t)count; i++)
      s->part[o * (size_t)count + i] = s->y[o * n + (size_t)s->chosen[i]];
  const fcps_gp_data data = {.rows = count,
                             .outputs = s->outputs,
                             .y = s->part,
                             .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_NONE},
                             .prior = &s->prior};
  fcps_gp *part = NULL;
  fcps_likelihood *likelihood = NULL;
  fcps_fit_result result;
  fcps_status status = take_rows(s, count, s->chosen, &part);
  if (status != FCPS_OK) return status;
  fcps_gp_hyper_centre(&s->prior, s->gp->dim, s->hyper);
  fcps_gp_set_hyper(part, s->hyper);
  status = fcps_gp_fit(part, &data, s->fit, (fcps_rng){0}, &result);
  if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, part, &data);
  if (status == FCPS_OK) *value = fcps_likelihood_value(likelihood, part->hyper, NULL);
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(part);
  if (status == FCPS_ERR_MEMORY) return status;
  if (status != FCPS_OK) *value = -INFINITY; /* no hyper-parameters fit these rows, which counts against the split */
  return FCPS_OK;
}

/* Chooses the gap of the shortlist that has the best fitted likelihood, and computes its gain over one GP. */
static fcps_status compare_shortlist(search *s, fcps_split *split)
{
  double whole = 0.0, best = -INFINITY;
  fcps_status status = fitted_likelihood(s, FCPS_NO_SPLIT, -1, &whole);
  for (int i = 0; i < s->listed && status == FCPS_OK; i++) {
    double below = 0.0, above = 0.0;
    status = fitted_likelihood(s, s->shortlist[i], 0, &below);
    if (status == FCPS_OK) status = fitted_likelihood(s, s->shortlist[i], 1, &above);
    if (status == FCPS_OK && below + above > best) {
      best = below + above;
      *split = s->shortlist[i];
    }
  }
  split->gain = (best - whole) / s->outputs - FCPS_HYPER_COUNT(s->gp->dim) - log(s->gaps);
  return status;
}

fcps_status fcps_gp_split_find(const fcps_gp *gp, const fcps_gp_data *data, const bool *may_split, int budget,
                               fcps_split *split)
{
  *split = FCPS_NO_SPLIT;
  if (data->rows < 2) return FCPS_OK;
  search s = {.gp = gp,
              .prior = *data->prior,
              .fit = {.starts = 1, .budget = budget},
              .rows = data->rows,
              .outputs = data->outputs};
  s.prior.is_flat = false; /* a side with few rows needs a prior */
  fcps_status status = open_search(&s, data->y);
  for (int d = 0; d < gp->dim && status == FCPS_OK; d++)
    if (may_split[d]) status = score_gaps(&s, d);
  if (status == FCPS_OK && s.listed > 0) status = compare_shortlist(&s, split);
  if (status != FCPS_OK) *split = FCPS_NO_SPLIT;
  close_search(&s);
  return status;
}
