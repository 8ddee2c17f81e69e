/* SPDX-License-Identifier: Apache-2.0 */
/* The prior of hyper-parameters that most tests take: that of the learners, with a deviation of length-scales. */
#ifndef FCPS_TESTS_PRIOR_H
#define FCPS_TESTS_PRIOR_H

#define USUAL_PRIOR(deviation)                                                                                         \
  {                                                                                                                    \
    .length = 0.4, .length_sd = (deviation), .signal = 1, .signal_sd = 1, .noise = 0.05, .noise_sd = 1,                \
    .noise_floor = 1e-3                                                                                                \
  }

#endif
