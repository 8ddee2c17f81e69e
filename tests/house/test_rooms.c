/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the rooms: reads the #include lines of a tree and finds those that look upwards.
 *
 * A room may use what is below it, at any depth, and `base`; public headers <fcps/x.h> and <fcps/x_more.h> belong to
 * room x. The rooms of the laboratory are lab/x, with <fcps/lab/x.h>; no room of the library stands on one. A sub-room may use the files of its room that stand outside sub-rooms, and the sub-rooms below it.
 * Libraries of others are known to one room each. ARCHITECTURE.md draws the same tables.
 */
#include "check.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which rooms a room stands on, directly. */
typedef struct room {
  const char *name;
  const char *below; /* separated by spaces */
} room;

static const room rooms[] = {
    {"cli", "report"}, /* and every public header but the laboratory's, and those of the doors alone: see judge */
    {"serve", "door"},
    {"mcp", "door"},
    {"door", "operation"},
    {"operation", "run"},
    {"report", "format"},
    {"lab/cli", "cli lab/experiment lab/report"},
    {"lab/report", "report"},
    {"lab/experiment", "lab/run"},
    {"lab/run", "run lab/task"},
    {"lab/task", "problem primitive lab/sim"},
    {"lab/sim", ""},
    {"run", "wire"},
    {"wire", "study"},
    {"study", "insight store"},
    {"insight", "learner"},
    {"learner", "policy acquisition"},
    {"acquisition", "search"},
    {"policy", "search format"},
    {"search", "model optim"},
    {"model", "gp reward"},
    {"reward", "problem linalg"},
    {"store", ""},
    {"gp", "optim linalg space"},
    {"problem", "space format"},
    {"primitive", "linalg"},
    {"optim", "linalg"},
    {"space", ""},
    {"linalg", ""},
    {"format", ""},
    {"base", ""},
};
enum { ROOM_COUNT = (int)(sizeof rooms / sizeof rooms[0]) };

/* Which sub-rooms of the same room a sub-room stands on, directly. */
static const room sub_rooms[] = {
    {"acquisition/contextual", "acquisition/information"},
    {"acquisition/information", ""},
    {"cli/study", "cli/support"},
    {"cli/support", ""},
    {"gp/kernels", ""},
    {"lab/sim/mujoco", ""},
    {"lab/task/arm", ""},
    {"lab/task/cannon", ""},
    {"lab/task/robot", ""},
    {"lab/task/limited", ""},
    {"lab/task/workshop", ""},
    {"learner/bo", ""},
    {"learner/policy_search", ""},
    {"model/posterior", "model/feasibility"},
    {"model/feasibility", ""},
    {"model/structures", "model/feasibility"},
    {"problem/file", "problem/formula"},
    {"problem/formula", ""},
    {"problem/judge", "problem/formula"},
    {"run/program", ""},
    {"serve/http", ""},
    {"store/postgresql", ""},
    {"store/sqlite", ""},
    {"study/import", "study/remarks"},
    {"study/remarks", ""},
};
enum { SUB_ROOM_COUNT = (int)(sizeof sub_rooms / sizeof sub_rooms[0]) };

/* Which room may include the headers of a library. */
static const struct {
  const char *prefix, *room;
} libraries[] = {
    {"yaml.h", "format"},   {"jansson", "format"},  {"lapack", "linalg"}, {"cblas", "linalg"},
    {"f77blas", "linalg"},  {"openblas", "linalg"}, {"nlopt", "optim"},   {"muParser", "problem"},
    {"sqlite3", "store"},   {"mujoco/", "lab/sim"}, {"EGL/", "lab/sim"},  {"GL/", "lab/sim"},
    {"Random123/", "base"}, {"event2/", "serve"},   {"libpq", "store"},
};

static const room *find(const room *table, int count, const char *name, size_t length)
{
  for (int i = 0; i < count; i++)
    if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) return &table[i];
  return NULL;
}

/* The room whose name begins a path within src, or one of the laboratory; it ends at one of `ends`. */
static const room *find_room(const char *path, const char *ends)
{
  const size_t before = strncmp(path, "lab/", 4) == 0 ? 4 : 0;
  return find(rooms, ROOM_COUNT, path, before + strcspn(path + before, ends));
}

/* A path of the tree as includes have it: within src, or from lab on. */
static const char *within(const char *path)
{
  return strncmp(path, "src/", 4) == 0 ? path + 4 : path;
}

