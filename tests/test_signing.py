"""Signatures by a real ssh-keygen, and attestations: what fits, and what nobody could tell."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import PROGRAM
from course.check.vouched import check_vouched
from course.errors import CourseError, Finding
from course.evidence import Log, Stamp, render_log
from course.project import Project
from course.reverify.answers import answers_path
from course.signing import (
    attestation_path,
    attested_digests,
    check_attestation,
    check_signature,
    reproduced_by,
    sign,
    signature_path,
    signers_path,
)
from reverify.made import STEADY, make_log, tables


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


def findings(root: Path) -> list[Finding]:
    return list(check_vouched(Project.load(root)))


def forge(log: Log) -> None:
    """Edit an output and seal the log again, as somebody who knows the format would."""
    outputs = [output.replace(b" 1.759 ", b" 1.159 ") for output in log.outputs]
    plain = log.stamp.model_dump(by_alias=True)
    for run, output in zip(plain["runs"], outputs, strict=True):
        run["sha256"] = hashlib.sha256(output).hexdigest()
    log.path.write_bytes(render_log(Stamp.model_validate(plain), outputs))


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


@pytest.mark.parametrize("damage", [b"", b"nonsense\n", b"\xff\x00"])
def test_a_damaged_signature(project: Path, log: Log, keys: Keys, damage: bytes) -> None:
    """It vouches for nothing, and is told."""
    keys.allow(project, "house")
    signature_path(log.path).write_bytes(damage)
    [finding] = findings(project)
    assert finding.code == "signature-unknown"


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
    assert "[sign-failed]" in done.stderr
    done = run(keys.key("house"))
    assert (done.returncode, done.stdout) == (0, f"{signature_path(log.path)} written\n")
    done = run(keys.key("house"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {signature_path(log.path)}:1: this log is signed [signed-already]\n"
    )


def bundle(*digests: str) -> str:
    """A Sigstore bundle's outer form, around a statement about these digests."""
    subject = [{"name": "log", "digest": {"sha256": digest}} for digest in digests]
    payload = base64.b64encode(json.dumps({"subject": subject}).encode()).decode()
    return json.dumps({"dsseEnvelope": {"payload": payload}})


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gh that writes down its orders, says what {gh}.says holds and exits with {gh}.status."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "gh"
    script.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" > {script}.asked\ncat {script}.says >&2\n'
        f"exit $(cat {script}.status)\n"
    )
    script.chmod(0o755)
    Path(f"{script}.says").write_text("")
    Path(f"{script}.status").write_text("0")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("REPO_URL", "https://github.com/owner/course")
    return script


def attest(log: Log, *digests: str) -> None:
    wanted = digests or (hashlib.sha256(log.path.read_bytes()).hexdigest(),)
    attestation_path(log.path).write_text(bundle(*wanted))


def test_an_attested_log(project: Path, log: Log, gh: Path) -> None:
    """gh is asked for this log, this bundle, this repository and the workflow that may sign."""
    attest(log, hashlib.sha256(log.path.read_bytes()).hexdigest(), "1" * 64)
    assert findings(project) == []
    assert Path(f"{gh}.asked").read_text() == (
        f"attestation verify {log.path} --bundle {attestation_path(log.path)} --repo owner/course "
        "--signer-workflow owner/course/.github/workflows/reverify.yml\n"
    )


def test_a_forged_log_is_not_the_attested_one(project: Path, log: Log) -> None:
    """That needs no gh: the digest in the bundle is of other bytes."""
    attest(log)
    attested = hashlib.sha256(log.path.read_bytes()).hexdigest()
    forge(log)
    found = hashlib.sha256(log.path.read_bytes()).hexdigest()
    [finding] = findings(project)
    assert (finding.code, finding.severity, finding.message) == (
        "attestation-bad",
        "error",
        "the attestation does not fit the log: "
        f"it attests {attested[:12]}…, the log hashes to {found[:12]}…",
    )


@pytest.mark.parametrize(
    ("said", "code", "severity", "message"),
    [
        (
            "Error: verifying with issuer failed",
            "attestation-bad",
            "error",
            "the attestation does not fit the log: gh refuses it: "
            "Error: verifying with issuer failed",
        ),
        (
            "To get started with GitHub CLI, please run:  gh auth login",
            "attestation-unchecked",
            "notice",
            "the attestation was not verified: gh could not tell: "
            "To get started with GitHub CLI, please run:  gh auth login",
        ),
    ],
)
def test_gh_refuses_or_cannot_tell(
    project: Path, log: Log, gh: Path, said: str, code: str, severity: str, message: str
) -> None:
    """A refusal is a finding; a gh that is not logged in, or offline, is a notice."""
    attest(log)
    Path(f"{gh}.says").write_text(f"Loaded digest\n{said}\n")
    Path(f"{gh}.status").write_text("1")
    [finding] = findings(project)
    assert (finding.code, finding.severity, finding.message) == (code, severity, message)


def test_without_gh(project: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest was compared, the signature was not: a notice says so."""
    attest(log)
    monkeypatch.setenv("PATH", "")
    [finding] = findings(project)
    assert (finding.code, finding.severity, finding.message) == (
        "attestation-unchecked",
        "notice",
        "the attestation was not verified: gh is not installed",
    )


@pytest.mark.parametrize("url", ["", "https://example.org/owner/course", "git@github.com:owner"])
def test_a_repository_that_is_not_known(
    project: Path, log: Log, gh: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Without knowing whose workflow may sign, nothing is verified, and gh is not asked."""
    attest(log)
    monkeypatch.setenv("REPO_URL", url)
    vouched = check_attestation(project, log.path)
    assert vouched is not None
    assert (vouched.state, vouched.why) == (
        "unchecked",
        "the repository is not known; set REPO_URL",
    )
    assert not Path(f"{gh}.asked").exists()


def test_the_remote_names_the_repository(
    project: Path, log: Log, gh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where REPO_URL is not set, `origin` does."""
    attest(log)
    monkeypatch.delenv("REPO_URL")
    for arguments in (
        ("init", "-q"),
        ("remote", "add", "origin", "git@github.com:owner/course.git"),
    ):
        subprocess.run(["git", "-C", str(project), *arguments], check=True)
    vouched = check_attestation(project, log.path)
    assert vouched is not None
    assert (vouched.state, vouched.by) == ("good", "owner/course/.github/workflows/reverify.yml")


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_no_bundle_breaks_the_reader(data: bytes) -> None:
    """Whatever lies there: digests, or None."""
    assert attested_digests(data) is None


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_no_statement_breaks_the_reader(statement: Any) -> None:
    """Well-formed outside, anything inside."""
    payload = base64.b64encode(json.dumps(statement).encode()).decode()
    attested_digests(json.dumps({"dsseEnvelope": {"payload": payload}}).encode())


@given(st.lists(st.from_regex(r"[0-9a-f]{64}", fullmatch=True), max_size=4))
def test_digests_are_read(digests: list[str]) -> None:
    """The control."""
    assert attested_digests(bundle(*digests).encode()) == set(digests)


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
