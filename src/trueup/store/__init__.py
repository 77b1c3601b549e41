"""The store: SQLModel tables, migrations, and the repository. The only importer of SQLAlchemy."""

from trueup.store.labels import LabelArrays, StoredLabel
from trueup.store.lineage import StoredCalibration, StoredProbe, StoredRebaseline
from trueup.store.records import RecordRef
from trueup.store.replies import StoredReply
from trueup.store.repo import Store
from trueup.store.samples import StoreCounts
from trueup.store.score_groups import ScoreGroup, pair_fingerprint
from trueup.store.scores import EndToEnd
from trueup.store.sink import StoreSink
from trueup.store.tallies import RecordTally
from trueup.store.verdicts import StoredJudge, VerdictArrays

__all__ = [
    "EndToEnd",
    "LabelArrays",
    "RecordRef",
    "RecordTally",
    "ScoreGroup",
    "Store",
    "StoreCounts",
    "StoreSink",
    "StoredCalibration",
    "StoredJudge",
    "StoredLabel",
    "StoredProbe",
    "StoredRebaseline",
    "StoredReply",
    "VerdictArrays",
    "pair_fingerprint",
]
