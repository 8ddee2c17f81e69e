/* SPDX-License-Identifier: Apache-2.0 */
/* The problem is a throw, as in examples/simulator/throw.yaml: an angle and planar outcomes in one unit, so that a
 * frame is a candidate. With eight outcomes two pairs of them are planar, and there is a vector among the parameters. A
 * smooth function is a sum of waves, which is nearly a draw of a Gaussian process; outcomes have a spread of about 3.
 */
#include "calibration/study.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIND, TURN, SPEED };
enum { LAND_X, LAND_Y, STOP_X, STOP_Y, HEIGHT, FORCE, HEAT, DURATION, MOST_OUTCOMES };
enum { STUCK = 5, SPELL = 6 };

static const double pi = 3.14159265358979323846;
static const double spread = 3.0, noise = 0.06; /* of smooth functions; the noise is a fiftieth of the spread */

/* -- Random functions -- */

/* The random streams of one seed. */
enum { STREAM_FUNCTIONS = 0, STREAM_BOTTOM = 50, STREAM_ROWS = 100, STREAM_NOISE = 10000 };

static void draw_function(calibration_function *f, int features, double length, fcps_rng *rng)
{
  for (int w = 0; w < CALIBRATION_WAVES; w++) {
    for (int i = 0; i < features; i++)
      f->direction[w][i] = fcps_rng_normal(rng) / length;
    f->phase[w] = 2 * pi * fcps_rng_uniform(rng);
  }
}

/* Computes features: the angle as a point on a circle, the other inputs as they are. */
static int features_of(const calibration_world *world, const double *unit, double *z)
{
  int count = 0;
  for (int i = 0; i < world->environments + world->parameters; i++) {
    if (i == TURN) {
      z[count++] = cos(2 * pi * unit[i]) / pi;
      z[count++] = sin(2 * pi * unit[i]) / pi;
    } else {
      z[count++] = unit[i];
    }
  }
  return count;
}

/* A smooth random function, of variance 1 over functions. */
static double smooth_at(const calibration_world *world, int which, const double *unit)
{
  const calibration_function *f = world->functions + which;
  double z[CALIBRATION_MOST], sum = 0;
  const int features = features_of(world, unit, z);
  for (int w = 0; w < CALIBRATION_WAVES; w++) {
    double phase = f->phase[w];
    for (int i = 0; i < features; i++)
      phase += f->direction[w][i] * z[i];
    sum += cos(phase);
  }
  return sum * sqrt(2.0 / CALIBRATION_WAVES);
}

static fcps_rng noise_of(const calibration_world *world, int row)
{
  return fcps_rng_stream(world->seed, FCPS_PURPOSE_TEST, (uint64_t)(STREAM_NOISE + row));
}

/* -- Healthy -- */

static void be_noise(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  (void)unit;
  for (int i = 0; i < world->outcomes; i++)
    o[i] = spread * fcps_rng_normal(&rng);
}

static void be_exact(calibration_world *world, int row, const double *unit, double *o)
{
  (void)row;
  for (int i = 0; i < world->outcomes; i++)
    o[i] = spread * smooth_at(world, i, unit);
}

static void be_smooth(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  be_exact(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] += noise * fcps_rng_normal(&rng);
}

/* Outcomes that jump between a few levels, with noise. */
static void be_stepped(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  be_exact(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] = spread * round(o[i] / spread) + noise * fcps_rng_normal(&rng);
}

/* Outcomes with few digits. */
static void be_quantized(calibration_world *world, int row, const double *unit, double *o)
{
  be_smooth(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] = 0.5 * round(o[i] / 0.5);
}

/* Outcomes over decades: two deviations to either side are four decades. They are exact, so no noise grows with the
 * place. */
static void be_decades(calibration_world *world, int row, const double *unit, double *o)
{
  be_exact(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] = pow(10, o[i] / spread);
}

/* Sensors whose range ends on the upper side. */
static void be_saturated(calibration_world *world, int row, const double *unit, double *o)
{
  be_smooth(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] = fmin(o[i], 0.5 * spread);
}

static void be_saturated_twice(calibration_world *world, int row, const double *unit, double *o)
{
  be_saturated(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] = fmax(o[i], -0.5 * spread);
}

/* A hidden variable moves all outcomes to one of two places. */
static void be_bimodal(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row + 5000);
  const double side = fcps_rng_uniform(&rng) < 0.5 ? -1 : 1;
  be_smooth(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] += 0.7 * side * spread;
}

/* All outcomes are smallest at one place, where they are 0: a search that converges there tells smaller and smaller
 * numbers. */
