// ---- Chapter 6: the run

// Given: random numbers, the examples of the task `reverse`, and the weight hash.

/// Philox: the numbers are a function of a key and a counter.
struct Random {
  std::uint64_t seed;
  std::uint32_t purpose, step = 0, site = 0, example = 0, words[4] = {}, block = 0;
  int left = 0;

  std::uint32_t bits() {
    if (left == 0) {
      std::uint32_t a = block++, b = example, c = site | purpose << 24, d = step;
      std::uint32_t k = seed, l = seed >> 32;
      for (int round = 0; round < 10; ++round, k += 0x9E3779B9, l += 0xBB67AE85) {
        const std::uint64_t x = a * std::uint64_t{0xD2511F53}, y = c * std::uint64_t{0xCD9E8D57};
        a = y >> 32 ^ b ^ k;
        b = y;
        c = x >> 32 ^ d ^ l;
        d = x;
      }
      words[3] = a, words[2] = b, words[1] = c, words[0] = d;
      left = 4;
    }
    return words[--left];
  }
  int below(std::uint32_t n) {
    for (;;) {  // rejects the few words that would favor some results
      const std::uint64_t scaled = bits() * std::uint64_t{n};
      if (static_cast<std::uint32_t>(scaled) >= -n % n) return scaled >> 32;
    }
  }
  double uniform() {
    const std::uint64_t high = bits() >> 5;
    return (high << 26 | bits() >> 6) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};

/// Whether these tokens belong to the sixteenth of all prompts that is kept for validation.
bool is_held_out(const std::vector<int>& tokens) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (int token : tokens)
    for (int byte : {token, 0, 0, 0}) h = (h ^ byte) * 0x100000001B3;
  return h * 0x9E3779B97F4A7C15 < std::uint64_t{1} << 60;
}

/// The 64 examples of a step: 16 digits, and the same digits in reverse, as (64, 16).
struct Batch {
  std::vector<int> inputs, targets;
};
Batch batch(std::uint64_t seed, int step) {
  Batch all;
  for (int number = 0; number < 64; ++number) {
    Random random{seed, 2, std::uint32_t(step), 0, std::uint32_t(number)};
    std::vector<int> tokens(16);
    do
      for (int& token : tokens) token = random.below(10);
    while (is_held_out(tokens));
    all.inputs.insert(all.inputs.end(), tokens.begin(), tokens.end());
    all.targets.insert(all.targets.end(), tokens.rbegin(), tokens.rend());
  }
  return all;
}

