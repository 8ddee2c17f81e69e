/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations. Its texts appear in help, in openapi.json and in the tools of assistants. */
#include "operation/call.h"

#include <string.h>

/* The fields that a row leaves out are zero on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define NEEDED   FCPS_FIELD_NEEDED
#define NULLABLE FCPS_FIELD_NULLABLE
#define SAME     FCPS_FIELD_SAME
#define SEVERAL  FCPS_FIELD_SEVERAL
#define DONE     NEEDED | FCPS_FIELD_TRUE
#define TEXT     FCPS_FIELD_TEXT
#define INTEGER  FCPS_FIELD_INTEGER
#define NUMBER   FCPS_FIELD_NUMBER
#define BOOLEAN  FCPS_FIELD_BOOLEAN
#define NUMBERS  FCPS_FIELD_NUMBERS
#define LIST     FCPS_FIELD_LIST
#define OBJECT   FCPS_FIELD_OBJECT

#define END                                                                                                            \
  {                                                                                                                    \
    0                                                                                                                  \
  }
/* clang-format off */

/* -- Fields that several operations share -- */

#define TARGET {"target", NUMBERS, 0, "The target: what you want to happen", .letter = 't'}
#define ENVIRONMENT {"environment", NUMBERS, 0, "The environment: the situation that is given", .letter = 'e'}
#define CONTEXTS(flag, count) \
  {"contexts", FCPS_FIELD_CONTEXTS, flag, "One for each of these contexts: a table with a column for each target and environment dimension", \
   1, count, .value = "FILE.csv", .letter = 'C'}, \
  {"file", TEXT, FCPS_FIELD_UNSAID, "The name of the table of contexts, for errors"}
#define BUDGET {"budget", NUMBER, 0, "Give no new ask if all trials of the study, with it, would cost more than this", .value = "COST"}
#define STRICT {"strict", BOOLEAN, 0, "Refuse contexts outside their bounds, instead of a warning"}
#define AFTER {"after", INTEGER, 0, "Only rows with a larger number", 0, INT64_MAX, .initial = "0"}
#define PAGES AFTER, \
  {"limit", INTEGER, 0, "At most this many rows", 1, 10000, .initial = "1000"}, \
  {"latest", INTEGER, 0, "Only the latest rows, at most this many; 0: from the first row on", 0, 10000, .initial = "0"}
#define RESULT_NUMBER {"result", FCPS_FIELD_RESULT, NEEDED | FCPS_FIELD_POSITIONAL, \
   "The number of a stored result, as rollouts have it; or its name: 7.2 is the second result of ask 7", .value = "RESULT"}
#define RESULT_NAME {"name", TEXT, 0, "Its name: 7.2 is the second result of ask 7"}
#define WORKER {"worker", TEXT, NEEDED, "Its name, \"lab-7/1\": NAME/1, NAME/2, ... for the programs of one process"}
#define SESSION {"session", TEXT, 0, \
   "A text that identifies the worker's process. Another session with the same NAME is refused until a lease has passed since the last sign of life"}
#define LEASE_MS {"lease_ms", INTEGER, 0, "How long the lease lasts", 1, 86400000, .initial = "60000"}
#define WARNINGS {"warnings", LIST, 0, NULL, .of = warning}

static const fcps_field nothing[] = {END};

static const fcps_field warning[] = {{"code", TEXT}, {"message", TEXT}, END};

static const fcps_field dimension[] = {{"name", TEXT, NEEDED}, {"lower", NUMBER}, {"upper", NUMBER}, {"period", NUMBER},
  {"scale", TEXT}, {"step", NUMBER}, {"unit", TEXT},
  {"choices", FCPS_FIELD_VALUES, 0, "The words of a dimension that has no bounds, but chooses among words"},
  {"ordered", BOOLEAN, 0, "The order of the words means something"},
  {"alike", BOOLEAN, 0, "The words are of one kind, and differ a little"},
  {"known", OBJECT, 0, "What is known of each word, in their order: {\"acid\": [5, 2]}"},
  {"when", TEXT, 0, "The condition under which the parameter applies; asks and answers leave it out if it does not"}, END};

#define UNITS \
  {"units", FCPS_FIELD_SETTINGS, 0, "The units of dimensions that have one"}, \
  {"steps", NUMBERS, 0, "The steps of dimensions that have some; a whole number has steps of 1"}
#define LACKS {"lacks", TEXT, 0, "What the policy lacks, if nothing can be predicted yet"}
#define LIMIT_FIELDS \
  {"limits", NUMBERS, 0, "The chance that each limit is kept, if there are limits"}, \
  {"chance_of_limits", NUMBER, 0, "The chance that all of them are kept"}
