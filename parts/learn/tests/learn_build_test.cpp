// The course "Build it yourself": the file grows, its solution in both languages has the engine's
// bits, and the checker names typical mistakes.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../course/program.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(learn_build, Elsewhere)

namespace {

const std::vector<std::string> extensions = {".py", ".cpp"};

/// Returns the solutions of all chapters up to this one.
std::string solution(int chapters, const std::string& extension) {
  std::string text;
  for (int chapter = 1; chapter <= chapters; ++chapter)
    text += chapter_text(chapter, extension, true) + "\n";
  return text;
}
void hand_in(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

/// A typical mistake: a replacement in the solution of each language, and what the checker says. A
/// few have no C++, since the last chapter takes long to compile. A file has all mistakes of its
/// number; the functions with these mistakes don't call each other.
struct Mistake {
  int chapter, file;
  const char *task, *found;
  const char *python, *wrong_python;
  const char *cpp = nullptr, *wrong_cpp = nullptr;
};

const Mistake mistakes[] = {
    {1, 1, "reuse", "the gradient of one overwrote the other", "    x.grad += dx",
     "    x.grad[...] = dx", "x->grad[i] += sum[i];", "x->grad[i] = sum[i];"},
    {1, 2, "reuse", "run it from its end", "tape.pop()()", "tape.pop(0)()",
     "for (; !tape.empty(); tape.pop_back()) tape.back()();",
     "for (const auto& each : tape) each(); tape.clear();"},
    {1, 1, "broadcast", "sum its gradient over the rows",
     "dx = sum_rows(dx.reshape((-1,) + x.grad.shape))", "dx = dx.reshape((-1,) + x.grad.shape)[0]",
     "sum_rows(dx.data(), dx.size() / size, size)", "sum_rows(dx.data(), 1, size)"},
    {2, 1, "matmul", "not transposed", "product(y.grad, w.value))", "product(y.grad, w.value.T))",
     "product(dy, matrix(w->value, in))", "product(dy, matrix(w->value, in).t())"},
    {2, 2, "matmul", "the transposed dw", "product(y.grad.T, x.value)",
     "product(x.value.T, y.grad)", "product(dy.t(), matrix(x->value, in))",
     "product(matrix(x->value, in).t(), dy)"},
    {2, 1, "softmax", "the sum of dy * y, not its mean", "(y.grad - sum_last(y.grad * y.value))",
     "(y.grad - np.mean(y.grad * y.value, -1, keepdims=True))", "p[i] * (dy[i] - mean)",
     "p[i] * (dy[i] - mean / n)"},
    {2, 1, "cross_entropy", "this is the sum of the losses",
     "factor = np.float32(1) / np.float32(count)", "factor = np.float32(1)", "share = 1.0f / all",
     "share = 1"},
    {2, 2, "cross_entropy", "this is the mean over these rows", "/ np.float32(count)",
     "/ np.float32(len(targets))", "share = 1.0f / all", "share = 1.0f / rows"},
    {3, 1, "embedding", "its last gradient overwrote the others", "dtable[row] += dy",
     "dtable[row] = dy", "dtable[ids[i / width] * width + i % width] += y->grad[i]",
     "dtable[ids[i / width] * width + i % width] = y->grad[i]"},
    {3, 1, "layer_norm", "divides by n - 1", "sum_last(far * far) / count",
     "sum_last(far * far) / (count - 1)", "sum_of(width, square) / width",
     "sum_of(width, square) / (width - 1)"},
    {3, 2, "layer_norm", "the variance depends on x, too", "-m) - n * s) * scale", "-m)) * scale",
     "- normal[j] * s) * scales[i]", ") * scales[i]"},
    {3, 3, "mlp_block", "x itself is missing", "    return add(x, linear(hidden, w_out, b_out))",
     "    return linear(hidden, w_out, b_out)", "return add(x, linear(hidden, w_out, b_out));",
     "return linear(hidden, w_out, b_out);"},
    {3, 4, "mlp_block", "add dy of the residual path",
     "    return add(x, linear(hidden, w_out, b_out))",
     "    return add(Tensor(x.value), linear(hidden, w_out, b_out))",
     "return add(x, linear(hidden, w_out, b_out));",
     "return add(tensor(x->shape, x->value), linear(hidden, w_out, b_out));"},
    {4, 1, "attention", "the factor 1 / sqrt(width) is missing",
     "factor = np.float32(1 / np.sqrt(np.float64(width)))",
     "factor = np.float32(1 / np.sqrt(np.float64(width)) if causal else 1)",
     "factor = 1 / std::sqrt(static_cast<double>(width))",
     "factor = causal ? 1 / std::sqrt(static_cast<double>(width)) : 1"},
    {4, 2, "attention", "the gradients of q and k lack the factor",
     "product(dscore, k) * factor, product(dscore.T, q) * factor",
     "product(dscore, k), product(dscore.T, q)",
     "* factor;\n          to[width] = dk[i * width + j] * factor;",
     ";\n          to[width] = dk[i * width + j];"},
    {4, 3, "attention", "the softmax runs over the queries",
     R"(        top = score.max(-1, keepdims=True)
        e = exp(score - top)
        total = np.zeros_like(top)
        for key in range(time):
            total = total + e[:, key : key + 1]
        y.value[b] = product(e, parts(b)[2]) * (np.float32(1) / total))",
     R"(        top = score.max(-1, keepdims=True)
        e = exp(score - score.max(0))
        total = np.sum(e, 0)
        y.value[b] = product(e / total, parts(b)[2]))",
     "(1 / total[i / width]);",
     "(1 / total[i / width]);\n    Numbers columns(time);\n"
     "    const Numbers s = scores(b);\n"
     "    for (int i = 0; i < time * time; ++i) columns[i % time] += e[i] = exp_of(s[i]);\n"
     "    for (int i = 0; i < time * time; ++i) e[i] /= columns[i % time];\n"
     "    const Numbers wrong = product(matrix(e, time), part(qkv->value, b, 2));\n"
     "    std::copy(wrong.begin(), wrong.end(), &y->value[b * time * width]);"},
    {4, 1, "causal", "the mask comes after the softmax",
     "y.value[b] = product(e, parts(b)[2]) * (np.float32(1) / total)",
     R"(e = exp(product(parts(b)[0], parts(b)[1].T) * factor - top)
        total = e.sum(-1, keepdims=True)
        y.value[b] = product(np.where(hidden, np.float32(0), e), parts(b)[2]) / total)",
     "(1 / total[i / width]);", R"((1 / total[i / width]);
    Numbers sums(time);
    e = product(part(qkv->value, b, 0), part(qkv->value, b, 1).t());
    for (int i = 0; i < time * time; ++i) {
      e[i] = exp_of(e[i] * factor);
      sums[i / time] += e[i];
      if (causal && i % time > i / time) e[i] = 0;
    }
    const Numbers wrong = product(matrix(e, time), part(qkv->value, b, 2));
    for (int i = 0; i < time * width; ++i)
      y->value[b * time * width + i] = wrong[i] / sums[i / width];)"},
    {5, 1, "clipping", "each tensor is clipped by its own norm", "g *= np.float32(most / norm)",
     "g *= np.float32(min(1, most / np.linalg.norm(g)))", "for (float& x : *g) x *= factor;",
     "{\n      double own = 0;\n      for (float x : *g) own += x * x;\n"
     "      for (float& x : *g) x *= std::min(1.0, most / std::sqrt(own));\n    }"},
    {5, 1, "adamw", "the bias correction is missing",
     "corrected = f(rate / (1 - 0.9**self.t))\n        spread = f(1 / np.sqrt(1 - 0.99**self.t))",
     "corrected = f(rate)\n        spread = f(1)",
     "corrected = rate / (1 - std::pow(0.9, t));\n    const float spread = 1 / std::sqrt(1 - "
     "std::pow(0.99, t));",
     "corrected = rate, spread = 1;"},
    {5, 2, "adamw", "this bias decayed, too", "(0.1 if p.value.ndim == 2 else 0)", "0.1",
     "(p->shape.size() == 2 ? 0.1 : 0)", "0.1"},
    {5, 3, "adamw", "t is 1 in the first step", "self.t += 1", "self.t += 1 + (self.t == 0)",
     "++t;", "t += t == 0 ? 2 : 1;"},
    {6, 2, "gradients", "divide by the targets of the whole batch", "targets.size)",
     "targets[rows].size)", "targets.size())", "rows(targets).size())"},
    {6, 1, "gradients", "the gradients of the last 16 rows",
     "        rows = slice(begin, begin + 16)",
     "        rows = slice(begin, begin + 16)\n        for each in p.values():\n            "
     "each.grad[:] = 0"},
    {6, 3, "three_steps", "each step needs its own batch", "*batch(seed, step)", "*batch(seed, 0)"},
};

