"""Ten annotators at once, each a process of its own: nothing lost, nothing labelled twice.

On SQLite, and on a PostgreSQL server where there is one.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from trueup.store import Store
from tui_help import labels, record, service, workspace_at

_LABELLER = """
import sys
from trueup.services.labelling import LabellingService, Policy
from trueup.store import Store
url, name = sys.argv[1:]
service = LabellingService.open(Store.open(url), "pilot", name, Policy.of("x"))
session = service.session()
done = []
while (item := session.current) is not None and session.is_open(item.key):
    if not service.take(item.unit.record):
        session.drop_answers([item.unit.record])
        continue
    action = session.mark("entailed")
    news = service.deliver(item, action)
    if news is None:
        session.drop_answers([item.unit.record])
        continue
    done.append(item.unit.key)
    session.commit(action)
    session.apply(news.events, news.units)
    session.drop_answers(news.taken)
print("\\n".join(done))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("people", "overlap"), [(10, False), (3, True)])
def test_processes_label_one_sample(people: int, overlap: bool, target: str | Path) -> None:
    """What each was told is stored is stored; an answer is labelled by one, or by all."""
    with workspace_at(target, [record(i) for i in range(20)], overlap=overlap) as store:
        names = [f"annotator-{i}" for i in range(people)]
        program = [sys.executable, "-c", _LABELLER, str(target)]
        running = [
            subprocess.Popen([*program, name], stdout=subprocess.PIPE, text=True) for name in names
        ]
        told = {n: p.communicate()[0].split() for n, p in zip(names, running, strict=True)}
        assert [p.returncode for p in running] == [0] * people

        stored = Counter(e.annotator for e in store.current_labels(metric="groundedness"))
        assert stored == Counter({n: len(keys) for n, keys in told.items() if keys})
        times = Counter(key for keys in told.values() for key in keys)
        assert len(times) == 40
        assert set(times.values()) == {people if overlap else 1}
        if not overlap:
            for record_key in {u.record for u in store.units("answer_claim")}:
                claims = {u.key for u in store.units("answer_claim", records=[record_key])}
                assert sum(bool(claims & set(keys)) for keys in told.values()) == 1


def test_two_terminals_of_one_annotator_see_each_other(target: str | Path) -> None:
    """The last mark wins in both, on either database."""
    with workspace_at(target) as store, Store.open(target) as again:
        one, two = service(store), service(again)
        here, there = one.session(), two.session()
        item = here.current
        assert item is not None
        first = here.mark("entailed")
        one.deliver(item, first)
        here.commit(first)
        second = there.mark("not_entailed")
        two.deliver(item, second)
        there.commit(second)

        here.apply(one.news().events)
        assert here.state(item.key).label == "not_entailed"
        assert labels(store) == {item.unit.id: "not_entailed"}
