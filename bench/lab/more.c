/* SPDX-License-Identifier: Apache-2.0 */
/* More test functions: controllers whose costs are limited, for choosing settings (half a); and published functions
 * that were added after all others had been used, for reports (half c). */
#include "lab/problems.h"

#include <math.h>
#include <stdbool.h>

static const double pi = 3.14159265358979323846;

static double square(double x)
{
  return x * x;
}

static double within(double x, double most)
{
  return fmax(-most, fmin(most, x));
}

/* Limits the costs of a trial: each to its limit, and all to their limits if it is unstable or one of them reaches its
 * own. */
static void cap(int count, const double *costs, const double *caps, bool is_unstable, double noise, double *o)
{
  for (int i = 0; i < count; i++)
    is_unstable = is_unstable || !(costs[i] < caps[i]);
  for (int i = 0; i < count; i++)
    o[i] = is_unstable ? caps[i] : costs[i] * exp(0.01 * noise);
}

/* -- Half a: for choosing settings -- */

/* A pendulum on a motor is kept upright by two gains and an integral. One that falls has all costs at their limits. */
static void stand(const double *e, const double *p, double noise, double *o)
{
  const double dt = 0.01, caps[] = {10.0, 60.0, 3.0}, length = e[0], mass = e[1];
  double angle = 0.4, turn = 0.0, sum = 0.0, torque = 0.0, costs[3] = {0.0, 0.0, 0.4};
  bool falls = false;
  for (int i = 0; i < 500 && !falls; i++) {
    torque += dt / 0.05 * (within(p[0] * angle + p[1] * turn + p[2] * sum, 12.0) - torque);
    turn += dt * (9.81 / length * sin(angle) - torque / (mass * length * length) - 0.1 * turn);
    angle += dt * turn;
    sum += dt * angle;
    costs[0] += dt * i * dt * fabs(angle);
    costs[1] += dt * square(torque);
    costs[2] = fmax(costs[2], fabs(angle));
    falls = !(fabs(angle) < 1.5);
  }
  cap(3, costs, caps, falls, noise, o);
}

/* The level of the second of two tanks is controlled by a valve that reacts late. */
static void fill(const double *e, const double *p, double noise, double *o)
{
  enum { STEPS = 800, MOST_LATE = 40 };
  const double dt = 0.1, caps[] = {3.0, 600.0, 150.0};
  const int late = (int)(e[0] / dt);
  double valve[STEPS + MOST_LATE] = {0}, first = 0.0, second = 0.0, sum = 0.0, costs[3] = {0};
  for (int i = 0; i < STEPS; i++) {
    const double miss = 1.0 - second;
    sum += dt * miss;
    const double wish = within(p[0] * miss + p[1] * sum - p[2] * (sqrt(first) - sqrt(second)), 4.0);
    valve[i + late] = fmax(wish, 0.0);
    if (i > 0) costs[2] += fabs(valve[i + late] - valve[i + late - 1]);
    const double between = sqrt(first), out = sqrt(second);
    first = fmax(first + dt / e[1] * (valve[i] - between), 0.0);
    second = fmax(second + dt / 2.0 * (between - out), 0.0);
    costs[0] = fmax(costs[0], second - 1.0);
    costs[1] += dt * i * dt * fabs(miss);
  }
  cap(3, costs, caps, false, noise, o);
}

/* A trolley carries a load that swings. It has a gain for each of its place, speed, angle and turn. */
static void carry(const double *e, const double *p, double noise, double *o)
{
  const double dt = 0.02, caps[] = {200.0, 1.2, 400.0}, rope = e[0], load = e[1];
  double x = -3.0, v = 0.0, angle = 0.0, turn = 0.0, costs[3] = {0};
  bool is_lost = false;
  for (int i = 0; i < 1000 && !is_lost; i++) {
    const double force = within(-p[0] * x - p[1] * v + p[2] * angle + p[3] * turn, 30.0);
    const double s = sin(angle), c = cos(angle);
    const double pull = (force + load * s * (rope * square(turn) + 9.81 * c)) / (1.0 + load * square(s));
    turn -= dt * ((pull * c + 9.81 * s) / rope + 0.02 * turn);
    v += dt * pull;
    x += dt * v;
    angle += dt * turn;
    costs[0] += dt * i * dt * fabs(x + rope * sin(angle));
    costs[1] = fmax(costs[1], fabs(angle));
    costs[2] += dt * square(force) / 10.0;
    is_lost = !(fabs(x) < 10.0 && fabs(angle) < 1.5);
  }
  cap(3, costs, caps, is_lost, noise, o);
}

/* A cart tends to run away from its place; two gains on its measured state, which comes some time late, hold it. A
 * target weighs the time to settle against the cost. A cart that runs away has all costs at their limits. */
