/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two classifiers of yes/no labels on problems with an edge, both with probit: Laplace's approximation and
 * expectation propagation, which the library uses (src/gp/label_probit.c).
 *
 * Prints the log loss everywhere and near edges, and how far predicted probabilities are from frequencies; then the
 * time for learning from N labels. With the name of an .svg file it also draws the reliability diagram of
 * docs/lab/outcome.md. */
#include "measure.h"

#include "base/normal.h"
#include "base/rng.h"
#include "gp/fit.h"
#include "gp/label_probit.h"
#include "gp/query.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 4, LABELS = 60, MOST = 500, TESTS = 400, REPEATS = 12, BINS = 10, METHODS = 3 };
static const char *const method_names[METHODS] = {"laplace", "ep edges", "ep posts"};
static const fcps_gp_norm plain = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

/* -- Problems: each has a margin, which is positive if the answer is yes -- */

static double tilted_edge(const double *x)
{
  return 1.15 - x[0] - 0.6 * x[1] - 0.35 * x[2] - 0.15 * x[3];
}
static double corner(const double *x)
{
  return fmin(0.75 - x[0], 0.8 - x[1]);
}
static double curved_edge(const double *x)
{
  return 0.62 - hypot(hypot(x[0] - 0.3, x[1] - 0.4), x[2] - 0.5);
}
static double three_posts(const double *x)
{
  static const double posts[3][2] = {{0.25, 0.3}, {0.6, 0.7}, {0.8, 0.2}};
  double nearest = INFINITY;
  for (int i = 0; i < 3; i++)
    nearest = fmin(nearest, hypot(x[0] - posts[i][0], x[1] - posts[i][1]));
  return nearest - 0.16;
}
static double by_chance(const double *x)
{
  (void)x;
  return NAN; /* one in ten fails, whatever the inputs */
}
static const struct {
  const char *name;
  double (*margin)(const double *x);
} problems[] = {{"tilted edge", tilted_edge},
                {"corner", corner},
                {"curved edge", curved_edge},
                {"three posts", three_posts},
                {"by chance", by_chance}};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static bool answer(double margin, fcps_rng *rng)
{
  const double u = fcps_rng_uniform(rng);
  return isnan(margin) ? u < 0.9 : margin > 0.0;
}

/* -- Methods: they learn from labels and write the probabilities of the test points -- */

static void make_gp(fcps_gp **gp, const fcps_labels *labels)
{
  measure_require(fcps_gp_create(gp, labels->dim, &fcps_kernel_matern52), "gp");
  for (int i = 0; i < labels->count; i++)
    measure_require(fcps_gp_add(*gp, labels->inputs + (size_t)i * (size_t)labels->dim), "row");
}

static void ask_gp(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points, double *mean,
                   double *variance)
{
  fcps_gp_work work = {0};
  const fcps_gp_query query = {.count = count, .points = points, .mean = mean, .variance = variance};
  measure_require(fcps_gp_work_reserve(&work, gp, count), "work");
  fcps_gp_predict(gp, outputs, &query, &work);
  fcps_gp_work_destroy(&work);
}

/* Finds the mode of the latent values by Newton's method: each step is a regression through f + g/W with noise 1/W
 * [rasmussen2006, Sec. 3.4]. Returns Laplace's evidence. */
static double find_mode(fcps_gp *gp, const fcps_labels *labels, fcps_gp_outputs *outputs)
{
  const int n = labels->count;
  double f[MOST] = {0}, z[MOST], noise[MOST], value = 0.0;
  for (int step = 0; step < 30; step++) {
    double likelihood = 0.0, log_w = 0.0;
    for (int i = 0; i < n; i++) {
      const double y = labels->answers[i] ? 1.0 : -1.0, mass = fmax(fcps_normal_cdf(y * f[i]), 1e-12);
      const double r = fcps_normal_density(f[i]) / mass, w = fmax(r * r + y * f[i] * r, 1e-8);
      likelihood += log(mass);
      log_w += log(w);
      z[i] = f[i] + y * r / w;
      noise[i] = 1.0 / w;
    }
    fcps_gp_set_noise(gp, n, noise, 0.0);
    measure_require(fcps_gp_factorize(gp, n), "factorize");
    measure_require(fcps_gp_condition(gp, plain, n, 1, z, outputs), "condition");
    double quadratic = 0.0, moved = 0.0;
    for (int i = 0; i < n; i++) {
      const double next = z[i] - noise[i] * outputs->alpha[i];
      quadratic += next * outputs->alpha[i];
      moved = fmax(moved, fabs(next - f[i]));
      f[i] = next;
    }
    value = likelihood - 0.5 * quadratic - fcps_chol_half_logdet(n, gp->factor, gp->capacity) - 0.5 * log_w;
    if (moved < 1e-6) break;
  }
  return value;
}

