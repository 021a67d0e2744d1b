"""Run the benchmarks: `python -m benchmarks [--json] [name …]`."""

import argparse
import json
import sys
from dataclasses import asdict

from benchmarks import (
    cape_numpy_block,
    cape_plain_python,
    draw_numpy_random,
    empirical_bayes_refits,
    exact_numpy_rows,
    history_duckdb,
    history_pandas,
    history_read,
    ladder_draw_and_scan,
    oracle_numpy,
    pool_numpy,
    programme_optuna,
    programme_sqlite,
    refit_numpy,
    scan_bare_loop,
    scan_numpy,
    simulate_length,
)
from benchmarks.duel import Figure, fight

BENCHMARKS = {
    "scan/bare-loop": scan_bare_loop.duels,
    "scan/numpy": scan_numpy.duels,
    "cape/numpy-block": cape_numpy_block.duels,
    "cape/plain-python": cape_plain_python.duels,
    "simulate/10^12-vs-10^9": simulate_length.duels,
    "exact/numpy-rows": exact_numpy_rows.duels,
    "draw/numpy-random": draw_numpy_random.duels,
    "ladder/draw-and-scan": ladder_draw_and_scan.duels,
    "oracle/numpy-rows": oracle_numpy.duels,
    "pool/numpy-rows": pool_numpy.duels,
    "refit/numpy": refit_numpy.duels,
    "empirical-bayes/refits-and-ladder": empirical_bayes_refits.duels,
    "history/read": history_read.duels,
    "history/duckdb": history_duckdb.duels,
    "history/pandas": history_pandas.duels,
    "programme/sqlite": programme_sqlite.duels,
    "programme/optuna": programme_optuna.duels,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(BENCHMARKS):
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}; see --help")
    figures = []
    if not arguments.json:
        print(_HEAD)
    for name in arguments.names or BENCHMARKS:
        for duel in BENCHMARKS[name]():
            figures.append(fight(duel))
            if not arguments.json:
                print(_line(figures[-1]), flush=True)
    if arguments.json:
        json.dump([{**asdict(f), "met": f.met} for f in figures], sys.stdout, indent=2)
        print()


_ROW = "{:<42} {:>17} {:>17} {:>8}  {:>16}  {:>8}  {}"
_HEAD = _ROW.format("benchmark", "ours", "rival", "ratio", "middle half", "asked", "met")


def _line(figure: Figure) -> str:
    low, high = figure.middle_half
    return _ROW.format(
        figure.name,
        _time(figure.ours, figure.unit),
        _time(figure.rival, figure.unit),
        f"{figure.ratio:.3g}",
        f"{low:.3g} to {high:.3g}",
        "-" if figure.asked is None else str(figure.asked),
        {True: "yes", False: "NO", None: "-"}[figure.met],
    )


def _time(seconds: float, unit: str) -> str:
    for scale, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {name}/{unit}"
    return f"{seconds / 1e-9:.3g} ns/{unit}"


if __name__ == "__main__":
    main()
