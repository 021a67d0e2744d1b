"""Oracle: the best policy there is, against outside figures, search, and plain recursion."""

import itertools

import numpy as np
import pytest

from dwell import normal_optimum, rules
from dwell.arrays import FloatArray
from dwell.errors import NothingWorthTesting
from dwell.families import fixed
from dwell.laws import Gaussian, Lift, Signs
from dwell.optimum import oracle
from dwell.policy import Policy
from dwell.priors import Atoms, Beta, Normal, Prior
from dwell.table import exact
from dwell.world import World
from tests.refusals import refused

# Exact computation by others, to the digits that they gave; Beta(2, 3) is 1/49 by hand.
KNOWN: list[tuple[Prior, float, int, float]] = [
    (Beta(2, 3), 0, 400, 0.02040816326530612),
    (Beta(1, 1), 0, 400, 0.16666666666666666),
    (Beta(1, 3), 0, 400, 0.006822861),
    (Beta(8, 12), 0, 400, 0.001258882),
    (Beta(45, 55), 0, 400, 0.000104791),
    (Atoms([-0.5, 0.5], [0.9, 0.1]), 0, 400, 0.013554217),
    (Atoms([-0.1, 0.1], [0.9, 0.1]), 0, 1500, 0.000139107),
    (Beta(1, 1), 10, 400, 0.016373412),
]
# The best rule that the public project avorozhtsov/shipit found by simulation, as ROI * noise^2,
# with its standard error: values Normal(-1, 1), one measurement a week with this noise.
PUBLISHED = [
    (2, 0.063584773, 0.000023657),
    (4, 0.085673634, 0.000044113),
    (8, 0.10007687, 0.00012864),
]


@pytest.mark.parametrize(("prior", "setup_cost", "cap", "roi"), KNOWN)
def test_known_optima_are_found(prior: Prior, setup_cost: float, cap: int, roi: float) -> None:
    """The ROI agrees to six digits, and is that of the policy that comes with it."""
    world = World(prior, Signs())
    best = oracle(world, cap, setup_cost)
    assert best.roi == pytest.approx(roi, rel=5e-6)
    table = exact(best.policy, world, setup_cost)
    assert table.roi[0] == pytest.approx(best.roi, rel=1e-9)
    assert (best.reward, best.cost) == (table.reward[0], table.cost[0])


@pytest.mark.parametrize(("noise", "published", "error"), PUBLISHED)
def test_normal_optima_are_at_or_slightly_above_published_rules(
    noise: float, published: float, error: float
) -> None:
    """The true optimum is not below the best rule found elsewhere, and hardly above it."""
    found = oracle(World(Normal(-1, 1), Gaussian(noise)), cap=400).roi * noise**2
    assert published - 2 * error <= found <= 1.005 * published


def bands(cap: int) -> tuple[FloatArray, FloatArray]:
    """All pairs of boundaries that differ on a lattice."""
    pairs = [
        [(low, high) for low in range(-d - 1, d + 1) for high in range(low + 1, d + 2)]
        for d in range(1, cap)
    ]
    ends = [(at, at) for at in range(-cap, cap + 2)]
    every = np.array(list(itertools.product(*pairs, ends)), dtype=float)
    return every[:, :, 0], every[:, :, 1]


