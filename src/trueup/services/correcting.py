"""The corpus that a judge's rate is corrected for: every record that it has ruled on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from trueup.stats.correction import Correction, corrected_rate
from trueup.stats.counts import Clusters, count_matrix

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.services.yardstick import KnownJudge, Yardstick
    from trueup.stats.frame import Frame


def corrections(
    workspace: Workspace, stick: Yardstick, frame: Frame, judges: Sequence[KnownJudge]
) -> dict[str, Correction]:
    """Corrected rates of each judge that has verdicts in the store.

    PPI++ needs labels that are a probability sample of the corpus: those of a drawn sample. Other
    labels (a set, or gathered outside one sample's design) give the clustered Rogan–Gladen rate.
    """
    sampled = stick.sample is not None and stick.sample.design != "convenience"
    out = {}
    for judge in judges:
        corpus = corpus_of(workspace, stick.metric, judge.fingerprint)
        if corpus.n_units:
            out[judge.name] = corrected_rate(
                frame.clusters(judge.name), corpus, probability_sample=sampled
            )
    return out


def corpus_of(workspace: Workspace, metric: str, fingerprint: str) -> Clusters:
    """Units that a judge calls entailed and not, per record of the store (U, 2)."""
    arrays = workspace.store.verdict_arrays(metric=metric, fingerprint=fingerprint)
    decided = arrays.value >= 0
    _, answer = np.unique(arrays.record[decided], return_inverse=True)
    return Clusters.from_counts(count_matrix(answer, 1 - arrays.value[decided], 2))
