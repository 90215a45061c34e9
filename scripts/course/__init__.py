"""The toolchain of the course site: evidence, the gate, and what authors, CI and readers run."""