static void hold(const double *e, const double *p, double noise, double *o)
{
  enum { LATE = 12 };
  const double dt = 0.01, caps[] = {10.0, 5.0, 500.0}, mass = e[0];
  double x = 1.0, v = 0.0, seen[LATE] = {1.0}, turns[LATE] = {0.0}, costs[3] = {0.0};
  bool is_lost = false;
  for (int i = 0; i < LATE; i++)
    seen[i] = 1.0;
  for (int i = 0; i < 1000 && !is_lost; i++) {
    const double force = -p[0] * seen[i % LATE] - p[1] * turns[i % LATE];
    seen[i % LATE] = x;
    turns[i % LATE] = v;
    v += dt * (4.0 * x + force / mass);
    x += dt * v;
    if (fabs(x) > 0.05) costs[0] = dt * i;
    costs[1] = fmax(costs[1], -x);
    costs[2] += dt * (10.0 * square(x) + 0.1 * square(force));
    is_lost = !(fabs(x) < 20.0);
  }
  cap(3, costs, caps, is_lost, noise, o);
}

/* Valleys: smooth, and over decades. Most of the range is far above what is good. */
static void powell(const double *e, const double *p, double noise, double *o)
{
  const double a = p[0] - e[0], b = p[1] - e[0], c = p[2] - e[0], d = p[3] - e[0];
  (void)noise;
  o[0] = square(a + 10.0 * b) + 5.0 * square(c - d) + square(square(b - 2.0 * c)) + 10.0 * square(square(a - d));
}

static void zakharov(const double *e, const double *p, double noise, double *o)
{
  double sum = 0.0;
  (void)noise;
  o[0] = 0.0;
  for (int i = 0; i < 4; i++) {
    o[0] += square(p[i] - e[0]);
    sum += 0.5 * (i + 1) * (p[i] - e[0]);
  }
  o[0] += square(sum) + square(square(sum));
}

static void beale(const double *e, const double *p, double noise, double *o)
{
  const double x = p[0] - e[0], y = p[1];
  (void)noise;
  o[0] = square(1.5 - x + x * y) + square(2.25 - x + x * y * y) + square(2.625 - x + x * y * y * y);
}

/* -- Half c: for reports -- */

/* The height of a drone, whose rotors lag, is controlled by three gains. One that falls or flies off has all costs at
 * their limits. */
static void hover(const double *e, const double *p, double noise, double *o)
{
  const double dt = 0.02, caps[] = {4.0, 80.0, 300.0}, mass = e[0], lag = e[1];
  double z = 0.0, v = 0.0, lift = 9.81 * mass, sum = 0.0, costs[3] = {0};
  bool is_lost = false;
  for (int i = 0; i < 600 && !is_lost; i++) {
    const double miss = 2.0 - z;
    const double wish = fmax(0.0, fmin(9.81 + p[0] * miss + p[1] * sum - p[2] * v, 40.0));
    lift += dt / lag * (wish - lift);
    v += dt * (lift / mass - 9.81 - 0.1 * v * fabs(v));
    z += dt * v;
    sum += dt * miss;
    costs[0] = fmax(costs[0], z - 2.0);
    costs[1] += dt * i * dt * fabs(miss);
    costs[2] += dt * square(lift - 9.81 * mass);
    is_lost = !(fabs(z) < 10.0);
  }
  cap(3, costs, caps, is_lost, noise, o);
}

/* A gear box: its weight, and its stresses compared with the allowed ones. */
static void gear(const double *e, const double *p, double noise, double *o)
{
  const double face = p[0], module = p[1], teeth = p[2], l1 = p[3], l2 = p[4], d1 = p[5], d2 = p[6];
  (void)noise;
  o[0] = 0.7854 * face * module * module * (3.3333 * teeth * teeth + 14.9334 * teeth - 43.0934) -
         1.508 * face * (d1 * d1 + d2 * d2) + 7.477 * (d1 * d1 * d1 + d2 * d2 * d2) +
         0.7854 * (l1 * d1 * d1 + l2 * d2 * d2);
  o[1] = 27.0 * e[0] / (face * module * module * teeth);
  o[2] = sqrt(square(745.0 * l1 * e[0] / (module * teeth)) + 16.9e6) / (110.0 * d1 * d1 * d1);
  o[3] = sqrt(square(745.0 * l2 * e[0] / (module * teeth)) + 157.5e6) / (85.0 * d2 * d2 * d2);
  o[4] = 1.93 * e[0] * l1 * l1 * l1 / (module * teeth * square(square(d1)));
}

static void dixon(const double *e, const double *p, double noise, double *o)
{
  (void)noise;
  o[0] = square(p[0] - e[0]);
  for (int i = 1; i < 5; i++)
    o[0] += (i + 1) * square(2.0 * p[i] * p[i] - p[i - 1]);
}

static void griewank(const double *e, const double *p, double noise, double *o)
{
  double sum = 0.0, product = 1.0;
  (void)noise;
  for (int i = 0; i < 6; i++) {
    sum += square(p[i] - e[0]) / 40.0;
    product *= cos((p[i] - e[0]) / sqrt(i + 1.0));
  }
  o[0] = 1.0 + sum - product;
}