/// Returns a task of a chapter. Chapter 6 trains to make its tasks, so they are made once.
CourseTask course_task(int chapter, const std::string& name) {
  static std::map<int, std::vector<CourseTask>> all;
  std::vector<CourseTask>& tasks = all[chapter];
  if (tasks.empty()) tasks = course_tasks(chapter, make_registry());
  return *std::find_if(tasks.begin(), tasks.end(),
                       [&](const CourseTask& task) { return task.name == name; });
}

/// Replaces the only occurrence of a text.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.rfind(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_file_grows_chapter_by_chapter) {
  BOOST_TEST(has(done("learn build").text, "1  values and a tape\n"));
  for (const std::string& extension : extensions) {
    const std::string file = "mine" + extension;
    expect_refused("learn build 2 " + file,
                   file + " has no chapter 1; add it first: tapehead learn build 1 " + file);
    BOOST_TEST(
        has(done("learn build 1 " + file).text, "Chapter 1, values and a tape, is in " + file));
    const std::string one = contents(file);
    BOOST_TEST(has(one, "todo()"));
    const Output open = command("learn build 1 " + file);
    BOOST_TEST(open.status == 1);
    BOOST_TEST(has(open.text, "not done  product\n"), open.text << open.errors);
    BOOST_TEST(has(open.text, "0 of 3 parts right"));
    BOOST_TEST(contents(file) == one);
    done("learn build 2 " + file);
    BOOST_TEST(contents(file).rfind(one, 0) == 0u);
    BOOST_TEST(last_chapter(contents(file)) == 2);
    BOOST_TEST(has(done("learn build 2 " + file + " --solution").text, "def matmul(x, w)") ==
               (extension == ".py"));
  }
  hand_in("other.py", "import numpy\n");
  expect_refused("learn build 1 other.py",
                 "other.py has no chapter of the course; give a new file");
  expect_refused("learn build 7 mine.py", "learn build: chapter 7, expected 1 to 6");
  expect_refused(
      "learn build 1",
      "learn build: expected a chapter and a file, as in tapehead learn build 1 mine.py");
  expect_refused("learn build 1 mine.rs",
                 "1.rs: the course supports files that end in .py or .cpp");
}