static const fcps_field expected[] = {{"outcome", NUMBERS}, {"outcome_sd", NUMBERS}, {"reward", NUMBER}, {"reward_sd", NUMBER},
  {"chance_of_success", NUMBER, NEEDED}, {"chance_of_outcome", NUMBER, NEEDED}, LIMIT_FIELDS, END};

#define ASK_FIELDS(number, context, others) \
  {"ask", INTEGER, number}, {"target", NUMBERS, context}, {"environment", NUMBERS, context}, {"parameters", NUMBERS, others}, \
  {"repeated", BOOLEAN, others, "It was unfinished already"}, {"client", TEXT}, \
  {"state", TEXT, .choices = "pending told forgotten"}, \
  {"expected", OBJECT, 0, "What the learner expected of it; what it did not predict is left out", .of = expected}, \
  {"cost", NUMBER, 0, "The cost of the trial, if the problem has a cost"}, \
  UNITS, WARNINGS
#define ONE_ASK ASK_FIELDS(NEEDED, NEEDED | SAME, NEEDED)
static const fcps_field ask_answer[] = {ONE_ASK, END};
static const fcps_field asks_answer[] = {ONE_ASK, {"asks", LIST, SEVERAL, "Of several at once", .of = ask_answer}, END};
static const fcps_field pending_ask[] = {ASK_FIELDS(NEEDED, 0, 0), END};
static const fcps_field list_answer[] = {{"asks", LIST, NEEDED, .of = ask_answer}, END};

static const fcps_field prediction[] = {{"target", NUMBERS, NEEDED | SAME}, {"environment", NUMBERS, NEEDED | SAME}, {"parameters", NUMBERS, NEEDED},
  {"predicted_reward", NUMBER, NULLABLE}, {"predicted_reward_sd", NUMBER, NULLABLE}, {"success_reward", NUMBER, NULLABLE},
  {"success_reward_sd", NUMBER, NULLABLE}, {"lacking_results", INTEGER, 0, "So many more are needed before it means anything"},
  {"chance_of_success", NUMBER}, {"chance_of_outcome", NUMBER}, LIMIT_FIELDS, END};

/* -- Asking and telling -- */

static const fcps_field ask_request[] = {TARGET, ENVIRONMENT,
  {"client", TEXT, 0, "Name of the client; it gets its unfinished ask again", .value = "NAME", .letter = 'c'},
  {"count", INTEGER, 0, "N asks at once for the given context, stored together", 1, FCPS_ASKS_MAX, .letter = 'n'},
  CONTEXTS(0, FCPS_ASKS_MAX), {"strict", BOOLEAN, 0, "Refuse if no parameters are known that keep the limits"}, BUDGET, END};

static const fcps_field choose_request[] = {TARGET, ENVIRONMENT,
  {"client", TEXT, 0, "Name of the client; it gets its unfinished ask again", .value = "NAME", .letter = 'c'}, BUDGET, END};

static const fcps_field forget_request[] = {
  {"ask", INTEGER, NEEDED | FCPS_FIELD_POSITIONAL, "The number of the ask", 1, INT64_MAX}, END};
static const fcps_field forget_answer[] = {{"ask", INTEGER, NEEDED | SAME}, {"state", TEXT, NEEDED}, END};

static const fcps_field tell_request[] = {
  {"ask", INTEGER, FCPS_FIELD_POSITIONAL, "The number of the ask. For a trial without an ask leave it out, and give environment, executed and, if it is known, target",
   1, INT64_MAX},
  {"outcome", NUMBERS, NULLABLE, "What happened; null: the trial ran, and nothing came of it", .letter = 'o'},
  {"outcome_sd", NUMBERS, 0, "How exact the outcome is: one standard deviation for each number, 0 for exact"},
  {"failed", FCPS_FIELD_REASON, 0, "The trial failed, for this reason; not together with an outcome", .value = "REASON", .letter = 'f'},
  {"status", TEXT, 0, "How the trial ended: failed (default if it failed), refused, timeout or unstable",
   .choices = "ok failed refused timeout unstable", .value = "STATUS"},
  {"reward", NUMBER, 0, "The reward, if the rewards of this study are told", .letter = 'r'},
  {"hindsight_reward", NUMBER, 0, "The reward for the achieved target, for learners with hindsight"},
  {"executed", NUMBERS, 0, "The executed parameters, if they differ from the ask", .letter = 'x'},
  {"environment", NUMBERS, 0, "The measured environment, if it differs from the ask", .letter = 'e'},
  {"target", NUMBERS, 0, "The target of a trial without an ask. If the reward is a formula it may be left out: the middle of the ranges is stored (W_NO_TARGET)", .letter = 't'},
  {"key", TEXT, 0, "A key for a trial without an ask; the same result under the same key counts once"},
  {"client", TEXT, 0, "Name of the client that tells", .value = "NAME", .letter = 'c'},
  {"identity", TEXT, FCPS_FIELD_UNSAID, "Of the study that asked (Fcps-Study of its answers); another one at the same address refuses the result"}, END};
