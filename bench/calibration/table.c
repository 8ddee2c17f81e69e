/* SPDX-License-Identifier: Apache-2.0 */
/* The tables show shares in percent of the studies in a cell. A claim that is right for its kind has a plus sign, and
 * does not count in the column `false`. */
#include "calibration/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const claim_names[CLAIM_COUNT] = {"frame",   "contact",  "uneven", "separate", "drift",
                                                     "suspect", "surprise", "unit",   "model",    "overconf",
                                                     "blind",   "exact",    "same",   "two",      "other"};

const char *calibration_inputs_name(calibration_inputs inputs)
{
  static const char *const names[] = {"uniform", "converging", "asked"};
  return (unsigned)inputs < sizeof names / sizeof *names ? names[inputs] : "";
}

/* -- Lines -- */

const char *calibration_table_head(void)
{
  return "kind,inputs,rows,outcomes,seed,claims,log_odds,odds_of,noise_ratio,separate,suspects,right_suspects,"
         "surprises,held_"
         "back,"
         "converged,seconds,codes,words\n";
}

/* Writes claims as names joined by semicolons. */
static void write_claims(unsigned made, size_t size, char *text)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < CLAIM_COUNT; i++)
    if (made & 1u << i) used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ";" : "", claim_names[i]);
}

void calibration_table_write(const calibration_row *r, size_t size, char *text)
{
  char made[CLAIM_CODES];
  const calibration_claims *c = &r->claims;
  write_claims(c->made, sizeof made, made);
  snprintf(text, size, "%s,%s,%d,%d,%llu,%s,%.3f,%s,%.4g,%d,%d,%d,%d,%d,%d,%.3f,%s,\"%s\"\n", r->kind->name,
           calibration_inputs_name(r->inputs), r->rows, r->outcomes, (unsigned long long)r->seed, made, c->odds,
           claim_names[c->odds_of], c->noise_ratio, c->is_separate, c->suspects, c->right_suspects, c->surprises,
           c->is_held_back, c->is_converged, r->seconds, c->codes, c->words);
}

/* -- Reading -- */

typedef struct calibration_rows {
  int count, room;
  calibration_row *rows;
} calibration_rows;

static unsigned read_claims(const char *text)
{
  unsigned made = 0;
  for (int i = 0; i < CLAIM_COUNT; i++) {
    const char *at = strstr(text, claim_names[i]);
    const size_t length = strlen(claim_names[i]);
    for (; at != NULL; at = strstr(at + 1, claim_names[i]))
      if ((at == text || at[-1] == ';') && (at[length] == ';' || at[length] == '\0')) made |= 1u << i;
  }
  return made;
}

/* Cuts off the next cell of a line. */
static char *next_cell(char **line)
{
  char *cell = *line, *end = strpbrk(cell, ",\n");
  if (end == NULL) return cell;
  *line = end + 1;
  *end = '\0';
  return cell;
}

static bool read_row(char *line, calibration_row *r)
{
  *r = (calibration_row){.kind = calibration_kind_named(next_cell(&line))};
  const char *inputs = next_cell(&line);
  while (*calibration_inputs_name(r->inputs) != '\0' && strcmp(calibration_inputs_name(r->inputs), inputs) != 0)
    r->inputs++;
  r->rows = atoi(next_cell(&line));
  r->outcomes = atoi(next_cell(&line));
  r->seed = strtoull(next_cell(&line), NULL, 10);
  r->claims.made = read_claims(next_cell(&line));
  r->claims.odds = atof(next_cell(&line));
  const unsigned odds_of = read_claims(next_cell(&line));
  while (r->claims.odds_of + 1 < CLAIM_COUNT && !(odds_of & 1u << r->claims.odds_of))
    r->claims.odds_of++;
  r->claims.noise_ratio = atof(next_cell(&line));
  r->claims.is_separate = atoi(next_cell(&line)) != 0;
  r->claims.suspects = atoi(next_cell(&line));
  r->claims.right_suspects = atoi(next_cell(&line));
  r->claims.surprises = atoi(next_cell(&line));
  r->claims.is_held_back = atoi(next_cell(&line)) != 0;
  r->claims.is_converged = atoi(next_cell(&line)) != 0;
  r->seconds = atof(next_cell(&line));
  return r->kind != NULL && *calibration_inputs_name(r->inputs) != '\0';
}

static bool read_file(const char *path, calibration_rows *all)
{
  char line[1024];
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  while (fgets(line, sizeof line, file) != NULL) {
    if (all->count == all->room) {
      all->room = all->room > 0 ? 2 * all->room : 1024;
      all->rows = realloc(all->rows, (size_t)all->room * sizeof *all->rows);
      if (all->rows == NULL) abort();
    }
    all->count += read_row(line, all->rows + all->count);
  }
  fclose(file);
  return true;
}

/* -- Tables -- */

