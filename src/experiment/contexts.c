/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/contexts.h"

#include "base/rng.h"
#include "space/space.h"

/* Dimension `index` of the context: those of the target, then those of the environment. */
static const fcps_dimension *dimension_at(const fcps_problem *problem, int index)
{
  const int targets = problem->target.count;
  return index < targets ? &problem->target.dims[index] : &problem->environment.dims[index - targets];
}

static int dimension_count(const fcps_problem *problem)
{
  return problem->target.count + problem->environment.count;
}

/* ------------------------------------------------------------------------------------------------- reading */

static int find_dimension(const fcps_problem *problem, const char *name)
{
  const int target = fcps_space_find(&problem->target, name);
  if (target >= 0) return target;
  const int environment = fcps_space_find(&problem->environment, name);
  return environment >= 0 ? problem->target.count + environment : -1;
}

static void read_side(fcps_reader *reader, fcps_context_box *box, const fcps_yaml_node *node, const char *name,
                      const fcps_problem *problem)
{
  const int index = find_dimension(problem, name);
  if (index < 0) {
    fcps_reader_refuse(reader, node, FCPS_ERR_UNKNOWN_NAME, "contexts",
                       "the task has no target or environment dimension \"%s\"; `fcps tasks` lists them", name);
    return;
  }
  double bounds[2] = {0};
  fcps_reader_numbers(reader, node, name, 2, bounds);
  const fcps_dimension *dim = dimension_at(problem, index);
  if (!(bounds[0] < bounds[1]) || bounds[0] < dim->lower || bounds[1] > dim->upper) {
    fcps_reader_refuse(reader, node, FCPS_ERR_BOUNDS, name, "expected [lower, upper] within [%g, %g]", dim->lower,
                       dim->upper);
  }
  box->lower[index] = bounds[0];
  box->upper[index] = bounds[1];
}

static void read_box(fcps_reader *reader, fcps_context_box *box, const fcps_yaml_node *node,
                     const fcps_problem *problem)
{
  const int count = dimension_count(problem);
  box->lower = fcps_reader_allocate(reader, 2 * (size_t)count, sizeof *box->lower);
  if (!box->lower) return;
  box->upper = box->lower + count;
  for (int i = 0; i < count; i++) {
    box->lower[i] = dimension_at(problem, i)->lower;
    box->upper[i] = dimension_at(problem, i)->upper;
  }
  reader->status = fcps_yaml_expect(reader->yaml, node, FCPS_YAML_MAP, "boxes", reader->error);
  for (int i = 0; reader->status == FCPS_OK && i < node->count; i++)
    read_side(reader, box, node->children[i], node->keys[i], problem);
}

void fcps_experiment_read_contexts(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node)
{
  static const char *const keys[] = {"boxes", NULL};
  if (!node || reader->status != FCPS_OK) return;
  fcps_reader_only(reader, node, keys);
  const fcps_yaml_node *list = fcps_reader_node(reader, node, "boxes", FCPS_YAML_LIST);
  if (list && list->count == 0) {
    fcps_reader_refuse(reader, list, FCPS_ERR_FORMAT, "boxes",
                       "no box is given; leave `contexts` out for all contexts");
  }
  experiment->boxes = fcps_reader_allocate(reader, list ? (size_t)list->count : 0, sizeof *experiment->boxes);
  for (int i = 0; reader->status == FCPS_OK && i < list->count; i++)
    read_box(reader, &experiment->boxes[experiment->box_count++], list->children[i],
             fcps_experiment_problem(experiment));
}

/* ------------------------------------------------------------------------------------------------- drawing */

/* Side `index` of a box as a dimension of its own, so that logarithmic and integer ones are drawn as such. */
static fcps_dimension side_of(const fcps_context_box *box, const fcps_problem *problem, int index)
{
  fcps_dimension side = *dimension_at(problem, index);
  side.lower = box->lower[index];
  side.upper = box->upper[index];
  side.period = 0.0;
  return side;
}

static double volume_of(const fcps_context_box *box, const fcps_problem *problem)
{
  double volume = 1.0;
  for (int i = 0; i < dimension_count(problem); i++)
    volume *= (box->upper[i] - box->lower[i]) / fcps_dimension_span(dimension_at(problem, i));
  return volume;
}

static const fcps_context_box *choose_box(const fcps_experiment *experiment, const fcps_problem *problem, double u)
{
  double sum = 0.0;
  for (int i = 0; i < experiment->box_count; i++)
    sum += volume_of(&experiment->boxes[i], problem);

  int chosen = 0;
  for (double left = u * sum; chosen + 1 < experiment->box_count; chosen++) {
    left -= volume_of(&experiment->boxes[chosen], problem);
    if (left < 0.0) break;
  }
  return &experiment->boxes[chosen];
}

void fcps_experiment_draw_context(const fcps_experiment *experiment, uint64_t seed, int64_t episode, double *target,
                                  double *environment)
{
  const fcps_problem *problem = fcps_experiment_problem(experiment);
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  const fcps_context_box *box = choose_box(experiment, problem, fcps_rng_uniform(&rng));
  for (int i = 0; i < dimension_count(problem); i++) {
    const fcps_dimension side = side_of(box, problem, i);
    const fcps_space line = {1, &side};
    const double u = fcps_rng_uniform(&rng);
    fcps_space_from_unit(&line, &u, i < problem->target.count ? target + i : environment + i - problem->target.count);
  }
}

bool fcps_experiment_has_context(const fcps_experiment *experiment, const double *target, const double *environment)
{
  const fcps_problem *problem = fcps_experiment_problem(experiment);
  for (int b = 0; b < experiment->box_count; b++) {
    const fcps_context_box *box = &experiment->boxes[b];
    bool is_inside = true;
    for (int i = 0; i < dimension_count(problem); i++) {
      const double value = i < problem->target.count ? target[i] : environment[i - problem->target.count];
      is_inside = is_inside && value >= box->lower[i] && value <= box->upper[i];
    }
    if (is_inside) return true;
  }
  return experiment->box_count == 0;
}
