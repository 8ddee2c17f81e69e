/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/label_probit.c: probabilities, their gradient and the likelihood. */
#include "gp/label_probit.h"

#include "check.h"

/* Yes below 0.1 on a line, like a cannon that fires only there. */
static const double line[] = {0.025, 0.41, 0.159, 1.0, 0.0, 0.044, 0.71, 0.075, 0.105};
enum { LABELS = (int)(sizeof line / sizeof *line) };

/* Labels of the line, as if they had been seen at `inputs`. */
static fcps_label_probit *learn_at(int count, const double *inputs, double base)
{
  bool labels[LABELS];
  for (int i = 0; i < count; i++)
    labels[i] = line[i] <= 0.1;
  fcps_label_probit *classifier = NULL;
  assert_ok(fcps_label_probit_create(&classifier, &(fcps_labels){.dim = 1,
                                                                 .count = count,
                                                                 .inputs = inputs,
                                                                 .answers = labels,
                                                                 .base = base,
                                                                 .prior = &fcps_label_prior_edges}));
  return classifier;
}

static fcps_label_probit *learn(int count, double base)
{
  return learn_at(count, line, base);
}

static double at(fcps_label_probit *classifier, double x)
{
  double p;
  fcps_label_probit_predict(classifier, 0.0, 1, &x, &p);
  return p;
}

static void labels_are_believed_where_they_are(void **state)
{
  (void)state;
  fcps_label_probit *classifier = learn(LABELS, 0.5);
  const double doubt = 0.2; /* nine labels leave some */
  assert_true(at(classifier, 0.02) > 1 - doubt);
  assert_true(at(classifier, 0.2) < doubt && at(classifier, 0.4) < doubt && at(classifier, 0.9) < doubt);
  fcps_label_probit_destroy(classifier);
}

static void without_labels_the_probability_is_the_base(void **state)
{
  (void)state;
  fcps_label_probit *classifier = learn(0, 0.8);
  assert_near(at(classifier, 0.3), 0.8, 1e-9);
  fcps_label_probit_destroy(classifier);
}

/* A single distant no is one of three observations of a rate. */
static void far_from_labels_the_probability_is_near_the_base(void **state)
{
  (void)state;
  fcps_label_probit *probit = learn(1, 0.8);
  assert_true(at(probit, 30.0) > 2.0 / 3.0 && at(probit, 30.0) < 0.8);
  fcps_label_probit_destroy(probit);
}

/* Noes that are scattered among yeses show a rate. They are not walls around each of them. */
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
  fcps_label_probit *classifier = NULL;
  assert_ok(fcps_label_probit_create(&classifier, &(fcps_labels){.dim = 1,
                                                                 .count = ROWS,
                                                                 .inputs = inputs,
                                                                 .answers = answers,
                                                                 .base = 36.0 / 42.0,
                                                                 .prior = &fcps_label_prior_edges}));
  for (int i = 3; i < ROWS; i += 8)
    assert_true(at(classifier, inputs[i]) > 0.7);
  fcps_label_probit_destroy(classifier);
}

static void the_gradient_agrees_with_differences(void **state)
{
  (void)state;
  fcps_label_probit *classifier = learn(LABELS, 0.3);
  for (double x = 0.01; x < 1; x += 0.09) {
    double p, slope;
    fcps_label_probit_gradient(classifier, 0.0, &x, &p, &slope);
    assert_near(p, at(classifier, x), 1e-12);
    assert_near(slope, (at(classifier, x + 1e-6) - at(classifier, x - 1e-6)) / 2e-6, 1e-6);
  }
  fcps_label_probit_destroy(classifier);
}

static void inputs_that_explain_labels_have_a_larger_likelihood(void **state)
{
  (void)state;
  const double noise[LABELS] = {0.9, 0.1, 0.5, 0.3, 0.2, 0.6, 0.8, 0.35, 0.55};
  fcps_label_probit *explained = learn(LABELS, 0.5);
  fcps_label_probit *unexplained = learn_at(LABELS, noise, 0.5);
  assert_true(fcps_label_probit_log_likelihood(explained) > fcps_label_probit_log_likelihood(unexplained) + 0.5);
  fcps_label_probit_destroy(explained);
  fcps_label_probit_destroy(unexplained);
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
  return cmocka_run_group_tests_name("gp/label_probit", tests, NULL, NULL);
}