static void be_bowl(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = fcps_rng_stream(world->seed, FCPS_PURPOSE_TEST, STREAM_BOTTOM);
  (void)row;
  memset(o, 0, (size_t)world->outcomes * sizeof *o);
  for (int k = 0; k < world->environments + world->parameters; k++) {
    const double bottom = 0.2 + 0.6 * fcps_rng_uniform(&rng), way = unit[k] - bottom;
    for (int i = 0; i < world->outcomes; i++)
      o[i] += 4 * spread * (0.5 + fcps_rng_uniform(&rng)) * way * way;
  }
}

static void be_constant(calibration_world *world, int row, const double *unit, double *o)
{
  (void)row, (void)unit;
  for (int i = 0; i < world->outcomes; i++)
    o[i] = 2;
}

/* -- One structure each -- */

/* Noise between 0 and 0.4 of the spread, depending on the place. */
static void be_uneven(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  be_exact(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] += 0.4 * spread * unit[SPEED] * fcps_rng_normal(&rng);
}

static void turn_by(double angle, double x, double y, double *o)
{
  o[0] = cos(angle) * x - sin(angle) * y;
  o[1] = sin(angle) * x + cos(angle) * y;
}

/* A throw, and the wind across it, both as seen by the thrower. With eight outcomes the ball rolls on. */
static void turns(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  const double speed = 1 + 9 * unit[SPEED], wind = 2 * unit[WIND] - 1, angle = 2 * pi * unit[TURN];
  const double flight = 1.414 * speed / 9.81, range = speed * speed / 9.81;
  turn_by(angle, range, wind * flight, o + LAND_X);
  if (world->outcomes == MOST_OUTCOMES) {
    turn_by(angle, 1.3 * range, 1.5 * wind * flight, o + STOP_X);
    o[HEIGHT] = 0.25 * range * (1 + 0.2 * wind);
    o[FORCE] = 0.3 * speed;
    o[HEAT] = 0.1 * speed * speed * (1 - 0.1 * wind);
    o[DURATION] = flight;
  }
  for (int i = 0; i < world->outcomes; i++)
    o[i] += 0.05 * fcps_rng_normal(&rng);
}

/* A kick: the ball is at one side, and only a kick to that side moves it. */
static void rests(calibration_world *world, int row, const double *unit, double *o)
{
  const double angle = 2 * pi * unit[TURN];
  if (cos(angle - 1 - 0.5 * unit[WIND]) < 0.2) {
    memset(o, 0, (size_t)world->outcomes * sizeof *o);
    return;
  }
  be_smooth(world, row, unit, o);
  o[0] += spread;
}

/* Every second outcome is linear, the others vary quickly. */
static void has_lengths(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row);
  for (int i = 0; i < world->outcomes; i++) {
    const double wiggly = sin((11 + i) * unit[SPEED]) + 0.3 * unit[WIND], plane = 2 * unit[SPEED] - unit[WIND];
    o[i] = spread * (i % 2 == 0 ? plane : wiggly) + noise * fcps_rng_normal(&rng);
  }
}

/* The executed parameters differ from the told ones. */
static void is_inexact(calibration_world *world, int row, const double *unit, double *o)
{
  fcps_rng rng = noise_of(world, row + 5000);
  double done[CALIBRATION_MOST];
  for (int i = 0; i < world->environments + world->parameters; i++)
    done[i] = unit[i] + (i < world->environments ? 0 : 0.04 * fcps_rng_normal(&rng));
  be_exact(world, row, done, o);
}

static void has_slip(calibration_world *world, int row, const double *unit, double *o)
{
  be_smooth(world, row, unit, o);
  if (row != world->rows / 2) return;
  o[0] *= 1000;
  world->is_wrong[row] = true;
}

static void is_stuck(calibration_world *world, int row, const double *unit, double *o)
{
  be_smooth(world, row, unit, o);
  if (row == 0) world->stuck = o[0];
  if (row >= STUCK) return;
  o[0] = world->stuck;
  world->is_wrong[row] = true;
}

static void is_stuck_later(calibration_world *world, int row, const double *unit, double *o)
{
  const int first = world->rows / 2 - 1;
  be_smooth(world, row, unit, o);
  if (row == first) world->stuck = o[0];
  if (row < first || row >= first + STUCK) return;
  o[0] = world->stuck;
  world->is_wrong[row] = true;
}

/* A spell of results in centimetres instead of metres. */
static void has_spell(calibration_world *world, int row, const double *unit, double *o)
{
  const int first = world->rows / 2 - 1;
  be_smooth(world, row, unit, o);
  if (row < first || row >= first + SPELL) return;
  o[0] *= 100;
  world->is_wrong[row] = true;
}