static const fcps_field receipt[] = {{"ask", INTEGER, NULLABLE | SAME}, {"stored", BOOLEAN, DONE}, {"repeated", BOOLEAN}, {"late", BOOLEAN},
  {"flagged", BOOLEAN}, {"evidence", INTEGER, 0, "The number of this result among those of its ask; 1 if it is left out"},
  {"misplaced", BOOLEAN, 0, "The measured environment is not finite; that of the ask is stored"}, {"suspect", BOOLEAN},
  {"reward", NUMBER, NULLABLE}, WARNINGS, END};

static const fcps_field import_request[] = {
  {"csv", TEXT, NEEDED | FCPS_FIELD_POSITIONAL | FCPS_FIELD_FILE, "A table as a text: a line of column names, then a line for each trial; at most 64 MiB", .value = "RESULTS.csv"},
  {"file", TEXT, FCPS_FIELD_UNSAID, "The name of the table, for errors and warnings"},
  {"again", BOOLEAN, 0, "Also add rows that equal a stored result: these trials were done again"}, END};
static const fcps_field import_answer[] = {{"added", INTEGER, NEEDED}, {"skipped", INTEGER, NEEDED}, WARNINGS, END};

/* -- What counts -- */

static const fcps_field result_request[] = {RESULT_NUMBER, END};
static const fcps_field used_answer[] = {{"result", INTEGER, NEEDED | SAME}, RESULT_NAME, {"used", BOOLEAN, NEEDED}, END};
static const fcps_field confirmed_answer[] = {{"result", INTEGER, NEEDED | SAME}, RESULT_NAME, {"confirmed", BOOLEAN, DONE}, END};

static const fcps_field note_request[] = {
  {"text", TEXT, NEEDED | FCPS_FIELD_POSITIONAL, "The words, at most 4000 bytes", .value = "TEXT"},
  {"result", FCPS_FIELD_RESULT, 0, "The result that it is about, by its number or name; the study if it is left out", .value = "RESULT", .letter = 'r'}, END};
static const fcps_field note_answer[] = {{"stored", BOOLEAN, DONE}, {"code", TEXT, NEEDED, "Of the event: note, or note.7.2 of the second result of ask 7"},
  {"repeated", BOOLEAN, 0, "It was there already"}, END};

static const fcps_field amend_request[] = {
  {"reward", TEXT, 0, "A new reward; every stored rollout is scored again", .value = "FORMULA", .letter = 'r'},
  {"force", BOOLEAN, 0, "Accept a formula that gives no stored result a finite reward, and a word that nearly equals another"},
  {"constraints", FCPS_FIELD_PART, 0, "New constraints instead of the old ones, as in a problem file", .value = "LIST"},
  {"limits", FCPS_FIELD_PART, 0, "New limits instead of the old ones, as in a problem file", .value = "LIMITS"},
  {"safe", FCPS_FIELD_PART, 0, "New parameters known to keep the limits, instead of the old ones, as in a problem file", .value = "LIST"},
  {"cost", TEXT, 0, "The new formula of a trial's cost; `none`: no cost", .value = "FORMULA"},
  {"bounds", FCPS_FIELD_BOUNDS, 0, "New bounds of a dimension", .value = "NAME=LOWER,UPPER", .letter = 'b'},
  {"add_choice", FCPS_FIELD_SETTINGS, 0, "Adds a word to the choices of a dimension, behind the others", .value = "NAME=WORD"},
  {"learner", TEXT, 0, "Another learner, which is told everything again; it begins with its own defaults", .value = "NAME", .letter = 'l'},
  {"settings", FCPS_FIELD_SETTINGS, 0, "A setting of the learner; several of them may be given, and `learner` with them", .value = "NAME=VALUE", .option = "set", .letter = 'S'}, END};
static const fcps_field amend_answer[] = {{"amended", BOOLEAN, DONE}, {"results", INTEGER, 0, "How many are stored"},
  {"repeated", BOOLEAN, 0, "All words were there already: nothing is changed"},
  {"scored", TEXT, 0, "How many of them the new reward gives a value"}, {"learner", TEXT, 0, "The learner from now on"},
  {"settings", FCPS_FIELD_SETTINGS, 0, "Those that are not the learner's defaults"},
  {"gone", FCPS_FIELD_SETTINGS, 0, "Settings of the old learner that no longer count"}, WARNINGS, END};

/* -- What is known -- */

