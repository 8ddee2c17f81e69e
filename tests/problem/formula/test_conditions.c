/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of parameters: their formulas, messages about mistakes, and the set in which parameters rest that do
 * not apply. */
#include "problem/feasible.h"
#include "problem/formula/conditions.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"

#include <fcps/problem_file.h>

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOOL, SPEED, COOLANT, FLOW, POWER, LAYERS, FINE, COUNT };
enum { MILL, DRILL, LASER };

static const char machining[] = "environment: {stock: [steel, brass], depth: [0, 10]}\n"
                                "parameters:\n"
                                "  tool: [mill, drill, laser]\n"
                                "  speed: {range: [1, 10], scale: log}\n"
                                "  coolant: {choices: [none, mist, flood], when: tool == mill}\n"
                                "  flow: {range: [2, 5], when: coolant != none || power >= 3}\n"
                                "  power: {range: [1, 4], scale: integer, when: tool == laser && stock != brass}\n"
                                "  layers: {range: [1, 3], scale: integer}\n"
                                "  fine: {range: [0, 1], when: layers >= 2 && depth > 4}\n"
                                "outcome: [rough]\n"
                                "reward: -rough\n";

static fcps_problem_file *parse(const char *yaml)
{
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error) != FCPS_OK)
    fail_msg("%d:%d %s: %s", error.line, error.column, error.field, error.message);
  return f;
}

static void check_applies(const fcps_problem *p, double stock, double depth, const double *parameters,
                          const char *wanted)
{
  const double environment[] = {stock, depth};
  bool applies[COUNT];
  char found[COUNT + 1] = "";
  assert_ok(fcps_problem_applies(p, NULL, environment, parameters, applies, NULL));
  for (int d = 0; d < COUNT; d++)
    found[d] = applies[d] ? 'x' : '-';
  assert_string_equal(found, wanted);
}

static void a_parameter_applies_where_its_condition_holds(void **state)
{
  (void)state;
  fcps_problem_file *f = parse(machining);
  const fcps_problem *p = &f->problem;
  check_applies(p, 0, 0, (double[]){MILL, 2, 0, 2, 1, 1, 0}, "xxx--x-");
  check_applies(p, 0, 0, (double[]){MILL, 2, 1, 2, 1, 1, 0}, "xxxx-x-");
  check_applies(p, 0, 0, (double[]){LASER, 2, 0, 2, 1, 1, 0}, "xx--xx-");
  check_applies(p, 0, 0, (double[]){LASER, 2, 0, 2, 3, 1, 0}, "xx-xxx-");
  check_applies(p, 1, 0, (double[]){LASER, 2, 0, 2, 3, 1, 0}, "xx---x-");
  /* a comparison with a parameter that does not apply does not hold: for a drill, coolant is not "not none" */
  check_applies(p, 0, 0, (double[]){DRILL, 2, 2, 2, 4, 1, 0}, "xx---x-");
  check_applies(p, 0, 5, (double[]){DRILL, 2, 0, 2, 1, 2, 0}, "xx---xx");
  check_applies(p, 0, 4, (double[]){DRILL, 2, 0, 2, 1, 2, 0}, "xx---x-");
  fcps_problem_file_destroy(f);
}

static void what_is_told_is_settled(void **state)
{
  (void)state;
  fcps_problem_file *f = parse(machining);
  const double environment[] = {0, 0};
  fcps_error error = {0};
  double told[] = {DRILL, 2, NAN, NAN, 1, 1, NAN};
  assert_ok(fcps_problem_take_parameters(&f->problem, "parameters", NULL, environment, told, &error));
  const double rested[] = {DRILL, 2, 0, 2, 1, 1, 0};
  assert_memory_equal(told, rested, sizeof rested);
  double wrong[] = {DRILL, 2, 1, NAN, NAN, 1, NAN};
  assert_int_equal(fcps_problem_take_parameters(&f->problem, "parameters", NULL, environment, wrong, &error),
                   FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "parameters.coolant");
  assert_non_null(strstr(error.message, "does not apply here: it is used only when tool == mill; leave it out"));
  double missing[] = {MILL, 2, 1, NAN, NAN, 1, NAN};
  assert_int_equal(fcps_problem_take_parameters(&f->problem, "parameters", NULL, environment, missing, &error),
                   FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "parameters.flow");
  assert_ok(fcps_problem_leave_out(&f->problem, NULL, environment, told, &error));
  assert_true(isnan(told[COUNT - 1]) && isnan(told[COOLANT]) && told[SPEED] == 2);
  fcps_problem_file_destroy(f);
}

