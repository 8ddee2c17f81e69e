/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program. A new one is a folder with its function, which is declared here and named in main.c. */
#ifndef FCPS_CLI_SUPPORT_COMMANDS_H
#define FCPS_CLI_SUPPORT_COMMANDS_H

/* Gets the arguments of the command (argv[0] is "fcps NAME") and returns the exit code. */
typedef int fcps_command_fn(int argc, char **argv);

fcps_command_fn fcps_command_run, fcps_command_reproduce, fcps_command_study, fcps_command_retarget,
    fcps_command_policy, fcps_command_tasks, fcps_command_learners, fcps_command_experiments, fcps_command_render,
    fcps_command_oracle;

#endif
