"""What peers take for the same answers on the same endpoint, where they are installed.

Each is used as its documentation says, with one client and one model for the whole run, telemetry
off, and as many answers at a time as the concurrency allows.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

MODEL = "peer"


async def ragas(url: str, records: Iterable[Any], concurrency: int) -> Callable[[], Awaitable[Any]]:
    """Faithfulness of ragas: two calls an answer."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    import openai
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    metric = Faithfulness(llm=llm_factory(MODEL, client=client))
    todo = iter(list(records))

    async def worker() -> None:
        for record in todo:
            result = await metric.ascore(
                user_input=record.question,
                response=record.answer,
                retrieved_contexts=[c.text for c in record.context],
            )
            assert result.value is not None

    return lambda: _all(worker, concurrency)


async def deepeval(
    url: str, records: Iterable[Any], concurrency: int
) -> Callable[[], Awaitable[Any]]:
    """Faithfulness of deepeval without its reason: three calls an answer."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import OpenAIModel
    from deepeval.test_case import LLMTestCase

    prices = {"cost_per_input_token": 0.0, "cost_per_output_token": 0.0}
    model = OpenAIModel(model=MODEL, api_key="none", base_url=url, **prices)
    todo = iter(list(records))

    async def worker() -> None:
        for record in todo:
            metric = FaithfulnessMetric(model=model, include_reason=False)
            case = LLMTestCase(
                input=record.question,
                actual_output=record.answer,
                retrieval_context=[c.text for c in record.context],
            )
            await metric.a_measure(case, _show_indicator=False)
            assert metric.score is not None

    return lambda: _all(worker, concurrency)


async def _all(worker: Callable[[], Awaitable[None]], concurrency: int) -> None:
    await asyncio.gather(*(worker() for _ in range(concurrency)))


PEERS = {"ragas": ragas, "deepeval": deepeval}