typedef struct mistake {
  const char *parameters, *field;
  int line, column;
  const char *words;
} mistake;

static void mistakes_are_said_with_their_place(void **state)
{
  (void)state;
  static const mistake mistakes[] = {
      {"b: {range: [0, 1], when: tol == mill}", "b.when", 3, 29, "did you mean"},
      {"b: {range: [0, 1], when: tool == mil}", "b.when", 3, 37, "mil"},
      {"b: {range: [0, 1], when: b > 0.5}", "b.when", 3, 29, "names itself"},
      {"b: {range: [0, 1], when: tool == mill && y > 0}", "b.when", 3, 45, "is an outcome"},
      {"b: {range: [0, 1], when: tool == mill || speed + 1}", "b.when", 3, 45, "expected a comparison"},
      {"b: {range: [0, 1], when: tool == mill && tool == drill}", "b.when", 3, 29, "never holds, so"},
      {"b: {range: [0, 1], when: speed > 7}", "b.when", 3, 29, "never holds for any values that were tried"},
      {"b: {range: [0, 1], when: c > 0}, c: {range: [0, 1], when: b > 0}", "c.when", 3, 62, "goes round in a circle"},
      {"b: {choices: [x, z], when: tool == mill &&}", "b.when", 3, 46, ""},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char yaml[400];
    fcps_problem_file *f = NULL;
    fcps_error error = {0};
    snprintf(yaml, sizeof yaml,
             "outcome: [y]\nparameters:\n  {%s,\n  tool: [mill, drill], speed: [0, 1]}\nreward: -y\n",
             mistakes[i].parameters);
    assert_true(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error) != FCPS_OK);
    if (strcmp(error.field, mistakes[i].field) != 0 || error.line != mistakes[i].line ||
        error.column != mistakes[i].column || strstr(error.message, mistakes[i].words) == NULL)
      fail_msg("%s: %d:%d %s: %s", mistakes[i].parameters, error.line, error.column, error.field, error.message);
  }
  static const char context[] = "environment: {a: {range: [0, 1], when: b > 0}}\nparameters: {b: [0, 1]}\noutcome: "
                                "[y]\nreward: -y\n";
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  assert_int_equal(fcps_problem_file_parse(&f, context, strlen(context), "a.yaml", NULL, &error), FCPS_ERR_UNSUPPORTED);
  assert_int_equal(error.line, 1);
  assert_non_null(strstr(error.message, "only a parameter may have a condition"));
}

static void conditions_belong_to_the_problem(void **state)
{
  (void)state;
  fcps_problem_file *f = parse(machining), *g = parse("environment: {stock: [steel, brass], depth: [0, 10]}\n"
                                                      "parameters: {tool: [mill, drill, laser]}\n"
                                                      "outcome: [rough]\nreward: -rough\n");
  fcps_problem copy;
  assert_ok(fcps_problem_copy(&f->problem, &copy));
  assert_string_equal(copy.parameters.dims[COOLANT].when, "tool == mill");
  assert_null(fcps_problem_differing_space(&f->problem, &copy));
  assert_true(fcps_problem_file_same("parameters", f, f));
  fcps_dimension dims[COUNT];
  memcpy(dims, f->problem.parameters.dims, sizeof dims);
  dims[COOLANT].when = "tool != mill";
  const fcps_space other = {COUNT, dims};
  assert_false(fcps_space_alike(&f->problem.parameters, &other));
  fcps_problem_free(&copy);
  fcps_problem_file_destroy(f);
  fcps_problem_file_destroy(g);
}