def rois(world: World, setup_cost: float, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """The ROI of policies, by running them on every sequence of samples."""
    assert isinstance(world.prior, Atoms)
    law = world.law
    assert not isinstance(law, Gaussian)
    cap = lower.shape[1]
    moves = np.array(list(itertools.product(range(4 - law.stride), repeat=cap)))
    chances = np.array([(law.moves @ [1.0, v])[moves].prod(axis=1) for v in world.prior.values])
    likelihood = np.array(world.prior.weights)[:, None] * chances
    values = np.array(world.prior.values) @ likelihood
    reward, cost = np.zeros(len(lower)), np.full(len(lower), setup_cost)
    for sums, value, weight in zip(
        np.cumsum(law.stride * moves - 1, axis=1), values, likelihood.sum(axis=0), strict=True
    ):
        stopped = (sums >= upper) | (sums <= lower)
        last = stopped.argmax(axis=1)
        reward += value * (sums[last] >= upper[np.arange(len(lower)), last])
        cost += weight * (1 + last)
    return np.asarray(reward / cost)


def random_world(rng: np.random.Generator, lift: bool) -> World:
    law = Lift(float(rng.uniform(0.05, 0.5))) if lift else Signs()
    count = int(rng.integers(2, 5))
    values = rng.uniform(*law.value_range, count)
    return World(Atoms(values.tolist(), rng.dirichlet(np.ones(count)).tolist()), law)


def best_roi(world: World, cap: int, setup_cost: float) -> float:
    try:
        return oracle(world, cap, setup_cost).roi
    except NothingWorthTesting:
        return 0.0


@pytest.mark.parametrize("lift", [False, True])
def test_no_policy_of_all_beats_the_oracle(lift: bool) -> None:
    """On 50 random worlds each, the best of all pairs of boundaries with cap 3 is found."""
    rng = np.random.default_rng(5)
    lower, upper = bands(3)
    for _ in range(50):
        world, setup_cost = random_world(rng, lift), float(rng.choice([0, 1, 5]))
        best = rois(world, setup_cost, lower, upper).max()
        assert best_roi(world, 3, setup_cost) == pytest.approx(max(best, 0.0), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("lift", [False, True])
def test_random_search_finds_nothing_better(lift: bool) -> None:
    """With caps up to 8, neither do 2,000 random policies beat it, nor any beside it."""
    rng = np.random.default_rng(6)
    for cap in (4, 5, 6, 7, 8):
        world, setup_cost = random_world(rng, lift), float(rng.choice([0, 1, 5]))
        d = np.arange(1, cap + 1)
        ends = np.sort(rng.integers(-d - 1, d + 2, size=(2000, 2, cap)), axis=1).astype(float)
        ends[:, 0, -1] = ends[:, 1, -1]
        most = best_roi(world, cap, setup_cost) * (1 + 1e-9) + 1e-15
        assert rois(world, setup_cost, ends[:, 0], ends[:, 1]).max() <= most


@pytest.mark.parametrize("lift", [False, True])
def test_no_policy_beside_the_best_is_better(lift: bool) -> None:
    """A boundary that is moved by one step at one place never raises the ROI."""
    rng = np.random.default_rng(7)
    for cap in (2, 5, 12, 30):
        world = random_world(rng, lift)
        if best_roi(world, cap, 1.0) == 0.0:
            continue
        best = oracle(world, cap, 1.0)
        lower, upper = best.policy.lower, best.policy.upper
        for d, low, high in itertools.product(range(len(upper)), (-1, 0, 1), (-1, 0, 1)):
            moved = lower.copy(), upper.copy()
            moved[0][d] += low
            moved[1][d] += low if d + 1 == len(upper) else high
            if moved[0][d] <= moved[1][d]:
                roi = exact(Policy(*moved), world, 1.0).roi[0]
                assert roi <= best.roi * (1 + 1e-12)


def plain_optimum(a: float, b: float, cap: int, price: float) -> tuple[list[int], list[int]]:
    """The sums at which to drop and to ship, by recursion over all (d, sum)."""
    worth = {2 * u - cap: max(0.0, (a - b + 2 * u - cap) / (a + b + cap)) for u in range(cap + 1)}
    lower: list[int] = []
    upper: list[int] = []
    for d in range(cap - 1, 0, -1):
        going_on = []
        new = {}
        for s in range(-d, d + 1, 2):
            mean = (a - b + s) / (a + b + d)
            onward = -price + (1 + mean) / 2 * worth[s + 1] + (1 - mean) / 2 * worth[s - 1]
            new[s] = max(0.0, mean, onward)
            going_on += [s] if onward > max(0.0, mean) else []
        worth = new
        positive = [s for s in new if (a - b + s) / (a + b + d) > 0.0]
        first = min(going_on or positive or [d + 2])
        lower.insert(0, first - 2)
        upper.insert(0, max(going_on) + 2 if going_on else first)
    return lower, upper


@pytest.mark.parametrize(("a", "b", "cap"), [(2, 3, 12), (1, 1, 20), (8, 12, 40), (3, 7, 33)])
def test_boundaries_are_those_of_plain_recursion(a: float, b: float, cap: int) -> None:
    """At the best ROI, the boundaries before the cap are where a plain recursion puts them."""
    best = oracle(World(Beta(a, b), Signs()), cap, setup_cost=3)
    lower, upper = plain_optimum(a, b, cap, best.roi)
    d = np.arange(1, best.policy.cap)
    for found, plain in ((best.policy.lower, lower), (best.policy.upper, upper)):
        # Sums beyond what can be reached say nothing; and the best may have a shorter cap.
        reached = np.clip(found[:-1], -d - 2, d + 2)
        assert reached.tolist() == np.clip(plain[: len(d)], -d - 2, d + 2).tolist()


def test_the_cap_binds_where_a_longer_one_would_pay() -> None:
    """A cap far beyond what the best policy wants does not bind; a short one does."""
    world = World(Beta(8, 12), Signs())
    short, long = oracle(world, 20), oracle(world, 400)
    assert short.cap_binds
    assert not long.cap_binds
    assert short.roi < long.roi


def test_normal_optima_hardly_depend_on_how_often_one_looks_beyond_need() -> None:
    """Fewer looks earn less, never more; on a fine grid the difference is small."""
    world = World(Normal(-1, 1), Gaussian(20.0))
    often, seldom = oracle(world, 400, 50, every=2), oracle(world, 400, 50, every=40)
    assert seldom.roi < often.roi < 1.1 * seldom.roi
    looks = np.flatnonzero(np.isfinite(seldom.policy.upper)) + 1
    assert looks.tolist() == list(range(40, 401, 40))


def test_a_mixture_of_values_is_as_good_as_its_normal_law() -> None:
    """The optimum for a normal prior and that for a fine mixture of values agree."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    keep = weights > 1e-12
    mixed = Atoms((-0.5 + nodes[keep]).tolist(), (weights[keep] / weights[keep].sum()).tolist())
    normal = oracle(World(Normal(-0.5, 1), Gaussian(3.0)), 30, 2)
    other = oracle(World(mixed, Gaussian(3.0)), 30, 2)
    assert other.roi == pytest.approx(normal.roi, rel=1e-6)
    assert other.policy.upper == pytest.approx(normal.policy.upper, abs=1e-3)


@pytest.mark.parametrize(
    ("world", "cap", "setup_cost", "every"),
    [
        (World(Normal(-1, 1), Gaussian(8.0)), 60, 0, 1),
        (World(Normal(-0.0003, 0.0045), Gaussian(0.16)), 28_000, 1000, 1000),
        (World(Normal(-2, 0.5), Gaussian(4.0)), 100, 0, 1),
        (World(Atoms([-1, -0.2, 0.5], [0.5, 0.3, 0.2]), Gaussian(2.0)), 60, 3, 1),
    ],
)
def test_normal_optima_do_not_depend_on_the_grid(
    world: World, cap: int, setup_cost: float, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Panels a third as wide change neither the ROI by 1e-9 of it, nor the boundaries by 1e-6."""
    coarse = oracle(world, cap, setup_cost, every=every)
    monkeypatch.setattr(normal_optimum, "PANEL", 1.0)
    fine = oracle(world, cap, setup_cost, every=every)
    assert coarse.roi == pytest.approx(fine.roi, rel=1e-9)
    assert coarse.policy.upper == pytest.approx(fine.policy.upper, rel=1e-6)
    assert coarse.policy.lower == pytest.approx(fine.policy.lower, rel=1e-6)


# A normal prior far below 0, the noise of a sample, and how long a test may be.
FAR = [(-2, 0.5, 4, 400), (-3, 0.5, 2, 100), (-10, 1, 5, 60), (-20, 1, 1, 30), (-2, 0.1, 1, 60)]


@pytest.mark.parametrize(("mean", "sd", "noise", "cap"), FAR)
def test_where_hardly_any_idea_is_good_the_best_is_found_all_the_same(
    mean: float, sd: float, noise: float, cap: int
) -> None:
    """No fixed test and no published rule earns more, however little it is."""
    prior = Normal(mean, sd)
    world = World(prior, Gaussian(noise))
    best = oracle(world, cap)
    even = -mean * (noise / sd) ** 2  # above this sum the mean of the value is above 0
    others = [fixed(d, even) for d in (1, cap // 10, cap // 2, cap)]
    slopes = (1.0, 2.75, 8.0)
    others += [
        rules.shifted_linear(cap, prior=prior, sd=noise, stop=k, ship=k, ship_from=sd + mean / k)
        for k in slopes
    ]
    assert 0.0 < max(exact(policy, world).roi[0] for policy in others) < best.roi
    assert exact(best.policy, world).roi[0] == best.roi


def test_a_far_normal_prior_is_as_good_as_its_mixture_of_values() -> None:
    """Another way to the same optimum: 120 known values, most of them with hardly any weight."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    mixed = Atoms((-2 + 0.5 * nodes).tolist(), (weights / weights.sum()).tolist())
    normal = oracle(World(Normal(-2, 0.5), Gaussian(4.0)), 25)
    other = oracle(World(mixed, Gaussian(4.0)), 25)
    assert other.roi == pytest.approx(normal.roi, rel=1e-4)


def test_a_prior_too_far_for_numbers_is_hopeless() -> None:
    """Its ROI is below all that floating point can hold."""
    with pytest.raises(NothingWorthTesting, match=r"Normal\(-50, 1\)"):
        oracle(World(Normal(-50, 1), Gaussian(1)), 100)


def test_hopeless_worlds_are_said_to_be_so() -> None:
    """Where no value is positive, or no cap is long enough, nothing is worth testing."""
    for world in (
        World(Atoms([-0.5, -0.1]), Signs()),
        World(Beta(45, 55), Signs()),
        World(Atoms([-0.01]), Lift(0.1)),
        World(Atoms([-1.0, -2.0]), Gaussian(1.0)),
    ):
        with pytest.raises(NothingWorthTesting, match="nothing is worth testing here"):
            oracle(world, 2)


def test_worlds_without_doubt_need_one_sample() -> None:
    """If every idea is worth something, the best is to accept after the first sample."""
    for world in (World(Atoms([0.5, 0.2]), Signs()), World(Atoms([0.5, 2.0]), Gaussian(1.0))):
        best = oracle(world, 16)
        assert (best.cost, best.accept_rate) == pytest.approx((1.0, 1.0))


def test_bad_input_is_refused() -> None:
    """One sentence with the value, and what to do."""
    world = World(Beta(2, 3), Signs())
    with refused("cap", "0"):
        oracle(world, 0)
    with refused("set-up cost", "nan"):
        oracle(world, 5, float("nan"))
    with refused("every", "2", "Signs"):
        oracle(world, 5, every=2)
    with refused("100,000", "Gaussian"):
        oracle(World(Atoms([-0.5, 0.5]), Signs()), 100_000)


def test_policies_of_the_optimum_can_be_compared() -> None:
    """The optimum's policy is a policy like any other."""
    best = oracle(World(Beta(2, 3), Signs()), 10)
    assert Policy.from_json(best.policy.to_json()) == best.policy
