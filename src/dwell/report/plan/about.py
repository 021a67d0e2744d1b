"""What a plan is about, for programs."""

from dwell.fitting.past_change import change_fields
from dwell.planning import Plan
from dwell.report.plan.rows import limits
from dwell.report.plan.text import Basis, lines


def about(plan: Plan, basis: Basis) -> dict[str, object]:
    """What the figures of a plan are about, for programs."""
    terms, past = plan.terms, basis.past
    assert plan.best.policy is not None  # both are policies
    assert plan.simple.policy is not None
    told: dict[str, object] = {
        "prior": str(terms.world.prior),
        "law": str(terms.world.law),
        "setup_cost": terms.setup_cost,
        "price_per_sample": terms.price_per_sample,
        "value_of_lift": terms.value_of_lift,
        "traffic_per_day": terms.traffic_per_day,
        "min_days": terms.min_days,
        "max_days": terms.max_days,
        "looks": terms.looks,
        "assumed": basis.assumed,
        "advice": lines(plan, basis.assumed),
        "best": limits(terms, plan.best.policy),
        "simple": limits(terms, plan.simple.policy),
        "notes": [*basis.notes, *plan.notes],
    }
    if past is not None:
        found = past.found
        told["fitted"] = {
            "fit": past.fit,
            "tests": found.tests,
            "mean": found.mean,
            "mean_error": found.mean_error,
            "sd": found.sd,
            "sd_error": found.sd_error,
            "misfit_p_value": found.misfit_p_value,
            "t_mean": found.student_t.mean,
            "t_scale": found.student_t.scale,
            "t_df": found.student_t.df,
            "supported": found.supported,
            "t_p_value": found.t_p_value,
            "free_gain": found.free_gain,
            "free_gain_error": found.free_gain_error,
        }
        told["changed"] = None if past.changed is None else change_fields(past.changed)
    return told
