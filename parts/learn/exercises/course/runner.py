# Runs a student's file: python3 runner.py FILE INPUTS RESULTS. INPUTS has two lines for each
# tensor: "TASK NAME SIZES...", and the elements as hexadecimal floats. RESULTS gets the same lines,
# or "! TASK MESSAGE" for a task that failed.
import sys
import traceback
import types

path, inputs, results = sys.argv[1:]
student = types.ModuleType("student")


def read():
    tasks = {}
    with open(inputs) as lines:
        for head in lines:
            task, name, *sizes = head.split()
            numbers = [float.fromhex(word) for word in next(lines).split()]
            array = student.np.array(numbers, student.np.float32).reshape([int(n) for n in sizes])
            tasks.setdefault(task, {})[name] = array
    return tasks


def differentiate(names, function):
    """Returns a task: calls function(given, inputs with these names...), and runs backward."""

    def task(given):
        student.tape.clear()  # a task that failed may have left functions
        inputs = {name: student.Tensor(given[name].copy()) for name in names.split()}
        y = function(given, *inputs.values())
        student.backward(y, given["dy"])
        return {"y": y.value, **{"d" + name: x.grad for name, x in inputs.items()}}

    return task


def clipping(given):
    gradients = [given[name].copy() for name in ("a", "b", "c")]
    norm = student.clip(gradients, 1)
    return dict(zip(("norm", "a", "b", "c"), [norm] + gradients))


def adamw(given):
    parameters = {name: student.Tensor(given[name].copy()) for name in ("weight", "bias")}
    optimizer = student.AdamW(parameters)
    values = {}
    for step in (1, 2, 3):
        for name, p in parameters.items():
            p.grad = given["g_%s_%d" % (name, step)].copy()
        optimizer.step(float(given["rate"][step - 1]))
        values.update({"%s_%d" % (name, step): p.value.copy() for name, p in parameters.items()})
    return values


def gradients(given):
    p = student.initial_weights(0)
    loss = student.gradients(p, *student.batch(0, 0))
    return {"loss": loss, **{name: each.grad for name, each in p.items()}}


def train(given):
    p, losses = student.train(0, *[int(n) for n in given["steps"]])
    return {"losses": losses, **{name: each.value for name, each in p.items()}}


block = "x gain bias w_in b_in w_out b_out"
tasks = {
    "product": differentiate("a b", lambda given, a, b: student.mul(a, b)),
    "reuse": differentiate("a b", lambda given, a, b: student.add(student.mul(a, b), a)),
    "broadcast": differentiate("x b", lambda given, x, b: student.add(x, b)),
    "matmul": differentiate("x w", lambda given, x, w: student.matmul(x, w)),
    "softmax": differentiate("x", lambda given, x: student.softmax(x)),
    "gelu": differentiate("x", lambda given, x: student.gelu(x)),
    "cross_entropy": differentiate(
        "x",
        lambda given, x: student.cross_entropy(
            x, given["targets"].astype(int), int(given["count"])
        ),
    ),
    "linear": differentiate("x w b", lambda given, x, w, b: student.linear(x, w, b)),
    "embedding": differentiate(
        "table", lambda given, table: student.embedding(table, given["ids"].astype(int))
    ),
    "layer_norm": differentiate("x gain bias", lambda given, *x: student.layer_norm(*x)),
    "mlp_block": differentiate(block, lambda given, *x: student.mlp_block(*x)),
    "attention": differentiate("qkv", lambda given, qkv: student.attention(qkv, False)),
    "causal": differentiate("qkv", lambda given, qkv: student.attention(qkv, True)),
    "attention_block": differentiate(block, lambda given, *x: student.attention_block(*x)),
    "learning_rate": lambda t: {"rates": [student.learning_rate(int(s), 300) for s in t["steps"]]},
    "clipping": clipping,
    "adamw": adamw,
    "initial_weights": lambda t: {n: p.value for n, p in student.initial_weights(0).items()},
    "gradients": gradients,
    "three_steps": train,
    "weight_hash": train,
}


def describe(error):
    """Returns the error with the last line of the student's file that it passed."""
    text = "%s: %s" % (type(error).__name__, error)
    if isinstance(error, SyntaxError) and error.filename == path:
        return "line %s: %s: %s" % (error.lineno, type(error).__name__, error.msg)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return "line %d: %s" % (lines[-1], text) if lines else text


with open(results, "w") as out:
    try:
        with open(path) as source:
            exec(compile(source.read(), path, "exec"), student.__dict__)
    except Exception as error:
        print("! *", describe(error), file=out)
        sys.exit(0)
    for name, given in read().items():
        try:
            for result, values in tasks[name](given).items():
                array = student.np.asarray(values, student.np.float32)
                print(name, result, *array.shape, file=out)
                print(*[float(x).hex() for x in array.reshape(-1)], file=out)
        except NotImplementedError as error:
            print("!", name, "todo", file=out)
        except Exception as error:
            print("!", name, " ".join(describe(error).split()), file=out)
