"""Signatures by a real ssh-keygen: what fits, what does not, and what nobody could tell."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import PROGRAM
from course.errors import CourseError
from course.evidence import Log
from course.project import Project
from course.reverify.answers import answers_path
from course.signing import (
    check_attestation,
    check_signature,
    reproduced_by,
    sign,
    signature_path,
    signers_path,
)
from reverify.made import STEADY, forge, make_log, tables
from reverify.made import vouching_findings as findings


@dataclass(frozen=True)
class Keys:
    """Keys that ssh-keygen made, by the names of their owners."""

    folder: Path

    def key(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)]
            subprocess.run(command, check=True)
        return path

    def allow(self, root: Path, *names: str) -> None:
        lines = []
        for name in names:
            kind, public, _ = Path(f"{self.key(name)}.pub").read_text().split(maxsplit=2)
            lines.append(f'{name} namespaces="course-evidence" {kind} {public}\n')
        signers_path(root).write_text("".join(lines))


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    folder = tmp_path / "keys"
    folder.mkdir()
    return Keys(folder)


@pytest.fixture
def log(project: Path) -> Log:
    return make_log(project, tables(STEADY))


def test_a_signed_log_is_vouched_for(project: Path, log: Log, keys: Keys) -> None:
    """The house signs: no finding, and nobody else is named."""
    keys.allow(project, "house")
    assert sign(log.path, keys.key("house")) == signature_path(log.path)
    assert findings(project) == []
    assert reproduced_by(project, log.path) == ""


def test_a_log_of_somebody_else_names_them(project: Path, log: Log, keys: Keys) -> None:
    """Who is allowed and is not the house has reproduced the results."""
    keys.allow(project, "house", "ada@example.org")
    sign(log.path, keys.key("ada@example.org"))
    assert findings(project) == []
    assert reproduced_by(project, log.path) == "ada@example.org"


def test_a_forged_log_is_caught(project: Path, log: Log, keys: Keys) -> None:
    """An edited output under a new seal reads well, and its signature does not fit."""
    keys.allow(project, "house")
    sign(log.path, keys.key("house"))
    forge(log)
    assert Project.load(project).faults == ()
    [finding] = findings(project)
    assert (finding.code, finding.severity) == ("signature-bad", "error")
    assert finding.path == f"evidence/{PROGRAM}/{log.path.name}"
    assert finding.message == (
        "the signature does not fit the log: the signature of house is of other bytes"
    )
    assert reproduced_by(project, log.path) == ""


def test_nobody_known_signed(project: Path, log: Log, keys: Keys) -> None:
    """A key that is not allowed, and no list of allowed ones at all."""
    sign(log.path, keys.key("mallory"))
    [finding] = findings(project)
    assert (finding.code, finding.message) == (
        "signature-unknown",
        "nobody known signed this: there is no evidence/allowed_signers",
    )
    keys.allow(project, "house")
    [finding] = findings(project)
    assert (finding.code, finding.message) == (
        "signature-unknown",
        "nobody known signed this: its key is not in evidence/allowed_signers",
    )


def test_a_signature_for_something_else(project: Path, log: Log, keys: Keys) -> None:
    """A signature of the same bytes under another namespace vouches for nothing here."""
    keys.allow(project, "house")
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(keys.key("house"))]
    subprocess.run([*command, str(log.path)], check=True, capture_output=True)
    [finding] = findings(project)
    assert finding.code == "signature-bad"


AT = "evidence/allowed_signers:1: "


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'house valid-before="20200101" {key}',
            AT + "key has expired: valid-before 2020-01-01T00:00:00",
        ),
        (
            'house valid-after="20990101" {key}',
            AT + "key is not yet valid: valid-after 2099-01-01T00:00:00",
        ),
        ("house ssh-ed25519 AAAAnokey", AT + "invalid key"),
        ("house", AT + "missing key"),
        ("house nonsense=1 {key}", AT + "bad options: unknown key option"),
        (
            'house namespaces="git" {key}',
            AT + 'key is not permitted for use in signature namespace "course-evidence"',
        ),
    ],
)
def test_a_key_that_does_not_hold(
    line: str, told: str, project: Path, log: Log, keys: Keys
) -> None:
    """An expired or malformed key is told with its line, and what is wrong with it."""
    sign(log.path, keys.key("house"))
    public = " ".join(Path(f"{keys.key('house')}.pub").read_text().split()[:2])
    signers_path(project).write_text(line.format(key=public) + "\n")
    [finding] = findings(project)
    assert (finding.code, finding.message) == (
        "signature-unknown",
        f"nobody known signed this: {told}",
    )
    assert finding.fix == (
        "put the signer's public key, valid today, into a line of evidence/allowed_signers "
        '(NAME namespaces="course-evidence" ssh-ed25519 KEY), or take the signature away'
    )
    keys.allow(project, "house")
    assert findings(project) == []


@pytest.mark.parametrize("damage", [b"", b"nonsense\n", b"\xff\x00"])
def test_a_damaged_signature(project: Path, log: Log, keys: Keys, damage: bytes) -> None:
    """It vouches for nothing, and is told."""
    keys.allow(project, "house")
    signature_path(log.path).write_bytes(damage)
    [finding] = findings(project)
    assert finding.code == "signature-bad"
    assert "the file beside it is no SSH signature (" in finding.message


def test_without_ssh_keygen(
    project: Path, log: Log, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that nobody checks is no signature: the gate says so and refuses."""
    keys.allow(project, "house")
    key = keys.key("house")
    sign(log.path, key)
    monkeypatch.setenv("PATH", "")
    [finding] = findings(project)
    assert (finding.code, finding.severity, finding.message) == (
        "signature-unchecked",
        "error",
        "the signature was not verified: `ssh-keygen` is not on PATH",
    )
    signature_path(log.path).unlink()
    with pytest.raises(CourseError) as caught:
        sign(log.path, key)
    assert caught.value.code == "no-ssh-keygen"


