"""First tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table."""
    op.create_table(
        "judge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(16), nullable=False),
        sa.Column("call", sa.LargeBinary(16), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge")),
        sa.UniqueConstraint("fingerprint", "metric", name=op.f("uq_judge_fingerprint_metric")),
    )
    with op.batch_alter_table("judge", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_judge_call"), ["call"], unique=False)

    op.create_table(
        "note",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_note")),
    )
    op.create_table(
        "sample",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("design", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(16), nullable=False),
        sa.Column("extras", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sample")),
        sa.UniqueConstraint("name", name=op.f("uq_sample_name")),
    )
    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
        sa.UniqueConstraint("path", name=op.f("uq_source_path")),
    )
    op.create_table(
        "text",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(16), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text")),
    )
    with op.batch_alter_table("text", schema=None) as batch_op:
        batch_op.create_index(
            "uq_text_hash",
            ["hash"],
            unique=True,
            sqlite_where=sa.text("hash IS NOT NULL"),
            postgresql_where=sa.text("hash IS NOT NULL"),
        )

    op.create_table(
        "record",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("version", sa.LargeBinary(16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=True),
        sa.Column("answer_id", sa.Integer(), nullable=False),
        sa.Column("reference_id", sa.Integer(), nullable=True),
        sa.Column("has_context", sa.Boolean(), nullable=False),
        sa.Column("failing", sa.Boolean(), nullable=True),
        sa.Column("extras", sa.Text(), nullable=True),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["answer_id"], ["text.id"], name=op.f("fk_record_answer_id_text")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["text.id"], name=op.f("fk_record_question_id_text")
        ),
        sa.ForeignKeyConstraint(
            ["reference_id"], ["text.id"], name=op.f("fk_record_reference_id_text")
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_record_source_id_source")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record")),
        sa.UniqueConstraint("key", name=op.f("uq_record_key")),
    )
    with op.batch_alter_table("record", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_record_release"), ["release"], unique=False)
        batch_op.create_index(
            "uq_record_current",
            ["name", "release"],
            unique=True,
            sqlite_where=sa.text("current"),
            postgresql_where=sa.text("current"),
        )

    op.create_table(
        "call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("call", sa.LargeBinary(16), nullable=False),
        sa.Column("repeat", sa.SmallInteger(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("answered_model", sa.Text(), nullable=True),
        sa.Column("info", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_call_record_id_record")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call")),
        sa.UniqueConstraint(
            "record_id",
            "metric",
            "call",
            "repeat",
            "part",
            name=op.f("uq_call_record_id_metric_call_repeat_part"),
        ),
    )
    with op.batch_alter_table("call", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_call_call"), ["call"], unique=False)

    op.create_table(
        "chunk",
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("meta", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_chunk_record_id_record")
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_chunk_text_id_text")),
        sa.PrimaryKeyConstraint("record_id", "rank", name=op.f("pk_chunk")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "claim_set",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.SmallInteger(), nullable=False),
        sa.Column("splitter", sa.Text(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_claim_set_record_id_record")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claim_set")),
        sa.UniqueConstraint(
            "record_id", "kind", "version", name=op.f("uq_claim_set_record_id_kind_version")
        ),
    )
    with op.batch_alter_table("claim_set", schema=None) as batch_op:
        batch_op.create_index(
            "uq_claim_set_current",
            ["record_id", "kind"],
            unique=True,
            sqlite_where=sa.text("current"),
            postgresql_where=sa.text("current"),
        )

    op.create_table(
        "history",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_history_record_id_record")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_history")),
    )
    with op.batch_alter_table("history", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_history_record_id"), ["record_id"], unique=False)

    op.create_table(
        "lease",
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("call", sa.LargeBinary(16), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.SmallInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_lease_record_id_record")
        ),
        sa.PrimaryKeyConstraint("metric", "call", "record_id", "repeat", name=op.f("pk_lease")),
    )
    op.create_table(
        "sample_member",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("overlap", sa.Boolean(), nullable=False),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_sample_member_record_id_record")
        ),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["sample.id"], name=op.f("fk_sample_member_sample_id_sample")
        ),
        sa.PrimaryKeyConstraint("sample_id", "place", name=op.f("pk_sample_member")),
    )
    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("call_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["call_id"], ["call.id"], name=op.f("fk_judgement_call_id_call")),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_judgement_judge_id_judge")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement")),
        sa.UniqueConstraint("call_id", "judge_id", name=op.f("uq_judgement_call_id_judge_id")),
    )
    with op.batch_alter_table("judgement", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_judgement_judge_id"), ["judge_id"], unique=False)

    op.create_table(
        "unit",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("claim_set_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=True),
        sa.Column("span_end", sa.Integer(), nullable=True),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("extras", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["claim_set_id"], ["claim_set.id"], name=op.f("fk_unit_claim_set_id_claim_set")
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_unit_text_id_text")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint("key", name=op.f("uq_unit_key")),
    )
    with op.batch_alter_table("unit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_unit_claim_set_id"), ["claim_set_id"], unique=False)

    op.create_table(
        "label",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("repeat", sa.SmallInteger(), nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("policy_sha256", sa.Text(), nullable=True),
        sa.Column("ms", sa.BigInteger(), nullable=True),
        sa.Column("meta", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_label_unit_id_unit")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_label")),
        sa.UniqueConstraint("event", name=op.f("uq_label_event")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_label_unit_id"), ["unit_id"], unique=False)

    op.create_table(
        "verdict",
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.SmallInteger(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.SmallInteger(), nullable=False),
        sa.Column("own", sa.SmallInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("judgement_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["judge_id"], ["judge.id"], name=op.f("fk_verdict_judge_id_judge")),
        sa.ForeignKeyConstraint(
            ["judgement_id"], ["judgement.id"], name=op.f("fk_verdict_judgement_id_judgement")
        ),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name=op.f("fk_verdict_record_id_record")
        ),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_verdict_unit_id_unit")),
        sa.PrimaryKeyConstraint("judge_id", "repeat", "unit_id", name=op.f("pk_verdict")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "verdict_extra",
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.SmallInteger(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judge_id", "repeat", "unit_id"],
            ["verdict.judge_id", "verdict.repeat", "verdict.unit_id"],
            name=op.f("fk_verdict_extra_judge_id_repeat_unit_id_verdict"),
        ),
        sa.PrimaryKeyConstraint("judge_id", "repeat", "unit_id", name=op.f("pk_verdict_extra")),
        sqlite_with_rowid=False,
    )