static const fcps_field best_request[] = {TARGET, ENVIRONMENT, CONTEXTS(0, 10000), STRICT, END};
static const fcps_field best_answer[] = {
  {"target", NUMBERS, NEEDED | SAME}, {"environment", NUMBERS, NEEDED | SAME}, {"parameters", NUMBERS, NEEDED},
  {"predicted_reward", NUMBER, NULLABLE}, {"predicted_reward_sd", NUMBER, NULLABLE}, UNITS, LACKS,
  LIMIT_FIELDS, {"answers", LIST, SEVERAL, "One answer for each context", .of = prediction}, WARNINGS, END};
static const fcps_field retarget_request[] = {CONTEXTS(NEEDED, 10000), STRICT,
  {"format", TEXT, 0, "The format of the answer", .choices = "json csv", .initial = "\"json\""}, END};
static const fcps_field retarget_answer[] = {{"answers", LIST, NEEDED | SEVERAL, .of = prediction}, WARNINGS, END};

static const fcps_field status_answer[] = {{"study", TEXT}, {"learner", TEXT, NEEDED}, {"settings", FCPS_FIELD_SETTINGS, NEEDED},
  {"seed", INTEGER, NEEDED}, {"sequence", INTEGER, NEEDED}, {"rollouts", INTEGER, NEEDED}, {"not_used", INTEGER, NEEDED},
  {"failed", INTEGER, NEEDED}, {"pending", INTEGER, NEEDED}, {"limits", OBJECT, 0, "How many results broke each limit, and how many were expected to among those whose ask had a prediction"},
  {"untried", TEXT, 0, "Words of parameters without a result"},
  {"untried_unsafe", TEXT, 0, "Those that asks may never try, because there are limits and no safe trial has them"},
  {"cost", NUMBER, 0, "The cost of all trials so far, if the problem has a cost"}, {"mean_cost", NUMBER, 0, "The mean cost of a trial"},
  {"pending_asks", LIST, .of = pending_ask}, WARNINGS, END};
static const fcps_field constraint[] = {{"formula", TEXT}, END};
static const fcps_field problem_answer[] = {{"name", TEXT}, {"target", LIST, NEEDED, .of = dimension}, {"environment", LIST, NEEDED, .of = dimension},
  {"parameters", LIST, NEEDED, .of = dimension}, {"outcome", LIST, NEEDED, .of = dimension}, {"reward_is_told", BOOLEAN},
  {"reward", TEXT, NULLABLE}, {"constraints", LIST, 0, "The constraints of parameters, if there are any", .of = constraint},
  {"limits", OBJECT, 0, "The limits as in a problem file, if there are any"},
  {"cost", TEXT, 0, "The formula of a trial's cost, if there is one"},
  {"identity", TEXT, 0, "A text that identifies the study and its copies"}, END};
static const fcps_field health_answer[] = {{"model", LIST, NEEDED, .of = nothing}, END};
static const fcps_field map_request[] = {
  {"x", TEXT, NEEDED, "The dimension of the context along the map: {\"x\": \"wind\"}"},
  {"y", TEXT, 0, "A second dimension"}, {"at", NUMBERS, 0, "The values of the other dimensions; the middle of their ranges if left out"},
  {"columns", INTEGER, 0, "Points along x", 2, 64, .initial = "24"}, {"rows", INTEGER, 0, "Points along y", 2, 64, .initial = "24"}, END};
static const fcps_field axis[] = {{"name", TEXT, NEEDED}, {"values", FCPS_FIELD_VALUES, NEEDED}, END};
static const fcps_field map_answer[] = {{"x", OBJECT, NEEDED, .of = axis}, {"y", OBJECT, NULLABLE, .of = axis}, {"target", NUMBERS},
  {"environment", NUMBERS}, {"rewards", LIST, NEEDED}, {"deviations", LIST}, {"chances_of_success", LIST}, {"chances_of_outcome", LIST},
  {"chances_of_limits", LIST, 0, "That the best parameters keep all limits, if there are limits"}, END};

/* -- Why, how long, and what matters -- */

static const fcps_field why_request[] = {{"ask", INTEGER, NEEDED | FCPS_FIELD_POSITIONAL, "The number of the ask, unfinished or told", 1, INT64_MAX}, END};
static const fcps_field lesson[] = {
  {"of", TEXT, NEEDED, "An outcome or `reward`, at the parameters of the ask; `policy`: the mean reward of the best choices over the contexts"},
  {"before", NUMBER, NEEDED, "The deviation of its expected value, without the result"}, {"after", NUMBER, NEEDED, "The same once the result is known, whatever it is"}, END};
static const fcps_field speaking[] = {{"result", INTEGER, NEEDED}, RESULT_NAME, {"share", NUMBER, NEEDED, "Its share of the prediction, by the weights of the Gaussian process"},
  {"environment", NUMBERS, NEEDED}, {"parameters", NUMBERS, NEEDED}, END};
