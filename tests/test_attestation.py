"""Attestations that lie beside logs: what fits, and what nobody could tell."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.evidence import Log
from course.signing import attestation_path, attested_digests, check_attestation
from reverify.made import STEADY, forge, make_log, tables
from reverify.made import vouching_findings as findings


@pytest.fixture
def log(project: Path) -> Log:
    return make_log(project, tables(STEADY))


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


@settings(deadline=None)
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


@settings(deadline=None)
@given(json_values)
def test_no_statement_breaks_the_reader(statement: Any) -> None:
    """Well-formed outside, anything inside."""
    payload = base64.b64encode(json.dumps(statement).encode()).decode()
    attested_digests(json.dumps({"dsseEnvelope": {"payload": payload}}).encode())


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[0-9a-f]{64}", fullmatch=True), max_size=4))
def test_digests_are_read(digests: list[str]) -> None:
    """The control."""
    assert attested_digests(bundle(*digests).encode()) == set(digests)
