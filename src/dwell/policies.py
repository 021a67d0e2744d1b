"""A finite ordered set of policies, and the chains that share their boundaries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self, overload

import numpy as np

from dwell.arrays import Durations, FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.policy import Policy
from dwell.rule import Rule
from dwell.sparse_policy import SparsePolicy
from dwell.wire import AsJson

AnyPolicy = Policy | SparsePolicy | Rule


class Limits(NamedTuple):
    """Where policies that differ only in their caps look, number by number.

    Attributes:
        looks: After how many samples.
        lower: The sums at or below which they reject there.
        upper: The sums at or above which they accept.
    """

    looks: memoryview
    lower: memoryview
    upper: memoryview


@dataclass(frozen=True)
class Chain:
    """Policies that differ only in their caps: one pass over the samples serves them all.

    Attributes:
        head: The longest of them.
        members: Their indices in the set, in increasing order of cap.
        caps: Their caps.
    """

    head: Policy
    members: IntArray
    caps: IntArray

    @cached_property
    def whole(self) -> tuple[Durations, Durations]:
        """The head's boundaries for sums of whole numbers, in 32 bits.

        Infinities become numbers out of their reach.
        """
        ends = np.floor(self.head.lower), np.ceil(self.head.upper)
        lower, upper = (np.clip(end, -(2**31 - 1), 2**31 - 1).astype(np.int32) for end in ends)
        return lower, upper

    def ends(self, samples: int) -> tuple[FloatArray, FloatArray]:
        """The head's boundaries, over the first samples at least."""
        return self._whole_ends if samples >= self.head.cap else self.head.prefix(samples)

    @cached_property
    def _whole_ends(self) -> tuple[FloatArray, FloatArray]:
        return self.head.lower, self.head.upper

    @cached_property
    def short_caps(self) -> Durations:
        """The caps in 32 bits, as compiled code takes them."""
        return self.caps.astype(np.int32)

    @cached_property
    def limits(self) -> Limits:
        """The head's boundaries where it looks."""
        sparse = SparsePolicy.of(self.head)
        return Limits(sparse.looks.data, sparse.lower.data, sparse.upper.data)