/* What follows include/fcps/ in the path of a public header; NULL: it is none. */
static const char *public_part(const char *path)
{
  static const char *const folders[] = {"include/fcps/", "lab/include/fcps/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(path, folders[i], strlen(folders[i])) == 0) return path + strlen(folders[i]);
  return NULL;
}

/* Whether a public header, by its path within include, includes all others. */
static bool is_everything(const char *path)
{
  return strcmp(path, "fcps/fcps.h") == 0 || strcmp(path, "fcps/lab/lab.h") == 0;
}

/* Whether `from` is `to`, or stands on it at any depth. The table has no cycle, so the recursion ends. */
static bool stands_on(const room *table, int count, const room *from, const room *to)
{
  if (from == to || strcmp(to->name, "base") == 0) return true;
  for (const char *word = from->below; *word;) {
    const size_t length = strcspn(word, " ");
    const room *next = find(table, count, word, length);
    assert_non_null(next);
    if (stands_on(table, count, next, to)) return true;
    word += length + strspn(word + length, " ");
  }
  return false;
}

/* The length of "<room>/<sub-room>" in a path as includes have it; 0: the path names a file outside sub-rooms. */
static size_t sub_room_length(const char *path)
{
  const char *slash = strchr(strncmp(path, "lab/", 4) == 0 ? path + 4 : path, '/');
  const char *second = slash != NULL ? strchr(slash + 1, '/') : NULL;
  return second != NULL ? (size_t)(second - path) : 0;
}

/* Whether a path src/<room>/<sub-room>/... or lab/<room>/<sub-room>/... names a folder below a sub-room. */
static bool is_nested(const char *path)
{
  int slashes = 0;
  for (; *path; path++)
    slashes += *path == '/';
  return slashes > 3;
}

/* Judges an include within one room; both paths are within src. */
static const char *judge_within(const char *file, const char *path)
{
  const size_t from = sub_room_length(file), to = sub_room_length(path);
  const room *below = find(sub_rooms, SUB_ROOM_COUNT, path, to);
  if (to > 0 && below == NULL) return "no such sub-room";
  if (from == 0 || to == 0) return NULL;
  const room *above = find(sub_rooms, SUB_ROOM_COUNT, file, from);
  return stands_on(sub_rooms, SUB_ROOM_COUNT, above, below) ? NULL : "this sub-room is not below";
}

/* Judges one include of `file`, which stands in room `from`: `path` is what stands between the quotes or angle
 * brackets. Returns NULL when it is allowed, else the reason. */
static const char *judge(const room *from, const char *file, bool is_quoted, const char *path)
{
  const bool is_public_header = public_part(file) != NULL;
  const bool is_public = strncmp(path, "fcps/", 5) == 0;
  const bool is_program = strcmp(from->name, "cli") == 0 || strcmp(from->name, "lab/cli") == 0;
  if (!is_quoted && !is_public) {
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
      if (strncmp(path, libraries[i].prefix, strlen(libraries[i].prefix)) == 0 &&
          strcmp(from->name, libraries[i].room) != 0)
        return "another room owns this library";
    return NULL;
  }
  if (is_quoted && is_public) return "a public header is included with angle brackets";
  if (is_quoted && is_public_header) return "a public header includes a private one";
  if (is_public && is_program && (from->name[0] == 'l' || strncmp(path, "fcps/lab/", 9) != 0)) return NULL;
  if (is_everything(path)) return "the header of everything is for users";
  const room *to = find_room(is_public ? path + 5 : path, is_public ? "._" : "/");
  if (to == NULL) return "no such room";
  if (from == to && is_quoted) return judge_within(within(file), path);
  static const char *const doors[] = {"wire", "operation", "door", "serve", "mcp"};
  for (size_t i = 0; i < sizeof doors / sizeof *doors && is_program; i++)
    if (strcmp(to->name, doors[i]) == 0) return NULL; /* but not what is below them */
  return stands_on(rooms, ROOM_COUNT, from, to) ? NULL : "this room is not below";
}

/* The room of a file, by its path within the tree: [src|lab]/<room>/... or include/fcps/[lab/]<room>[_more].h. */
static const room *room_of(const char *path)
{
  return public_part(path) != NULL ? find_room(public_part(path), "._") : find_room(within(path), "/");
}

/* Adds a line to `report`, as far as there is room. */
static void describe(char *report, size_t size, const char *file, int line, const char *path, const char *reason)
{
  const size_t used = strlen(report);
  snprintf(report + used, size - used, "%s:%d: includes %s: %s\n", file, line, path, reason);
}

/* Counts the violations of one file, whose path within the tree is `path`; adds each to `report`. */
static int judge_file(const char *file, const char *path, char *report, size_t size)
{
  const bool is_public_header = public_part(path) != NULL;
  if (is_public_header && is_everything(public_part(path) - strlen("fcps/"))) return 0;
  const room *from = room_of(path);
  if (from == NULL) {
    describe(report, size, file, 0, "anything", "its room is not in the table of this test");
    return 1;
  }
  if (!is_public_header && sub_room_length(within(path)) > 0 && is_nested(path)) {
    describe(report, size, file, 0, "anything", "rooms have one level of sub-rooms");
    return 1;
  }
  const size_t sub_room = is_public_header ? 0 : sub_room_length(within(path));
  if (sub_room > 0 && find(sub_rooms, SUB_ROOM_COUNT, within(path), sub_room) == NULL) {
    describe(report, size, file, 0, "anything", "its sub-room is not in the table of this test");
    return 1;
  }
  FILE *stream = fopen(file, "r");
  assert_non_null(stream);
  int violations = 0, line = 0;
  char text[1024], open, included[256];
  while (fgets(text, sizeof text, stream) != NULL) {
    line++;
    if (sscanf(text, " # include %c%255[^\">]", &open, included) != 2) continue;
    const char *reason = judge(from, path, open == '"', included);
    if (reason == NULL) continue;
    violations++;
    describe(report, size, file, line, included, reason);
  }
  fclose(stream);
  return violations;
}

/* Counts the files and the violations of a tree; `report` describes them. */
static int judge_tree(const char *tree, int *files, char *report, size_t size)
{
  static const char *const patterns[] = {
      "include/fcps/*.h",         "src/*/*.[ch]", "src/*/*/*.[ch]", "src/*/*/*/*.[ch]",
      "lab/include/fcps/lab/*.h", "lab/*/*.[ch]", "lab/*/*/*.[ch]"};
  int violations = 0;
  *files = 0;
  report[0] = 0;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    char pattern[1024];
    snprintf(pattern, sizeof pattern, "%s/%s", tree, patterns[i]);
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
      for (size_t j = 0; j < found.gl_pathc; j++)
        violations += judge_file(found.gl_pathv[j], found.gl_pathv[j] + strlen(tree) + 1, report, size);
    *files += (int)found.gl_pathc;
    globfree(&found);
  }
  return violations;
}

