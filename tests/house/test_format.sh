# SPDX-License-Identifier: Apache-2.0
# Sources look as .clang-format wants them: `make format` does it. Other versions of the formatter judge differently.
set -eu
cd "$FCPS_SOURCE_DIR"
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo 'skipped: clang-format 14 is missing (Debian 12: clang-format)'; exit 77; }
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo 'skipped: this is no clone of git'; exit 77; }
git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