static int by_cell(const void *left, const void *right)
{
  const calibration_row *a = left, *b = right;
  const long long differences[] = {(long long)a->kind->group - b->kind->group,
                                   a->kind - b->kind,
                                   (long long)a->outcomes - b->outcomes,
                                   (long long)a->inputs - b->inputs,
                                   (long long)a->rows - b->rows,
                                   a->seed > b->seed   ? 1
                                   : a->seed < b->seed ? -1
                                                       : 0};
  for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
    if (differences[i] != 0) return differences[i] > 0 ? 1 : -1;
  return 0;
}

/* Sums over studies. */
typedef struct sums {
  int studies, claims[CLAIM_COUNT], right[CLAIM_COUNT], wrong, found, separate, held_back, converged;
  double seconds;
} sums;

static void add(sums *s, const calibration_row *r)
{
  const unsigned made = r->claims.made, right = r->kind->right;
  s->studies++;
  for (int i = 0; i < CLAIM_COUNT; i++) {
    s->claims[i] += (made & 1u << i) != 0;
    s->right[i] += (made & right & 1u << i) != 0;
  }
  s->wrong += (made & ~right) != 0;
  s->found += (made & r->kind->wanted) != 0;
  s->separate += r->claims.is_separate;
  s->held_back += r->claims.is_held_back;
  s->converged += r->claims.is_converged;
  s->seconds += r->seconds;
}

/* Prints a share: "+40" if the claim is right, "." if there is none. */
static void print_share(int count, int of, bool is_right)
{
  char text[16] = ".";
  if (count > 0) snprintf(text, sizeof text, "%s%.0f", is_right ? "+" : "", 100.0 * count / of);
  printf(" %8s", text);
}

static void print_head(const char *label)
{
  printf("\n%-38s %4s %8s %8s", label, "n", "false", "found");
  for (int i = 0; i < CLAIM_COUNT; i++)
    printf(" %8s", claim_names[i]);
  printf(" %8s %8s %8s %7s\n", "separate", "held", "enough", "s");
}

static void print_sums(const char *label, const sums *s)
{
  printf("%-38s %4d", label, s->studies);
  print_share(s->wrong, s->studies, false);
  print_share(s->found, s->studies, false);
  for (int i = 0; i < CLAIM_COUNT; i++)
    print_share(s->claims[i], s->studies, s->right[i] > 0);
  print_share(s->separate, s->studies, false);
  print_share(s->held_back, s->studies, false);
  print_share(s->converged, s->studies, false);
  printf(" %7.2f\n", s->seconds / s->studies);
}

static bool is_same_cell(const calibration_row *a, const calibration_row *b)
{
  return a->kind == b->kind && a->outcomes == b->outcomes && a->inputs == b->inputs && a->rows == b->rows;
}

static void print_cells(const calibration_rows *all)
{
  char label[80];
  for (int first = 0, last; first < all->count; first = last) {
    const calibration_row *r = all->rows + first;
    sums s = {0};
    for (last = first; last < all->count && is_same_cell(r, all->rows + last); last++)
      add(&s, all->rows + last);
    snprintf(label, sizeof label, "%s %d x %d %s", r->kind->name, r->rows, r->outcomes,
             calibration_inputs_name(r->inputs));
    print_sums(label, &s);
  }
}

/* Prints each kind over all its cells, and all kinds of a group. */
static void print_kinds(const calibration_rows *all)
{
  static const char *const groups[] = {"all healthy", "all structured", "all textbook"};
  for (int first = 0, last; first < all->count; first = last) {
    const calibration_row *r = all->rows + first;
    sums s = {0}, group = {0};
    for (last = first; last < all->count && all->rows[last].kind == r->kind; last++)
      add(&s, all->rows + last);
    print_sums(r->kind->name, &s);
    if (last < all->count && all->rows[last].kind->group == r->kind->group) continue;
    for (int i = 0; i < all->count; i++)
      if (all->rows[i].kind->group == r->kind->group) add(&group, all->rows + i);
    print_sums(groups[r->kind->group], &group);
  }
}

static void print_odds(const calibration_rows *all)
{
  static const double least[] = {20, 100, 1000};
  printf("\nodds that were printed   studies   wrong\n");
  for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
    int printed = 0, wrong = 0;
    for (int k = 0; k < all->count; k++) {
      if (!(all->rows[k].claims.odds >= log(least[i]))) continue;
      printed++;
      wrong += (all->rows[k].kind->right & 1u << all->rows[k].claims.odds_of) == 0;
    }
    printf("%5.0f to 1 and more %12d %7d\n", least[i], printed, wrong);
  }
}

bool calibration_table_print(int count, char *const *paths)
{
  calibration_rows all = {0};
  for (int i = 0; i < count; i++)
    if (!read_file(paths[i], &all)) {
      fprintf(stderr, "%s: cannot be read\n", paths[i]);
      free(all.rows);
      return false;
    }
  qsort(all.rows, (size_t)all.count, sizeof *all.rows, by_cell);
  printf("Percent of the studies that claim something; +: the claim is right of this kind. false: some claim is wrong. "
         "separate is used, not claimed.\n");
  print_head("kind, rows x outcomes, inputs");
  print_cells(&all);
  print_head("kind");
  print_kinds(&all);
  print_odds(&all);
  free(all.rows);
  return true;
}