static const fcps_field binding[] = {{"kind", TEXT, NEEDED, .choices = "limit constraint bound"},
  {"name", TEXT, NEEDED, "The name of the limit or dimension, or the formula of the constraint"}, {"chance", NUMBER, 0, "The chance that the limit is kept"},
  {"wanted", NUMBER, 0, "The least chance that is allowed"}, {"value", NUMBER, 0, "The bound"}, END};
static const fcps_field alternative[] = {{"parameters", NUMBERS, NEEDED}, {"reward", NUMBER, NULLABLE}, {"reward_sd", NUMBER, NULLABLE}, END};
static const fcps_field why_answer[] = {{"ask", INTEGER, NEEDED | SAME}, {"target", NUMBERS, NEEDED}, {"environment", NUMBERS, NEEDED}, {"parameters", NUMBERS, NEEDED},
  {"state", TEXT, NEEDED, .choices = "pending told forgotten"}, {"text", TEXT, NEEDED, "Why, in a sentence"},
  {"results", INTEGER, NEEDED, "The number of results before the ask; the model that answers was learnt from them"},
  {"expected", OBJECT, .of = expected}, {"could_earn", NUMBER, NULLABLE, "With luck: the reward that these parameters reach or exceed in one of ten cases"},
  {"earned", NUMBER, 0, "The reward that was told"}, {"best", OBJECT, 0, "The best known choice in that context", .of = alternative},
  {"runner_up", OBJECT, 0, "The other trial in that context with the largest sum of expected reward and the deviation of that expectation", .of = alternative},
  {"teaches", LIST, NEEDED, .of = lesson}, {"trials", LIST, NEEDED, "The results that weigh most in the prediction", .of = speaking},
  {"binds", LIST, NEEDED, "Limits, constraints and bounds without which the parameters would go further", .of = binding}, UNITS, END};

static const fcps_field forecast_request[] = {
  {"trials", INTEGER, 0, "How many more; with `reward` the most that are looked at. 40 if left out, 100 with `reward`", 1, 200, .letter = 'n'},
  {"reward", NUMBER, 0, "How many more trials until the policy earns this, mean over the contexts?", .letter = 'r'},
  {"parallel", INTEGER, 0, "Also with so many trials side by side: what further robots save", 1, 64, .letter = 'p'}, END};
static const fcps_field band[] = {{"median", NUMBER, NULLABLE}, {"low", NUMBER, NULLABLE, "Less in one of ten worlds"}, {"high", NUMBER, NULLABLE, "More in one of ten worlds"},
  {"trials", INTEGER, 0, "After so many more trials"}, END};
static const fcps_field trials_band[] = {{"low", INTEGER, NULLABLE}, {"high", INTEGER, NULLABLE, "null: in one of ten worlds or more it is not reached"}, END};
static const fcps_field side_by_side[] = {{"robots", INTEGER, NEEDED}, {"trials", INTEGER, NULLABLE}, {"rounds", INTEGER, NULLABLE, "The time that they take, in trials"},
  {"time_saved", NUMBER, NULLABLE, "As a share"}, {"reward", OBJECT, NEEDED, .of = band}, END};
static const fcps_field forecast_answer[] = {
  {"trials", INTEGER, NEEDED | NULLABLE, "With `reward` the median of how many more it takes; null: in half of the worlds it is not reached"},
  {"text", TEXT, NEEDED, "The same in a sentence"}, {"trials_band", OBJECT, 0, "With `reward`", .of = trials_band},
  {"wanted", NUMBER, 0, "The `reward` asked about"}, {"chance", NUMBER, 0, "That it is reached"},
  {"reward", OBJECT, NEEDED, "What the policy then earns, mean over contexts spread over the whole space", .of = band},
  {"now", OBJECT, NEEDED, "What it earns today", .of = band}, {"curve", LIST, NEEDED, "On the way", .of = band},
  {"parallel", OBJECT, 0, .of = side_by_side}, {"learner", TEXT, NEEDED, "Whose trials were rehearsed: another's, if the study's own has no model for it"}, END};

static const fcps_field explain_request[] = {
  {"target", NUMBERS, 0, "Slices go through this target; the middle of the ranges if left out", .letter = 't'},
  {"environment", NUMBERS, 0, "Slices go through this environment; the middle of the ranges if left out", .letter = 'e'}, {"points", INTEGER, 0, "The number of points of each slice", 2, 64, .initial = "24"}, END};