/* Laplace's approximation. Length and signal are the best of a grid by its evidence. */
static void approximate(const fcps_labels *labels, int count, const double *points, double *probability)
{
  static const double lengths[] = {0.1, 0.2, 0.4, 0.8, 1.6}, signals[] = {1.0, 2.0, 4.0, 8.0};
  double hyper[FCPS_HYPER_COUNT(DIM)], best_hyper[FCPS_HYPER_COUNT(DIM)], variance[TESTS], best = -INFINITY;
  fcps_gp *gp;
  fcps_gp_outputs outputs = {0};
  make_gp(&gp, labels);
  for (int k = 0; k <= 20; k++) {
    for (int d = 0; d < DIM; d++)
      hyper[d] = log(lengths[k % 5]);
    hyper[DIM] = log(signals[k / 5 % 4]);
    hyper[DIM + 1] = log(1e-3);
    fcps_gp_set_hyper(gp, k < 20 ? hyper : best_hyper); /* the last round uses the best again */
    const double evidence = find_mode(gp, labels, &outputs);
    for (int i = 0; i < FCPS_HYPER_COUNT(DIM) && evidence > best; i++)
      best_hyper[i] = hyper[i];
    best = fmax(best, evidence);
  }
  ask_gp(gp, &outputs, count, points, probability, variance);
  for (int i = 0; i < count; i++)
    probability[i] = fcps_normal_cdf(probability[i] / sqrt(1.0 + variance[i]));
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* The library's classifier, called as in src/model/feasibility/feasibility.c. */
static void classify(fcps_labels labels, const fcps_label_prior *prior, int count, const double *points,
                     double *probability)
{
  fcps_label_probit *classifier = NULL;
  int yes = 0;
  for (int i = 0; i < labels.count; i++)
    yes += labels.answers[i];
  labels.base = prior == &fcps_label_prior_posts ? (yes + 1.0) / (labels.count + 2.0) : 0.5;
  labels.prior = prior;
  measure_require(fcps_label_probit_create(&classifier, &labels), "learn");
  fcps_label_probit_predict(classifier, 0.0, count, points, probability);
  fcps_label_probit_destroy(classifier);
}

static void predict(int method, const fcps_labels *labels, int count, const double *points, double *probability)
{
  const fcps_label_prior *prior = method == 2 ? &fcps_label_prior_posts : &fcps_label_prior_edges;
  if (method == 0)
    approximate(labels, count, points, probability);
  else
    classify(*labels, prior, count, points, probability);
}

/* -- Scores -- */

typedef struct score {
  double loss, near_loss;
  int count, near_count;
  double predicted[BINS], observed[BINS];
  int bins[BINS];
} score;

static void judge(score *s, double p, bool truth, double margin)
{
  const double loss = -log(fmin(fmax(truth ? p : 1.0 - p, 1e-6), 1.0));
  const int bin = p < 1.0 ? (int)(p * BINS) : BINS - 1;
  s->loss += loss;
  s->count++;
  if (fabs(margin) < 0.1) s->near_loss += loss, s->near_count++;
  s->predicted[bin] += p;
  s->observed[bin] += truth;
  s->bins[bin]++;
}

/* The mean distance of predicted probabilities from frequencies. */
static double miscalibration(const score *s)
{
  double sum = 0.0;
  for (int b = 0; b < BINS; b++)
    sum += fabs(s->predicted[b] - s->observed[b]);
  return sum / s->count;
}

static void add_score(score *total, const score *s)
{
  total->loss += s->loss, total->near_loss += s->near_loss;
  total->count += s->count, total->near_count += s->near_count;
  for (int b = 0; b < BINS; b++) {
    total->predicted[b] += s->predicted[b];
    total->observed[b] += s->observed[b];
    total->bins[b] += s->bins[b];
  }
}

static void report(const char *problem, const score *scores)
{
  char label[64];
  for (int m = 0; m < METHODS; m++) {
    snprintf(label, sizeof label, "%s, %s", problem, method_names[m]);
    measure_row(label, (const measure_value[]){{"log loss", scores[m].loss / scores[m].count},
                                               {"near edges", scores[m].near_loss / scores[m].near_count},
                                               {"miscalibration", miscalibration(scores + m)},
                                               {NULL, 0}});
  }
}

static void draw_points(fcps_rng *rng, int problem, int count, double *x, double *margins, bool *answers)
{
  for (int i = 0; i < count; i++) {
    fcps_rng_uniforms(rng, DIM, x + (size_t)i * DIM);
    margins[i] = problems[problem].margin(x + (size_t)i * DIM);
    answers[i] = answer(margins[i], rng);
  }
}

static void compare(int problem, score *scores)
{
  static double inputs[MOST * DIM], points[TESTS * DIM], margins[MOST], test_margins[TESTS], p[TESTS];
  bool labels[MOST], truths[TESTS];
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    fcps_rng rng = fcps_rng_stream(1000 + (uint64_t)repeat, FCPS_PURPOSE_TEST, (uint64_t)problem);
    draw_points(&rng, problem, LABELS, inputs, margins, labels);
    draw_points(&rng, problem, TESTS, points, test_margins, truths);
    const fcps_labels all = {DIM, LABELS, inputs, labels};
    for (int m = 0; m < METHODS; m++) {
      predict(m, &all, TESTS, points, p);
      for (int i = 0; i < TESTS; i++)
        judge(scores + m, p[i], truths[i], test_margins[i]);
    }
  }
}

