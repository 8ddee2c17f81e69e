/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds, in the order in which they are asked, and in which they change what GPs see. */
#include "model/structure.h"

#include "base/settings.h"

#include <string.h>

#define DECLARED(name)               extern const fcps_structure_kind fcps_structure_##name;
#define LOOK_DECLARED(name, d, n, h) DECLARED(name)
FCPS_STRUCTURE_LIST(LOOK_DECLARED, DECLARED)

#define LISTED(name)               &fcps_structure_##name,
#define LOOK_LISTED(name, d, n, h) LISTED(name)
static const fcps_structure_kind *const kinds[] = {FCPS_STRUCTURE_LIST(LOOK_LISTED, LISTED)};
enum { KINDS = (int)(sizeof kinds / sizeof *kinds) };
_Static_assert((int)KINDS <= (int)FCPS_STRUCTURES, "there is room for all structures");

const fcps_structure_kind *fcps_structure_kind_at(int index)
{
  return index >= 0 && index < KINDS ? kinds[index] : NULL;
}

int fcps_structure_find(const char *name)
{
  for (int i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return i;
  return -1;
}

fcps_json *fcps_structure_write(const fcps_structure_kind *kind, const fcps_layout *layout,
                                const fcps_description *description, const void *state)
{
  return kind->write != NULL ? kind->write(layout, description, state) : fcps_json_from_bool(true);
}

fcps_status fcps_structure_read(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure)
{
  bool is_on = false;
  if (kind->read != NULL) return kind->read(look, json, structure);
  return fcps_json_bool(json, &is_on) && is_on ? fcps_structure_mark(structure) : FCPS_ERR_FORMAT;
}

/* Whether a list of names, separated by spaces, has a name. */
static bool has_name(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) return true;
  return false;
}

bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b)
{
  return has_name(a->excludes, b->name) || has_name(b->excludes, a->name);
}

const char *fcps_structure_setting_name(int index)
{
  static const char *const names[] = {
      [FCPS_STRUCTURE_OFF] = "off", [FCPS_STRUCTURE_AUTO] = "auto", [FCPS_STRUCTURE_ON] = "on"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

const char *fcps_structure_look_name(int index)
{
  return index <= FCPS_STRUCTURE_AUTO ? fcps_structure_setting_name(index) : NULL;
}

const char *fcps_input_noise_name(int index)
{
  static const char *const names[] = {
      [FCPS_INPUT_NOISE_OFF] = "off", [FCPS_INPUT_NOISE_GIVEN] = "given", [FCPS_INPUT_NOISE_LEARNT] = "learnt"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index)
{
#define FIELD(name)               settings->name,
#define LOOK_FIELD(name, d, n, h) FIELD(name)
  const fcps_structure_setting all[] = {FCPS_STRUCTURE_LIST(LOOK_FIELD, FIELD)};
  return all[index];
}