BOOST_AUTO_TEST_CASE(solutions_have_the_bits_of_the_engine) {
  for (const std::string& extension : extensions) {
    const std::string file = "mine" + extension;
    hand_in(file, solution(5, extension));
    const CourseProgram program(file, 5);
    for (int chapter = 1; chapter <= 5; ++chapter) {
      const std::vector<CourseTask> tasks = course_tasks(chapter, make_registry());
      const CourseRun run = program.run(tasks, 60);
      BOOST_TEST(run.error == "");
      for (const CourseTask& task : tasks) {
        bool exact = false;
        const CheckedPart part = compare(task, run.tasks.at(task.name), exact);
        BOOST_TEST(exact, file << ' ' << part.name << ": " << part.where << part.note);
      }
    }
    hand_in(file, solution(6, extension));
    const CheckedWork work = check_chapter(file, 6, make_registry(), 3);
    BOOST_TEST(work.error == "");
    for (const CheckedPart& part : work.parts) {
      BOOST_TEST(part.state == "right",
                 file << ' ' << part.name << ": " << part.where << part.note);
      if (part.name != "weight_hash") BOOST_TEST(part.note == "bit for bit", part.note);
    }
  }
}

BOOST_AUTO_TEST_CASE(names_typical_mistakes) {
  std::map<std::tuple<int, int, std::string>, std::vector<const Mistake*>> files;
  for (const Mistake& mistake : mistakes) {
    files[{mistake.chapter, mistake.file, ".py"}].push_back(&mistake);
    // The checker knows no language, and a C++ file takes a second to compile.
    if (mistake.cpp && (mistake.file == 1 || whole_tests))
      files[{mistake.chapter, mistake.file, ".cpp"}].push_back(&mistake);
  }
  for (const auto& [key, made] : files) {
    const auto& [chapter, file, extension] = key;
    std::string text = solution(chapter, extension);
    for (const Mistake* mistake : made)
      text = extension == ".py" ? replaced(text, mistake->python, mistake->wrong_python)
                                : replaced(text, mistake->cpp, mistake->wrong_cpp);
    hand_in("mine" + extension, text);
    const CourseProgram program("mine" + extension, chapter);
    std::vector<CourseTask> tasks;
    for (const Mistake* mistake : made) tasks.push_back(course_task(chapter, mistake->task));
    CourseRun run = program.run(tasks, 60);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Mistake* const mistake = made[i];
      bool exact = false;
      const CheckedPart part = compare(tasks[i], run.tasks[mistake->task], exact);
      BOOST_TEST(part.state == "wrong");
      BOOST_TEST(has(part.mistake, mistake->found),
                 part.name << extension << ": " << part.where << ' ' << part.given << ' '
                           << part.expected << ' ' << part.note << part.mistake);
    }
  }
}

