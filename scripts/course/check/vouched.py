"""Do the signatures and attestations that lie beside logs fit them?"""

from __future__ import annotations

from collections.abc import Iterator

from course.errors import CourseError, Finding
from course.project import Capture, Project
from course.reverify.answers import answers_path, read_answers
from course.signing import Vouched, check_attestation, check_signature


def check_vouched(project: Project) -> Iterator[Finding]:
    """Findings about signatures and attestations, and a record of answers that does not read."""
    for name, captures in project.captures.items():
        try:
            read_answers(project.root, name)
        except CourseError as error:
            yield Finding.of(error, project.root, answers_path(project.root, name))
        for capture in captures:
            log = capture.log.path
            signature = check_signature(project.root, log)
            attestation = check_attestation(project.root, log)
            for what, vouched in (("signature", signature), ("attestation", attestation)):
                if vouched is not None and vouched.state != "good":
                    yield _unproven(project, capture, what, vouched)
            limits = capture.program.spec.proof
            unsigned = signature is None and attestation is None and not capture.log.imported
            if limits is not None and limits.signed and unsigned:
                yield Finding(
                    project.relative(log),
                    1,
                    "unsigned",
                    "nobody vouches for this log: neither a signature nor an attestation is there",
                    f"course sign {project.relative(log)} --key KEY",
                )


def _unproven(project: Project, capture: Capture, what: str, vouched: Vouched) -> Finding:
    path = project.relative(capture.log.path)
    if vouched.state == "bad":
        fix = "git checkout -- the log if it was edited; otherwise take the file beside it away"
        message = f"the {what} does not fit the log: {vouched.why}"
        return Finding(path, 1, f"{what}-bad", message, fix)
    if vouched.state == "unknown":
        fix = (
            "put the signer's public key, valid today, into a line of evidence/allowed_signers "
            '(NAME namespaces="course-evidence" ssh-ed25519 KEY), or take the signature away'
        )
        return Finding(path, 1, f"{what}-unknown", f"nobody known signed this: {vouched.why}", fix)
    message = f"the {what} was not verified: {vouched.why}"
    if what == "attestation":  # of which the digest, at least, was
        fix = "run course check where gh is installed and logged in"
        return Finding(path, 1, "attestation-unchecked", message, fix, "notice")
    return Finding(path, 1, "signature-unchecked", message, "install OpenSSH and check again")
