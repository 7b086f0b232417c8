"""PyTorch in a separate process. The argument is a JSON description of the setup. Each line of
stdin is a JSON request, and each line of stdout the answer. Importing, building and compiling
finish before timing starts."""
import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch_text
from settings import DROPOUT, Config
from timing import MINIMUM_STEPS, measure
from torch_gpt import GPT, adamw, training_step


class Steps:
    """The training steps of a configuration, eager or compiled. All cases train the same
    parameters."""

    def __init__(self, config, compiled):
        torch.manual_seed(0)
        self.config, self.compiled = config, compiled
        self.base = GPT(config)
        self.optimizer = adamw(self.base)
        size = (config.batch, config.context)
        self.ids, self.targets = (torch.randint(config.vocabulary, size) for _ in range(2))
        self.models = {}

    def model(self, dropout):
        if dropout not in self.models:
            model = GPT(self.config, dropout)
            model.load_state_dict(self.base.state_dict(keep_vars=True), assign=True)
            self.models[dropout] = torch.compile(model, dynamic=False) if self.compiled else model
        return self.models[dropout]

    def step(self, case):
        model = self.model(DROPOUT if case == "dropout" else 0.0)
        return training_step(model, self.optimizer, self.ids, self.targets)

    def prepare(self, case):
        for _ in range(MINIMUM_STEPS):
            loss = self.step(case)
        return {"loss": loss}

    def measure(self, case, seconds):
        return measure(lambda: self.step(case), seconds)

    @torch.no_grad()
    def decode(self, seconds):
        """Measures greedy generation that reads the whole context again for each token, like a
        PyTorch loop without a KV cache."""
        model = self.model(0.0).eval()
        rates, spent = [], 0.0
        tokens = min(64, self.config.context)
        while spent < seconds:
            ids = torch.zeros(1, 1, dtype=torch.long)
            start = time.perf_counter()
            for _ in range(tokens):
                last = model.logits(ids)[:, -1].argmax(-1, keepdim=True)  # (1, 1)
                ids = torch.cat((ids, last), dim=1)[:, -self.config.context :]
            rates.append(tokens / (time.perf_counter() - start))
            spent += tokens / rates[-1]
        model.train()
        return {"tokens_per_second": statistics.median(rates)}

    def memory(self, case):
        """Returns the peak memory, according to the profiler, of the tensors allocated in one
        step."""
        # Frees the gradients of an earlier step. Otherwise the measured step would free them, and
        # the profiler would count this as negative memory.
        self.optimizer.zero_grad(set_to_none=True)
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
            self.step(case)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            profile.export_chrome_trace(path)
            with open(path) as file:
                events = json.load(file)["traceEvents"]
        events = [event for event in events if event.get("name") == "[memory]"]
        live = peak = 0
        for event in sorted(events, key=lambda event: event["ts"]):
            live += event["args"]["Bytes"]  # memory in use that was allocated in this step
            peak = max(peak, live)
        return {"megabytes": 1e-6 * peak}


class Worker:
    def __init__(self, config, threads, compiled):
        torch.set_num_threads(threads)
        self.config, self.compiled = Config(**config), compiled
        self.steps = None

    def answer(self, do, **given):
        if do == "train":
            return {"evaluations": torch_text.train(self.config, **given)}
        if do == "evaluate":
            return {"val_loss": torch_text.evaluate(self.config, **given)}
        if self.steps is None:
            self.steps = Steps(self.config, self.compiled)
        steps = {"prepare": self.steps.prepare, "measure": self.steps.measure}
        return {**steps, "memory": self.steps.memory, "decode": self.steps.decode}[do](**given)


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries may print to standard output
    worker = Worker(**json.loads(sys.argv[1]))
    for line in sys.stdin:
        try:
            answer = worker.answer(**json.loads(line))
        except Exception as error:  # other cases may still succeed
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[0] if text else ''}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
