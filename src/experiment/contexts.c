/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/contexts.h"

#include "problem/boxes.h"

static void read_side(fcps_reader *reader, double *box, const fcps_yaml_node *node, const char *name,
                      const fcps_problem *problem)
{
  const int index = fcps_context_find(problem, name);
  if (index < 0) {
    fcps_reader_refuse(reader, node, FCPS_ERR_UNKNOWN_NAME, "contexts",
                       "the task has no target or environment dimension \"%s\"; `fcps tasks` lists them", name);
    return;
  }
  double bounds[2] = {0};
  fcps_reader_numbers(reader, node, name, 2, bounds);
  const fcps_dimension *dim = fcps_context_dimension(problem, index);
  if (!(bounds[0] < bounds[1]) || bounds[0] < dim->lower || bounds[1] > dim->upper) {
    fcps_reader_refuse(reader, node, FCPS_ERR_BOUNDS, name, "expected [lower, upper] within [%g, %g]", dim->lower,
                       dim->upper);
  }
  box[2 * index] = bounds[0];
  box[2 * index + 1] = bounds[1];
}

static void read_box(fcps_reader *reader, double *box, const fcps_yaml_node *node, const fcps_problem *problem)
{
  fcps_box_fill(problem, box);
  reader->status = fcps_yaml_expect(reader->yaml, node, FCPS_YAML_MAP, "boxes", reader->error);
  for (int i = 0; reader->status == FCPS_OK && i < node->count; i++)
    read_side(reader, box, node->children[i], node->keys[i], problem);
}

void fcps_experiment_read_contexts(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node)
{
  static const char *const keys[] = {"boxes", NULL};
  if (node == NULL || reader->status != FCPS_OK) return;
  fcps_reader_only(reader, node, keys);
  const fcps_yaml_node *list = fcps_reader_node(reader, node, "boxes", FCPS_YAML_LIST);
  if (list != NULL && list->count == 0) {
    fcps_reader_refuse(reader, list, FCPS_ERR_FORMAT, "boxes",
                       "no box is given; leave `contexts` out for all contexts");
  }
  const fcps_problem *problem = fcps_experiment_problem(experiment);
  const size_t stride = 2 * (size_t)fcps_context_width(problem);
  experiment->boxes =
      fcps_reader_allocate(reader, list != NULL ? (size_t)list->count * stride : 0, sizeof *experiment->boxes);
  for (int i = 0; reader->status == FCPS_OK && i < list->count; i++)
    read_box(reader, experiment->boxes + (size_t)experiment->box_count++ * stride, list->children[i], problem);
}

void fcps_experiment_draw_context(const fcps_experiment *experiment, uint64_t seed, int64_t episode, double *target,
                                  double *environment)
{
  fcps_boxes_draw(fcps_experiment_problem(experiment), experiment->box_count, experiment->boxes, seed, episode, target,
                  environment);
}

bool fcps_experiment_has_context(const fcps_experiment *experiment, const double *target, const double *environment)
{
  return fcps_boxes_contain(fcps_experiment_problem(experiment), experiment->box_count, experiment->boxes, target,
                            environment);
}
