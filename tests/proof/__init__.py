"""Proof on a GPU and against peers: hardware counters, sanitizers, Oclgrind."""
