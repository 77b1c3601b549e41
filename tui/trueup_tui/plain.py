"""`trueup label --plain`: the same session as line prompts, for screen readers and dumb terminals.

No Textual here. Text of records reaches the terminal through `display`, as on the screen. Letters
are those of the screen; what is a special key there is a letter here: `s` skips, `z` undoes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trueup.domain.display import display
from trueup.domain.model import Json, LabelValue
from trueup.domain.sentences import sentences
from trueup.domain.session import Action, LabelSession
from trueup.domain.tasks import LabelTask
from trueup.errors import StoreError
from trueup.services.labelling import LabellingService
from trueup.services.revealing import Revealed

Read = Callable[[str], str | None]
"""Asks with a prompt; None at the end of input."""
Write = Callable[[str], None]

MARKS: dict[str, LabelValue] = {
    "a": "entailed",
    "1": "entailed",
    "x": "not_entailed",
    "2": "not_entailed",
    "u": "unsure",
    "3": "unsure",
    "o": "not_a_claim",
}
HELP = """\
a or 1: entailed. x or 2: not entailed. u or 3: unsure. o: not a claim.
b: badly split; you then give its parts. M: add a claim that the split missed.
s: skip for now. z: undo. n, p: next, previous claim. N, P: next, previous answer.
f: next claim without a label. r: read question, answer and context again.
/TEXT: the sentences of the context with this text. q: your own evidence. m: comment.
v: reveal the judge and others; labels given afterwards count as not blind.
g: guideline. ?: this help. Q: leave; everything is saved already."""
_PROMPT = "a entailed, x not entailed, u unsure, s skip, ? help > "


def run_plain(
    service: LabellingService, *, read: Read, write: Write, requeue_outdated: bool = False
) -> None:
    """Label by line prompts until the person leaves or input ends. Raises StoreError on opening."""
    PlainSession(service, service.session(requeue_outdated=requeue_outdated), read, write).run()


def shown(text: str) -> str:
    """Data as it may be written: no control character but the line end."""
    return display(text.replace("\r\n", "\n"), keep_newlines=True)


class PlainSession:
    """The prompts. Every command works on the claim that was read out last."""

    def __init__(
        self, service: LabellingService, session: LabelSession, read: Read, write: Write
    ) -> None:
        self._service = service
        self._session = session
        self._read = read
        self._write = write
        self._answer: object = None
        self._told_done = False

    def run(self) -> None:
        """Ask until the person leaves."""
        session = self._session
        self._write(f"Sample {shown(self._service.title)}, annotator {shown(session.annotator)}.")
        if session.current is None:
            self._write("There is nothing to label here for you.")
            return
        self._write(self._service.metric.question)
        self._arrive()
        while (line := self._read(_PROMPT)) is not None and line.strip() != "Q":
            if not self._command(line.strip()):
                self._write("That is no command. ? lists them.")
        try:
            self._service.release(session)
        except StoreError as error:
            self._write(f"The store cannot be written: {error.message}")
        progress = session.progress()
        self._write(f"{progress.done} of {progress.total} claims are labelled and saved.")

    # ---- commands

    def _command(self, line: str) -> bool:
        session = self._session
        moves: dict[str, Callable[[], bool]] = {
            "n": session.next_claim,
            "p": session.previous_claim,
            "N": session.next_answer,
            "P": session.previous_answer,
            "f": session.next_unlabelled,
        }
        others: dict[str, Callable[[], None]] = {
            "b": self._split,
            "M": self._missed,
            "q": self._quote,
            "m": self._comment,
            "v": self._reveal,
            "r": self._read_again,
            "g": lambda: self._write(shown(self._service.policy.text)),
            "?": lambda: self._write(HELP),
            "": self._arrive,
        }
        if line in MARKS:
            self._do(session.mark(MARKS[line]))
        elif line in {"s", "z"}:
            self._do(session.skip() if line == "s" else session.undo())
        elif line in moves:
            if not moves[line]():
                self._write("There is none that way.")
            self._arrive(take=False)
        elif line.startswith("/"):
            self._search(line[1:])
        elif line in others:
            others[line]()
        else:
            return False
        return True

    def _do(self, action: Action) -> None:
        """Store, say so, and read out the claim that is next."""
        session, item = self._session, self._session.current
        if item is None:
            return
        if not action.events:
            self._write(f"{action.said}.")
            if action.advance:
                session.commit(action)
                self._arrive()
            return
        while True:
            try:
                news = self._service.deliver(item, action)
                break
            except StoreError as error:
                self._write(f"NOT SAVED: {error.message}")
                answer = self._read("Enter: try again, z: take it back > ")
                if answer is None or answer.strip() == "z":
                    self._write("Taken back; nothing was saved.")
                    return
        if news is None:
            session.drop_answers([item.unit.record])
            self._write("Another annotator has this answer: nothing was stored.")
        else:
            session.commit(action)
            session.apply(news.events, news.units)
            session.drop_answers(news.taken)
            said = action.said
            self._write(f"{said.capitalize()}." if said.startswith("undone") else f"Saved: {said}.")
        self._arrive()

    def _split(self) -> None:
        parts: list[str] = []
        self._write("Give the parts, one a line; an empty line ends.")
        while part := (self._read(f"part {len(parts) + 1} > ") or "").strip():
            parts.append(part)
        self._do(self._session.split(parts, self._task().source))

    def _missed(self) -> None:
        text = (self._read("the missed claim; empty: none > ") or "").strip()
        if text:
            source = self._task().source
            at = source.find(text)
            self._do(self._session.add_missed(text, source, at if at >= 0 else None))

    def _comment(self) -> None:
        text = self._read("comment; empty: remove it > ")
        if text is not None:
            self._do(self._session.comment(text))

    def _quote(self) -> None:
        found = self._sentences("")
        for number, (_, _, text) in enumerate(found, 1):
            self._write(f"{number}. {shown(text)}")
        answer = (self._read("number of the sentence; empty: none > ") or "").strip()
        if answer.isdecimal() and 0 < int(answer) <= len(found):
            passage, start, text = found[int(answer) - 1]
            where: dict[str, Json] = {
                "passage": passage,
                "chunk": self._task().passages[passage].id,
                "start": start,
                "end": start + len(text),
            }
            self._do(self._session.quote(text, where))

    def _search(self, needle: str) -> None:
        found = self._sentences(needle)
        self._write(f"{len(found)} sentences with “{shown(needle)}”.")
        for passage, _, text in found:
            self._write(f"[{passage + 1}] {shown(text)}")

    def _sentences(self, needle: str) -> list[tuple[int, int, str]]:
        return [
            (number, span.start, passage.text[span.start : span.end])
            for number, passage in enumerate(self._task().passages)
            for span in sentences(passage.text)
            if needle.casefold() in passage.text[span.start : span.end].casefold()
        ]

    def _reveal(self) -> None:
        item = self._session.current
        if item is None:
            return
        if not self._session.state(item.key).revealed:
            self._do(self._session.reveal())
        if self._session.state(item.key).revealed:
            for line in revealed_lines(self._service.reveal(item)):
                self._write(shown(line))

    def _read_again(self) -> None:
        self._answer = None
        self._arrive(take=False)

    # ---- reading out

    def _task(self) -> LabelTask:
        item = self._session.current
        assert item is not None
        return self._service.task(item)

    def _arrive(self, *, take: bool = True) -> None:
        """Read out the claim that the cursor stands on, and its answer where it is another."""
        session = self._session
        while (item := session.current) is not None:
            record = item.unit.record
            if not take or not self._service.is_free(record) or self._service.take(record):
                break
            session.drop_answers([record])
        if item is None:
            self._write("There is nothing left to label here for you.")
            return
        progress = session.progress()
        if progress.done == progress.total and not self._told_done:
            self._told_done = True
            self._write("All claims are labelled: thank you. Q leaves.")
        task = self._task()
        if self._answer != item.answer:
            self._answer = item.answer
            for line in context_lines(task):
                self._write(shown(line))
        self._write(f"Claim {progress.position} of {progress.total}, {progress.done} done.")
        state = session.state(item.key)
        if state.label:
            self._write(f"Your label: {state.label.replace('_', ' ')}.")
        if state.note:
            self._write(f"Your comment: {shown(state.note)}")
        if task.claim:
            self._write(f"Claim: {shown(task.claim)}")


def context_lines(task: LabelTask) -> list[str]:
    """Question, answer and passages, a line or more each."""
    lines = ["", f"Question: {task.question}"] if task.question else [""]
    if task.source:
        lines.append(f"{task.source_name}: {task.source}")
    if task.missing:
        lines.append(f"Nothing to hold claims against: {task.missing}.")
    for number, passage in enumerate(task.passages, 1):
        lines.append(f"[{number}] {passage.title}: {passage.text}")
    return lines


def revealed_lines(revealed: Revealed) -> Sequence[str]:
    """What the judges and others said, a line each."""
    lines = []
    for said in revealed.judges:
        reason = f" ({said.verdict.reason})" if said.verdict.reason else ""
        lines.append(f"Judge {said.judge}: {said.verdict.value.replace('_', ' ')}{reason}.")
        for e in said.verdict.evidence:
            where = f"in {e.chunk}" if e.spans else "found nowhere in the context"
            lines.append(f"  evidence, {e.match}, {where}: {e.quote}")
    for label in revealed.labels:
        note = f": {label.note}" if label.note else ""
        lines.append(f"{label.annotator}: {(label.label or 'none').replace('_', ' ')}{note}.")
    return lines or ["No judge has ruled on this claim, and nobody else has labelled it."]
