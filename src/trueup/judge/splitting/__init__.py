"""Splitting an answer into claims without a model."""
