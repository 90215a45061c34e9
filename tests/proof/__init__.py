"""Proof on a GPU and against peers; run from tests/, so that `gallery` and `proof` are found.

proof/gpu.sh OUTDIR                              counters and sanitizers, on a GPU machine
python -m proof.oclgrind proof/results           Oclgrind's column, on any machine that has it
python -m proof.compare proof/results/h200/counters.json
"""
