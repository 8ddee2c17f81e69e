/* SPDX-License-Identifier: Apache-2.0 */
/* The functions are from the literature; contexts, raw outcomes and rewards are ours. Some rewards are limited, so that
 * no single trial decides a mean. */
#include "lab/problems.h"

#include <math.h>
#include <stdbool.h>

static const double pi = 3.14159265358979323846;

static double square(double x)
{
  return x * x;
}

/* -- Half a: for choosing settings -- */

/* A beam is welded to a wall: cost, stresses, deflection and the load at which the bar buckles. */
static void weld(const double *e, const double *p, double noise, double *o)
{
  const double load = e[0], h = p[0], l = p[1], t = p[2], b = p[3], length = 14.0, young = 30e6, shear = 12e6;
  const double tau1 = load / (sqrt(2.0) * h * l), moment = load * (length + 0.5 * l);
  const double r = sqrt(0.25 * l * l + square(0.5 * (h + t)));
  const double j = 2.0 * sqrt(2.0) * h * l * (l * l / 12.0 + square(0.5 * (h + t)));
  const double tau2 = moment * r / j;
  (void)noise;
  o[0] = 1.10471 * h * h * l + 0.04811 * t * b * (length + l);
  o[1] = sqrt(tau1 * tau1 + tau1 * tau2 * l / r + tau2 * tau2);
  o[2] = 6.0 * load * length / (b * t * t);
  o[3] = 4.0 * load * length * length * length / (young * t * t * t * b);
  o[4] = 4.013 * young * t * b * b * b / (6.0 * length * length) *
         (1.0 - t / (2.0 * length) * sqrt(young / (4.0 * shear)));
}

/* A mass behind an actuator that lags makes a step, by a PID controller. The costs of unstable controllers are limited.
 */
static void control(const double *e, const double *p, double noise, double *o)
{
  const double dt = 0.01, caps[] = {3.0, 30.0, 100.0};
  double x = 0.0, v = 0.0, force = 0.0, sum = 0.0, late = 0.0, effort = 0.0, over = 0.0;
  for (int i = 0; i < 1000; i++) {
    const double miss = 1.0 - x, wanted = p[0] * miss + p[1] * sum - p[2] * v;
    force += dt / e[1] * (wanted - force);
    v += dt * (force - 0.2 * v) / e[0];
    x += dt * v;
    sum += dt * miss;
    late += dt * i * dt * fabs(miss);
    effort += dt * force * force;
    over = fmax(over, x - 1.0);
    if (!(fabs(x) < 1e3)) break;
  }
  const double all[] = {over, late, effort};
  const bool is_unstable = !(over < caps[0] && late < caps[1] && effort < caps[2]);
  for (int i = 0; i < 3; i++)
    o[i] = is_unstable ? caps[i] : all[i] * exp(0.01 * noise);
}

static void levy(const double *e, const double *p, double noise, double *o)
{
  enum { N = 4 };
  double w[N], sum = 0.0;
  (void)noise;
  for (int i = 0; i < N; i++)
    w[i] = 1.0 + (p[i] - e[0] - 1.0) / 4.0;
  for (int i = 0; i < N - 1; i++)
    sum += square(w[i] - 1.0) * (1.0 + 10.0 * square(sin(pi * w[i] + 1.0)));
  o[0] = square(sin(pi * w[0])) + sum + square(w[N - 1] - 1.0) * (1.0 + square(sin(2.0 * pi * w[N - 1])));
}