static void no_room_of_this_tree_looks_upwards(void **state)
{
  (void)state;
  int files;
  char report[2048];
  const int violations = judge_tree(TEST_SOURCE_DIR, &files, report, sizeof report);
  assert_true(files > 20); /* the tree was found */
  if (violations) fail_msg("%d includes break the order of the rooms:\n%s", violations, report);
}

/* A tree with one file, to see what is said of it. */
static int judge_planted(const char *file, const char *contents, char *report, size_t size)
{
  char tree[] = "/tmp/fcps-rooms-XXXXXX", path[256];
  assert_non_null(mkdtemp(tree));
  /* the folders on the way to the file, then the file */
  snprintf(path, sizeof path, "%s/%s", tree, file);
  for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = 0;
    assert_int_equal(mkdir(path, 0700), 0);
    *slash = '/';
  }
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(contents, stream);
  fclose(stream);
  int files;
  const int violations = judge_tree(tree, &files, report, size);
  assert_int_equal(files, 1);
  assert_int_equal(unlink(path), 0);
  for (char *slash = strrchr(path, '/'); slash >= path + strlen(tree); slash = strrchr(path, '/')) {
    *slash = 0;
    assert_int_equal(rmdir(path), 0);
  }
  return violations;
}

static void every_kind_of_violation_is_found(void **state)
{
  (void)state;
  static const struct {
    const char *file, *contents, *reason;
  } cases[] = {
      {"src/gp/gp.c", "#include \"learner/learner.h\"\n", "gp.c:1: includes learner/learner.h: this room is not below"},
      {"src/base/rng.c", "\n#include <fcps/space.h>\n", "rng.c:2: includes fcps/space.h: this room is not below"},
      {"include/fcps/space.h", "#include <fcps/learner.h>", "this room is not below"},
      {"include/fcps/space.h", "#include \"base/error.h\"", "a public header includes a private one"},
      {"src/learner/ask.c", "# include <nlopt.h>", "another room owns this library"},
      {"src/store/sqlite/sqlite.c", "  #include <jansson.h>", "another room owns this library"},
      {"src/gp/fit.c", "#include <lapacke.h>", "another room owns this library"},
      {"lab/task/task.c", "#include <fcps/fcps.h>", "the header of everything is for users"},
      {"lab/task/task.c", "#include <fcps/lab/lab.h>", "the header of everything is for users"},
      {"lab/task/task.c", "#include \"task_impl.h\"", "no such room"},
      {"lab/task/task.c", "#include \"fcps/lab/task.h\"", "a public header is included with angle brackets"},
      {"src/run/run.c", "#include <fcps/lab/task.h>", "this room is not below"},
      {"src/cli/run.c", "#include <fcps/lab/task.h>", "this room is not below"},
      {"src/cli/run.c", "#include \"lab/task/task_impl.h\"", "this room is not below"},
      {"include/fcps/run.h", "#include <fcps/lab/task.h>", "this room is not below"},
      {"lab/include/fcps/lab/task.h", "#include <fcps/lab/run.h>", "this room is not below"},
      {"src/cli/run.c", "#include \"learner/learner_impl.h\"", "this room is not below"},
      {"src/cli/tell.c", "#include \"wire/wire.h\"\n#include \"study/study_impl.h\"", "tell.c:2"},
      {"src/wire/ask.c", "#include <fcps/run.h>", "this room is not below"},
      {"lab/task/task.c", "#include \"wire/wire.h\"", "this room is not below"},
      {"lab/report/curve.c", "#include <fcps/lab/task.h>", "this room is not below"},
      {"lab/sim/mujoco/model.c", "#include <mujoco/mujoco.h>\n#include \"lab/task/task_impl.h\"", "model.c:2"},
      {"lab/task/arm/arm.c", "#include \"lab/task/cannon/cannon.h\"", "this sub-room is not below"},
      {"src/report/curve.c", "#include \"report/drawer/odds.h\"", "no such sub-room"},
      {"src/report/drawer/odds.c", "", "its sub-room is not in the table"},
      {"src/serve/http/deeper/paper.c", "#include \"serve/http/reply.h\"", "rooms have one level of sub-rooms"},
      {"src/misc/util.c", "", "its room is not in the table"},
      {"lab/misc/util.c", "", "its room is not in the table"},
      {"include/fcps/drive.h", "", "its room is not in the table"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char report[2048];
    assert_int_equal(judge_planted(cases[i].file, cases[i].contents, report, sizeof report), 1);
    if (strstr(report, cases[i].reason) == NULL) fail_msg("\"%s\" lacks \"%s\"", report, cases[i].reason);
  }
}

static void what_is_below_at_any_depth_is_allowed(void **state)
{
  (void)state;
  static const struct {
    const char *file, *contents;
  } cases[] = {
      {"src/learner/ask.c", "#include \"linalg/dense.h\"\n#include \"base/rng.h\"\n#include <math.h>\n"},
      {"src/cli/tell.c", "#include \"wire/wire.h\"\n#include <fcps/study.h>\n"},
      {"src/run/run.c", "#include \"wire/wire.h\"\n#include <fcps/run.h>\n#include <fcps/learner.h>\n"},
      {"lab/run/run.c", "#include \"run/loop.h\"\n#include <fcps/lab/run.h>\n#include \"lab/task/task_impl.h\"\n"},
      {"lab/cli/run.c", "#include <fcps/lab/lab.h>\n#include \"cli/support/arguments.h\"\n#include \"wire/wire.h\"\n"},
      {"src/cli/run.c", "#include <fcps/fcps.h>\n#include \"report/curve.h\"\n#include \"format/json.h\"\n"},
      {"src/optim/global.c", "#include <nlopt.h>\n"},
      {"lab/report/page.c", "#include \"lab/report/paper.h\"\n#include \"report/gnuplot.h\"\n"},
      {"lab/task/arm/arm.c", "#include \"lab/task/task_impl.h\"\n"},
      {"lab/sim/mujoco/model.c", "#include <mujoco/mujoco.h>\n#include \"lab/sim/sim.h\"\n"},
      {"include/fcps/learner.h", "#include <fcps/policy.h>\n#include <fcps/problem_file.h>\n#include <stdbool.h>\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char report[2048];
    if (judge_planted(cases[i].file, cases[i].contents, report, sizeof report)) fail_msg("%s", report);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_room_of_this_tree_looks_upwards),
      cmocka_unit_test(every_kind_of_violation_is_found),
      cmocka_unit_test(what_is_below_at_any_depth_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
