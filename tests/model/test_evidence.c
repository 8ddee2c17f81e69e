/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence for a description compared with integrals on a grid, and changes that must not affect it. */
#include "model/evidence.h"

#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

static const double log_two_pi = 1.8378770664093453;

/* -- Two outcomes of one lever -- */

static const fcps_dimension lever[] = {{.name = "lever", .lower = 0, .upper = 1}};
static const fcps_dimension readings[] = {{.name = "height"}, {.name = "warmth"}};
static fcps_status first_outcome(void *user, int count, const double *target, const double *environments,
                                 const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  memcpy(rewards, outcomes, (size_t)count * sizeof *rewards);
  return FCPS_OK;
}
static const fcps_problem lifting = {.parameters = {1, lever}, .outcome = {1, readings}, .reward = first_outcome};
static const fcps_problem measuring = {.parameters = {1, lever}, .outcome = {2, readings}, .reward = first_outcome};

/* As told: no offset, no scale. */
static fcps_model_settings plain_settings(fcps_hyper_prior prior)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
                               .prior = prior,
                               .fit = {.starts = 3, .budget = 200}};
}

static fcps_model *create(const fcps_problem *problem, fcps_model_settings settings)
{
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

static void add(fcps_model *model, double x, double height, double warmth)
{
  const double outcome[] = {height, warmth};
  assert_ok(fcps_model_add(model, &(fcps_rollout){.parameters = &x, .outcome = outcome}));
}

/* `count` levers all over the range, with outcomes signal sin(4x) and signal cos(4x) plus noise, in a unit. */
static void add_waves(fcps_model *model, int count, double signal, double noise, double unit)
{
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    const double x = fmod(0.618034 * (i + 1), 1.0);
    const double height = signal * sin(4 * x) + noise * fcps_rng_normal(&rng);
    const double warmth = signal * cos(4 * x) + noise * fcps_rng_normal(&rng);
    add(model, x, unit * height, unit * warmth);
  }
}

/* -- Evidence -- */

/* The evidence by `most` rows of a model for a description; `hyper` (may be NULL) gets what it was fitted to. */
static double evidence_for(const fcps_model *model, const fcps_description *description,
                           const fcps_structure_kind *judge, int most, double *hyper)
{
  enum { MOST_HYPER = 64 };
  const fcps_hyper_prior prior = fcps_description_prior(description);
  const fcps_evidence_effort effort = {.starts = FCPS_FIT_NOISY_STARTS, .least = -INFINITY};
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_sample sample;
  double nats, all[MOST_HYPER];
  const int count = FCPS_HYPER_COUNT(description->inputs);
  assert_true(description->gps * count <= MOST_HYPER);
  for (int g = 0; g < description->gps; g++)
    fcps_gp_hyper_centre(&prior, description->inputs, all + g * count);
  assert_ok(fcps_sample_open(&sample, &look, judge, most));
  assert_ok(fcps_evidence_of(&sample, description, effort, all, &nats));
  fcps_sample_close(&sample);
  if (hyper != NULL) memcpy(hyper, all, (size_t)(description->gps * count) * sizeof *hyper);
  return nats;
}

static double evidence_of(const fcps_model *model)
{
  return evidence_for(model, &model->description, NULL, 1000, NULL);
}

static double noise_of(const fcps_model *model, const fcps_description *description, const fcps_structure_kind *judge)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_sample sample;
  assert_ok(fcps_sample_open(&sample, &look, judge, 1000));
  const double nats = fcps_evidence_of_noise(&sample, description);
  fcps_sample_close(&sample);
  return nats;
}

/* -- By a grid -- */

/* log N(y; 0, K), K(i, j) = sf^2 exp(-(xi - xj)^2/(2 l^2)) + sn^2 [i = j], by elimination. */
static double log_density(int n, const double *x, const double *y, double length, double signal, double noise)
{
  enum { MOST = 16 };
  double k[MOST * MOST], v[MOST], sum = 0.0;
  for (int i = 0; i < n; i++) {
    v[i] = y[i];
    for (int j = 0; j < n; j++)
      k[i * n + j] = signal * signal * exp(-0.5 * pow((x[i] - x[j]) / length, 2)) + (i == j ? noise * noise : 0.0);
  }
  for (int i = 0; i < n; i++) {
    sum -= 0.5 * (log_two_pi + log(k[i * n + i]) + v[i] * v[i] / k[i * n + i]);
    for (int r = i + 1; r < n; r++) {
      const double share = k[r * n + i] / k[i * n + i];
      v[r] -= share * v[i];
      for (int c = i; c < n; c++)
        k[r * n + c] -= share * k[i * n + c];
    }
  }
  return sum;
}