static void hartmann(const double *e, const double *p, double noise, double *o)
{
  static const double weights[] = {1.0, 1.2, 3.0, 3.2};
  static const double a[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static const double c[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                 {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                 {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                 {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  const double x[] = {p[0], p[1], p[2], p[3], p[4], e[0]};
  (void)noise;
  o[0] = 0.0;
  for (int i = 0; i < 4; i++) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++)
      sum += a[i][j] * square(x[j] - c[i][j]);
    o[0] += weights[i] * exp(-sum);
  }
}

static void goldstein(const double *e, const double *p, double noise, double *o)
{
  const double x = p[0] + e[0], y = p[1];
  (void)noise;
  o[0] = (1.0 + square(x + y + 1.0) * (19.0 - 14.0 * x + 3.0 * x * x - 14.0 * y + 6.0 * x * y + 3.0 * y * y)) *
         (30.0 + square(2.0 * x - 3.0 * y) * (18.0 - 32.0 * x + 12.0 * x * x + 48.0 * y - 36.0 * x * y + 27.0 * y * y));
}

static void branin(const double *e, const double *p, double noise, double *o)
{
  const double x = p[0], y = p[1];
  (void)e, (void)noise;
  o[0] =
      square(y - 5.1 / (4.0 * pi * pi) * x * x + 5.0 / pi * x - 6.0) + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * cos(x) + 10.0;
}

/* An arm with two joints follows curves with seven weights each and releases a ball at some time. The outcomes are
 * where the ball lands, and how rough the movement was. */
static void throw_ball(const double *e, const double *p, double noise, double *o)
{
  enum { WEIGHTS = 7, STEPS = 60 };
  const double seconds = 0.6, dt = seconds / STEPS;
  const int release = (int)(STEPS * (0.7 + 0.2 * p[2 * WEIGHTS]));
  double angle[2] = {-1.2, -0.6}, speed[2] = {0, 0}, rough = 0.0;
  (void)e;
  for (int i = 0; i < release; i++)
    for (int j = 0; j < 2; j++) {
      double push = 0.0, all = 0.0;
      for (int k = 0; k < WEIGHTS; k++) {
        const double near = exp(-0.5 * square(((double)i / STEPS - (double)k / (WEIGHTS - 1)) / 0.12));
        push += near * p[j * WEIGHTS + k];
        all += near;
      }
      push = 25.0 * (0.4 + push / all);
      speed[j] += dt * push;
      angle[j] += dt * speed[j];
      rough += dt * push * push / 400.0;
    }
  const double both = angle[0] + angle[1], x = sin(angle[0]) + sin(both), y = 1.5 - cos(angle[0]) - cos(both);
  const double vx = cos(angle[0]) * speed[0] + cos(both) * (speed[0] + speed[1]);
  const double vy = sin(angle[0]) * speed[0] + sin(both) * (speed[0] + speed[1]);
  const double height = fmax(y, 0.0), flight = (vy + sqrt(vy * vy + 2.0 * 9.81 * height)) / 9.81;
  o[0] = x + vx * fmax(flight, 0.0) + 0.02 * noise;
  o[1] = rough;
}

static double ackley_of(int n, const double *p, double shift)
{
  double squares = 0.0, waves = 0.0;
  for (int i = 0; i < n; i++) {
    squares += square(p[i] - shift);
    waves += cos(2.0 * pi * (p[i] - shift));
  }
  return 20.0 + exp(1.0) - 20.0 * exp(-0.2 * sqrt(squares / n)) - exp(waves / n);
}

static void ackley(const double *e, const double *p, double noise, double *o)
{
  (void)noise;
  o[0] = ackley_of(10, p, e[0]);
}

static void ackley_whole(const double *e, const double *p, double noise, double *o)
{
  (void)noise;
  o[0] = ackley_of(10, p, round(e[0]));
}

/* A reaction rate over decades, with noise in proportion. */
static void react(const double *e, const double *p, double noise, double *o)
{
  const double acid = square((p[1] - 5.0 - e[0]) / 1.5), heat = p[0] / 40.0;
  o[0] = exp(1.5 * heat - 0.25 * heat * heat * heat / 3.0 - acid + 0.8 * p[2] * (1.0 - p[2] / 3.0) + 0.2 * noise);
}

/* The tip of an arm of four links. */
static void reach(const double *e, const double *p, double noise, double *o)
{
  double angle = 0.0;
  o[0] = o[1] = 0.002 * noise;
  for (int i = 0; i < 4; i++) {
    angle += p[i];
    o[0] += (i == 1 ? e[0] : 0.5) * cos(angle);
    o[1] += (i == 1 ? e[0] : 0.5) * sin(angle);
  }
}

/* A coil spring under a load: weight, stress, surge and size. The number of windings is whole. */
static void coil(const double *e, const double *p, double noise, double *o)
{
  const double wire = p[0], across = p[1], ratio = across / wire;
  const double wahl = (4.0 * ratio - 1.0) / (4.0 * ratio - 4.0) + 0.615 / ratio;
  (void)noise;
  o[0] = (p[2] + 2.0) * across * wire * wire;
  o[1] = 8.0 * e[0] * wahl * across / (pi * wire * wire * wire);
  o[2] = 8.0 * e[0] * p[2] * across * across * across / (11.5e6 * square(square(wire)));
}

/* -- Half b: for reports -- */

static void rosenbrock(const double *e, const double *p, double noise, double *o)
{
  (void)noise;
  o[0] = 0.0;
  for (int i = 0; i < 3; i++)
    o[0] += 100.0 * square(p[i + 1] - e[0] * p[i] * p[i]) + square(1.0 - p[i]);
}

/* A pressure vessel: cost, volume, and how much thicker its walls are than needed. Plates come in sixteenths of an
 * inch. */
static void vessel(const double *e, const double *p, double noise, double *o)
{
  const double shell = p[0], head = p[1], radius = p[2], length = p[3];
  (void)e, (void)noise;
  o[0] = 0.6224 * shell * radius * length + 1.7781 * head * radius * radius + 3.1661 * shell * shell * length +
         19.84 * shell * shell * radius;
  o[1] = pi * radius * radius * length + 4.0 / 3.0 * pi * radius * radius * radius;
  o[2] = shell - 0.0193 * radius;
  o[3] = head - 0.00954 * radius;
}

static void michalewicz(const double *e, const double *p, double noise, double *o)
{
  const double x[] = {p[0], p[1], p[2], e[0]};
  (void)noise;
  o[0] = 0.0;
  for (int i = 0; i < 4; i++)
    o[0] += sin(x[i]) * pow(sin((i + 1) * x[i] * x[i] / pi), 4.0);
}

static void camel(const double *e, const double *p, double noise, double *o)
{
  const double x = p[0], y = p[1] + 0.3 * e[0];
  (void)noise;
  o[0] = (4.0 - 2.1 * x * x + square(x * x) / 3.0) * x * x + x * y + (4.0 * y * y - 4.0) * y * y + e[0] * x;
}

static void styblinski(const double *e, const double *p, double noise, double *o)
{
  o[0] = 0.5 * noise;
  for (int i = 0; i < 5; i++) {
    const double x = p[i] - e[0];
    o[0] += 0.5 * (square(x * x) - 16.0 * x * x + 5.0 * x);
  }
}

/* The flow through a borehole. */
static void borehole(const double *e, const double *p, double noise, double *o)
{
  const double ratio = log(p[1] / p[0]), upper = e[0];
  o[0] = 2.0 * pi * upper * p[2] /
         (ratio * (1.0 + 2.0 * p[3] * upper / (ratio * p[0] * p[0] * 1e4) + upper / 89335.0)) * exp(0.01 * noise);
}

/* The cycle time of a piston in a cylinder, in seconds. */
static void piston(const double *e, const double *p, double noise, double *o)
{
  const double mass = p[0], area = p[1], volume = p[2], spring = p[3], pressure = e[0], gas = 290.0, air = 293.0;
  const double a = pressure * area + 19.62 * mass - spring * volume / area;
  const double v = area / (2.0 * spring) * (sqrt(a * a + 4.0 * spring * pressure * volume / gas * air) - a);
  o[0] = 2.0 * pi * sqrt(mass / (spring + area * area * pressure * volume / gas * air / (v * v))) * exp(0.02 * noise);
}

/* A function with steps: most small changes change nothing. */
static void plateau(const double *e, const double *p, double noise, double *o)
{
  (void)noise;
  for (int i = 0; i < 2; i++)
    o[i] = floor(6.0 * sin(p[i] + e[0]) + 2.0 * p[2] * cos(p[1 - i]));
}

/* Three costs that cannot all be small; the target weights them. */
static void trade(const double *e, const double *p, double noise, double *o)
{
  double off = 1.0;
  (void)noise;
  for (int i = 2; i < 5; i++)
    off += square(p[i] - 0.5 - e[0]);
  o[0] = off * cos(0.5 * pi * p[0]) * cos(0.5 * pi * p[1]);
  o[1] = off * cos(0.5 * pi * p[0]) * sin(0.5 * pi * p[1]);
  o[2] = off * sin(0.5 * pi * p[0]);
}

/* A pole on a cart is balanced by four gains. The cost of one that falls is limited. */
static void balance(const double *e, const double *p, double noise, double *o)
{
  const double dt = 0.01, cap = 20.0;
  double x = 0.5, v = 0.0, angle = 0.1, turn = 0.0, miss = 0.0, effort = 0.0;
  for (int i = 0; i < 600 && fabs(angle) < 0.8 && fabs(x) < 3.0; i++) {
    const double force = p[0] * x + p[1] * v + p[2] * angle + p[3] * turn, s = sin(angle), c = cos(angle);
    const double pull = (force + 0.1 * e[0] * turn * turn * s) / 1.1;
    const double spin = (9.81 * s - c * pull) / (e[0] * (4.0 / 3.0 - 0.1 * c * c / 1.1));
    v += dt * (pull - 0.1 * e[0] * spin * c / 1.1);
    turn += dt * spin;
    x += dt * v;
    angle += dt * turn;
    miss += dt * (x * x + 5.0 * angle * angle);
    effort += dt * 0.01 * force * force;
  }
  const bool has_fallen = !(fabs(angle) < 0.8 && fabs(x) < 3.0);
  o[0] = has_fallen ? cap : fmin(miss, cap) * exp(0.01 * noise);
  o[1] = has_fallen ? cap : fmin(effort, cap);
}

/* A batch of A becomes B, and B becomes waste. The outcomes are the amounts at the end. */
static void batch(const double *e, const double *p, double noise, double *o)
{
  const double kelvin = p[0] + 273.0, first = e[0] * exp(18.0 - 6000.0 / kelvin), second = exp(25.0 - 9000.0 / kelvin);
  const double t = p[1], gap = fabs(second - first) > 1e-9 ? second - first : 1e-9;
  const double a = exp(-first * t), b = first / gap * (a - exp(-second * t));
  o[0] = b * exp(0.01 * noise);
  o[1] = 1.0 - a - b;
}

const lab_problem lab_problems[] = {
    {"welded", 'a',
     "environment: {load: [4000, 8000]}\n"
     "parameters: {h: [0.125, 2], l: [0.1, 10], t: [0.1, 10], b: [0.1, 2]}\n"
     "outcome: [cost, shear, bending, deflection, buckling]\n"
     "reward: -cost - 10*(min(3, max(0, shear/13600 - 1)) + min(3, max(0, bending/30000 - 1))"
     " + min(3, max(0, deflection/0.25 - 1)) + min(3, max(0, 1 - buckling/load)))\n",
     weld},
    {"controller", 'a',
     "environment: {mass: [0.5, 3], lag: [0.02, 0.2]}\n"
     "parameters: {kp: {range: [0.1, 100], scale: log}, ki: {range: [0.01, 30], scale: log},"
     " kd: {range: [0.05, 30], scale: log}}\n"
     "outcome: [over, late, effort]\n"
     "reward: -10*over - 5*late - 0.2*effort\n",
     control},
    {"levy", 'a',
     "environment: {shift: [-3, 3]}\n"
     "parameters: {a: [-10, 10], b: [-10, 10], c: [-10, 10], d: [-10, 10]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     levy},
    {"hartmann", 'a',
     "environment: {f: [0, 1]}\n"
     "parameters: {a: [0, 1], b: [0, 1], c: [0, 1], d: [0, 1], e: [0, 1]}\n"
     "outcome: [value]\n"
     "reward: value\n",
     hartmann},
    {"goldstein", 'a',
     "environment: {shift: [-0.5, 0.5]}\n"
     "parameters: {x: [-2, 2], y: [-2, 2]}\n"
     "outcome: [loss]\n"
     "reward: 3 - loss\n",
     goldstein},
    {"branin", 'a',
     "parameters: {x: [-5, 10], y: [0, 15]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     branin},
    {"throw", 'a',
     "target: {x: [1, 6]}\n"
     "parameters: {a0: [-1, 1], a1: [-1, 1], a2: [-1, 1], a3: [-1, 1], a4: [-1, 1], a5: [-1, 1], a6: [-1, 1],"
     " b0: [-1, 1], b1: [-1, 1], b2: [-1, 1], b3: [-1, 1], b4: [-1, 1], b5: [-1, 1], b6: [-1, 1], release: [-1, 1]}\n"
     "outcome: [land, rough]\n"
     "reward: -2 - abs(land - x) - rough\n",
     throw_ball},
    {"ackley", 'a',
     "environment: {shift: [-3, 3]}\n"
     "parameters: {a: [-10, 10], b: [-10, 10], c: [-10, 10], d: [-10, 10], e: [-10, 10], f: [-10, 10], g: [-10, 10],"
     " h: [-10, 10], i: [-10, 10], j: [-10, 10]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     ackley},
    {"ackley-whole", 'a',
     "environment: {shift: [-3, 3]}\n"
     "parameters: {a: {range: [-10, 10], step: 1}, b: {range: [-10, 10], step: 1}, c: {range: [-10, 10], step: 1},"
     " d: {range: [-10, 10], step: 1}, e: {range: [-10, 10], step: 1}, f: {range: [-10, 10], step: 1},"
     " g: {range: [-10, 10], step: 1}, h: {range: [-10, 10], step: 1}, i: {range: [-10, 10], step: 1},"
     " j: {range: [-10, 10], step: 1}}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     ackley_whole},
    {"rate", 'a',
     "target: {wish: [-1, 1]}\n"
     "environment: {water: [-1, 1]}\n"
     "parameters: {heat: [0, 100], acid: [2, 8], dose: [0, 3]}\n"
     "outcome: [rate]\n"
     "reward: -abs(log10(max(rate, 0.001)) - wish) - 0.002*heat\n",
     react},
    {"reach", 'a',
     "target: {x: [-1, 1], y: [-1, 1]}\n"
     "environment: {link: [0.3, 0.7]}\n"
     "parameters: {a: [-3, 3], b: [-2, 2], c: [-2, 2], d: [-2, 2]}\n"
     "outcome: [tip_x, tip_y]\n"
     "achieved: {x: tip_x, y: tip_y}\n"
     "reward: -distance - 0.01*(b^2 + c^2 + d^2)\n",
     reach},
    {"coil", 'a',
     "environment: {load: [10, 40]}\n"
     "parameters: {wire: {range: [0.03, 0.3], scale: log}, across: [0.35, 1.5], windings: {range: [2, 15], step: 1}}\n"
     "outcome: [weight, stress, press]\n"
     "reward: -10*weight - 3*min(3, max(0, stress/100000 - 1)) - 3*min(3, max(0, abs(press - 0.5) - 0.05))\n",
     coil},
    {"rosenbrock", 'b',
     "environment: {bend: [0.5, 1.5]}\n"
     "parameters: {a: [-2, 2], b: [-2, 2], c: [-2, 2], d: [-2, 2]}\n"
     "outcome: [loss]\n"
     "reward: -loss/10\n",
     rosenbrock},
    {"vessel", 'b',
     "environment: {needed: [400, 1300]}\n"
     "parameters: {shell: {range: [0.0625, 2], step: 0.0625}, head: {range: [0.0625, 2], step: 0.0625},"
     " radius: [10, 80], length: [10, 200]}\n"
     "outcome: [cost, volume, shell_spare, head_spare]\n"
     "reward: -cost/1000 - 20*(min(1, max(0, 1 - volume/1000/needed)) + min(1, max(0, -shell_spare))"
     " + min(1, max(0, -head_spare)))\n",
     vessel},
    {"michalewicz", 'b',
     "environment: {d: [0, 3]}\n"
     "parameters: {a: [0, 3.1], b: [0, 3.1], c: [0, 3.1]}\n"
     "outcome: [value]\n"
     "reward: value\n",
     michalewicz},
    {"camel", 'b',
     "environment: {tilt: [-1, 1]}\n"
     "parameters: {x: [-2, 2], y: [-1, 1]}\n"
     "outcome: [loss]\n"
     "reward: -loss\n",
     camel},
    {"styblinski", 'b',
     "environment: {shift: [-1, 1]}\n"
     "parameters: {a: [-5, 5], b: [-5, 5], c: [-5, 5], d: [-5, 5], e: [-5, 5]}\n"
     "outcome: [loss]\n"
     "reward: -loss/10\n",
     styblinski},
    {"borehole", 'b',
     "target: {flow: [20, 150]}\n"
     "environment: {upper: {range: [63070, 115600]}}\n"
     "parameters: {width: [0.05, 0.15], around: {range: [100, 50000], scale: log}, head: [100, 400],"
     " length: [1120, 1680]}\n"
     "outcome: [out]\n"
     "reward: -abs(out - flow)/10 - head/1000\n",
     borehole},
    {"piston", 'b',
     "target: {wish: [0.2, 0.8]}\n"
     "environment: {pressure: [90000, 110000]}\n"
     "parameters: {mass: [30, 60], area: [0.005, 0.02], volume: [0.002, 0.01], spring: [1000, 5000]}\n"
     "outcome: [seconds]\n"
     "reward: -10*abs(seconds - wish) - mass/100\n",
     piston},
    {"plateau", 'b',
     "target: {x: [-5, 5], y: [-5, 5]}\n"
     "environment: {turn: [-1, 1]}\n"
     "parameters: {a: [-3, 3], b: [-3, 3], c: [-1, 1]}\n"
     "outcome: [u, v]\n"
     "reward: -abs(u - x) - abs(v - y)\n",
     plateau},
    {"trade", 'b',
     "target: {first: [0, 1], second: [0, 1]}\n"
     "environment: {off: [-0.3, 0.3]}\n"
     "parameters: {a: [0, 1], b: [0, 1], c: [0, 1], d: [0, 1], e: [0, 1]}\n"
     "outcome: [u, v, w]\n"
     "reward: -max(first*u, second*v, w) - 0.1*(u + v + w)\n",
     trade},
    {"balance", 'b',
     "environment: {pole: [0.3, 1.5]}\n"
     "parameters: {k0: [-5, 15], k1: [-5, 15], k2: [0, 100], k3: [0, 40]}\n"
     "outcome: [miss, effort]\n"
     "reward: -miss - effort\n",
     balance},
    {"batch", 'b',
     "target: {price: [0, 2]}\n"
     "environment: {strength: [0.5, 2]}\n"
     "parameters: {heat: [20, 120], minutes: {range: [1, 300], scale: log}}\n"
     "outcome: [good, waste]\n"
     "reward: good - price*waste\n",
     batch},
    {.name = 0},
};
