/* SPDX-License-Identifier: Apache-2.0 */
/* Each setting of the Bayesian-optimization learners fills the field of its name, and values that follow from several
 * settings and from the problem are right. */
#include "learner/bo/bo_settings.h"

#include "check.h"
#include "toy.h"

#include <stdlib.h>

/* The settings of `given`, and the learner's own of them for the toy problem. */
static fcps_bo_settings read(const fcps_setting_table *table, const fcps_setting *given, fcps_bo_settings *as_given)
{
  fcps_learner learner = {.problem = toy_problem()};
  fcps_bo_settings made;
  fcps_error error;
  if (fcps_settings_create(&learner.settings, table, NULL, given, &error) != FCPS_OK)
    fail_msg("%s: %s", error.field, error.message);
  fcps_bo_settings_read(&learner, &made);
  if (as_given != NULL) *as_given = *(const fcps_bo_settings *)learner.settings;
  free(learner.settings);
  return made;
}

static void numbers_go_to_the_fields_of_their_names(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"input_noise_share", "0.11"},
                                {"length_prior", "0.12"},
                                {"length_prior_sd", "0.13"},
                                {"environment_stretch", "14"},
                                {"signal_prior", "15"},
                                {"signal_prior_sd", "1.6"},
                                {"noise_prior", "0.17"},
                                {"noise_prior_sd", "1.8"},
                                {"noise_floor", "0.19"},
                                {"kappa", "20"},
                                {"initial", "21"},
                                {"refit", "22"},
                                {"fit_starts", "23"},
                                {"fit_budget", "24"},
                                {"fit_targets", "25"},
                                {"policy_targets", "26"},
                                {"candidates", "27"},
                                {"starts", "28"},
                                {"contexts", "29"},
                                {"targets", "30"},
                                {"neighbours", "31"},
                                {"hyper_samples", "32"},
                                {NULL, NULL}};
  const fcps_bo_settings s = read(&fcps_learner_active_settings, given, NULL);
  const fcps_model_settings *m = &s.model_settings;
  assert_true(m->structures.input_noise_share == 0.11 && m->prior.length == 0.12 && m->prior.length_sd == 0.13);
  assert_true(m->environment_stretch == 14 && m->prior.signal == 15 && m->prior.signal_sd == 1.6);
  assert_true(m->prior.noise == 0.17 && m->prior.noise_sd == 1.8 && m->prior.noise_floor == 0.19);
  assert_true(s.acquisition_settings.kappa == 20);
  assert_int_equal(s.initial, 21);
  assert_int_equal(s.refit, 22);
  assert_int_equal(m->fit.starts, 23);
  assert_int_equal(m->fit.budget, 24);
  assert_int_equal(s.fit_targets, 25);
  assert_int_equal(s.policy_targets, 26);
  assert_int_equal(s.acquisition_settings.search.candidates, 27);
  assert_int_equal(s.acquisition_settings.search.starts, 28);
  assert_int_equal(s.contextual.contexts, 29);
  assert_int_equal(s.contextual.targets, 30);
  assert_int_equal(s.contextual.neighbours, 31);
  assert_int_equal(m->fit.samples, 0); /* not with hyperparameters=map */
}

static void switches_and_choices_are_what_their_names_say(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"model", "joint"},      {"acquisition", "thompson"},
                                {"kernel", "matern52"},  {"angles", "raw"},
                                {"mean", "zero"},        {"hyperparameters", "bayes"},
                                {"hyper_samples", "7"},  {"input_noise", "learnt"},
                                {"length_tail", "long"}, {"kappa_schedule", "gp-ucb2"},
                                {"design", "halton"},    {"search", "direct"},
                                {"criterion", "es"},     {"separate", "on"},
                                {"split", "on"},         {"hindsight", "on"},
                                {"trust_region", "on"},  {NULL, NULL}};
  const fcps_bo_settings s = read(&fcps_learner_outcome_active_settings, given, NULL);
  const fcps_model_settings *m = &s.model_settings;
  assert_ptr_equal(s.model, &fcps_model_joint);
  assert_ptr_equal(s.acquisition, fcps_acquisition_find("thompson"));
  assert_ptr_equal(m->kernel, &fcps_kernel_matern52);
  assert_false(m->circular);
  assert_int_equal(m->norm.mean, FCPS_MEAN_ZERO);
  assert_int_equal(m->fit.samples, 7);
  assert_int_equal(m->structures.inexact, FCPS_INPUT_NOISE_LEARNT);
  assert_true(m->prior.has_long_tail);
  assert_int_equal(s.acquisition_settings.schedule, FCPS_KAPPA_GP_UCB2);
  assert_int_equal(s.design, FCPS_DESIGN_HALTON);
  assert_int_equal(s.acquisition_settings.search.kind, FCPS_SEARCH_DIRECT);
  assert_int_equal(s.criterion, FCPS_CHOICE_ES);
  assert_int_equal(m->structures.separate, FCPS_STRUCTURE_ON);
  assert_true(m->may_split && s.has_hindsight && s.region == FCPS_REGION_ON);
}

static void the_scale_of_outputs_follows_from_three_settings(void **state)
{
  (void)state;
  static const struct {
    const char *model, *standardize, *separate;
    fcps_gp_scaling scaling;
  } cases[] = {
      {"joint", "on", "off", FCPS_SCALING_EACH},     {"rescored", "on", "on", FCPS_SCALING_EACH},
      {"outcome", "on", "off", FCPS_SCALING_METRIC}, {"outcome", "on", "on", FCPS_SCALING_EACH},
      {"outcome", "off", "off", FCPS_SCALING_NONE},  {"joint", "off", "on", FCPS_SCALING_NONE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fcps_setting given[] = {{"model", cases[i].model},
                                  {"standardize", cases[i].standardize},
                                  {"separate", cases[i].separate},
                                  {NULL, NULL}};
    assert_int_equal(read(&fcps_learner_bo_settings, given, NULL).model_settings.norm.scaling, cases[i].scaling);
  }
}

static void maximum_likelihood_has_no_prior(void **state)
{
  (void)state;
  const fcps_setting ml[] = {{"hyperparameters", "ml"}, {NULL, NULL}};
  assert_true(read(&fcps_learner_bo_settings, ml, NULL).model_settings.prior.is_flat);
  assert_false(read(&fcps_learner_bo_settings, NULL, NULL).model_settings.prior.is_flat);
}

/* the toy problem has a reward as a function, and few inputs */
static void auto_is_what_suits_the_problem_and_stays_auto_as_given(void **state)
{
  (void)state;
  fcps_bo_settings as_given;
  const fcps_bo_settings s = read(&fcps_learner_bo_settings, NULL, &as_given);
  assert_ptr_equal(s.model, &fcps_model_rescored);
  assert_ptr_equal(s.model_settings.kernel, &fcps_kernel_se);
  assert_int_equal(as_given.choices.model, FCPS_BO_AUTO);
  assert_int_equal(as_given.choices.kernel, FCPS_BO_AUTO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_go_to_the_fields_of_their_names),
      cmocka_unit_test(switches_and_choices_are_what_their_names_say),
      cmocka_unit_test(the_scale_of_outputs_follows_from_three_settings),
      cmocka_unit_test(maximum_likelihood_has_no_prior),
      cmocka_unit_test(auto_is_what_suits_the_problem_and_stays_auto_as_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
