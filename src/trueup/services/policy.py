"""The guideline that people label by: `policy.md` of the workspace, versioned by its hash."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trueup.domain.ids import sha256_text
from trueup.errors import InputError

FILE_NAME = "policy.md"

DEFAULT_POLICY = """\
# How to label

You are asked one question about one claim: **does the context alone entail it?**

- **Entailed**: the context states it outright, or leaves no room for it to be false.
- **Not entailed**: everything else, however likely it is.

## Rules

1. No outside knowledge. What you know and the context does not say counts for nothing.
2. Do not judge correctness. A true claim that the context does not state is not entailed; a false
   claim that the context states is entailed.
3. Loose implication is not entailed. The context says: "Audit logs are removed at the end of the
   retention window." The claim says: "Audit logs are deleted automatically." Removed by whom, and
   how, is not said: not entailed.
4. Every part counts. A claim with one wrong number, name, unit, date or plan is not entailed.
5. Two chunks may entail a claim together, if both speak of the same thing.

## When the two answers do not fit

- **Unsure**: you read it twice and could argue either way. Leave a comment.
- **Bad split**: the claim holds two or more facts, or lost its meaning when it was cut out.
- **Not a claim**: a greeting, a question, a heading, a piece of code, an offer of help.
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """The text people label by and its hash, which is stored with each label."""

    text: str
    sha256: str


def read_policy(path: Path | None) -> Policy:
    """The policy of a workspace; the default one where the file does not exist.

    Line ends do not make another policy. Raises InputError for a file that is not UTF-8 text.
    """
    text = DEFAULT_POLICY
    if path is not None and path.is_file():
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"the policy cannot be read: {error}", path=path, hint="save it as UTF-8 text"
            ) from error
    return Policy(text, sha256_text(text))
