"""Figures about the service itself, for Prometheus.

Requests are counted by each worker process for itself; what is said of programmes follows from
their logs and is the same in all of them.
"""

from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from dwell.service.shelf import Shelf

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
_NO_ROUTE = "none"

# A line more for each of the others, of no use here.
disable_created_metrics()  # type: ignore[no-untyped-call]  # it takes nothing and gives nothing


class Metrics:
    """What is counted."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "dwell_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        # Of each kind of request that came: to find these by their labels takes longer.
        self._kinds: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._seconds = Histogram(
            "dwell_request_seconds",
            "How long answers took, in seconds.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )

    def answered(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count a request; what is asked for where there is nothing has no label of its own."""
        if route is None:
            method = route = _NO_ROUTE
        kind = method, route, status
        if kind not in self._kinds:
            counter = self._requests.labels(method, route, str(status))
            self._kinds[kind] = counter, self._seconds.labels(method, route)
        counted, timed = self._kinds[kind]
        counted.inc()
        timed.observe(seconds)

    def text(self, shelf: Shelf) -> bytes:
        """All figures, in the text format of Prometheus.

        Args:
            shelf: The programmes to tell of.
        """
        programmes = CollectorRegistry()
        programmes.register(_Programmes(shelf))
        return generate_latest(self._registry) + generate_latest(programmes)


class _Programmes(Collector):
    """Decisions and open tests of each programme, as they are when asked for."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: programmes need not be looked at before they are asked for."""
        return []

    def collect(self) -> Iterable[GaugeMetricFamily | CounterMetricFamily]:
        """The figures."""
        running = GaugeMetricFamily(
            "dwell_open_tests", "Tests that are open.", labels=["programme"]
        )
        decided = CounterMetricFamily(
            "dwell_decisions", "Tests that were decided.", labels=["programme", "decision"]
        )
        for name in self._shelf.names():
            programme = self._shelf.open(name)
            counts = programme.counts
            running.add_metric([name], len(programme.tasks()))
            decided.add_metric([name, "accept"], counts.shipped)
            decided.add_metric([name, "reject"], counts.dropped)
        return running, decided
