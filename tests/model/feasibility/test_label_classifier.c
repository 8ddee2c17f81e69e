/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/feasibility/label_classifier.c: probabilities, their gradient and the likelihood. */
#include "model/feasibility/label_classifier.h"

#include "check.h"

/* Yes below 0.1 on a line, as a cannon that only fires there. */
static const double line[] = {0.025, 0.41, 0.159, 1.0, 0.0, 0.044, 0.71, 0.075, 0.105};
enum { LABELS = (int)(sizeof line / sizeof *line) };

static const fcps_label_kind kinds[] = {FCPS_LABELS_PROBIT, FCPS_LABELS_REGRESSION};
enum { KINDS = (int)(sizeof kinds / sizeof *kinds) };

/* Labels of the line, as if they had been seen at `inputs`. */
static fcps_label_classifier *learn_at(fcps_label_kind kind, int count, const double *inputs, double base)
{
  bool labels[LABELS];
  for (int i = 0; i < count; i++)
    labels[i] = line[i] <= 0.1;
  fcps_label_classifier *classifier = NULL;
  assert_ok(fcps_label_classifier_create(&classifier, kind,
                                         &(fcps_labels){.dim = 1,
                                                        .count = count,
                                                        .inputs = inputs,
                                                        .answers = labels,
                                                        .base = base,
                                                        .prior = &fcps_label_prior_edges}));
  return classifier;
}

static fcps_label_classifier *learn(fcps_label_kind kind, int count, double base)
{
  return learn_at(kind, count, line, base);
}

static double at(fcps_label_classifier *classifier, double x)
{
  double p;
  fcps_label_classifier_predict(classifier, 1, &x, &p);
  return p;
}

static void labels_are_believed_where_they_are(void **state)
{
  (void)state;
  for (int i = 0; i < KINDS; i++) {
    fcps_label_classifier *classifier = learn(kinds[i], LABELS, 0.5);
    const double doubt = kinds[i] == FCPS_LABELS_REGRESSION ? 0.1 : 0.2; /* nine labels leave a classifier some */
    assert_true(at(classifier, 0.02) > 1 - doubt);
    assert_true(at(classifier, 0.2) < doubt && at(classifier, 0.4) < doubt && at(classifier, 0.9) < doubt);
    fcps_label_classifier_destroy(classifier);
  }
}

static void without_labels_the_probability_is_the_base(void **state)
{
  (void)state;
  for (int i = 0; i < KINDS; i++) {
    fcps_label_classifier *classifier = learn(kinds[i], 0, 0.8);
    assert_near(at(classifier, 0.3), 0.8, 1e-9);
    fcps_label_classifier_destroy(classifier);
  }
}

/* A single no far away hardly counts for a regression; for the probit kind it is one of three readings of a rate. */
static void far_from_labels_the_probability_is_near_the_base(void **state)
{
  (void)state;
  fcps_label_classifier *regression = learn(FCPS_LABELS_REGRESSION, 1, 0.8),
                        *probit = learn(FCPS_LABELS_PROBIT, 1, 0.8);
  assert_near(at(regression, 30.0), 0.8, 1e-9);
  assert_true(at(probit, 30.0) > 2.0 / 3.0 && at(probit, 30.0) < 0.8);
  fcps_label_classifier_destroy(regression);
  fcps_label_classifier_destroy(probit);
}

/* Noes that are scattered among yeses are a rate, not walls around each. */
static void scattered_noes_are_a_rate(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  double inputs[ROWS];
  bool answers[ROWS];
  for (int i = 0; i < ROWS; i++) {
    inputs[i] = (i + 0.5) / ROWS;
    answers[i] = i % 8 != 3;
  }
  fcps_label_classifier *classifier = NULL;
  assert_ok(fcps_label_classifier_create(&classifier, FCPS_LABELS_PROBIT,
                                         &(fcps_labels){.dim = 1,
                                                        .count = ROWS,
                                                        .inputs = inputs,
                                                        .answers = answers,
                                                        .base = 36.0 / 42.0,
                                                        .prior = &fcps_label_prior_edges}));
  for (int i = 3; i < ROWS; i += 8)
    assert_true(at(classifier, inputs[i]) > 0.7);
  fcps_label_classifier_destroy(classifier);
}

static void the_gradient_agrees_with_differences(void **state)
{
  (void)state;
  for (int i = 0; i < KINDS; i++) {
    fcps_label_classifier *classifier = learn(kinds[i], LABELS, 0.3);
    for (double x = 0.01; x < 1; x += 0.09) {
      double p, slope;
      fcps_label_classifier_gradient(classifier, &x, &p, &slope);
      assert_near(p, at(classifier, x), 1e-12);
      assert_near(slope, (at(classifier, x + 1e-6) - at(classifier, x - 1e-6)) / 2e-6, 1e-6);
    }
    fcps_label_classifier_destroy(classifier);
  }
}

static void inputs_that_explain_labels_have_a_larger_likelihood(void **state)
{
  (void)state;
  const double noise[LABELS] = {0.9, 0.1, 0.5, 0.3, 0.2, 0.6, 0.8, 0.35, 0.55};
  for (int i = 0; i < KINDS; i++) {
    fcps_label_classifier *explained = learn(kinds[i], LABELS, 0.5);
    fcps_label_classifier *unexplained = learn_at(kinds[i], LABELS, noise, 0.5);
    assert_true(fcps_label_classifier_log_likelihood(explained) >
                fcps_label_classifier_log_likelihood(unexplained) + 0.5);
    fcps_label_classifier_destroy(explained);
    fcps_label_classifier_destroy(unexplained);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_are_believed_where_they_are),
      cmocka_unit_test(without_labels_the_probability_is_the_base),
      cmocka_unit_test(far_from_labels_the_probability_is_near_the_base),
      cmocka_unit_test(scattered_noes_are_a_rate),
      cmocka_unit_test(the_gradient_agrees_with_differences),
      cmocka_unit_test(inputs_that_explain_labels_have_a_larger_likelihood),
  };
  return cmocka_run_group_tests_name("model/feasibility/label_classifier", tests, NULL, NULL);
}
