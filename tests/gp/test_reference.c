/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions and likelihoods against scikit-learn's (tests/reference/gp.json, made by make_gp.py beside it). */
#include "check.h"
#include "format/file.h"
#include "format/json.h"
#include "gp/likelihood.h"
#include "gp/query.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_DIM = 8, POINTS = 5 };

typedef struct reference {
  const fcps_kernel *kernel;
  int dim, rows;
  double hyper[MOST_DIM + 2], inputs[MOST_ROWS * MOST_DIM], outputs[MOST_ROWS], points[POINTS * MOST_DIM];
  double mean[POINTS], deviation[POINTS], likelihood, gradient[MOST_DIM + 2];
} reference;

static void read_numbers(const fcps_json *json, const char *key, int count, double *values)
{
  assert_true(fcps_json_numbers(fcps_json_get(json, key), count, values));
}

static void read_case(const fcps_json *json, reference *r)
{
  int64_t dim, rows;
  const char *name = fcps_json_text(fcps_json_get(json, "kernel"));
  assert_true(fcps_json_integer(fcps_json_get(json, "dim"), &dim) && dim <= MOST_DIM);
  assert_true(fcps_json_integer(fcps_json_get(json, "rows"), &rows) && rows <= MOST_ROWS);
  r->dim = (int)dim;
  r->rows = (int)rows;
  r->kernel = fcps_kernel_find(name);
  assert_non_null(r->kernel);
  read_numbers(json, "length", r->dim, r->hyper);
  assert_true(fcps_json_number(fcps_json_get(json, "signal"), r->hyper + r->dim));
  assert_true(fcps_json_number(fcps_json_get(json, "noise"), r->hyper + r->dim + 1));
  for (int i = 0; i < r->dim + 2; i++)
    r->hyper[i] = log(r->hyper[i]);
  read_numbers(json, "inputs", r->rows * r->dim, r->inputs);
  read_numbers(json, "outputs", r->rows, r->outputs);
  read_numbers(json, "points", POINTS * r->dim, r->points);
  read_numbers(json, "mean", POINTS, r->mean);
  read_numbers(json, "deviation", POINTS, r->deviation);
  assert_true(fcps_json_number(fcps_json_get(json, "likelihood"), &r->likelihood));
  read_numbers(json, "gradient", r->dim + 2, r->gradient);
}

static void check_predictions(const fcps_gp *gp, const reference *r)
{
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double mean[POINTS], variance[POINTS];
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE}, r->rows, 1,
                              r->outputs, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 2)); /* three passes */
  fcps_gp_predict(gp, &outputs,
                  &(fcps_gp_query){.count = POINTS, .points = r->points, .mean = mean, .variance = variance}, &work);
  for (int i = 0; i < POINTS; i++) {
    assert_near(mean[i], r->mean[i], 1e-9);
    assert_near(sqrt(variance[i]), r->deviation[i], 1e-8);
  }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
}

static void check_likelihood(const fcps_gp *gp, const reference *r)
{
  const fcps_hyper_prior flat = {.is_flat = true, .noise_floor = 1e-6};
  fcps_likelihood *likelihood;
  double gradient[MOST_DIM + 2];
  assert_ok(fcps_likelihood_create(&likelihood, gp,
                                   &(fcps_gp_data){r->rows, 1, r->outputs,
                                                   (fcps_gp_norm){.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
                                                   &flat}));
  assert_near(fcps_likelihood_value(likelihood, r->hyper, gradient), r->likelihood, 1e-9);
  for (int i = 0; i < r->dim + 2; i++)
    assert_near(gradient[i], r->gradient[i], 1e-7);
  fcps_likelihood_destroy(likelihood);
}

static void predictions_and_likelihoods_agree_with_scikit_learn(void **state)
{
  (void)state;
  fcps_error error;
  fcps_json *json;
  char *text;
  size_t length;
  assert_ok(fcps_file_read(TEST_SOURCE_DIR "/tests/reference/gp.json", 1 << 20, &text, &length, &error));
  assert_ok(fcps_json_read(&json, text, length, "gp.json", &error));
  const fcps_json *cases = fcps_json_get(json, "cases");
  assert_int_equal(fcps_json_count(cases), 9);
  for (int i = 0; i < fcps_json_count(cases); i++) {
    reference r;
    fcps_gp *gp;
    read_case(fcps_json_at(cases, i), &r);
    assert_ok(fcps_gp_create(&gp, r.dim, r.kernel));
    fcps_gp_set_hyper(gp, r.hyper);
    for (int row = 0; row < r.rows; row++)
      assert_ok(fcps_gp_add(gp, r.inputs + row * r.dim));
    assert_ok(fcps_gp_grow(gp));
    check_predictions(gp, &r);
    check_likelihood(gp, &r);
    fcps_gp_destroy(gp);
  }
  fcps_json_destroy(json);
  fcps_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(predictions_and_likelihoods_agree_with_scikit_learn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