/* log of the integral of p(y | l, sf, sn) p(l) p(sf) p(sn), each parameter 5 deviations around its centre. */
static double integral(int n, const double *x, const double *y, const fcps_hyper_prior *p)
{
  enum { POINTS = 41 };
  static double values[POINTS * POINTS * POINTS];
  const double step = 10.0 / (POINTS - 1);
  double most = -INFINITY, sum = 0.0;
  int count = 0;
  for (int a = 0; a < POINTS; a++)
    for (int b = 0; b < POINTS; b++)
      for (int c = 0; c < POINTS; c++) {
        const double z[3] = {-5 + a * step, -5 + b * step, -5 + c * step};
        const double value = log_density(n, x, y, p->length * exp(p->length_sd * z[0]),
                                         p->signal * exp(p->signal_sd * z[1]), p->noise * exp(p->noise_sd * z[2])) -
                             0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]) - 1.5 * log_two_pi;
        values[count++] = value;
        most = fmax(most, value);
      }
  for (int i = 0; i < count; i++)
    sum += exp(values[i] - most);
  return most + log(sum * step * step * step);
}

static void laplace_agrees_with_an_integral(void **state)
{
  (void)state;
  static const struct {
    fcps_hyper_prior prior;
    double signal, noise, tolerance;
  } cases[] = {
      /* what is known beforehand */
      {{.length = 0.3,
        .length_sd = 0.1,
        .signal = 1,
        .signal_sd = 0.1,
        .noise = 0.1,
        .noise_sd = 0.1,
        .noise_floor = 1e-4},
       1,
       0.1,
       0.02},
      {{.length = 0.3,
        .length_sd = 0.3,
        .signal = 1,
        .signal_sd = 0.3,
        .noise = 0.1,
        .noise_sd = 0.3,
        .noise_floor = 1e-4},
       1,
       0.1,
       0.2},
      /* an input that does not matter */
      {{.length = 3,
        .length_sd = 0.2,
        .signal = 1,
        .signal_sd = 0.3,
        .noise = 0.5,
        .noise_sd = 0.3,
        .noise_floor = 1e-4},
       0,
       0.5,
       0.2},
      /* as outcomes are learnt: the posterior is wide */
      {USUAL_PRIOR(0.4), 1, 0.05, 0.5},
  };
  enum { ROWS = 12 };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fcps_model *model = create(&lifting, plain_settings(cases[k].prior));
    double x[ROWS], y[ROWS];
    add_waves(model, ROWS, cases[k].signal, cases[k].noise, 1);
    for (int i = 0; i < ROWS; i++) {
      x[i] = fcps_rollouts_parameters(&model->training, i)[0];
      y[i] = fcps_rollouts_outcome(&model->training, i)[0];
    }
    const double nats = evidence_of(model), exact = integral(ROWS, x, y, &cases[k].prior);
    print_message("# case %zu: Laplace %.3f, integral %.3f\n", k, nats, exact);
    assert_near(nats - exact, 0, cases[k].tolerance);
    fcps_model_destroy(model);
  }
}

/* log of the integral over g of N(g; 0, 1) prod_i N(r_i; 0, exp(2g)), r in units of `scale`, less n log scale. */
static double noise_integral(int n, const double *r, double scale)
{
  const double step = 0.01;
  double most = -INFINITY, sum = 0.0;
  for (int pass = 0; pass < 2; pass++)
    for (double g = -6; g <= 6; g += step) {
      double value = -0.5 * g * g - 0.5 * log_two_pi - n * (0.5 * log_two_pi + g);
      for (int i = 0; i < n; i++)
        value -= 0.5 * r[i] * r[i] / (scale * scale) * exp(-2 * g);
      if (pass == 0) most = fmax(most, value);
      if (pass == 1) sum += exp(value - most) * step;
    }
  return most + log(sum) - n * log(scale);
}

/* Two outcomes with one common deviation, or one for each if that is likelier. */
static void noise_agrees_with_an_integral(void **state)
{
  (void)state;
  enum { ROWS = 12 };
  for (int is_uneven = 0; is_uneven < 2; is_uneven++) {
    fcps_model_settings settings = plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4));
    settings.norm = (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED};
    fcps_model *model = create(&measuring, settings);
    fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
    double y[2 * ROWS], offset[2], scale[2], both[2 * ROWS];
    for (int i = 0; i < ROWS; i++) {
      y[i] = 3 + fcps_rng_normal(&rng);
      y[ROWS + i] = (is_uneven ? 40 : 1) * fcps_rng_normal(&rng);
      add(model, fmod(0.618034 * (i + 1), 1.0), y[i], y[ROWS + i]);
    }
    fcps_gp_normalize(settings.norm, ROWS, 2, y, offset, scale);
    for (int i = 0; i < 2 * ROWS; i++)
      both[i] = y[i] - offset[i / ROWS];
    const double shared = noise_integral(2 * ROWS, both, scale[0]);
    settings.norm.scaling = FCPS_SCALING_EACH;
    fcps_gp_normalize(settings.norm, ROWS, 2, y, offset, scale);
    const double each = noise_integral(ROWS, both, scale[0]) + noise_integral(ROWS, both + ROWS, scale[1]);
    assert_true((each > shared) == is_uneven);
    assert_near(noise_of(model, &model->description, NULL), fmax(each, shared), 1e-4);
    fcps_model_destroy(model);
  }
}

