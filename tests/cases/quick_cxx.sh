#!/bin/sh
# quick_cxx.sh COMPILER ARGUMENTS...: plugins of the tests are compiled once and run for a moment.
exec "$@" -O1
