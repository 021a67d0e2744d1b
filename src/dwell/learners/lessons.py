"""Lessons: what each test taught EmpiricalBayes, a list for audit that is no part of its state."""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from dwell.laws import Law
from dwell.learners.design import Design
from dwell.learners.learned import Round
from dwell.learners.rule_sentence import rule_sentence
from dwell.policy import Policy
from dwell.records import Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a test taught, how it was decided, and what followed.

    Attributes:
        number: Which test, in the order in which they were begun, from 1 on.
        samples: How many samples it drew, those that verify or go deeper included.
        sum: Their sum, as it was told: with their number, all that it says of its idea.
        effect: Their mean; in the units of noise levels where there are any.
        standard_error: Of the effect, by the noise and by what samples were taken to be worth.
        noise: The standard deviation of a sample, as the law has it, or the level that it is of.
        samples_worth: What a sample was taken to be worth in independent ones.
        round: Which boundaries decided, counted from 0.
        rule: The same in one sentence.
        decision: What they decided.
        counts: Whether that counted; if not, the idea was rejected.
        verified: The mean of the samples that verified an acceptance; None where none did.
        refit: The round that began with what it taught; None where none did.
    """

    number: int
    samples: int
    sum: float
    effect: float
    standard_error: float
    noise: float
    samples_worth: float
    round: int
    rule: str
    decision: Literal["accept", "reject"]
    counts: bool
    verified: float | None
    refit: int | None


def lessons(
    design: Design, records: Records, ran: Round, law: Law, *, unit: float, refit: int | None
) -> list[Lesson]:
    """What the tests of a design taught.

    Args:
        design: The design.
        records: Their records, in order; of the first of them where not all were taken.
        ran: The boundaries that decided.
        law: The law of samples.
        unit: What a sample of 1 is worth.
        refit: The round that began when they had been learned from; None where none did.
    """
    policy = design.policies[design.decider]
    assert isinstance(policy, Policy)  # boundaries that were computed
    assert records.sums is not None  # every design asks for them
    rule = ran.words or rule_sentence(policy, law)
    accepts = records.decisions[:, design.decider] == 1
    verified = [None] * len(records)
    if records.estimates is not None:
        asked = accepts & (design.extras_in(np.arange(len(records))) > 0)
        estimates = records.estimates[:, 0].tolist()
        verified = [each if by else None for each, by in zip(estimates, asked, strict=True)]
    rows = zip(records.drawn.tolist(), records.sums.tolist(), accepts, verified, strict=True)
    return [
        Lesson(
            number=design.number + place,
            samples=samples,
            sum=total,
            effect=unit * total / samples,
            standard_error=unit * design.noise * sqrt(ran.factor / samples),
            noise=unit * design.noise,
            samples_worth=1.0 / ran.factor,
            round=ran.number,
            rule=rule,
            decision="accept" if accepted else "reject",
            counts=design.accepts,
            verified=estimate,
            refit=refit if place == len(records) - 1 else None,
        )
        for place, (samples, total, accepted, estimate) in enumerate(rows)
    ]
