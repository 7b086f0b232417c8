"""Timing of training steps, for the workers of bench/compare.py."""
import math
import statistics
import time

MINIMUM_STEPS = 3  # per measurement, even if steps are slow


def measure(step, seconds):
    """Runs step() for some seconds, and returns the median time in milliseconds. step() returns the
    loss."""
    times, spent = [], 0.0
    while spent < seconds or len(times) < MINIMUM_STEPS:
        start = time.perf_counter()
        loss = step()
        times.append(time.perf_counter() - start)
        spent += times[-1]
    if not math.isfinite(loss):
        raise ArithmeticError(f"the loss is {loss}")
    return {"milliseconds": 1e3 * statistics.median(times), "steps": len(times)}
