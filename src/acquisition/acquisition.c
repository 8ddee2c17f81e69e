/* SPDX-License-Identifier: Apache-2.0 */
#include "acquisition/acquisition.h"

#include "base/settings.h"

static const fcps_acquisition *const acquisitions[] = {
    &fcps_acquisition_ucb,      &fcps_acquisition_random, &fcps_acquisition_es,  &fcps_acquisition_ei,
    &fcps_acquisition_thompson, &fcps_acquisition_kg,     &fcps_acquisition_mes, &fcps_acquisition_jes};

const fcps_acquisition *fcps_acquisition_at(int index)
{
  const int count = (int)(sizeof acquisitions / sizeof *acquisitions);
  return index >= 0 && index < count ? acquisitions[index] : NULL;
}

const char *fcps_kappa_schedule_name(int index)
{
  static const char *const names[] = {
      [FCPS_KAPPA_CONSTANT] = "constant", [FCPS_KAPPA_GP_UCB] = "gp-ucb", [FCPS_KAPPA_GP_UCB2] = "gp-ucb2"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}
