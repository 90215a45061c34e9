"""Stand-ins for compiler and card, and the output of the course that they print."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
FAKES = REPOSITORY / "tests" / "fakes"
PROGRAM = "day16-tiled-matmul"
T4 = "GPU-11111111-0000-4000-8000-000000000001|Tesla T4|7.5"
L4 = "GPU-22222222-0000-4000-8000-000000000002|NVIDIA L4|8.9"
GIT = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}

# The course's published output on a Tesla T4, in the shape that program.yml declares.
OUTPUT = """\
GPU: Tesla T4 (compute capability 7.5)
tile 16 x 16, 256 threads per block, 2048 bytes of shared memory per block

case             kernel    time (ms)     GFLOP/s  loads/thread
---------------- ------- ----------- ----------- -------------
256x256x256      naive         0.165       203.5           512
256x256x256      tiled         0.108       312.0            32
                 tiled is 1.53x faster and reads 16.0x fewer floats per thread
512x512x512      naive         0.982       273.4          1024
512x512x512      tiled         0.620       432.9            64
                 tiled is 1.58x faster and reads 16.0x fewer floats per thread
611x613x617      naive         1.759       262.8          1234
611x613x617      tiled         1.364       338.9            78
                 tiled is 1.29x faster and reads 15.8x fewer floats per thread

all 3 cases match the CPU reference at every element
"""

NVCC = """\
#!/bin/sh
case "$1" in
--version)
    echo 'nvcc: NVIDIA (R) Cuda compiler driver'
    echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
-E) echo 'course_runtime 13000' ;;
*)
    [ -f {bench}/compiler-says ] && {{ cat {bench}/compiler-says >&2; exit 2; }}
    cp tiled_matmul.cu {bench}/compiled.cu
    env > {bench}/environment
    cp {bench}/program tiled_matmul ;;
esac
"""

# Prints {bench}/<run>, then does what {bench}/<run>.then says.
STAND_IN = """\
#!/bin/sh
echo run >> {bench}/started
run=$(grep -c . {bench}/started)
[ -f {bench}/$run ] || run=1
cat {bench}/$run
if [ -f {bench}/$run.then ]; then . {bench}/$run.then; fi
"""


def slower(output: str, factor: float) -> str:
    """The output with every time multiplied: what another run of the same program prints."""
    lines = output.split("\n")
    for at, line in enumerate(lines):
        fields = line.split()
        if len(fields) == 5 and fields[0][0].isdigit():
            lines[at] = line.replace(fields[2], f"{float(fields[2]) * factor:.3f}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Bench:
    """`folder/1`, `folder/2` … are what the runs print (the first again where one is missing)."""

    folder: Path

    def prints(self, *outputs: str | bytes) -> None:
        for number, output in enumerate(outputs, start=1):
            data = output if isinstance(output, bytes) else output.encode()
            (self.folder / str(number)).write_bytes(data)

    def then(self, number: int, command: str) -> None:
        """After its output, run `number` does a shell command."""
        (self.folder / f"{number}.then").write_text(command + "\n")

    def compiler_says(self, text: str) -> None:
        """The compiler refuses."""
        (self.folder / "compiler-says").write_text(text)

    @property
    def started(self) -> int:
        """How many processes of the program were started."""
        path = self.folder / "started"
        return path.read_text().count("run") if path.exists() else 0