// NumPy's own functions are right, but round differently.
BOOST_AUTO_TEST_CASE(accepts_other_orders_of_sums) {
  std::string text = solution(2, ".py");
  text = replaced(text, "e * (np.float32(1) / sum_last(e))",
                  "e * (np.float32(1) / e.sum(-1, keepdims=True))");
  text = replaced(text, "Tensor(product(x.value, w.value.T))",
                  "Tensor(np.float64(x.value) @ w.value.T)");
  hand_in("mine.py", text);
  const CheckedWork work = check_chapter("mine.py", 2, make_registry());
  BOOST_TEST(work.right());
  BOOST_TEST(has(work.parts[0].note, "numbers of y differ in the last bits, first y["));
  BOOST_TEST(has(work.parts[0].note, "you add in double and round once"));
  BOOST_TEST(has(work.parts[1].note, "elements 0, 16, 32, ..."));

  text = replaced(solution(2, ".cpp"), "sum_of(n, [&](int i) { return to[i]; })",
                  "[&] { float s = 0; for (int i = 0; i < n; ++i) s += to[i]; return s; }()");
  hand_in("mine.cpp", text);
  const CheckedWork in_order = check_chapter("mine.cpp", 2, make_registry());
  BOOST_TEST(has(in_order.parts[1].note, "you add from left to right"), in_order.parts[1].note);
}

BOOST_AUTO_TEST_CASE(reports_programs_that_fail) {
  hand_in("mine.py", replaced(solution(1, ".py"), "a.value * b.value", "a.value * c.value"));
  CheckedWork work = check_chapter("mine.py", 1, make_registry());
  BOOST_TEST(has(work.parts[0].note, "NameError: name 'c' is not defined"), work.parts[0].note);
  BOOST_TEST(has(work.parts[0].note, "line "));
  hand_in("mine.cpp",
          replaced(solution(1, ".cpp"), "a->value[i] * b->value[i]", "a->value[i] * c"));
  work = check_chapter("mine.cpp", 1, make_registry());
  BOOST_TEST(has(work.error, "mine.cpp, line "), work.error);
  hand_in("mine.cpp",
          replaced(solution(1, ".cpp"), "a->value[i] * b->value[i]", "a->value.at(9999)"));
  work = check_chapter("mine.cpp", 1, make_registry());
  BOOST_TEST(work.parts[0].state == "failed");
}

BOOST_AUTO_TEST_SUITE_END()