/* A wing: its weight in pounds, and its drag. */
static void wing(const double *e, const double *p, double noise, double *o)
{
  const double area = p[0], aspect = p[1], sweep = p[2] * pi / 180.0, taper = p[3], thick = p[4];
  o[0] = 0.036 * pow(area, 0.758) * pow(300.0, 0.0035) * pow(aspect / square(cos(sweep)), 0.6) * pow(34.0, 0.006) *
         pow(taper, 0.04) * pow(100.0 * thick / cos(sweep), -0.3) * pow(e[0] * 2000.0, 0.49) * exp(0.01 * noise);
  o[1] = 0.5 * area * pow(e[0] / 4.0, 2.0) *
         (0.02 + square(thick) + 0.3 / (pi * aspect) + 0.01 * square(taper - 0.45)) * cos(sweep);
}

const lab_problem lab_more[] = {
    {"stand", 'a',
     "environment: {length: [0.3, 1], mass: [0.2, 1]}\n"
     "parameters: {kp: [0, 40], kd: [0, 15], ki: [0, 30]}\n"
     "outcome: [late, effort, peak]\n"
     "reward: -10*late - effort - 5*peak\n",
     stand},
    {"fill", 'a',
     "environment: {delay: [0.5, 3], area: [0.5, 3]}\n"
     "parameters: {kp: {range: [0.1, 30], scale: log}, ki: {range: [0.01, 5], scale: log}, kd: {range: [0.01, 10], "
     "scale: log}}\n"
     "outcome: [over, late, travel]\n"
     "reward: -20*over - late/4 - travel\n",
     fill},
    {"carry", 'a',
     "environment: {rope: [1, 5], load: [0.2, 2]}\n"
     "parameters: {kx: [0, 15], kv: [0, 20], ka: [-40, 40], kw: [-40, 40]}\n"
     "outcome: [late, swing, effort]\n"
     "reward: -late/2 - 20*swing - effort/10\n",
     carry},
    {"hold", 'a',
     "target: {haste: [0, 1]}\n"
     "environment: {mass: [0.5, 2]}\n"
     "parameters: {kp: [0, 60], kd: [0, 20]}\n"
     "outcome: [settling, overshoot, cost]\n"
     "reward: -settling*haste*5 - 10*overshoot - cost*(1 - haste)/4\n",
     hold},
    {"powell", 'a',
     "environment: {shift: [-1, 1]}\n"
     "parameters: {a: [-4, 5], b: [-4, 5], c: [-4, 5], d: [-4, 5]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     powell},
    {"zakharov", 'a',
     "environment: {shift: [-2, 2]}\n"
     "parameters: {a: [-5, 10], b: [-5, 10], c: [-5, 10], d: [-5, 10]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     zakharov},
    {"beale", 'a',
     "environment: {shift: [-1, 1]}\n"
     "parameters: {x: [-4.5, 4.5], y: [-4.5, 4.5]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     beale},
    {"hover", 'c',
     "environment: {mass: [0.5, 2], lag: [0.05, 0.4]}\n"
     "parameters: {kp: [0, 30], ki: [0, 20], kd: [0, 20]}\n"
     "outcome: [over, late, effort]\n"
     "reward: -10*over - late - effort/20\n",
     hover},
    {"gear", 'c',
     "environment: {power: [0.7, 1.3]}\n"
     "parameters: {face: [2.6, 3.6], module: [0.7, 0.8], teeth: {range: [17, 28], step: 1}, l1: [7.3, 8.3], l2: [7.3, "
     "8.3],"
     " d1: [2.9, 3.9], d2: [5, 5.5]}\n"
     "outcome: [weight, bend, one, two, sag]\n"
     "reward: -weight/1000 - 10*(min(1, max(0, bend - 1)) + min(1, max(0, one - 1)) + min(1, max(0, two - 1))"
     " + min(1, max(0, sag - 1)))\n",
     gear},
    {"dixon", 'c',
     "environment: {first: [0, 2]}\n"
     "parameters: {a: [-5, 5], b: [-5, 5], c: [-5, 5], d: [-5, 5], e: [-5, 5]}\n"
     "outcome: [loss]\n"
     "reward: -loss/100\n",
     dixon},
    {"griewank", 'c',
     "environment: {shift: [-3, 3]}\n"
     "parameters: {a: [-10, 10], b: [-10, 10], c: [-10, 10], d: [-10, 10], e: [-10, 10], f: [-10, 10]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     griewank},
    {"wing", 'c',
     "target: {lift: [0, 1]}\n"
     "environment: {load: [3, 6]}\n"
     "parameters: {area: [150, 200], aspect: [6, 10], sweep: [-10, 10], taper: [0.5, 1], thick: [0.08, 0.18]}\n"
     "outcome: [weight, drag]\n"
     "reward: -weight/100 - lift*drag\n",
     wing},
    {.name = 0},
};