static void drifts(calibration_world *world, int row, const double *unit, double *o)
{
  be_smooth(world, row, unit, o);
  for (int i = 0; i < world->outcomes; i++)
    o[i] += 0.005 * 4 * spread * row; /* a share of a range of four deviations */
}

/* -- Textbook functions, to be minimized. If the range can be chosen, the best place is not in its middle -- */

static double sphere4(const double *x)
{
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += x[i] * x[i];
  return sum;
}

/* Branin's function on [0, 1]; its two inputs have ranges of their own. */
static double branin(const double *x)
{
  const double a = 15 * x[0] - 5, b = 15 * x[1];
  const double valley = b - 5.1 / (4 * pi * pi) * a * a + 5 / pi * a - 6;
  return valley * valley + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10;
}

static double ackley10(const double *x)
{
  double squares = 0, waves = 0;
  for (int i = 0; i < 10; i++) {
    squares += x[i] * x[i] / 10;
    waves += cos(2 * pi * x[i]) / 10;
  }
  return 20 - 20 * exp(-0.2 * sqrt(squares)) + exp(1) - exp(waves);
}

static double griewank2(const double *x)
{
  return 1 + (x[0] * x[0] + x[1] * x[1]) / 4000 - cos(x[0]) * cos(x[1] / sqrt(2));
}

static double goldstein_price(const double *x)
{
  const double a = x[0], b = x[1], sum = a + b + 1, difference = 2 * a - 3 * b;
  return (1 + sum * sum * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b)) *
         (30 + difference * difference * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b));
}

