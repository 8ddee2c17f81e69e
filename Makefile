# SPDX-License-Identifier: Apache-2.0
# The door: each command is a line or two over scripts/setup, CMake presets and CTest.
PREFIX ?= /usr/local
# one test more than cores: some tests wait for programs that sleep
export CTEST_PARALLEL_LEVEL ?= $(shell expr $$(nproc) + 1)

help:            ## this list
	@sed -n 's/^\([a-z-]*\): *[a-z ]*## /  make \1\t/p' Makefile | expand -t 20

run: program     ## learn the toy cannon and draw what was learnt
	build/fcps run cannon --learner outcome --episodes 150 --seed 1

build: program   ## the program, at build/fcps, the library, and the Python package, in build/python
	@cmake --build --preset release --target program_and_package

program: setup
	@if grep -qsx 'CMAKE_HOME_DIRECTORY:INTERNAL=$(CURDIR)' build/CMakeCache.txt || [ ! -e build/CMakeCache.txt ]; \
	then cmake --preset release; else cmake --fresh --preset release; fi # fresh: the folder was renamed or copied
	@cmake --build --preset release --target program

test: setup      ## the quick suite, plain and under the address and undefined-behaviour sanitizers
	cmake --workflow --preset release
	cmake --workflow --preset asan

test-full: test  ## all of it: also clang, warnings as errors, threads, valgrind, coverage, long tests
	scripts/test-full

fuzz: setup      ## an hour of mutated inputs for each reader of files
	scripts/fuzz 3600

bench: build     ## measured times and their limits
	cmake --build --preset release --target bench

bench-serve: build ## `fcps serve`: 20 clients on 4 studies for a minute, the same in process, two pages side by side, and Optuna: a table
	cmake --build --preset release --target in_process_trials
	python3 bench/serve/table.py build/fcps build/bench/in_process_trials

bench-work: build ## trials a second against workers, beside Optuna, and what workers are worth on the cannon
	bench/peers/setup.sh work
	cmake --build --preset release --target shoot
	python3 bench/work/rate.py build/fcps
	python3 bench/work/learn.py build/fcps build/bench/shoot

soak: build      ## eight hours of load on `fcps serve`: memory and open files stay as they are
	python3 bench/serve/load.py build/fcps --soak --learner random --rollouts 0 --seconds 28800

bench-peers: build ## fcps compared with other packages, which pip installs into .deps
	bench/peers/setup.sh
	cmake --build --preset release --target bench_lab bench_words lab_problem shoot workshop write_shots
	bench/peers/run.sh build

wheel: setup     ## the Python package as a wheel and as an archive of sources, in dist
	scripts/wheel

format:          ## formats all sources by .clang-format
	scripts/setup --full
	git ls-files '*.c' '*.h' | xargs clang-format -i

install: program ## installs into PREFIX (/usr/local); obeys DESTDIR
	cmake --install build --prefix $(PREFIX)

clean:           ## removes what was built
	rm -rf build

setup:
	@scripts/setup

.PHONY: help run build program test test-full fuzz bench bench-serve bench-work soak bench-peers wheel format install clean setup
