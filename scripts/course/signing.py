"""Who vouches for a log: SSH signatures beside it, and attestations that GitHub made of it.

The seal of a log proves that nobody touched it by accident. Whoever edits a log can seal it again;
a signature or an attestation of the same bytes then no longer fits.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course.errors import CourseError
from course.files import read_bytes

NAMESPACE = "course-evidence"
HOUSE = "house"  # the principal of the keys that are the course's own
WORKFLOW = ".github/workflows/reverify.yml"
_PATIENCE = 60  # seconds
_KEY = "give a private SSH key that only you can read, as `ssh-keygen -t ed25519` makes one"
_INSTALL = "install OpenSSH (Debian: openssh-client) and run the command again"


@dataclass(frozen=True)
class Vouched:
    """What became of a check. `by` is who vouches when it is `good`; `why` the rest of a sentence
    otherwise. `unchecked` means that this machine could not tell."""

    state: Literal["good", "bad", "unknown", "unchecked"]
    by: str = ""
    why: str = ""


def signature_path(log: Path) -> Path:
    return log.with_name(f"{log.name}.sig")


def attestation_path(log: Path) -> Path:
    return log.with_name(f"{log.name}.sigstore.json")


def signers_path(root: Path) -> Path:
    return root / "evidence" / "allowed_signers"


def sign(log: Path, key: Path) -> Path:
    """Sign a log with an SSH key; returns the signature's path. Raises CourseError."""
    read_bytes(log)
    read_bytes(key)
    target = signature_path(log)
    if target.exists():
        raise CourseError("signed-already", "this log is signed", path=target)
    command = ["-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key), str(log)]
    done = _ssh_keygen(command, passphrase=True)
    if done is None:
        raise CourseError("no-ssh-keygen", "`ssh-keygen` is not on PATH", fix=_INSTALL)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        message = f"ssh-keygen cannot sign with this file: {said}"
        raise CourseError("sign-failed", message, path=key, fix=_KEY)
    return target


def check_signature(root: Path, log: Path) -> Vouched | None:
    """Whose signature lies beside a log, and whether it fits; None where there is none."""
    signature, signers = signature_path(log), signers_path(root)
    if not signature.is_file():
        return None
    if not signers.is_file():
        return Vouched("unknown", why="there is no evidence/allowed_signers")
    of = ["-s", str(signature), "-f", str(signers)]
    found = _ssh_keygen(["-Y", "find-principals", *of])
    if found is None:
        return Vouched("unchecked", why="`ssh-keygen` is not on PATH")
    names = found.stdout.decode(errors="replace").split("\n")[0].strip()
    if found.returncode != 0 or not names:
        return _nobody(found.stderr, signers)
    name = names.split(",")[0]
    verify = ["-Y", "verify", "-n", NAMESPACE, "-I", name, *of]
    done = _ssh_keygen(verify, stdin=read_bytes(log))
    if done is None or done.returncode != 0:
        if done is not None and (told := _told_of_keys(done.stderr, signers)):
            return Vouched("unknown", why=told)
        return Vouched("bad", why=f"the signature of {name} is of other bytes")
    return Vouched("good", by=name)


def _nobody(said: bytes, signers: Path) -> Vouched:
    """Why ssh-keygen finds nobody: a file that is no signature, a key that is not there, or one
    whose line does not read or does not hold today."""
    unread = re.search(rb"^Couldn't parse signature: (.+)$", said, re.MULTILINE)
    if unread is not None:
        reason = unread[1].decode(errors="replace").strip()
        return Vouched("bad", why=f"the file beside it is no SSH signature ({reason})")
    missing = "its key is not in evidence/allowed_signers"
    return Vouched("unknown", why=_told_of_keys(said, signers) or missing)


def _told_of_keys(said: bytes, signers: Path) -> str:
    """What ssh-keygen says of lines of allowed_signers (`FILE:3: key has expired: …`), with their
    places, and without the time of day."""
    start = re.escape(f"{signers}:")
    told = re.findall(rf"^{start}(\d+): (.+?)\s*$", said.decode(errors="replace"), re.MULTILINE)
    return "; ".join(
        f"evidence/allowed_signers:{line}: " + re.sub(r"verify time \S+ [<>] ", "", reason)
        for line, reason in dict.fromkeys(told)
    )


def reproduced_by(root: Path, log: Path) -> str:
    """The name of somebody else who signed a log; empty for the house and for unsigned ones."""
    vouched = check_signature(root, log)
    good = vouched is not None and vouched.state == "good" and vouched.by != HOUSE
    return vouched.by if vouched and good else ""


def check_attestation(root: Path, log: Path) -> Vouched | None:
    """Whether the attestation beside a log is of these bytes, and of our workflow.

    The digest is compared here, without a network. Signature, certificate and the workflow that
    signed are verified by `gh attestation verify`, where there is a gh. None: no attestation.
    """
    bundle = attestation_path(log)
    if not bundle.is_file():
        return None
    digest = hashlib.sha256(read_bytes(log)).hexdigest()
    digests = attested_digests(read_bytes(bundle))
    if digests is None:
        return Vouched("bad", why="it is not a bundle of an in-toto statement")
    if digest not in digests:
        attested = ", ".join(f"{one[:12]}…" for one in sorted(digests)) or "nothing"
        return Vouched("bad", why=f"it attests {attested}, the log hashes to {digest[:12]}…")
    return _ask_gh(root, log, bundle)


def attested_digests(data: bytes) -> set[str] | None:
    """The SHA-256 digests that a Sigstore bundle's statement names; None when it is none."""
    try:
        payload = json.loads(data)["dsseEnvelope"]["payload"]
        statement = json.loads(base64.b64decode(payload, validate=True))
        return {str(subject["digest"]["sha256"]) for subject in statement["subject"]}
    except (ValueError, LookupError, TypeError, RecursionError, binascii.Error):
        return None


def _ask_gh(root: Path, log: Path, bundle: Path) -> Vouched:
    if shutil.which("gh") is None:
        return Vouched("unchecked", why="gh is not installed")
    repository = _repository(root)
    if repository is None:
        return Vouched("unchecked", why="the repository is not known; set REPO_URL")
    command = ["gh", "attestation", "verify", str(log), "--bundle", str(bundle)]
    command += ["--repo", repository, "--signer-workflow", f"{repository}/{WORKFLOW}"]
    done = _run(command)
    if done is None:
        return Vouched("unchecked", why="gh does not answer")
    if done.returncode == 0:
        return Vouched("good", by=f"{repository}/{WORKFLOW}")
    said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
    if re.search(r"auth login|GH_TOKEN|dial tcp|no such host|timeout|TUF", said):
        return Vouched("unchecked", why=f"gh could not tell: {said}")
    return Vouched("bad", why=f"gh refuses it: {said}")


def _repository(root: Path) -> str | None:
    """OWNER/NAME on GitHub, from REPO_URL or from the remote `origin`."""
    url = os.environ.get("REPO_URL", "")
    if not url:
        done = _run(["git", "-C", str(root), "remote", "get-url", "origin"])
        url = done.stdout.decode(errors="replace").strip() if done and not done.returncode else ""
    match = re.search(r"github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", url)
    return match[1] if match else None


def _ssh_keygen(
    arguments: Sequence[str], stdin: bytes = b"", *, passphrase: bool = False
) -> subprocess.CompletedProcess[bytes] | None:
    return _run(["ssh-keygen", *arguments], stdin, patience=None if passphrase else _PATIENCE)


def _run(
    command: Sequence[str], stdin: bytes = b"", *, patience: float | None = _PATIENCE
) -> subprocess.CompletedProcess[bytes] | None:
    """What became of a command; None when it is not there or takes too long."""
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, timeout=patience, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