static const fcps_field sensitivity[] = {{"output", TEXT, NEEDED, "`reward`, or an outcome"},
  {"total", NUMBERS, NEEDED, "The share of its variation that is left while all other dimensions are held (Sobol)"},
  {"alone", NUMBERS, NEEDED, "The share that each dimension explains alone"}, {"exact", BOOLEAN, 0, "Computed in closed form; false: from samples"}, END};
#define LINE {"dimension", TEXT, NEEDED}, {"space", TEXT, NEEDED, .choices = "target environment parameters"}, {"values", LIST, NEEDED}
static const fcps_field slice[] = {LINE, {"rewards", LIST, NEEDED, "Expected there, through the best parameters of the context"}, {"deviations", LIST, NEEDED},
  {"averages", LIST, NEEDED, "Expected there, mean over all other dimensions (partial dependence)"}, {"average_deviations", LIST, NEEDED},
  {"outcomes", OBJECT, 0, "A list for each outcome"}, {"outcome_deviations", OBJECT}, END};
static const fcps_field choice_line[] = {LINE, {"parameters", OBJECT, NEEDED, "A list for each: the best parameters there"}, {"rewards", LIST, NEEDED}, {"deviations", LIST, NEEDED}, END};
static const fcps_field explain_answer[] = {{"target", NUMBERS, NEEDED}, {"environment", NUMBERS, NEEDED},
  {"parameters", NUMBERS, NEEDED, "The best ones there"}, {"sensitivity", LIST, NEEDED, .of = sensitivity}, {"text", TEXT, NEEDED, "What matters, in a sentence"},
  {"never_varied", TEXT, 0, "What had one value in all results: its influence is unknown, and it has no share"},
  {"choices", LIST, NEEDED, "How the best parameters follow each dimension of the context", .of = choice_line}, {"slices", LIST, NEEDED, .of = slice},
  {"calibration", OBJECT, 0, "Each result beside its prediction from the others, as in `check-model`"}, UNITS, END};

/* -- What is stored -- */

static const fcps_field asks_request[] = {{"state", TEXT, .choices = "pending all", .initial = "\"pending\""}, END};
static const fcps_field rollout[] = {{"result", INTEGER, NEEDED}, RESULT_NAME, {"ask", INTEGER, NULLABLE}, {"status", TEXT}, {"target", NUMBERS},
  {"environment", NUMBERS}, {"parameters", NUMBERS}, {"outcome", NUMBERS, NULLABLE}, {"reward", NUMBER, NULLABLE},
  {"expected", OBJECT, .of = expected}, {"used", BOOLEAN}, {"flagged", BOOLEAN}, {"client", TEXT}, {"message", TEXT}, {"time_ms", INTEGER}, END};
static const fcps_field event[] = {{"sequence", INTEGER, NEEDED}, {"time_ms", INTEGER}, {"code", TEXT}, {"text", TEXT}, END};
static const fcps_field point[] = {{"result", INTEGER}, {"reward", NUMBER}, {"mean", NUMBER}, END};
static const fcps_field suspect[] = {{"result", INTEGER, NEEDED}, RESULT_NAME, {"surprise", TEXT}, END};
#define DIGESTS \
  {"digest", TEXT, 0, "Of what can change in stored results, up to `last`"}, \
  {"earlier", TEXT, 0, "The same up to `after`. If it equals the `digest` of the last answer, what was got before is still true"}
static const fcps_field pages_request[] = {PAGES, END};
static const fcps_field rollouts_answer[] = {{"rollouts", LIST, NEEDED, .of = rollout}, {"last", INTEGER, NEEDED}, {"more", BOOLEAN, NEEDED}, {"sequence", INTEGER},
  DIGESTS, END};
static const fcps_field events_answer[] = {{"events", LIST, NEEDED, .of = event}, {"last", INTEGER, NEEDED}, {"more", BOOLEAN, NEEDED}, {"sequence", INTEGER}, END};
static const fcps_field curve_request[] = {AFTER, END};
static const fcps_field curve_answer[] = {{"points", LIST, NEEDED, .of = point}, {"last", INTEGER, NEEDED}, DIGESTS, END};
static const fcps_field suspects_answer[] = {{"suspects", LIST, NEEDED, .of = suspect}, END};
static const fcps_field file_request[] = {
  {"not", TEXT, 0, "DEVICE:NUMBER of the file that the copy is to replace: if it is the study's own, the copy is refused"}, END};

/* -- Workers -- */

static const fcps_field work_answer[] = {{"problem", TEXT, NEEDED, "The text of the problem file"},
  {"file", TEXT, 0, "The name that the problem file had when the study was made"}, {"learner", TEXT, NEEDED}, {"settings", FCPS_FIELD_SETTINGS, NEEDED}, {"seed", INTEGER, NEEDED},
  {"identity", TEXT, NULLABLE, "A text that identifies the study and its copies"}, {"asks", INTEGER, 0, "How many there are"},
  {"held", TEXT, 0, "The run that owns the study, if one does. Until it ends no worker gets an ask"}, END};
