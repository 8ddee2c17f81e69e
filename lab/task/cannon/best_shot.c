/* SPDX-License-Identifier: Apache-2.0 */
/* The best shot at a target, that is, the action of the best possible policy, found by geometry instead of trials.
 *
 * Along one ray from the cannon write t = tan(tilt) and f = g / (2 (v cos tilt)^2), so that z(d) = h(0) + t d - f d^2.
 * With the grade s_j = (h(d_j) - h(0)) / d_j of the ground at step j,
 *   the ball clears step j   <=>  f <= (t - s_j) / d_j,
 *   it is below at step k    <=>  f >  (t - s_k) / d_k.
 * Both are linear in (t, f), while the speed that costs reward, v^2 = g (1 + t^2) / (2 f), is convex. For a given t the
 * least speed has the largest f that clears all steps before k, and the two conditions can hold together if
 *   t >= (s_j d_k - s_k d_j) / (d_k - d_j)   for all j < k.
 * So the least speed that lands in a step is found by a search in t alone, over one interval. The program searches only
 * the steps near the target, on rays near the target's direction; a bound on the speed excludes most of these steps. */
#include "lab/task/cannon/cannon.h"

#include <math.h>

enum { RAY_STEPS = 240, SIDE_RAYS = 24, GOLDEN_STEPS = 32 };

static const double PI = 3.141592653589793;

/* The ground along one ray from the cannon. */
typedef struct ground_ray {
  const fcps_cannon *cannon;
  double cosine, sine;
  double grade[RAY_STEPS + 1]; /* s_j of the steps j = 1, 2, ... */
} ground_ray;

typedef struct shot_search {
  const fcps_cannon *cannon;
  const double *target;
  double reward; /* the best reward so far */
  double turn, slope, speed;
} shot_search;

typedef double scalar_fn(void *user, double x);

/* Golden-section search for the least value of a function with one valley in [lower, upper]. Returns that value;
 * `where` receives its argument. */
static double golden_minimum(scalar_fn *function, void *user, double lower, double upper, double *where)
{
  const double ratio = 0.6180339887498949;
  double left = upper - ratio * (upper - lower), right = lower + ratio * (upper - lower);
  double at_left = function(user, left), at_right = function(user, right);

  for (int i = 0; i < GOLDEN_STEPS; i++) {
    if (at_left <= at_right) {
      upper = right, right = left, at_right = at_left;
      left = upper - ratio * (upper - lower), at_left = function(user, left);
    } else {
      lower = left, left = right, at_left = at_right;
      right = lower + ratio * (upper - lower), at_right = function(user, right);
    }
  }
  *where = at_left <= at_right ? left : right;
  return fmin(at_left, at_right);
}

/* fmax without its rules for NaN, because these rules would take most of the time of the inner loops. */
static inline double larger(double a, double b)
{
  return a > b ? a : b;
}

static double step_distance(int step)
{
  return FCPS_CANNON_STEP * step;
}

static double grade_at(const ground_ray *ray, double d)
{
  return (fcps_cannon_ground(ray->cannon, d * ray->cosine, d * ray->sine) - ray->cannon->base) / d;
}

/* The slope at the cannon of the parabola that touches the ground at distance d, where the grade is `grade`, and at
 * step j. A steeper parabola that comes down at d is above the ground at step j if that step is nearer than d, and
 * below it if the step is farther. */
static double slope_through(const ground_ray *ray, int j, double d, double grade)
{
  const double dj = step_distance(j);
  return (ray->grade[j] * d - grade * dj) / (d - dj);
}

/* The least slope with which a ball can clear all steps before `step` and come down at distance d. The slope is made
 * slightly steeper, because at the exact limit no speed does both. */
static double least_slope(const ground_ray *ray, int step, double d, double grade)
{
  double slope = tan(FCPS_CANNON_TILT_LOWER);
  for (int j = 1; j < step; j++) {
    slope = larger(slope, slope_through(ray, j, d, grade));
    slope = larger(slope, ray->grade[j]);
  }
  return slope + 1e-6;
}

