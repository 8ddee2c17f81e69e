/* SPDX-License-Identifier: Apache-2.0 */
#include "model/screen.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

fcps_status fcps_screen_create(fcps_screen *screen, int candidates)
{
  screen->heap = fcps_allocate((size_t)candidates, sizeof *screen->heap);
  return screen->heap != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_screen_destroy(fcps_screen *screen)
{
  free(screen->heap);
  *screen = (fcps_screen){0};
}

/* Equal values in the order given, so that the result does not depend on how they are sorted. */
static bool is_before(const fcps_screen *s, int a, int b)
{
  return s->values[a] > s->values[b] || (s->values[a] == s->values[b] && a < b);
}

/* Lets the candidate at `place` sink to where neither of those below it is before it. */
static void sink(fcps_screen *s, int place)
{
  const int candidate = s->heap[place];
  for (int below; (below = 2 * place + 1) < s->left; place = below) {
    if (below + 1 < s->left && is_before(s, s->heap[below + 1], s->heap[below])) below++;
    if (!is_before(s, s->heap[below], candidate)) break;
    s->heap[place] = s->heap[below];
  }
  s->heap[place] = candidate;
}

void fcps_screen_begin(fcps_screen *screen, int count, double *bounds)
{
  screen->values = bounds;
  screen->left = count;
  for (int i = 0; i < count; i++)
    screen->heap[i] = i;
  for (int i = count / 2 - 1; i >= 0; i--)
    sink(screen, i);
  for (int i = 0; i < FCPS_SCREEN_BEST; i++)
    screen->best[i] = -INFINITY;
}

int fcps_screen_next(fcps_screen *screen, int most, int *chosen)
{
  if (screen->left == 0 || !(screen->values[screen->heap[0]] > screen->best[FCPS_SCREEN_BEST - 1])) return 0;
  int count = 0;
  while (count < most && screen->left > 0) {
    chosen[count++] = screen->heap[0];
    screen->heap[0] = screen->heap[--screen->left];
    if (screen->left > 0) sink(screen, 0);
  }
  return count;
}

void fcps_screen_tell(fcps_screen *screen, int candidate, double exact)
{
  int place = FCPS_SCREEN_BEST - 1;
  screen->values[candidate] = exact;
  if (!(exact > screen->best[place])) return;
  for (; place > 0 && screen->best[place - 1] < exact; place--)
    screen->best[place] = screen->best[place - 1];
  screen->best[place] = exact;
}
