/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions: the rows that GPs see and the predictions that come back, also if several structures change them; and
 * descriptions as values. */
#include "model/description.h"

#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/structures/frame.h"
#include "space/space.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

/* -- The problem: a push, whose object ends where the hand's angle and stroke send it, from where it was -- */

enum { E = 2, P = 3, Q = 2, FEATURES = E + P + 1, ROWS = 14 };

static const fcps_dimension targets[] = {{"x", -3, 3, 0, .unit = "m"}, {"y", -3, 3, 0, .unit = "m"}};
static const fcps_dimension environments[] = {{"spot_x", 1, 2, 0, .unit = "m"}, {"spot_y", -1, 1, 0, .unit = "m"}};
static const fcps_dimension parameters[] = {
    {"angle", 30, 390, 360, .unit = "deg"}, {"hand_x", -1, 1, 0, .unit = "m"}, {"hand_y", -0.5, 0.5, 0, .unit = "m"}};
static const fcps_dimension outcomes[] = {{"end_x", 0, 0, 0, .unit = "m"}, {"end_y", 0, 0, 0, .unit = "m"}};

static fcps_status reward(void *user, int count, const double *target, const double *environment,
                          const double *parameter, const double *outcome, const bool *present, double *rewards)
{
  (void)user, (void)environment, (void)parameter;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -hypot(target[0] - outcome[Q * i], target[1] - outcome[Q * i + 1]) : -9.0;
  return FCPS_OK;
}

static const fcps_problem pushing = {.target = {2, targets},
                                     .environment = {E, environments},
                                     .parameters = {P, parameters},
                                     .outcome = {Q, outcomes},
                                     .reward = reward};

static const char *const frames[] = {
    "end_x, end_y turn with angle", "end_x, end_y (from spot_x, spot_y), hand_x, hand_y turn with angle",
    "end_x, end_y, hand_x, hand_y, spot_x, spot_y turn against angle",
    "end_x, end_y (from spot_x, spot_y), hand_x, hand_y turn with the direction of hand_x, hand_y"};
enum { FRAMES = (int)(sizeof frames / sizeof *frames) };

static int index_of(const char *name)
{
  const int index = fcps_structure_find(name);
  assert_true(index >= 0);
  return index;
}

/* A model with a frame of these words (NULL: none), with one GP or one per outcome, and with a drift on demand. */
static fcps_model *create(const char *frame, bool is_separate, bool drifts)
{
  fcps_model_settings settings = {
      .kernel = &fcps_kernel_se,
      .circular = true,
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = is_separate ? FCPS_SCALING_EACH : FCPS_SCALING_METRIC},
      .prior = USUAL_PRIOR(0.4),
      .environment_stretch = 1.5,
      .fit = {.starts = 2, .budget = 25},
      .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF}};
  fcps_model *model = NULL;
  if (frame != NULL) {
    settings.structures.frame = FCPS_STRUCTURE_ON;
    strcpy(settings.structures.frame_words, frame);
  }
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &pushing, &settings));
  assert_int_equal(believes(model, "frame"), frame != NULL);
  if (drifts) make_believe(model, "drift");
  return model;
}

static void draw(fcps_rng *rng, double *environment, double *parameter)
{
  double u[E + P];
  fcps_rng_uniforms(rng, E + P, u);
  fcps_space_from_unit(&pushing.environment, u, environment);
  fcps_space_from_unit(&pushing.parameters, u + E, parameter);
}

