"""The store: SQLModel tables, migrations, and the repository. The only importer of SQLAlchemy."""

from trueup.store.labels import LabelArrays, StoredLabel
from trueup.store.records import RecordRef
from trueup.store.replies import StoredReply
from trueup.store.repo import Store
from trueup.store.samples import StoreCounts
from trueup.store.sink import StoreSink
from trueup.store.verdicts import StoredJudge, VerdictArrays

__all__ = [
    "LabelArrays",
    "RecordRef",
    "Store",
    "StoreCounts",
    "StoreSink",
    "StoredJudge",
    "StoredLabel",
    "StoredReply",
    "VerdictArrays",
]