static void check_rests(const fcps_problem *p, const double *environment, fcps_feasible *set, const double *x)
{
  double values[COUNT], rested[COUNT];
  fcps_space_from_unit(&p->parameters, x, values);
  memcpy(rested, values, sizeof rested);
  assert_ok(fcps_problem_rest(p, NULL, environment, rested, NULL));
  assert_memory_equal(values, rested, sizeof rested);
  assert_true(fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL));
}

/* Every way into the set lets parameters that do not apply rest, and keeps the constraints. */
static void check_set(const char *constraint)
{
  enum { POINTS = 200 };
  char yaml[1000];
  snprintf(yaml, sizeof yaml, "%s%s", machining, constraint);
  fcps_problem_file *f = parse(yaml);
  const double environment[] = {0, 6};
  double points[POINTS * COUNT], near[COUNT], gradient[COUNT];
  fcps_feasible *set;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_feasible_create(&set, &f->problem, NULL, environment, NULL));
  assert_non_null(set);
  fcps_points_uniform(&rng, COUNT, POINTS, points);
  for (int i = 0; i < POINTS; i++) {
    double *x = points + i * COUNT;
    bool applies[COUNT];
    assert_true(fcps_feasible_project(set, NULL, x, near));
    for (int d = 0; d < COUNT; d++)
      gradient[d] = 1.0;
    fcps_feasible_pull(set, NULL, x, near, gradient);
    assert_true(fcps_feasible_applies(set, near, applies));
    for (int d = 0; d < COUNT; d++)
      if (!applies[d]) assert_near(gradient[d], 0, 1e-12);
    check_rests(&f->problem, environment, set, near);
    memcpy(near, x, sizeof near);
    fcps_feasible_settle(set, near);
    check_rests(&f->problem, environment, set, near);
  }
  fcps_feasible_fill(set, &rng, false, POINTS, points);
  for (int i = 0; i < POINTS; i++)
    check_rests(&f->problem, environment, set, points + i * COUNT);
  fcps_feasible_destroy(set);
  fcps_problem_file_destroy(f);
}

static void the_set_rests_where_nothing_applies(void **state)
{
  (void)state;
  check_set("");
  check_set("constraints: [\"speed + flow <= 9\", \"flow*fine + layers <= 4\"]\n");
  check_set("constraints: [\"tool != drill\", \"layers + power <= 4\"]\n");
}

static void safe_trials_leave_out_what_does_not_apply(void **state)
{
  (void)state;
  static const char rest[] = "limits: {rough: {at_most: 3}}\nsafe: [{tool: drill, speed: 2, layers: 1}";
  char yaml[1000];
  fcps_error error = {0};
  snprintf(yaml, sizeof yaml, "%s%s]\n", machining, rest);
  fcps_problem_file *f = parse(yaml);
  assert_near(f->problem.safe[0].parameters[FLOW], 2, 0);
  fcps_problem_file_destroy(f);
  f = NULL;
  snprintf(yaml, sizeof yaml, "%s%s, {tool: drill, speed: 2, layers: 1, coolant: mist}]\n", machining, rest);
  assert_true(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error) != FCPS_OK);
  assert_string_equal(error.field, "safe.2.coolant");
  assert_int_equal(error.line, 13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_parameter_applies_where_its_condition_holds),
      cmocka_unit_test(what_is_told_is_settled),
      cmocka_unit_test(mistakes_are_said_with_their_place),
      cmocka_unit_test(conditions_belong_to_the_problem),
      cmocka_unit_test(the_set_rests_where_nothing_applies),
      cmocka_unit_test(safe_trials_leave_out_what_does_not_apply),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
