/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon's ground and the flight of a ball over it (cannon.h has the formulas). The order of random draws and of
 * additions is part of the world: another order would give another world. */
#include "lab/task/cannon/cannon.h"

#include "base/rng.h"

#include <math.h>

static const double TWO_PI = 6.283185307179586;

/* A shot: above a straight line on the ground, the ball flies along a parabola. */
typedef struct trajectory {
  double cosine, sine; /* the direction of the line on the ground */
  double slope, fall;  /* z(d) = base + slope d - fall d^2 */
  double ceiling;      /* an upper bound of the ground's height along the line */
} trajectory;

static double between(fcps_rng *rng, double lower, double upper)
{
  return lower + (upper - lower) * fcps_rng_uniform(rng);
}

void fcps_cannon_build(fcps_cannon *cannon, uint64_t seed, int hill_count, bool is_landing_exact)
{
  double distance[FCPS_CANNON_MAX_HILLS];

  *cannon = (fcps_cannon){.hill_count = hill_count, .is_landing_exact = is_landing_exact};

  /* all distances are drawn first, then all heights, then all widths */
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_WORLD, 0);
  for (int i = 0; i < hill_count; i++)
    distance[i] = between(&rng, 2.0, 10.0);
  for (int i = 0; i < hill_count; i++)
    cannon->hills[i].height = between(&rng, 0.1, 0.5);
  for (int i = 0; i < hill_count; i++)
    cannon->hills[i].width = between(&rng, 0.5, 8.0);

  for (int i = 0; i < hill_count; i++) {
    const double angle = TWO_PI * i / hill_count;
    cannon->hills[i].x = distance[i] * cos(angle);
    cannon->hills[i].y = distance[i] * sin(angle);
  }
  cannon->base = fcps_cannon_ground(cannon, 0.0, 0.0);
}

double fcps_cannon_ground(const fcps_cannon *cannon, double x, double y)
{
  double height = 0.0;
  for (int i = 0; i < cannon->hill_count; i++) {
    const fcps_cannon_hill *hill = &cannon->hills[i];
    const double dx = x - hill->x, dy = y - hill->y;
    height += hill->height * exp(-(dx * dx + dy * dy) / hill->width);
  }
  return height;
}

/* An upper bound of the ground's height along the half-line from the origin: each hill counts with its height at the
 * point of the line nearest to it. Above this bound the ground need not be computed, and most of a flight is above
 * it. */
static double ceiling_along(const fcps_cannon *cannon, double cosine, double sine)
{
  double height = 0.0;
  for (int i = 0; i < cannon->hill_count; i++) {
    const fcps_cannon_hill *hill = &cannon->hills[i];
    const double along = fmax(0.0, hill->x * cosine + hill->y * sine);
    const double dx = hill->x - along * cosine, dy = hill->y - along * sine;
    height += hill->height * exp(-(dx * dx + dy * dy) / hill->width);
  }
  return height + 1e-9; /* more than the rounding errors */
}

static trajectory aim(const fcps_cannon *cannon, const double *parameters)
{
  const double turn = parameters[FCPS_CANNON_TURN], tilt = parameters[FCPS_CANNON_TILT];
  const double level_speed = parameters[FCPS_CANNON_SPEED] * cos(tilt);
  trajectory shot = {.cosine = cos(turn), .sine = sin(turn), .slope = tan(tilt)};
  shot.fall = 0.5 * FCPS_CANNON_GRAVITY / (level_speed * level_speed);
  shot.ceiling = ceiling_along(cannon, shot.cosine, shot.sine);
  return shot;
}

static double ball_height(const fcps_cannon *cannon, const trajectory *shot, double d)
{
  return cannon->base + d * shot->slope - shot->fall * d * d;
}

static bool is_below_ground(const fcps_cannon *cannon, const trajectory *shot, double d)
{
  const double z = ball_height(cannon, shot, d);
  return z < shot->ceiling && z < fcps_cannon_ground(cannon, d * shot->cosine, d * shot->sine);
}

static bool is_beyond_edge(const trajectory *shot, double d)
{
  return fabs(d * shot->cosine) > FCPS_CANNON_EDGE || fabs(d * shot->sine) > FCPS_CANNON_EDGE;
}

/* The distance at which the ball meets the ground, by bisection, in the step whose end `below` is under the ground. */
static double crossing_before(const fcps_cannon *cannon, const trajectory *shot, double below)
{
  double above = below - FCPS_CANNON_STEP;
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (above + below);
    if (is_below_ground(cannon, shot, middle))
      below = middle;
    else
      above = middle;
  }
  return below;
}

/* The horizontal distance at which the flight ends. Every ray leaves the square after about 340 steps, so the loop is
 * finite. */
static double flight_length(const fcps_cannon *cannon, const trajectory *shot, bool is_exact)
{
  for (int step = 1;; step++) {
    const double d = FCPS_CANNON_STEP * step;
    if (is_below_ground(cannon, shot, d)) return is_exact ? crossing_before(cannon, shot, d) : d;
    if (is_beyond_edge(shot, d)) return d;
  }
}

void fcps_cannon_shoot(const fcps_cannon *cannon, const double parameters[FCPS_CANNON_PARAMETERS], double landing[2])
{
  const trajectory shot = aim(cannon, parameters);
  const double d = flight_length(cannon, &shot, cannon->is_landing_exact);
  landing[0] = d * shot.cosine;
  landing[1] = d * shot.sine;
}

void fcps_cannon_flight(const fcps_cannon *cannon, const double parameters[FCPS_CANNON_PARAMETERS], int count,
                        double *points)
{
  const trajectory shot = aim(cannon, parameters);
  const double length = flight_length(cannon, &shot, true);
  for (int i = 0; i < count; i++) {
    const double d = length * i / (count - 1);
    points[3 * i + 0] = d * shot.cosine;
    points[3 * i + 1] = d * shot.sine;
    points[3 * i + 2] = ball_height(cannon, &shot, d);
  }
}

double fcps_cannon_reward(const double target[2], const double landing[2], double speed)
{
  const double dx = target[0] - landing[0], dy = target[1] - landing[1];
  return -sqrt(dx * dx + dy * dy) - FCPS_CANNON_PENALTY * speed * speed;
}

const double fcps_cannon_idle[FCPS_CANNON_PARAMETERS] = {[FCPS_CANNON_TURN] = 0.0,
                                                         [FCPS_CANNON_TILT] = FCPS_CANNON_TILT_LOWER,
                                                         [FCPS_CANNON_SPEED] = FCPS_CANNON_SPEED_LOWER};

double fcps_cannon_effort(const double parameters[FCPS_CANNON_PARAMETERS])
{
  double sum = 0.0;
  for (int i = 0; i < FCPS_CANNON_PARAMETERS; i++)
    sum += parameters[i] * parameters[i];
  return sqrt(sum);
}