static void add_pushes(fcps_model *model, int count)
{
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    double environment[E], parameter[P];
    const double target[2] = {0, 0};
    draw(&rng, environment, parameter);
    const double outcome[Q] = {environment[0] + cos(parameter[0]) * parameter[1] + 0.01 * i,
                               environment[1] + parameter[2] * parameter[1] - 0.02 * i};
    const fcps_rollout rollout = {.target = target,
                                  .environment = environment,
                                  .parameters = parameter,
                                  .outcome = outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

/* -- Seeing -- */

static void what_is_seen_comes_back(void **state)
{
  (void)state;
  for (int k = -1; k < FRAMES; k++)
    for (int drifts = 0; drifts < 2; drifts++) {
      fcps_model *model = create(k >= 0 ? frames[k] : NULL, false, drifts);
      const fcps_description *d = &model->description;
      fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
      assert_int_equal(model->layout.features, FEATURES);
      assert_int_equal(d->inputs, FEATURES + drifts);
      assert_int_equal(d->changes_outputs, k >= 0);
      assert_int_equal(d->changes_inputs, drifts || k > 0);
      for (int i = 0; i < 10; i++) {
        double environment[E], parameter[P], features[FEATURES], told[Q], outcome[2 * Q];
        double *inputs = malloc((size_t)d->inputs * sizeof(double)); /* no number more */
        draw(&rng, environment, parameter);
        fcps_rng_normals(&rng, Q, told);
        fcps_layout_row(&model->layout, NULL, environment, parameter, features);
        memcpy(outcome, told, sizeof told);
        fcps_description_see(d, &model->layout, features, 7, inputs, outcome);
        memcpy(outcome + Q, outcome, sizeof told);
        if (k >= 0) assert_true(fabs(outcome[0] - told[0]) > 1e-6);
        if (drifts) assert_near(inputs[FEATURES], 7 / 50.0, 0);
        for (int f = 0; f < FEATURES; f++)
          if (!fcps_description_turns_feature(d, f)) assert_near(inputs[f], features[f], 0);
        fcps_description_unsee_outcomes(d, &model->layout, features, 2, Q, outcome);
        for (int o = 0; o < 2 * Q; o++)
          assert_near(outcome[o], told[o % Q], 1e-12);
        free(inputs);
      }
      fcps_model_destroy(model);
    }
}

/* Means, variances and their gradients by the features; a gradient is `FEATURES` numbers long, however many inputs
 * there are. */
typedef struct answers {
  double mean[Q], variance[Q], mean_gradient[Q * FEATURES], variance_gradient[Q * FEATURES];
} answers;

static void ask(const fcps_model *model, const fcps_gp_outputs *outputs, fcps_gp_work *work, const double *features,
                bool with_gradients, answers *a)
{
  const fcps_gp_query query = {.count = 1,
                               .points = features,
                               .mean = a->mean,
                               .variance = a->variance,
                               .mean_gradient = with_gradients ? a->mean_gradient : NULL,
                               .variance_gradient = with_gradients ? a->variance_gradient : NULL};
  fcps_model_predict(model, outputs, &query, work);
}

static void check_gradients(const fcps_model *model, fcps_rng *rng)
{
  const double h = 1e-5;
  const int gps = fcps_model_gp_count(model);
  double environment[E], parameter[P], features[FEATURES];
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  answers at, ahead, behind;
  draw(rng, environment, parameter);
  fcps_layout_row(&model->layout, NULL, environment, parameter, features);
  assert_ok(fcps_model_condition(model, 1, NULL, &outputs, NULL));
  assert_ok(fcps_model_reserve(&work, model, 1));
  ask(model, &outputs, &work, features, true, &at);
  for (int f = 0; f < FEATURES; f++) {
    const double kept = features[f];
    features[f] = kept + h;
    ask(model, &outputs, &work, features, false, &ahead);
    features[f] = kept - h;
    ask(model, &outputs, &work, features, false, &behind);
    features[f] = kept;
    for (int o = 0; o < Q; o++)
      assert_near(at.mean_gradient[o * FEATURES + f], (ahead.mean[o] - behind.mean[o]) / (2 * h), 1e-5);
    for (int g = 0; g < gps; g++)
      assert_near(at.variance_gradient[g * FEATURES + f], (ahead.variance[g] - behind.variance[g]) / (2 * h), 1e-5);
  }
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
}

static void gradients_by_features_agree_with_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  for (int k = -1; k < FRAMES; k++)
    for (int drifts = 0; drifts < 2; drifts++)
      for (int is_separate = 0; is_separate < 2; is_separate++) {
        fcps_model *model = create(k >= 0 ? frames[k] : NULL, is_separate, drifts);
        assert_int_equal(fcps_model_gp_count(model), is_separate ? Q : 1);
        add_pushes(model, ROWS);
        double hyper[FCPS_HYPER_COUNT(FEATURES + 1)];
        if (is_separate) { /* GPs that differ */
          memcpy(hyper, fcps_model_gp(model, 1)->hyper, (size_t)FCPS_HYPER_COUNT(FEATURES + drifts) * sizeof *hyper);
          hyper[0] += 0.3;
          hyper[FEATURES + drifts] += 0.5;
          fcps_gp_set_hyper(fcps_model_gp(model, 1), hyper);
        }
        assert_ok(fcps_model_refresh(model));
        for (int i = 0; i < 3; i++)
          check_gradients(model, &rng);
        fcps_model_destroy(model);
      }
}

/* -- Values -- */

static void assert_same(const fcps_description *a, const fcps_description *b)
{
  assert_ptr_equal(a->kernel, b->kernel);
  assert_int_equal(a->inputs, b->inputs);
  assert_int_equal(a->outputs, b->outputs);
  assert_int_equal(a->gps, b->gps);
  assert_int_equal(a->scaling, b->scaling);
  assert_memory_equal(a->stretch, b->stretch, (size_t)a->inputs * sizeof(double));
  assert_int_equal(a->pair_count, b->pair_count);
  assert_memory_equal(a->pairs, b->pairs, 2 * (size_t)a->pair_count * sizeof(int));
  assert_int_equal(a->aside_count, b->aside_count);
  for (int i = 0; i < a->aside_count; i++)
    assert_int_equal(a->aside[i], b->aside[i]);
  for (int i = 0; i < FCPS_STRUCTURES; i++) {
    assert_int_equal(a->structures[i].size, b->structures[i].size);
    assert_true(a->structures[i].nats == b->structures[i].nats);
    if (a->structures[i].size == 0) continue;
    assert_ptr_not_equal(a->structures[i].state, b->structures[i].state);
    assert_memory_equal(a->structures[i].state, b->structures[i].state, a->structures[i].size);
  }
}

static void a_copy_is_the_same_and_a_value_of_its_own(void **state)
{
  (void)state;
  fcps_model *model = create(frames[1], false, true);
  fcps_description *d = &model->description, copy, again;
  d->structures[index_of("frame")].nats = 7.5;
  assert_ok(fcps_description_copy(d, &copy));
  assert_same(d, &copy);
  assert_ok(fcps_description_copy(&copy, &again));
  fcps_structure_clear(copy.structures + index_of("frame"));
  assert_ok(fcps_description_edit(&copy, &model->layout));
  assert_int_equal(copy.pair_count, 0);
  assert_same(d, &again);
  fcps_description_destroy(&copy);
  fcps_description_destroy(&copy); /* twice is once */
  assert_same(d, &again);
  fcps_description_destroy(&again);
  fcps_model_destroy(model);
}

static void what_is_added_and_taken_leaves_nothing(void **state)
{
  (void)state;
  fcps_model *model = create(NULL, false, false), *framed = create(frames[1], false, false);
  const fcps_structure none = {0}, *frame = framed->description.structures + index_of("frame");
  const fcps_layout *layout = &model->layout;
  fcps_structure drift = first_proposal(model, "drift");
  fcps_description with, both, one, plain;
  assert_ok(fcps_description_with(&model->description, layout, index_of("drift"), &drift, &with));
  assert_ok(fcps_description_with(&with, layout, index_of("frame"), frame, &both));
  assert_true(fcps_description_has(&both, index_of("drift")) && fcps_description_has(&both, index_of("frame")));
  assert_false(fcps_description_has(&with, index_of("frame")));
  assert_int_equal(both.inputs, FEATURES + 1);
  assert_int_equal(both.pair_count, 1);
  /* the environment is stretched as it is without them, the angle and the order by their structures */
  const double stretch[] = {1.5, 1.5, 3, 3, 1, 1, 4};
  for (int f = 0; f < FEATURES + 1; f++)
    assert_near(both.stretch[f], stretch[f], 0);
  assert_ok(fcps_description_with(&both, layout, index_of("drift"), &none, &one));
  assert_same(&one, &framed->description);
  assert_ok(fcps_description_with(&one, layout, index_of("frame"), &none, &plain));
  assert_same(&plain, &model->description);
  fcps_structure_clear(&drift);
  fcps_description_destroy(&with);
  fcps_description_destroy(&both);
  fcps_description_destroy(&one);
  fcps_description_destroy(&plain);
  fcps_model_destroy(model);
  fcps_model_destroy(framed);
}

static void what_does_not_go_together_replaces_each_other(void **state)
{
  (void)state;
  fcps_model *framed = create(frames[0], false, true), *separate = create(NULL, true, false);
  const int f = index_of("frame"), s = index_of("separate"), d = index_of("drift");
  const fcps_structure none = {0};
  fcps_description a, b, c;
  assert_true(fcps_structure_excludes(fcps_structure_kind_at(f), fcps_structure_kind_at(s)));
  assert_true(fcps_structure_excludes(fcps_structure_kind_at(s), fcps_structure_kind_at(f)));
  assert_false(fcps_structure_excludes(fcps_structure_kind_at(d), fcps_structure_kind_at(f)));
  assert_ok(fcps_description_with(&framed->description, &framed->layout, s, separate->description.structures + s, &a));
  assert_true(fcps_description_has(&a, s) && fcps_description_has(&a, d) && !fcps_description_has(&a, f));
  assert_int_equal(a.gps, Q);
  assert_int_equal(a.pair_count, 0);
  assert_ok(fcps_description_with(&a, &framed->layout, f, framed->description.structures + f, &b));
  assert_true(!fcps_description_has(&b, s) && fcps_description_has(&b, d) && fcps_description_has(&b, f));
  assert_int_equal(b.gps, 1);
  /* none of a kind takes nothing from others */
  assert_ok(fcps_description_with(&b, &framed->layout, s, &none, &c));
  assert_same(&b, &c);
  fcps_description_destroy(&a);
  fcps_description_destroy(&b);
  fcps_description_destroy(&c);
  fcps_model_destroy(framed);
  fcps_model_destroy(separate);
}

/* each kind has a name of its own, can be written if it can be believed, and excludes kinds that there are */
static void the_table_of_kinds_is_whole(void **state)
{
  (void)state;
  const fcps_structure_kind *kind;
  int count = 0;
  for (; (kind = fcps_structure_kind_at(count)) != NULL; count++) {
    assert_int_equal(fcps_structure_find(kind->name), count);
    assert_true((kind->write == NULL) == (kind->read == NULL));
    assert_true(kind->propose == NULL || (kind->describe != NULL) != (kind->words != NULL));
    assert_true((kind->unsee == NULL) == (kind->unsee_outcomes == NULL));
    assert_true((kind->rests == NULL) == (kind->rest == NULL));
    char *names = fcps_copy_text(kind->excludes != NULL ? kind->excludes : "");
    for (char *rest = NULL, *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
      assert_true(fcps_structure_find(name) >= 0);
    free(names);
  }
  assert_true(count <= FCPS_STRUCTURES);
  assert_int_equal(fcps_structure_find("fram"), -1);
  assert_int_equal(fcps_structure_find(NULL), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_seen_comes_back),
      cmocka_unit_test(gradients_by_features_agree_with_differences),
      cmocka_unit_test(a_copy_is_the_same_and_a_value_of_its_own),
      cmocka_unit_test(what_is_added_and_taken_leaves_nothing),
      cmocka_unit_test(what_does_not_go_together_replaces_each_other),
      cmocka_unit_test(the_table_of_kinds_is_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