/* -- What it must not depend on -- */

static void the_unit_of_outcomes_costs_its_logarithm(void **state)
{
  (void)state;
  enum { ROWS = 25 };
  const double unit = 1e3;
  static const fcps_gp_scaling scalings[] = {FCPS_SCALING_EACH, FCPS_SCALING_SHARED};
  for (int k = 0; k < 3; k++) {
    fcps_model_settings settings = plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4));
    settings.norm = (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = scalings[k % 2]};
    settings.structures.separate = k == 2 ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF;
    fcps_model *metres = create(&measuring, settings), *millimetres = create(&measuring, settings);
    add_waves(metres, ROWS, 1, 0.1, 1);
    add_waves(millimetres, ROWS, 1, 0.1, unit);
    assert_near(evidence_of(metres) - evidence_of(millimetres), 2 * ROWS * log(unit), 1e-6);
    assert_near(noise_of(metres, &metres->description, NULL) - noise_of(millimetres, &millimetres->description, NULL),
                2 * ROWS * log(unit), 1e-6);
    fcps_model_destroy(metres);
    fcps_model_destroy(millimetres);
  }
}

/* Throws whose outcomes are nothing but noise. */
static fcps_model *make_thrown(const fcps_problem *problem, fcps_gp_norm norm, uint64_t seed, int rows)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = norm,
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25}};
  fcps_model *model = create(problem, settings);
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < rows; i++) {
    double u[3], wind[1], parameters[2], outcome[2];
    const double target[2] = {0, 0};
    fcps_rng_uniforms(&rng, 3, u);
    fcps_rng_normals(&rng, 2, outcome);
    fcps_space_from_unit(&problem->environment, u, wind);
    fcps_space_from_unit(&problem->parameters, u + 1, parameters);
    assert_ok(fcps_model_add(model, &(fcps_rollout){.target = target,
                                                    .environment = wind,
                                                    .parameters = parameters,
                                                    .outcome = outcome,
                                                    .reward = NAN,
                                                    .hindsight_reward = NAN}));
  }
  return model;
}

/* The gain (*gain) of the best structure of a kind over the plain description and over noise alone; and the largest
 * change (*change) of the evidence for noise alone if outcomes are seen through that structure, without priors. */
static void compare(const fcps_model *model, const char *name, double *gain, double *change)
{
  const int index = fcps_structure_find(name);
  const fcps_structure_kind *kind = fcps_structure_kind_at(index);
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_structure proposals[FCPS_PROPOSALS] = {{0}};
  int count = 0;
  look.index = index;
  const double noise = noise_of(model, &model->description, NULL), none = fmax(evidence_of(model), noise);
  *gain = -INFINITY;
  *change = 0.0;
  assert_ok(kind->propose(&look, proposals, &count));
  assert_true(count > 0);
  for (int k = 0; k < count; k++) {
    fcps_description with;
    assert_ok(fcps_description_with(&model->description, &model->layout, index, proposals + k, &with));
    const double prior = kind->log_prior != NULL ? kind->log_prior(&model->layout, proposals[k].state) : 0.0;
    *gain = fmax(*gain, evidence_for(model, &with, NULL, 1000, NULL) - log(count) - none);
    *change = fmax(*change, fabs(noise_of(model, &with, NULL) - prior - noise));
    fcps_description_destroy(&with);
    fcps_structure_clear(proposals + k);
  }
}

/* but for one thing: whether both outcomes have one deviation */
static void to_turn_noise_gives_noise(void **state)
{
  (void)state;
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_SHARED};
  const fcps_problem problem = toy_problem();
  double most = 0.0, gain, change;
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (int rows = 10; rows <= 40; rows *= 2) {
      fcps_model *model = make_thrown(&problem, norm, seed, rows);
      compare(model, "frame", &gain, &change);
      most = fmax(most, change);
      fcps_model_destroy(model);
    }
  print_message("# turned noise differs by %.2f nats\n", most);
  assert_true(most < 3);
}