std::string sha256(std::string text) {
  std::vector<std::uint32_t> k, h;  // digits of cube roots and square roots of primes
  for (int n = 2; k.size() < 64; ++n) {
    bool is_prime = true;
    for (int d = 2; d * d <= n; ++d) is_prime = is_prime && n % d != 0;
    if (!is_prime) continue;
    const auto fraction = [](long double x) {
      return std::uint32_t((x - std::floor(x)) * 0x1p32L);
    };
    k.push_back(fraction(std::cbrt(static_cast<long double>(n))));
    if (h.size() < 8) h.push_back(fraction(std::sqrt(static_cast<long double>(n))));
  }
  const std::uint64_t length = text.size() * 8;
  text += '\x80';
  text.resize((text.size() + 8 + 63) / 64 * 64 - 8);
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  const auto turn = [](std::uint32_t x, int n) { return x >> n | x << (32 - n); };
  for (std::size_t at = 0; at < text.size(); at += 64) {
    std::uint32_t w[64] = {};
    for (int i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(text[at + i]);
    for (int i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
             (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::vector<std::uint32_t> s = h;
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t x = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                              ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
      const std::uint32_t y = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                              ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {x + y, s[0], s[1], s[2], s[3] + x, s[4], s[5], s[6]};
    }
    for (int i = 0; i < 8; ++i) h[i] += s[i];
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x%08x", h[0], h[1]);
  return digits;  // the first sixteen
}

std::string weight_hash(const Parameters& parameters) {
  std::string all;
  for (const auto& [name, p] : parameters) {
    all += name + '\0' + "F32";
    for (int size : p->shape) all += ' ' + std::to_string(size);
    all += '\n';
    all.append(reinterpret_cast<const char*>(p->value.data()), 4 * p->value.size());
  }
  return sha256(all);
}

const std::vector<std::pair<std::string, std::vector<int>>> shapes = {
    {"tokens.weight", {10, 32}},
    {"positions.weight", {16, 32}},
    {"blocks.0.attention_norm.gain", {32}},
    {"blocks.0.attention_norm.bias", {32}},
    {"blocks.0.attention.qkv.weight", {96, 32}},
    {"blocks.0.attention.qkv.bias", {96}},
    {"blocks.0.attention.out.weight", {32, 32}},
    {"blocks.0.attention.out.bias", {32}},
    {"blocks.0.mlp_norm.gain", {32}},
    {"blocks.0.mlp_norm.bias", {32}},
    {"blocks.0.mlp.in.weight", {128, 32}},
    {"blocks.0.mlp.in.bias", {128}},
    {"blocks.0.mlp.out.weight", {32, 128}},
    {"blocks.0.mlp.out.bias", {32}},
    {"norm.gain", {32}},
    {"norm.bias", {32}},
    {"head.weight", {10, 32}},
    {"head.bias", {10}}};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Returns tensors with the names and shapes above. Gains are 1 and biases 0. Matrix number i of
/// `shapes`, counted from 0 with gains and biases, gets the numbers Random{seed, 1, 0, i}.normal()
/// as floats, times 0.02f, or times float(0.02 / sqrt(2)) for matrices that end in "out.weight",
/// whose results are added to the stream.
Parameters initial_weights(std::uint64_t seed) {
  //[
  Parameters all;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto& [name, shape] = shapes[i];
    const Tensor p = all[name] = tensor(shape);
    if (ends_with(name, "gain")) std::fill(p->value.begin(), p->value.end(), 1.0f);
    if (!ends_with(name, "weight")) continue;
    Random random{seed, 1, 0, std::uint32_t(i)};
    const float spread = ends_with(name, "out.weight") ? 0.02 / std::sqrt(2.0) : 0.02;
    for (float& x : p->value) x = static_cast<float>(random.normal()) * spread;
  }
  return all;
  //]
}

/// The logits (rows * 16, 10) of an encoder for ids (rows, 16). p: its parameters by name.
/// Embeddings of tokens plus positions; an attention block, which isn't causal; an MLP block; a
/// layer norm; a linear layer.
Tensor model(Parameters& p, const std::vector<int>& ids) {
  const int rows = ids.size() / 16;
  const std::string block = "blocks.0.";
  //[
  const auto of = [&](const char* name) { return p.at(block + name); };
  Tensor x = reshape(embedding(p["tokens.weight"], ids), {rows, 16, 32});
  x = add(x, p["positions.weight"]);
  x = attention_block(x, of("attention_norm.gain"), of("attention_norm.bias"),
                      of("attention.qkv.weight"), of("attention.qkv.bias"),
                      of("attention.out.weight"), of("attention.out.bias"));
  x = mlp_block(reshape(x, {rows * 16, 32}), of("mlp_norm.gain"), of("mlp_norm.bias"),
                of("mlp.in.weight"), of("mlp.in.bias"), of("mlp.out.weight"), of("mlp.out.bias"));
  x = layer_norm(x, p["norm.gain"], p["norm.bias"]);
  return linear(x, p["head.weight"], p["head.bias"]);
  //]
}

/// Sets each parameter's grad to the gradient of the mean loss over all targets of the batch, and
/// returns the loss. For the same bits: run forward and backward for 16 rows of the batch at a
/// time, each with the number of all targets as `all`, and add the gradients and, in double, the
/// losses.
double gradients(Parameters& p, const std::vector<int>& inputs, const std::vector<int>& targets) {
  //[
  for (auto& [name, each] : p) std::fill(each->grad.begin(), each->grad.end(), 0.0f);
  double loss = 0;
  for (std::size_t begin = 0; begin < inputs.size(); begin += 16 * 16) {
    const auto rows = [&](const std::vector<int>& all) {
      return std::vector<int>(all.begin() + begin, all.begin() + begin + 16 * 16);
    };
    const Tensor part = cross_entropy(model(p, rows(inputs)), rows(targets), targets.size());
    loss += part->value[0];
    backward(part, {1});
  }
  return loss;
  //]
}

/// The parameters after training, and the loss of each step.
struct Trained {
  Parameters parameters;
  std::vector<double> losses;
};

/// Trains with a learning rate that is planned for `steps` steps, and stops after `end` steps. Each
/// step clips the gradients at the norm 1.
Trained train(std::uint64_t seed, int steps, int end) {
  //[
  Trained result{initial_weights(seed), {}};
  AdamW optimizer(result.parameters);
  for (int step = 0; step < end; ++step) {
    const Batch now = batch(seed, step);
    result.losses.push_back(gradients(result.parameters, now.inputs, now.targets));
    std::vector<Numbers*> all;
    for (auto& [name, each] : result.parameters) all.push_back(&each->grad);
    clip(all, 1);
    optimizer.step(learning_rate(step, steps));
  }
  return result;
  //]
}

int main() {
  const Trained trained = train(0, 300, 300);
  std::printf("loss %.4f, weight hash %s\n", trained.losses.back(),
              weight_hash(trained.parameters).c_str());
}
