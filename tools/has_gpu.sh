#!/usr/bin/env bash
# Succeeds on a machine with a GPU whose driver answers.
command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU
