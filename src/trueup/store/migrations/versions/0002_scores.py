"""Tallies of scores, calibrations, restated means, self-tests, the definitions of a release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and name each judge and release with verdicts as to be counted."""
    op.create_table(
        "definition",
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("release", name=op.f("pk_definition")),
    )
    op.create_table(
        "score_state",
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("partner_id", sa.Integer(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_score_state_judge_id_judge")
        ),
        sa.PrimaryKeyConstraint("judge_id", "partner_id", "release", name=op.f("pk_score_state")),
    )
    _of_judge("calibration", "labels", "stamp")
    _of_judge("probe", "kind")
    op.create_table(
        "trial",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item", sa.LargeBinary(16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["judge_id"], ["judge.id"], name=op.f("fk_trial_judge_id_judge")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("judge_id", "kind", "item", name=op.f("uq_trial_judge_id_kind_item")),
    )
    op.create_table(
        "rebaseline",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("from_id", sa.Integer(), nullable=False),
        sa.Column("to_id", sa.Integer(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["from_id"], ["judge.id"], name=op.f("fk_rebaseline_from_id_judge")
        ),
        sa.ForeignKeyConstraint(["to_id"], ["judge.id"], name=op.f("fk_rebaseline_to_id_judge")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rebaseline")),
    )
    with op.batch_alter_table("rebaseline", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rebaseline_to_id"), ["to_id"], unique=False)
    op.execute(
        "INSERT INTO score_state (judge_id, partner_id, release, changes, done) "
        "SELECT DISTINCT verdict.judge_id, 0, record.release, 1, -1 FROM verdict "
        "JOIN record ON record.id = verdict.record_id"
    )


def _of_judge(name: str, *words: str) -> None:
    """A table of results of a judge, with some texts beside the body."""
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        *(sa.Column(word, sa.Text(), nullable=False) for word in words),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["judge_id"], ["judge.id"], name=op.f(f"fk_{name}_judge_id_judge")),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    with op.batch_alter_table(name, schema=None) as batch_op:
        batch_op.create_index(batch_op.f(f"ix_{name}_judge_id"), ["judge_id"], unique=False)