/* The seconds for learning from `count` labels of the curved edge. */
static double cost(int method, int count)
{
  static double inputs[MOST * DIM], margins[MOST];
  bool labels[MOST];
  double p;
  fcps_rng rng = fcps_rng_stream(999, FCPS_PURPOSE_TEST, 0);
  draw_points(&rng, 2, count, inputs, margins, labels);
  const fcps_labels all = {DIM, count, inputs, labels};
  const double start = measure_seconds();
  predict(method, &all, 1, inputs, &p);
  return measure_seconds() - start;
}

/* -- The reliability diagram -- */

static void draw_curve(FILE *file, const score *s, const char *colour, const char *name, int row)
{
  fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
  for (int b = 0; b < BINS; b++)
    if (s->bins[b] >= 20)
      fprintf(file, "%.1f,%.1f ", 60 + 400 * s->predicted[b] / s->bins[b], 430 - 400 * s->observed[b] / s->bins[b]);
  fprintf(file, "'/>\n<text x='80' y='%d' fill='%s'>%s</text>\n", 60 + 20 * row, colour, name);
  for (int b = 0; b < BINS; b++)
    if (s->bins[b] >= 20)
      fprintf(file, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", 60 + 400 * s->predicted[b] / s->bins[b],
              430 - 400 * s->observed[b] / s->bins[b], colour);
}

static void draw_diagram(const char *path, const score *totals)
{
  static const char *const colours[METHODS] = {"#907020", "#2060a0", "#208060"};
  FILE *file = fopen(path, "w");
  if (file == NULL) measure_require(FCPS_ERR_IO, path);
  fputs("<svg xmlns='http://www.w3.org/2000/svg' width='500' height='490' font-family='sans-serif' font-size='13'>\n"
        "<rect width='500' height='490' fill='white'/>\n"
        "<rect x='60' y='30' width='400' height='400' fill='none' stroke='#888'/>\n"
        "<line x1='60' y1='430' x2='460' y2='30' stroke='#bbb'/>\n"
        "<text x='260' y='475' text-anchor='middle'>predicted chance</text>\n"
        "<text x='20' y='230' text-anchor='middle' transform='rotate(-90 20 230)'>observed frequency</text>\n",
        file);
  for (int tick = 0; tick <= 5; tick++)
    fprintf(file,
            "<text x='%d' y='450' text-anchor='middle'>%.1f</text><text x='52' y='%d' text-anchor='end'>%.1f</text>\n",
            60 + 80 * tick, 0.2 * tick, 434 - 80 * tick, 0.2 * tick);
  for (int m = 0; m < METHODS; m++)
    draw_curve(file, totals + m, colours[m], method_names[m], m);
  fputs("</svg>\n", file);
  fclose(file);
}

int main(int argc, char **argv)
{
  static score totals[METHODS];
  measure_begin("chance", "chances from 60 labels in 4 dimensions, against 400 unseen points, 12 times each");
  for (int k = 0; k < PROBLEMS; k++) {
    score scores[METHODS] = {0};
    compare(k, scores);
    report(problems[k].name, scores);
    for (int m = 0; m < METHODS; m++)
      add_score(totals + m, scores + m);
  }
  report("all", totals);
  measure_begin("chance-cost", "seconds to learn from N labels");
  static const int sizes[] = {60, 150, 300, MOST};
  for (int m = 0; m < METHODS; m++)
    measure_row(method_names[m], (const measure_value[]){{"N=60", cost(m, sizes[0])},
                                                         {"N=150", cost(m, sizes[1])},
                                                         {"N=300", cost(m, sizes[2])},
                                                         {"N=500", cost(m, sizes[3])},
                                                         {NULL, 0}});
  if (argc > 1) draw_diagram(argv[1], totals);
  return 0;
}