static double speed_squared(double slope, double distance_over_rise)
{
  return 0.5 * FCPS_CANNON_GRAVITY * (1.0 + slope * slope) * distance_over_rise;
}

typedef struct landing_step {
  const ground_ray *ray;
  int step;
} landing_step;

/* v^2 of the slowest ball that has this slope and clears every step before the one in which it lands. */
static double clearing_speed_squared(void *user, double slope)
{
  const landing_step *landing = user;
  double largest = 0.0;
  for (int j = 1; j < landing->step; j++) {
    largest = larger(largest, step_distance(j) / (slope - landing->ray->grade[j]));
  }
  /* slightly faster, so that rounding does not make the ball hit an earlier step */
  return speed_squared(slope, largest) * (1.0 + 1e-9);
}

/* The least v^2 of a ball that lands in `step`; infinite if no ball lands there. `slope` receives the slope of that
 * ball. */
static double least_speed_to_step(const ground_ray *ray, int step, double *slope)
{
  landing_step landing = {ray, step};
  const double lower = least_slope(ray, step, step_distance(step), ray->grade[step]);
  const double upper = tan(FCPS_CANNON_TILT_UPPER);
  if (lower > upper) return INFINITY;

  /* a golden-section search only approaches the ends of its interval, so the lower end is tried too */
  const double at_lower = clearing_speed_squared(&landing, lower);
  const double inside = golden_minimum(clearing_speed_squared, &landing, lower, upper, slope);
  if (at_lower <= inside) *slope = lower;
  return fmin(at_lower, inside);
}

/* The least v^2 of a ball that meets the ground exactly at d, in `step`. There f follows from t, and (1 + t^2) / (t -
 * s) is least at t = s + sqrt(1 + s^2). */
static double least_speed_to_distance(const ground_ray *ray, int step, double d, double *slope)
{
  const double grade = grade_at(ray, d), upper = tan(FCPS_CANNON_TILT_UPPER);
  /* the landing rule looks only at the end of the step, so the ball must still be below the ground there */
  const double lower = larger(least_slope(ray, step, d, grade), slope_through(ray, step, d, grade) + 1e-6);
  *slope = fmin(fmax(grade + sqrt(1.0 + grade * grade), lower), upper);
  if (lower > upper || *slope <= grade) return INFINITY;

  const double squared = speed_squared(*slope, d / (*slope - grade));
  const double slowest = FCPS_CANNON_SPEED_LOWER * FCPS_CANNON_SPEED_LOWER;
  if (squared >= slowest) return squared;

  /* d is nearer than the slowest ball flies at its best slope, so the slope must be higher or flatter: with the slowest
   * v it is one of the two solutions of a t^2 - t + a + s = 0 with a = g d / (2 v^2) */
  const double a = 0.5 * FCPS_CANNON_GRAVITY * d / slowest, root = sqrt(fmax(0.0, 1.0 - 4.0 * a * (a + grade)));
  const double high = (1.0 + root) / (2.0 * a), flat = (1.0 - root) / (2.0 * a);
  *slope = high <= upper ? high : flat;
  return *slope >= lower ? slowest : INFINITY;
}

/* Returns the reward of landing at d with this v^2, and keeps the shot if it is the best so far. */
static double score(shot_search *search, const ground_ray *ray, double turn, double d, double slope, double squared)
{
  const double speed = sqrt(fmax(squared, FCPS_CANNON_SPEED_LOWER * FCPS_CANNON_SPEED_LOWER));
  if (!(speed <= FCPS_CANNON_SPEED_UPPER)) return -INFINITY;

  const double landing[2] = {d * ray->cosine, d * ray->sine};
  const double reward = fcps_cannon_reward(search->target, landing, speed);
  if (reward > search->reward) {
    search->reward = reward;
    search->turn = turn;
    search->slope = slope;
    search->speed = speed;
  }
  return reward;
}

typedef struct exact_landing {
  shot_search *search;
  const ground_ray *ray;
  double turn;
  int step;
} exact_landing;

