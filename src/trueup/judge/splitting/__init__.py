"""Splitting without a model: an answer into claims, each with its place."""

from __future__ import annotations

from trueup.judge.splitting.splitter import SPLITTER_VERSION, Claim, SplitResult, split_claims

__all__ = ["SPLITTER_VERSION", "Claim", "SplitResult", "split_claims"]
