"""How the workers of bench/compare.py time a step, whatever takes it."""
import math
import statistics
import time

MINIMUM_STEPS = 3  # per measurement, however slow


def measure(step, seconds):
    """Milliseconds of a step, which returns its loss: the median over some seconds of them."""
    times, spent = [], 0.0
    while spent < seconds or len(times) < MINIMUM_STEPS:
        start = time.perf_counter()
        loss = step()
        times.append(time.perf_counter() - start)
        spent += times[-1]
    if not math.isfinite(loss):
        raise ArithmeticError(f"the loss is {loss}")
    return {"milliseconds": 1e3 * statistics.median(times), "steps": len(times)}