def test_the_command_line(project: Path, log: Log, keys: Keys) -> None:
    """`course sign` writes one signature and no second; a file that is no key is told."""
    command = [sys.executable, "-m", "course", "sign", str(log.path), "--key"]

    def run(key: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, str(key)], cwd=project, capture_output=True, text=True, check=False
        )

    done = run(log.path)
    assert done.returncode == 2
    assert f"{log.path}:1: ssh-keygen cannot sign with this file: " in done.stderr
    assert done.stderr.endswith(
        "\n  fix: give a private SSH key that only you can read, as `ssh-keygen -t ed25519` makes "
        "one [sign-failed]\n"
    )
    done = run(keys.key("house"))
    assert (done.returncode, done.stdout) == (0, f"{signature_path(log.path)} written\n")
    done = run(keys.key("house"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {signature_path(log.path)}:1: this log is signed [signed-already]\n"
    )


def test_a_program_may_demand_that_somebody_vouches(project: Path, log: Log, keys: Keys) -> None:
    """`signed: true` makes a log without signature and attestation a finding, imports apart."""
    make_log(project, tables([1.0]), kind="imported", told_by="a friend", sources=[])
    spec = project / "code" / PROGRAM / "program.yml"
    spec.write_text(spec.read_text().replace("proof:\n", "proof:\n  signed: true\n"))
    [finding] = findings(project)
    path = f"evidence/{PROGRAM}/{log.path.name}"
    assert (finding.code, finding.path) == ("unsigned", path)
    assert finding.message == (
        "nobody vouches for this log: neither a signature nor an attestation is there"
    )
    assert finding.fix == f"course sign {path} --key KEY"
    keys.allow(project, "house")
    sign(log.path, keys.key("house"))
    assert findings(project) == []


def test_no_signature_is_no_finding(project: Path, log: Log) -> None:
    """The control: an unsigned log is as good as its seal."""
    assert check_signature(project, log.path) is None
    assert check_attestation(project, log.path) is None
    assert findings(project) == []


def test_answers_that_do_not_read_are_a_finding(project: Path, log: Log) -> None:
    """The record of answers is evidence, too."""
    answers_path(project, PROGRAM).write_text("answers: none\n")
    [finding] = findings(project)
    assert (finding.code, finding.path) == ("bad-yaml", f"evidence/{PROGRAM}/answers.yml")