class Policies(AsJson, Sequence[AnyPolicy]):
    """Policies in order of their caps, D_1 <= D_2 <= … (Pi in the paper).

    Example:
        >>> policies = Policies([Policy([0], [1]), Policy([-2, -3, 3], [2, 3, 3])])
        >>> policies.caps
        (1, 3)
        >>> policies == Policies.from_json(policies.to_json())
        True
        >>> Policies(reversed(policies))
        Traceback (most recent call last):
        dwell.errors.InvalidInput: policies must be in increasing order of cap, got cap 1 after 3
    """

    LOOKS_LIKE = 'a set of policies in JSON looks like {"chains": […]}'

    def __init__(self, policies: Iterable[AnyPolicy]):
        if not isinstance(policies, Iterable):
            raise InvalidInput(f"policies must be a sequence, got {policies!r}")
        self._policies = tuple(policies)
        if not self._policies:
            raise InvalidInput("a set of policies must hold at least one, got none")
        for policy in self._policies:
            if not isinstance(policy, AnyPolicy):
                raise InvalidInput(f"each policy must be a Policy or a Rule, got {policy!r}")
        self.caps = tuple(policy.cap for policy in self._policies)
        for earlier, later in zip(self.caps, self.caps[1:], strict=False):
            if later < earlier:
                raise InvalidInput(
                    f"policies must be in increasing order of cap, got cap {later} after {earlier}"
                )

    @classmethod
    def of(cls, policies: "AnyPolicy | Iterable[AnyPolicy]") -> "Policies":
        """One policy or many, as a set."""
        if isinstance(policies, Policies):
            return policies
        return cls([policies]) if isinstance(policies, AnyPolicy) else cls(policies)

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """The fewest groups of truncations of one policy each, found greedily."""
        groups: list[tuple[Policy, list[int]]] = []
        for index in reversed(range(len(self))):
            policy = self._policies[index]
            if not isinstance(policy, Policy):
                continue
            for head, members in groups:
                if policy.is_truncation_of(head):
                    members.append(index)
                    break
            else:
                groups.append((policy, [index]))
        caps = np.array(self.caps, dtype=np.int64)
        return tuple(
            Chain(head, np.array(members[::-1], dtype=np.int64), caps[members[::-1]])
            for head, members in groups
        )

    @cached_property
    def chain_of(self) -> tuple[int, ...]:
        """Each policy's chain, by its place; of what has none, -1."""
        found = [-1] * len(self)
        for place, chain in enumerate(self.chains):
            for member in chain.members.tolist():
                found[member] = place
        return tuple(found)

    @cached_property
    def limits(self) -> tuple[Limits, ...]:
        """Where the policies of each chain look."""
        return tuple(chain.limits for chain in self.chains)

    @cached_property
    def one_chain(self) -> bool:
        """Whether all of them differ only in their caps."""
        return any(len(chain.members) == len(self) for chain in self.chains)

    @cached_property
    def heads(self) -> "Policies":
        """The longest policy of each chain, in order of their caps."""
        return Policies(sorted((chain.head for chain in self.chains), key=lambda head: head.cap))

    @cached_property
    def head_of(self) -> IntArray:
        """Each policy's head, by its index among the heads; of what has no chain, -1."""
        heads = sorted(self.chains, key=lambda chain: chain.head.cap)
        found = np.full(len(self), -1, dtype=np.int64)
        for index, chain in enumerate(heads):
            found[chain.members] = index
        return found

    @cached_property
    def rules(self) -> tuple[tuple[int, Rule], ...]:
        """The policies that are Python functions, with their indices."""
        return tuple(
            (i, policy) for i, policy in enumerate(self._policies) if isinstance(policy, Rule)
        )

    @cached_property
    def sparse(self) -> tuple[tuple[int, SparsePolicy], ...]:
        """The policies that look at few of their samples, with their indices."""
        return tuple(
            (i, policy)
            for i, policy in enumerate(self._policies)
            if isinstance(policy, SparsePolicy)
        )

    @cached_property
    def by_looks(self) -> tuple[SparsePolicy, ...]:
        """All of them by the looks that they have; there must be no rule among them."""
        assert not self.rules
        return tuple(
            SparsePolicy.of(policy) if isinstance(policy, Policy) else policy
            for policy in self._policies
            if not isinstance(policy, Rule)
        )

    def require_dense(self) -> None:
        """Refuse policies that have no entry per sample."""
        if self.sparse:
            index, policy = self.sparse[0]
            raise InvalidInput(
                f"policy {index + 1} looks at few of its {policy.cap:,} samples and runs on past "
                "tests only; give a Policy, with an entry per sample"
            )

    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows, the boundaries of each chain once."""
        if self.rules:
            raise InvalidInput("a Rule holds Python functions and cannot be written as JSON")
        self.require_dense()
        chains = [
            {
                "head": chain.head.to_dict(),
                "members": chain.members.tolist(),
                "caps": chain.caps.tolist(),
            }
            for chain in self.chains
        ]
        return {"chains": chains}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The set that `to_dict` gave."""
        chains: list[dict[str, Any]] = fields["chains"]
        policies: dict[int, Policy] = {}
        for chain in chains:
            head = Policy.from_dict(chain["head"])
            for index, cap in zip(chain["members"], chain["caps"], strict=True):
                policies[index] = head.truncated(cap)
        members = [index for chain in chains for index in chain["members"]]
        if sorted(members) != list(range(len(members))):
            raise ValueError("each index occurs once")
        return cls(policies[index] for index in sorted(policies))

    @overload
    def __getitem__(self, index: int) -> AnyPolicy: ...
    @overload
    def __getitem__(self, index: slice) -> "Policies": ...
    def __getitem__(self, index: int | slice) -> "AnyPolicy | Policies":
        chosen = self._policies[index]
        return Policies(chosen) if isinstance(chosen, tuple) else chosen

    def __len__(self) -> int:
        return len(self._policies)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policies) and self._policies == other._policies

    def __hash__(self) -> int:
        return hash(self._policies)

    def __reduce__(self) -> tuple[Any, ...]:
        # Truncations share their boundaries' memory; pickled one by one they would not.
        if self.rules or self.sparse:
            return Policies, (self._policies,)
        return Policies.from_json, (self.to_json(),)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change

    def __repr__(self) -> str:
        return f"Policies({len(self)} policies, caps {self.caps[0]} to {self.caps[-1]})"