/* What seems smoother by chance is hardly ever believed. */
static void pure_noise_asks_for_nothing(void **state)
{
  (void)state;
  static const char *const names[] = {"frame", "drift", "separate"};
  enum { SEEDS = 20 };
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC};
  const fcps_problem problem = toy_problem();
  const double margin = 1.0;
  int believed[3] = {0, 0, 0};
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    for (int rows = 10; rows <= 40; rows *= 2) {
      fcps_model *model = make_thrown(&problem, norm, seed, rows);
      for (int k = 0; k < 3; k++) {
        double gain, change;
        compare(model, names[k], &gain, &change);
        believed[k] += gain > margin;
      }
      fcps_model_destroy(model);
    }
  print_message("# believed of %d: frame %d, drift %d, separate %d\n", 3 * SEEDS, believed[0], believed[1],
                believed[2]);
  for (int k = 0; k < 3; k++)
    assert_true(believed[k] <= 3 * SEEDS / 20);
}

/* -- Rows and outputs that do not count -- */

static bool counts_first(const fcps_layout *layout, int output)
{
  (void)layout;
  return output == 0;
}

static void an_output_that_does_not_count_changes_nothing(void **state)
{
  (void)state;
  const fcps_structure_kind judge = {.counts = counts_first};
  for (int is_separate = 0; is_separate < 2; is_separate++) {
    fcps_model_settings settings = plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4));
    settings.norm = (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
    fcps_model *one = create(&lifting, settings);
    settings.structures.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF;
    fcps_model *two = create(&measuring, settings);
    add_waves(one, 20, 1, 0.1, 1); /* takes the first number */
    add_waves(two, 20, 1, 0.1, 1);
    assert_near(evidence_for(two, &two->description, &judge, 1000, NULL), evidence_of(one), 1e-9);
    assert_near(noise_of(two, &two->description, &judge), noise_of(one, &one->description, NULL), 1e-9);
    fcps_model_destroy(one);
    fcps_model_destroy(two);
  }
}

/* a look at half of the rows is the evidence of a model that has no others */
static void a_sample_is_spread_evenly(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  fcps_model *all = create(&measuring, plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4)));
  fcps_model *half = create(&measuring, plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4)));
  add_waves(all, ROWS, 1, 0.1, 1);
  for (int i = 0; i < ROWS; i += 2) {
    const fcps_rollout rollout = fcps_rollouts_at(&all->training, i);
    assert_ok(fcps_model_add(half, &rollout));
  }
  assert_near(evidence_for(all, &all->description, NULL, ROWS / 2, NULL), evidence_of(half), 0);
  fcps_model_destroy(all);
  fcps_model_destroy(half);
}

/* differences below the resolution do not count: exact outcomes are worth no more than nearly exact ones */
static void a_resolution_blurs_what_is_finer(void **state)
{
  (void)state;
  const fcps_structure_kind judge = {.resolution = 0.05};
  double sharp[2], blurred[2];
  for (int k = 0; k < 2; k++) {
    fcps_model_settings settings = plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4));
    settings.norm = (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
    fcps_model *model = create(&measuring, settings);
    add_waves(model, 20, 1, k == 0 ? 0.0 : 0.01, 1);
    sharp[k] = evidence_of(model);
    blurred[k] = evidence_for(model, &model->description, &judge, 1000, NULL);
    fcps_model_destroy(model);
  }
  print_message("# exact and nearly exact: sharp %.1f and %.1f, blurred %.1f and %.1f\n", sharp[0], sharp[1],
                blurred[0], blurred[1]);
  assert_true(sharp[0] > sharp[1] + 10);
  assert_true(fabs(blurred[0] - blurred[1]) < 3);
}

/* -- Effort -- */

static void what_is_hopeless_costs_no_width(void **state)
{
  (void)state;
  fcps_model *model = create(&lifting, plain_settings((fcps_hyper_prior)USUAL_PRIOR(0.4)));
  add_waves(model, 20, 1, 0.1, 1);
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_sample sample;
  double nats[2], hyper[2][3];
  assert_ok(fcps_sample_open(&sample, &look, NULL, 1000));
  for (int k = 0; k < 2; k++) {
    const fcps_evidence_effort effort = {.starts = 2, .least = k == 0 ? -INFINITY : 1e6};
    fcps_gp_hyper_centre(&model->settings.prior, 1, hyper[k]);
    assert_ok(fcps_evidence_of(&sample, &model->description, effort, hyper[k], nats + k));
  }
  assert_memory_equal(hyper[0], hyper[1], sizeof hyper[0]); /* where a fit ended */
  assert_true(nats[0] < nats[1]);
  fcps_sample_close(&sample);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laplace_agrees_with_an_integral),
      cmocka_unit_test(noise_agrees_with_an_integral),
      cmocka_unit_test(the_unit_of_outcomes_costs_its_logarithm),
      cmocka_unit_test(to_turn_noise_gives_noise),
      cmocka_unit_test(pure_noise_asks_for_nothing),
      cmocka_unit_test(an_output_that_does_not_count_changes_nothing),
      cmocka_unit_test(a_sample_is_spread_evenly),
      cmocka_unit_test(a_resolution_blurs_what_is_finer),
      cmocka_unit_test(what_is_hopeless_costs_no_width),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