static const fcps_field lease_request[] = {WORKER, SESSION, LEASE_MS,
  {"most_asks", INTEGER, 0, "No new ask if the study has as many already", 1, INT64_MAX}, BUDGET, TARGET, ENVIRONMENT, END};
static const fcps_field lease_answer[] = {ASK_FIELDS(NEEDED | NULLABLE, 0, 0), {"leases", INTEGER, NEEDED, "How many asks are under way"},
  {"asks", INTEGER, NEEDED, "How many there are in all"}, END};
static const fcps_field renew_request[] = {WORKER, SESSION, LEASE_MS, END};
static const fcps_field release_request[] = {WORKER, SESSION, END};
static const fcps_field leases_answer[] = {{"worker", TEXT}, {"leases", INTEGER, NEEDED}, END};

#define CSV "text/csv; charset=utf-8"
#define GET FCPS_OPERATION_BY_GET
#define PROGRAMS FCPS_OPERATION_OF_PROGRAMS

static const fcps_operation table[] = {
  {"ask", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_ASK, FCPS_OPERATION_COUNTS | FCPS_OPERATION_MAKES_ASKS, "Parameters worth trying in a context",
   "The ask is stored before it is shown; tell its result with its number. A client gets its unfinished ask again, so that a "
   "repeated request is harmless. Several asks may be unfinished at once; for trials side by side ask for all of them with `count` "
   "or `contexts`: each knows the others, and all are stored, or none. The asks of client `robot` then belong to `robot`, `robot/2`, `robot/3`, ...; "
   "without a client each request makes new asks.",
   "--target x=3,y=4 --environment wind=0.2 --json\n--target x=3,y=4 --environment wind=0.2 --count 4", ask_request, asks_answer, NULL, fcps_operation_ask},
  {"choose", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_ASK, FCPS_OPERATION_COUNTS | FCPS_OPERATION_MAKES_ASKS, "Parameters worth trying, in a context that an active learner chooses",
   "An active learner chooses the context and the parameters. Numbers given by `target` and `environment` stay fixed.", "--environment wind=0.2", choose_request, ask_answer, NULL, fcps_operation_choose},
  {"tell", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_TELL, 0, "Store the result of a trial",
   "To tell the same result again is harmless. A different result for the same ask is kept as evidence, but refused. For a trial that "
   "nobody asked for, leave out `ask` and give `environment` and `executed`, and `target` if it is known.",
   "1 --outcome land_x=0.64,land_y=-3.05\n1 --outcome land_x=0.64,land_y=-3.05 --outcome-sd land_x=0.1,land_y=0.2\n"
   "2 --failed \"gripper slipped\"\n--kept", tell_request, receipt, NULL, fcps_operation_tell},
  {"forget", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_ASK, 0, "Give up an ask",
   "The learner no longer waits for it. Its result is still accepted if it comes.", "7", forget_request, forget_answer, NULL, fcps_operation_forget},
  {"best", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, 0, "The best parameters known for a context",
   "With what they are expected to earn; for one context, or for each of `contexts`.", "--target x=1,y=2 --environment wind=0",
   best_request, best_answer, NULL, fcps_operation_best},
  {"retarget", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, 0, "The best parameters for many contexts", NULL, "--contexts contexts.csv",
   retarget_request, retarget_answer, NULL, fcps_operation_retarget},
  {"status", "", FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "The state of the study, and whether to go on",
   "What `fcps study status --json` prints, with the name, the seed and the sequence.", NULL, nothing, status_answer, NULL, fcps_operation_status},
  {"problem", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET, "The spaces and the reward", NULL, NULL, nothing, problem_answer, NULL,
   fcps_operation_problem},
  {"asks", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET, "The asks, unfinished or all", NULL, NULL, asks_request, list_answer, NULL,
   fcps_operation_asks},
  {"rollouts", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET, "Stored results, those after a number", NULL, NULL, pages_request,
   rollouts_answer, NULL, fcps_operation_rollouts},
  {"table", "rollouts.csv", FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "All results as a table", "What `fcps study export` writes.", NULL,
   nothing, nothing, CSV, fcps_operation_table},
  {"suspects", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "Results that the model does not believe", NULL, NULL, nothing,
   suspects_answer, NULL, fcps_operation_suspects},
  {"events", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET, "Changes and notes, those after a number", NULL, NULL, pages_request,
   events_answer, NULL, fcps_operation_events},
  {"curve", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET | PROGRAMS, "The learning curve", NULL, NULL, curve_request, curve_answer, NULL,
   fcps_operation_curve},
  {"health", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "How the model sees the results: noise, lengths and beliefs", NULL, NULL, nothing, health_answer, NULL,
   fcps_operation_health},
  {"check-model", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "How far to trust the model: each result predicted from all others",
   NULL, NULL, nothing, nothing, NULL, fcps_operation_check_model},
  {"why", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "Why an ask was made, and what it teaches",
   "What it expects and could earn, what it would teach, which results speak for it, what binds it, and what else could be done: by the model of the results before it.",
   "7", why_request, why_answer, NULL, fcps_operation_why},
  {"forecast", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET, "How many more trials a reward takes, or what more trials bring",
   "The study is rehearsed in worlds that its model believes possible. A band has 8 of 10 of these worlds; in a quarter of them nothing more is learnt.", "--trials 40\n--reward -0.2 --parallel 2",
   forecast_request, forecast_answer, NULL, fcps_operation_forecast},
  {"explain", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, 0, "Which parameter matters, and how the best ones follow the context", NULL, "--json\n--target x=3,y=4",
   explain_request, explain_answer, NULL, fcps_operation_explain},
  {"policy", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, GET | PROGRAMS, "The policy as a file", NULL, NULL, nothing, nothing, "application/json",
   fcps_operation_policy},
  {"file", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET | PROGRAMS, "The study itself, as a file", NULL, NULL, file_request, nothing,
   "application/octet-stream", fcps_operation_file},
  {"map", NULL, FCPS_OPERATION_ASKS, FCPS_RIGHT_READ, PROGRAMS, "What the policy earns over two dimensions of the context",
   "The lowest row first, each from left to right.", NULL, map_request, map_answer, NULL, fcps_operation_map},
  {"import", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, FCPS_OPERATION_IS_LONG | FCPS_OPERATION_COUNTS, "Add old results from a table",
   "The table has a column for each dimension, in any order, and optionally reward, hindsight_reward, status and message. An outcome whose cells are all empty "
   "is absent. All rows are stored, or none. To send the same table again is harmless: rows that equal a stored result to the last digit are skipped.", "last-month.csv", import_request,
   import_answer, NULL, fcps_operation_import},
  {"use", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Count a result again", NULL, "12.1", result_request, used_answer, NULL,
   fcps_operation_use},
  {"drop", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Stop counting a result", "It stays stored; `use` takes it back.", "12.1",
   result_request, used_answer, NULL, fcps_operation_drop},
  {"confirm", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Say that a surprising result is right", NULL, "12.1", result_request,
   confirmed_answer, NULL, fcps_operation_confirm},
  {"note", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Write down what should be remembered",
   "It changes nothing; `fcps study log` shows it. The same words about the same result are stored once.",
   "\"the belt was loose\" --result 7.1", note_request, note_answer, NULL, fcps_operation_note},
  {"amend", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Change the reward, bounds, words, or the learner",
   "What was there before stays in the history.",
   "--reward -distance\n--bounds speed=0.1,6\n--add-choice gate=ring\n--set kappa=1 --set separate=on\n--learner bo-fcps", amend_request,
   amend_answer, NULL, fcps_operation_amend},
  {"work", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, GET | PROGRAMS, "What a worker must know of the study", NULL, NULL, nothing,
   work_answer, NULL, fcps_operation_work},
  {"lease", NULL, FCPS_OPERATION_WRITES, FCPS_RIGHT_ASK, PROGRAMS, "An ask for a worker, under a lease",
   "A worker that has an unfinished ask gets it again, so that a repeated request is harmless; else the oldest ask whose lease has ended; else a new one. "
   "Without a context the problem file's distribution is drawn from, or the learner chooses. The result is told as any other, with the worker as "
   "`client`; a late one is taken as well.", NULL, lease_request, lease_answer, NULL, fcps_operation_lease},
  {"renew", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_ASK, PROGRAMS, "A sign of life: extends all leases of a worker", NULL, NULL, renew_request,
   leases_answer, NULL, fcps_operation_renew},
  {"release", NULL, FCPS_OPERATION_LOOKS, FCPS_RIGHT_ASK, PROGRAMS, "Ends all leases of a worker, so that others get its asks at once", NULL, NULL,
   release_request, leases_answer, NULL, fcps_operation_release},
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

const fcps_operation *fcps_operation_at(int index)
{
  return index >= 0 && index < ROWS ? table + index : NULL;
}

const fcps_operation *fcps_operation_find(const char *name)
{
  for (int i = 0; i < ROWS; i++)
    if (strcmp(table[i].name, name) == 0) return table + i;
  return NULL;
}

const char *fcps_operation_path(const fcps_operation *operation)
{
  return operation->path != NULL ? operation->path : operation->name;
}
