// Runs a student's file, which the macro STUDENT names: runner INPUTS RESULTS. CHAPTER is the
// chapter. INPUTS has two lines for each tensor: "TASK NAME SIZES...", and the elements as
// hexadecimal floats. RESULTS gets the same lines, or "! TASK MESSAGE" for a task that failed.
#define main main_of_student
#include STUDENT
#undef main

#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

// Each check compiles this file, so it has few templates: no streams, no std::function.
namespace runner {

struct Array {
  std::vector<int> sizes;
  Numbers numbers;
};

std::FILE *in, *out;
std::string task;
std::map<std::string, Array> given;  ///< the inputs of the task

/// Reads the inputs of the next task. Returns false at the end.
bool read() {
  static char next[100], name[100];  // of the first tensor that isn't read yet
  if (task.empty()) std::fscanf(in, "%99s %99s", next, name);
  for (task = next, given.clear(); next[0] && task == next;) {
    Array& array = given[name];
    for (int size; std::fgetc(in) == ' ' && std::fscanf(in, "%d", &size) == 1;)
      array.sizes.push_back(size);
    array.numbers.resize(count(array.sizes));
    for (float& x : array.numbers) std::fscanf(in, "%f", &x);
    if (std::fscanf(in, "%99s %99s", next, name) != 2) next[0] = 0;
  }
  return !task.empty();
}

void write(const std::string& name, const std::vector<int>& sizes, const Numbers& numbers) {
  std::fprintf(out, "%s %s", task.c_str(), name.c_str());
  for (int size : sizes) std::fprintf(out, " %d", size);
  std::fputc('\n', out);
  for (float x : numbers) std::fprintf(out, "%a ", x);
  std::fputc('\n', out);
  std::fflush(out);
}
void write(const std::string& name, const Tensor& x) { write(name, x->shape, x->value); }

/// Calls a function with tensors, whose names have spaces between them, and runs backward from dy.
/// Writes the result and the gradients.
void differentiate(std::string names, Tensor (*f)(const std::vector<Tensor>&)) {
  std::vector<std::string> words(1);
  for (char c : names) {
    if (c == ' ')
      words.push_back("");
    else
      words.back() += c;
  }
  std::vector<Tensor> inputs;
  for (const std::string& name : words)
    inputs.push_back(tensor(given.at(name).sizes, given.at(name).numbers));
  const Tensor y = f(inputs);
  write("y", y);
  backward(y, given.at("dy").numbers);
  for (std::size_t i = 0; i < words.size(); ++i)
    write("d" + words[i], inputs[i]->shape, inputs[i]->grad);
}
std::vector<int> ids(const char* name) {
  const Numbers& numbers = given.at(name).numbers;
  return {numbers.begin(), numbers.end()};
}

/// Runs the task. If it fails, writes why.
void run() try {
  using In = const std::vector<Tensor>&;
  if (task == "product") return differentiate("a b", [](In x) { return mul(x[0], x[1]); });
  if (task == "reuse") return differentiate("a b", [](In x) { return add(mul(x[0], x[1]), x[0]); });
  if (task == "broadcast") return differentiate("x b", [](In x) { return add(x[0], x[1]); });
#if CHAPTER >= 2
  if (task == "matmul") return differentiate("x w", [](In x) { return matmul(x[0], x[1]); });
  if (task == "softmax") return differentiate("x", [](In x) { return softmax(x[0]); });
  if (task == "gelu") return differentiate("x", [](In x) { return gelu(x[0]); });
  if (task == "cross_entropy")
    return differentiate("x",
                         [](In x) { return cross_entropy(x[0], ids("targets"), ids("count")[0]); });
#endif
#if CHAPTER >= 3
  if (task == "linear")
    return differentiate("x w b", [](In x) { return linear(x[0], x[1], x[2]); });
  if (task == "embedding")
    return differentiate("table", [](In x) { return embedding(x[0], ids("ids")); });
  if (task == "layer_norm")
    return differentiate("x gain bias", [](In x) { return layer_norm(x[0], x[1], x[2]); });
  const char* const block = "x gain bias w_in b_in w_out b_out";
  if (task == "mlp_block")
    return differentiate(block,
                         [](In x) { return mlp_block(x[0], x[1], x[2], x[3], x[4], x[5], x[6]); });
#endif
#if CHAPTER >= 4
  if (task == "attention" || task == "causal")
    return differentiate("qkv", [](In x) { return attention(x[0], task == "causal"); });
  if (task == "attention_block")
    return differentiate(
        block, [](In x) { return attention_block(x[0], x[1], x[2], x[3], x[4], x[5], x[6]); });
#endif
#if CHAPTER >= 5
  if (task == "learning_rate") {
    Numbers rates;
    for (int step : ids("steps")) rates.push_back(static_cast<float>(learning_rate(step, 300)));
    write("rates", {static_cast<int>(rates.size())}, rates);
  }
  if (task == "clipping") {
    Numbers a = given.at("a").numbers, b = given.at("b").numbers, c = given.at("c").numbers;
    write("norm", {}, {static_cast<float>(clip({&a, &b, &c}, 1))});
    write("a", given.at("a").sizes, a);
    write("b", given.at("b").sizes, b);
    write("c", given.at("c").sizes, c);
  }
  if (task == "adamw") {
    Parameters parameters;
    for (const char* name : {"weight", "bias"})
      parameters[name] = tensor(given.at(name).sizes, given.at(name).numbers);
    AdamW optimizer(parameters);
    for (int step = 1; step <= 3; ++step) {
      const std::string end = "_" + std::to_string(step);
      for (auto& [name, p] : parameters) p->grad = given.at("g_" + name + end).numbers;
      optimizer.step(given.at("rate").numbers[step - 1]);
      for (const char* name : {"weight", "bias"}) write(name + end, parameters[name]);
    }
  }
#endif
#if CHAPTER >= 6
  const auto write_all = [](const Parameters& all) {
    for (const auto& [name, p] : all) write(name, p);
  };
  if (task == "initial_weights") write_all(initial_weights(0));
  if (task == "gradients") {
    Parameters p = initial_weights(0);
    const Batch first = batch(0, 0);
    write("loss", {}, {static_cast<float>(gradients(p, first.inputs, first.targets))});
    for (const auto& [name, each] : p) write(name, each->shape, each->grad);
  }
  if (task == "three_steps" || task == "weight_hash") {
    const std::vector<int> steps = ids("steps");
    const Trained trained = train(0, steps[0], steps[1]);
    const auto& losses = trained.losses;
    write("losses", {static_cast<int>(losses.size())}, {losses.begin(), losses.end()});
    write_all(trained.parameters);
  }
#endif
} catch (const std::exception& error) {
  const bool open = std::string(error.what()) == "still to do";
  std::fprintf(out, "! %s %s\n", task.c_str(), open ? "todo" : error.what());
  tape.clear();
}

}  // namespace runner

int main(int, char** argv) {
  runner::in = std::fopen(argv[1], "r");
  runner::out = std::fopen(argv[2], "w");
  while (runner::read()) runner::run();
  std::fclose(runner::out);
}
