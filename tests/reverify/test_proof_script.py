"""The script that proves re-verification on a real card, played with stand-ins for all parts."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from bench import OUTPUT, Bench, slower
from proof import reverify as proof

NVCC = """\
#!/bin/sh
case "$*" in
*--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
*-E*) echo 'course_runtime 13000' ;;
*burner*) cp {bench}/busy {folder}/burner ;;
*)
    cp {bench}/program tiled_matmul
    if grep -q 'until = clock64' tiled_matmul.cu; then cp {bench}/slow tiled_matmul; fi
    if grep -q 'kTileDim - 1; ++p' tiled_matmul.cu; then cp {bench}/wrong tiled_matmul; fi ;;
esac
"""
BUSY = """\
#!/bin/sh
echo 0 > {bench}/reasons
echo busy
exec sleep 600
"""


@pytest.fixture
def stand_ins(bench: Bench, idle: Path, tmp_path: Path) -> Path:
    """Programs that print five slightly different tables, slower ones, and a mismatch."""
    bench.prints(*(slower(OUTPUT, factor) for factor in (1.0, 1.01, 1.005, 0.99, 1.0)))
    folder = bench.folder
    (folder / "slow-table").write_text(slower(OUTPUT, 1.5))
    scripts = {
        "nvcc": NVCC.replace("{folder}", '$(dirname "$5")'),
        "busy": BUSY,
        "slow": "#!/bin/sh\ncat {bench}/slow-table\n",
        "wrong": "#!/bin/sh\necho 'MISMATCH: C[0][0] is 1, expected 2' >&2\nexit 1\n",
    }
    for name, text in scripts.items():
        (folder / name).write_text(text.replace("{bench}", str(folder)))
        (folder / name).chmod(0o755)
    return tmp_path / "out"


def test_every_scene_gets_its_verdict(stand_ins: Path) -> None:
    """All scenes are right, no pair of one build is FASTER or SLOWER, and all logs are there."""
    assert proof.main(stand_ins) == 0
    report = json.loads((stand_ins / "reverify.json").read_text())
    assert report["ok"]
    assert report["same_build_pairs"]["wrong"] == 0
    states = {scene["name"]: scene["state"] for scene in report["scenes"]}
    assert [states[f"the same build, {number}"] for number in range(1, 11)] == ["passed"] * 10
    assert states["another architecture, through the driver"] == "not comparable"
    assert states["a compiler that makes slower code"] == "slower"
    assert states["a compiler that makes wrong code"] == "failed"
    assert states["another, slower source"] == "first"
    assert states["a second job all the time"] == "not comparable"
    assert {path.name for path in stand_ins.iterdir()} == {"reverify.json", "reverify-logs.tar.gz"}
    with tarfile.open(stand_ins / "reverify-logs.tar.gz") as tar:
        assert len(tar.getnames()) == 11 + 6


def test_a_wrong_verdict_is_exit_1(stand_ins: Path, bench: Bench) -> None:
    """Slower code that is not slower does not get its verdict, and the script says so."""
    (bench.folder / "slow-table").write_text(OUTPUT)
    assert proof.main(stand_ins) == 1
    report = json.loads((stand_ins / "reverify.json").read_text())
    wrong = [scene["name"] for scene in report["scenes"] if not scene["ok"]]
    assert wrong == ["a compiler that makes slower code"]