static double hartmann6(const double *x)
{
  static const double height[4] = {1, 1.2, 3, 3.2};
  static const double width[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static const double place[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                     {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                     {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                     {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    double square = 0;
    for (int i = 0; i < 6; i++)
      square += width[k][i] * (x[i] - place[k][i]) * (x[i] - place[k][i]);
    sum -= height[k] * exp(-square);
  }
  return sum;
}

static double rosenbrock4(const double *x)
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  return sum;
}

static double levy4(const double *x)
{
  double w[4], sum;
  for (int i = 0; i < 4; i++)
    w[i] = 1 + (x[i] - 1) / 4;
  sum = pow(sin(pi * w[0]), 2) + pow(w[3] - 1, 2) * (1 + pow(sin(2 * pi * w[3]), 2));
  for (int i = 0; i < 3; i++)
    sum += pow(w[i] - 1, 2) * (1 + 10 * pow(sin(pi * w[i] + 1), 2));
  return sum;
}

static void evaluate(calibration_world *world, int row, const double *unit, double *o)
{
  double x[CALIBRATION_MOST];
  (void)row;
  for (int i = 0; i < world->parameters; i++)
    x[i] = world->kind->lower + unit[i] * (world->kind->upper - world->kind->lower);
  o[0] = world->kind->value(x);
}

/* -- The list -- */

#define BIT(claim) (1u << (claim))
#define HEALTHY(name, happen, right)                                                                                   \
  {                                                                                                                    \
    name, GROUP_HEALTHY, 1, MOST_OUTCOMES, happen, right, 0, 0, 0, 0, NULL                                             \
  }
#define STRUCTURED(name, least, happen, right, wanted)                                                                 \
  {                                                                                                                    \
    name, GROUP_STRUCTURED, least, MOST_OUTCOMES, happen, right, wanted, 0, 0, 0, NULL                                 \
  }
#define TEXTBOOK(name, inputs, lower, upper)                                                                           \
  {                                                                                                                    \
#name, GROUP_TEXTBOOK, 1, 1, evaluate, 0, 0, inputs, lower, upper, name                                            \
  }

#define DOUBTS (BIT(CLAIM_SUSPECT) | BIT(CLAIM_SURPRISE))

/* All kinds. It is right to claim that results do not agree if something is hidden, and that something rests if a
 * sensor is at the end of its range. */
static const calibration_kind kinds[] = {
    HEALTHY("noise", be_noise, BIT(CLAIM_BLIND)),
    HEALTHY("exact", be_exact, 0),
    HEALTHY("smooth", be_smooth, 0),
    HEALTHY("stepped", be_stepped, 0),
    HEALTHY("quantized", be_quantized, 0),
    HEALTHY("bowl", be_bowl, 0),
    HEALTHY("decades", be_decades, 0),
    HEALTHY("saturated", be_saturated, BIT(CLAIM_CONTACT)),
    HEALTHY("saturated-twice", be_saturated_twice, BIT(CLAIM_CONTACT)),
    HEALTHY("bimodal", be_bimodal, BIT(CLAIM_MODEL) | BIT(CLAIM_BLIND)),
    HEALTHY("uneven", be_uneven, BIT(CLAIM_UNEVEN)),
    HEALTHY("constant", be_constant, BIT(CLAIM_SAME)),
    STRUCTURED("turns", 2, turns, BIT(CLAIM_FRAME), BIT(CLAIM_FRAME)),
    STRUCTURED("rests", 1, rests, BIT(CLAIM_CONTACT), BIT(CLAIM_CONTACT)),
    STRUCTURED("uneven-noise", 1, be_uneven, BIT(CLAIM_UNEVEN), BIT(CLAIM_UNEVEN)),
    STRUCTURED("lengths", 2, has_lengths, BIT(CLAIM_SEPARATE), BIT(CLAIM_SEPARATE)),
    STRUCTURED("inexact", 1, is_inexact, BIT(CLAIM_UNEVEN), BIT(CLAIM_UNEVEN)),
    STRUCTURED("slip", 1, has_slip, DOUBTS | BIT(CLAIM_MODEL), DOUBTS),
    STRUCTURED("stuck", 1, is_stuck, DOUBTS | BIT(CLAIM_MODEL) | BIT(CLAIM_SAME), DOUBTS | BIT(CLAIM_SAME)),
    STRUCTURED("stuck-later", 1, is_stuck_later, DOUBTS | BIT(CLAIM_MODEL) | BIT(CLAIM_SAME), DOUBTS | BIT(CLAIM_SAME)),
    STRUCTURED("spell", 1, has_spell, DOUBTS | BIT(CLAIM_MODEL) | BIT(CLAIM_UNIT), BIT(CLAIM_UNIT)),
    STRUCTURED("drift", 1, drifts, BIT(CLAIM_MODEL) | BIT(CLAIM_DRIFT), BIT(CLAIM_DRIFT)),
    TEXTBOOK(sphere4, 4, -4, 6),
    TEXTBOOK(branin, 2, 0, 1),
    TEXTBOOK(ackley10, 10, -5, 10),
    TEXTBOOK(griewank2, 2, -8, 12),
    TEXTBOOK(goldstein_price, 2, -2, 2),
    TEXTBOOK(hartmann6, 6, 0, 1),
    TEXTBOOK(rosenbrock4, 4, -2, 2),
    TEXTBOOK(levy4, 4, -8, 12),
};

const calibration_kind *calibration_kind_at(int index)
{
  return index >= 0 && index < (int)(sizeof kinds / sizeof *kinds) ? kinds + index : NULL;
}

const calibration_kind *calibration_kind_named(const char *name)
{
  const calibration_kind *kind;
  for (int i = 0; (kind = calibration_kind_at(i)) != NULL; i++)
    if (strcmp(kind->name, name) == 0) return kind;
  return NULL;
}

bool calibration_kind_has(const calibration_kind *kind, int outcomes)
{
  return outcomes >= kind->least_outcomes && outcomes <= kind->most_outcomes;
}

/* -- Problems -- */

static const char throw_head[] = "name: throw\n"
                                 "environment: {wind: {range: [-1, 1], unit: m/s}}\n"
                                 "learner: {name: outcome}\n";
static const char hand[] = "parameters:\n"
                           "  turn: {range: [0, 360], period: 360, unit: deg}\n"
                           "  speed: {range: [1, 10], unit: m/s}\n";
static const char square[] = "target: {x: {range: [-8, 8], unit: m}, y: {range: [-8, 8], unit: m}}\n";
static const char plane[] = "outcome: {land_x: {unit: m}, land_y: {unit: m}}\n";

static const char one[] = "target: {x: {range: [-8, 8], unit: m}}\n"
                          "outcome: {land: {unit: m}}\n"
                          "achieved: {x: land}\n"
                          "reward: -distance - 0.01*speed^2\n";
static const char two[] = "achieved: {x: land_x, y: land_y}\n"
                          "reward: -distance - 0.01*speed^2\n";
/* No distance, so that outcomes may have lengths of their own. */
static const char two_apart[] = "reward: -abs(land_x - x) - abs(land_y - y)\n";
static const char eight[] =
    "outcome:\n"
    "  land_x: {unit: m}\n  land_y: {unit: m}\n  stop_x: {unit: m}\n  stop_y: {unit: m}\n"
    "  height: {unit: m}\n  force: {unit: N}\n  heat: {unit: K}\n  duration: {unit: s}\n"
    "reward: -hypot(land_x - x, land_y - y) - 0.3*hypot(stop_x - x, stop_y - y) - 0.1*abs(height - 2)"
    " - 0.05*abs(force) - 0.05*abs(heat) - 0.05*abs(duration)\n";
static const char stroke[] = "  push_x: {range: [-1, 1], unit: m}\n"
                             "  push_y: {range: [-1, 1], unit: m}\n";

static void write_throw(calibration_world *world)
{
  const bool is_apart = world->kind->happen == has_lengths;
  char *text = world->problem;
  const char *parts[6] = {throw_head, hand, "", "", "", ""};
  if (world->outcomes == 1) {
    parts[2] = one;
  } else if (world->outcomes == 2) {
    parts[2] = square, parts[3] = plane, parts[4] = is_apart ? two_apart : two;
  } else {
    parts[2] = stroke, parts[3] = square, parts[4] = eight;
  }
  text[0] = '\0';
  for (int i = 0; i < 6; i++)
    strcat(text, parts[i]);
}

static void write_textbook(calibration_world *world)
{
  size_t used = (size_t)snprintf(world->problem, sizeof world->problem, "name: %s\nparameters: {", world->kind->name);
  for (int i = 0; i < world->parameters; i++)
    used += (size_t)snprintf(world->problem + used, sizeof world->problem - used, "%sx%d: [%g, %g]", i > 0 ? ", " : "",
                             i + 1, world->kind->lower, world->kind->upper);
  snprintf(world->problem + used, sizeof world->problem - used,
           "}\noutcome: [y]\nreward: -y\nlearner: {name: outcome}\n");
}

void calibration_world_create(calibration_world *world, const calibration_kind *kind, int outcomes, int rows,
                              uint64_t seed)
{
  static const double lower[] = {-1, 0, 1, -1, -1}, upper[] = {1, 360, 10, 1, 1};
  *world = (calibration_world){.kind = kind, .seed = seed, .rows = rows, .outcomes = outcomes};
  if (kind->group == GROUP_TEXTBOOK) {
    world->parameters = kind->inputs;
    for (int i = 0; i < kind->inputs; i++)
      world->lower[i] = kind->lower, world->upper[i] = kind->upper;
    write_textbook(world);
    return;
  }
  world->targets = outcomes == 1 ? 1 : 2;
  world->environments = 1;
  world->parameters = outcomes > 2 ? 4 : 2;
  memcpy(world->lower, lower, sizeof lower);
  memcpy(world->upper, upper, sizeof upper);
  const int features = 2 + world->parameters;
  for (int i = 0; i < outcomes; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, (uint64_t)(STREAM_FUNCTIONS + i));
    draw_function(world->functions + i, features, 0.4 * sqrt(features / 4.0), &rng);
  }
  write_throw(world);
}

/* -- Rows -- */

void calibration_draw(const calibration_world *world, int row, bool is_converging, const double *best, double *target,
                      double *inputs)
{
  enum { UNIFORM_ROWS = 4 };
  const int count = world->environments + world->parameters;
  const double width = fmax(0.5 * exp(-row / 8.0), 0.002);
  fcps_rng rng = fcps_rng_stream(world->seed, FCPS_PURPOSE_TEST, (uint64_t)(STREAM_ROWS + row));
  fcps_rng first = fcps_rng_stream(world->seed, FCPS_PURPOSE_TEST, STREAM_ROWS);
  for (int i = 0; i < world->targets; i++)
    target[i] = world->kind->happen == be_bowl ? 0 : -8 + 16 * fcps_rng_uniform(is_converging ? &first : &rng);
  for (int i = 0; i < count; i++) {
    const double range = world->upper[i] - world->lower[i], drawn = fcps_rng_uniform(&rng);
    const double step = width * fcps_rng_normal(&rng);
    const bool is_near = is_converging && best != NULL && row >= UNIFORM_ROWS;
    double unit = is_near ? (best[i] - world->lower[i]) / range + step : drawn;
    if (i == TURN && world->environments > 0)
      unit -= floor(unit);
    else
      unit = fmin(fmax(unit, 0), 1);
    inputs[i] = world->lower[i] + unit * range;
  }
}

void calibration_happen(calibration_world *world, int row, const double *inputs, double *outcome)
{
  double unit[CALIBRATION_MOST];
  for (int i = 0; i < world->environments + world->parameters; i++)
    unit[i] = (inputs[i] - world->lower[i]) / (world->upper[i] - world->lower[i]);
  world->kind->happen(world, row, unit, outcome);
}

double calibration_miss(const calibration_world *world, const double *target, const double *outcome)
{
  return world->targets == 0   ? outcome[0]
         : world->targets == 1 ? fabs(outcome[0] - target[0])
                               : hypot(outcome[0] - target[0], outcome[1] - target[1]);
}
