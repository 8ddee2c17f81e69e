/* SPDX-License-Identifier: Apache-2.0 */
/* Prints each Gaussian process of a policy: its data, its noise, its lengths, and problems of its fit. */
#include "cli/study/study.h"

#include "cli/support/shown.h"
#include "cli/support/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One Gaussian process of the policy, with room for its lengths. */
typedef struct checkup {
  const fcps_space *spaces[3];
  double *lengths[3];
  cli_points room; /* the memory of the lengths */
  fcps_health health;
} checkup;

static fcps_status prepare(checkup *c, const fcps_problem *p, fcps_error *error)
{
  *c = (checkup){.spaces = {&p->environment, &p->target, &p->parameters}};
  const fcps_status status = cli_points_create(&c->room, p, 1, error);
  c->health.environment_lengths = c->lengths[0] = c->room.environment;
  c->health.target_lengths = c->lengths[1] = c->room.target;
  c->health.parameter_lengths = c->lengths[2] = c->room.parameters;
  return status;
}

/* Prints the lengths; a dimension with a length of several ranges hardly matters. */
static void print_lengths(const checkup *c)
{
  const char *before = "; lengths: ";
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < c->spaces[s]->count; i++) {
      if (!isfinite(c->lengths[s][i])) continue;
      printf("%s%s %.2g", before, cli_shown(c->spaces[s]->dims[i].name), c->lengths[s][i]);
      before = ", ";
    }
  printf(" of the range\n");
}

static void print_beliefs(const fcps_health *h)
{
  for (int i = 0; i < h->finding_count; i++)
    printf("  %-16s %s%s\n", h->findings[i].name, cli_shown(h->findings[i].words),
           /* odds are not printed: those of a model are not frequencies */
           h->findings[i].is_claimed ? "" : ": not certain yet");
}

/* Whether no later process of the same side follows: the processes of a side share their findings. */
static bool is_last_of_side(const fcps_policy *policy, int index, const fcps_health *h)
{
  fcps_health next = {0};
  return !fcps_policy_health(policy, index + 1, &next) || next.is_upper_side != h->is_upper_side;
}

static void print_noise(const fcps_health *h)
{
  if (h->most_noise > h->least_noise)
    printf("  noise            %.2g to %.2g%s, depending on the place\n", h->least_noise, h->most_noise,
           h->is_noise_share ? " of the spread" : "");
}

static void print_steps(const fcps_health *h)
{
  if (h->jitter > 0)
    printf("  W_GP_JITTER      rollouts are too similar: %.2g was added to the kernel matrix\n", h->jitter);
  if (h->fallback != NULL && strcmp(h->fallback, "W_GP_DEFAULTS") == 0)
    printf("  W_GP_DEFAULTS    the fit failed: noise and lengths are the prior's\n");
  else if (h->fallback != NULL)
    printf("  %-16s the fit failed: noise and lengths are those of an earlier one\n", cli_shown(h->fallback));
}

fcps_status cli_health_print(const fcps_problem *p, const fcps_policy *policy, fcps_error *error)
{
  checkup c;
  const fcps_health *h = &c.health;
  const fcps_status status = prepare(&c, p, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; fcps_policy_health(policy, i, &c.health); i++) {
    if (i == 0 && h->others)
      printf("model              %s; %d more rollout%s only about failures and absent outcomes\n", cli_shown(h->model),
             h->others, h->others == 1 ? " tells" : "s tell");
    else if (i == 0)
      printf("model              %s\n", cli_shown(h->model));
    printf("  %-16s ", cli_shown(h->output));
    if (h->split_by != NULL)
      printf("on the %s side of %s ", h->is_upper_side ? "upper" : "lower", cli_shown(h->split_by));
    printf("from %d rollout%s; noise %.2g%s", h->rollouts, h->rollouts == 1 ? "" : "s", h->noise,
           h->is_noise_share ? " of the spread" : "");
    print_lengths(&c);
    if (is_last_of_side(policy, i, h)) print_beliefs(h);
    print_noise(h);
    print_steps(h);
  }
  cli_points_destroy(&c.room);
  return FCPS_OK;
}
