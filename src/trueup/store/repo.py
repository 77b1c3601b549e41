"""The store: one object with all that a workspace keeps. Dataclasses in, dataclasses out."""

from __future__ import annotations

from trueup.store.exporting import Exporting
from trueup.store.importing import Importing
from trueup.store.labels import Labels
from trueup.store.lineage import Lineage
from trueup.store.replies import Replies
from trueup.store.samples import Samples
from trueup.store.scores import Scores
from trueup.store.units import Units
from trueup.store.verdicts import Verdicts


class Store(Importing, Exporting, Units, Verdicts, Replies, Labels, Samples, Scores, Lineage):
    """Records, units, judges, verdicts, labels and samples of one workspace.

    Every method is short, synchronous and opens its own connection, so that one store serves
    several threads, and several processes may have the same database open.
    """
