/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/feasibility/label_classifier.c: probabilities, their gradient and the likelihood. */
#include "model/feasibility/label_classifier.h"

#include "check.h"

/* Yes below 0.1 on a line, as a cannon that only fires there. */
static const double line[] = {0.025, 0.41, 0.159, 1.0, 0.0, 0.044, 0.71, 0.075, 0.105};
enum { LABELS = (int)(sizeof line / sizeof *line) };

static fcps_label_classifier *learn(int count, double base)
{
  bool labels[LABELS];
  for (int i = 0; i < count; i++)
    labels[i] = line[i] <= 0.1;
  fcps_label_classifier *classifier = NULL;
  assert_ok(fcps_label_classifier_create(&classifier, 1, count, line, labels, base));
  return classifier;
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
  fcps_label_classifier *classifier = learn(LABELS, 0.5);
  assert_true(at(classifier, 0.02) > 0.9);
  assert_true(at(classifier, 0.2) < 0.1 && at(classifier, 0.4) < 0.1 && at(classifier, 0.9) < 0.1);
  fcps_label_classifier_destroy(classifier);
}

static void far_from_labels_the_probability_is_the_base(void **state)
{
  (void)state;
  for (int count = 0; count <= 1; count++) {
    fcps_label_classifier *classifier = learn(count, 0.8);
    assert_near(at(classifier, 30.0), 0.8, 1e-9);
    fcps_label_classifier_destroy(classifier);
  }
}

static void the_gradient_agrees_with_differences(void **state)
{
  (void)state;
  fcps_label_classifier *classifier = learn(LABELS, 0.3);
  for (double x = 0.01; x < 1; x += 0.09) {
    double p, slope;
    fcps_label_classifier_gradient(classifier, &x, &p, &slope);
    assert_near(p, at(classifier, x), 1e-12);
    assert_near(slope, (at(classifier, x + 1e-6) - at(classifier, x - 1e-6)) / 2e-6, 1e-6);
  }
  fcps_label_classifier_destroy(classifier);
}

static void inputs_that_explain_labels_have_more_evidence(void **state)
{
  (void)state;
  const double noise[LABELS] = {0.9, 0.1, 0.5, 0.3, 0.2, 0.6, 0.8, 0.35, 0.55};
  bool labels[LABELS];
  for (int i = 0; i < LABELS; i++)
    labels[i] = line[i] <= 0.1;
  fcps_label_classifier *explained = learn(LABELS, 0.5), *unexplained = NULL;
  assert_ok(fcps_label_classifier_create(&unexplained, 1, LABELS, noise, labels, 0.5));
  assert_true(fcps_label_classifier_log_likelihood(explained) >
              fcps_label_classifier_log_likelihood(unexplained) + 0.5);
  fcps_label_classifier_destroy(explained);
  fcps_label_classifier_destroy(unexplained);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_are_believed_where_they_are),
      cmocka_unit_test(far_from_labels_the_probability_is_the_base),
      cmocka_unit_test(the_gradient_agrees_with_differences),
      cmocka_unit_test(inputs_that_explain_labels_have_more_evidence),
  };
  return cmocka_run_group_tests_name("model/feasibility/label_classifier", tests, NULL, NULL);
}
