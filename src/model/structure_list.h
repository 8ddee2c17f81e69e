/* SPDX-License-Identifier: Apache-2.0 */
/* The table of structures: a row for each kind, in the order in which they are asked, and in which they change what GPs see.
 *
 *   LOOK(name, default, names, help)   a kind with a setting of its name: whether it is looked for
 *   OWN(name)                          a kind whose setting, if it has one, is a row of learner/bo/bo_settings.c
 *
 * The kind itself is fcps_structure_<name>, in structures/<name>.c. */
#ifndef FCPS_MODEL_STRUCTURE_LIST_H
#define FCPS_MODEL_STRUCTURE_LIST_H

#define FCPS_STRUCTURE_LIST(LOOK, OWN)                                                                                 \
  OWN(frame)                                                                                                           \
  LOOK(separate, "off", fcps_structure_setting_name,                                                                   \
       "each outcome has its own hyper-parameters; auto: if the data say so (outcome)")                                \
  LOOK(words, "auto", fcps_structure_look_name,                                                                        \
       "some words are more alike than others: off, or auto if the data say so (outcome)")                             \
  LOOK(drift, "auto", fcps_structure_look_name,                                                                        \
       "outcomes change slowly with the order of trials: off, or auto if the data say so (outcome)")                   \
  LOOK(contact, "auto", fcps_structure_look_name,                                                                      \
       "results at rest (nothing moved, or a sensor at the end of its range) are modelled apart: off, or auto "        \
       "(outcome)")                                                                                                    \
  LOOK(uneven_noise, "auto", fcps_structure_look_name,                                                                 \
       "noise depends on the place: off, or auto if the data say so (outcome)")                                        \
  OWN(told_noise)                                                                                                      \
  OWN(input_noise)                                                                                                     \
  LOOK(doubts, "auto", fcps_structure_look_name,                                                                       \
       "results that contradict all others count less: off, or auto (outcome)")

#endif