static double exact_loss(void *user, double d)
{
  const exact_landing *landing = user;
  double slope;
  const double squared = least_speed_to_distance(landing->ray, landing->step, d, &slope);
  return -score(landing->search, landing->ray, landing->turn, d, slope, squared);
}

/* The best reward of landing in one step of a ray. */
static double step_reward(shot_search *search, const ground_ray *ray, double turn, int step)
{
  if (!ray->cannon->is_landing_exact) {
    double slope = 1.0;
    const double squared = least_speed_to_step(ray, step, &slope);
    return score(search, ray, turn, step_distance(step), slope, squared);
  }
  exact_landing landing = {search, ray, turn, step};
  const double end = step_distance(step), hair = 1e-4 * FCPS_CANNON_STEP;
  double where;
  return -golden_minimum(exact_loss, &landing, end - FCPS_CANNON_STEP + hair, end - hair, &where);
}

/* An upper bound of the reward of a ball that lands in `step`. The ball must pass the step before at height 0 or above,
 * which takes v^2 >= g (sqrt(d^2 + base^2) - base). */
static double step_bound(const shot_search *search, const ground_ray *ray, int step)
{
  const double d = step_distance(step), before = step_distance(step - 1), base = search->cannon->base;
  const double landing[2] = {d * ray->cosine, d * ray->sine};
  const double squared = FCPS_CANNON_GRAVITY * (sqrt(before * before + base * base) - base);
  const double slack = search->cannon->is_landing_exact ? FCPS_CANNON_STEP : 0.0;
  return fcps_cannon_reward(search->target, landing, sqrt(squared)) + slack;
}

/* The best reward along a ray. Skips steps whose reward cannot exceed `floor`. */
static double ray_reward(shot_search *search, double turn, double floor)
{
  ground_ray ray = {.cannon = search->cannon, .cosine = cos(turn), .sine = sin(turn)};
  double best = -INFINITY;
  int last = 0;
  for (int step = 1; step <= RAY_STEPS; step++) {
    if (step_bound(search, &ray, step) > floor) last = step;
  }
  for (int step = 1; step <= last; step++)
    ray.grade[step] = grade_at(&ray, step_distance(step));

  for (int step = last; step >= 1; step--) {
    if (step_bound(search, &ray, step) > fmax(floor, best)) best = fmax(best, step_reward(search, &ray, turn, step));
  }
  return best;
}

static double ray_loss(void *user, double turn)
{
  shot_search *search = user;
  /* a floor slightly below the best reward, so that neighbouring rays still get a value to compare */
  return -ray_reward(search, turn, search->reward - 0.05);
}

double fcps_cannon_best_shot(const fcps_cannon *cannon, const double target[2],
                             double parameters[FCPS_CANNON_PARAMETERS])
{
  shot_search search = {.cannon = cannon, .target = target, .reward = -INFINITY};
  const double distance = hypot(target[0], target[1]), bearing = atan2(target[1], target[0]);

  /* first shoots straight at the target: a better shot must land nearer to the target than this shot's loss, so only
   * rays within the angle `window` can reach its landing point */
  ray_reward(&search, bearing, -INFINITY);
  const double loss = -search.reward;
  const double window = loss < distance ? asin(loss / distance) : PI;
  for (int i = 1; i <= SIDE_RAYS; i++) {
    ray_reward(&search, bearing + window * i / SIDE_RAYS, search.reward);
    ray_reward(&search, bearing - window * i / SIDE_RAYS, search.reward);
  }

  /* then searches between the rays beside the best one */
  const double spacing = window / SIDE_RAYS, middle = search.turn;
  double where;
  golden_minimum(ray_loss, &search, middle - spacing, middle + spacing, &where);

  parameters[FCPS_CANNON_TURN] = search.turn < 0.0 ? search.turn + 2.0 * PI : search.turn;
  parameters[FCPS_CANNON_TILT] = atan(search.slope);
  parameters[FCPS_CANNON_SPEED] = search.speed;
  return search.reward;
}
