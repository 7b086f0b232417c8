// Compares your attention head with known results.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

/// Makes sequences of `time` tokens, which differ, except that the last one repeats a random
/// earlier one. Appends the token after that earlier one to `next`: the head must predict it.
Tensor sequences(Index batch, Index time, std::vector<int>& next) {
  std::vector<double> ids;
  for (Index row = 0; row < batch; ++row) {
    Random random(RandomKey{learn::student, Draw::test, 1400, 0, static_cast<std::uint32_t>(row)});
    std::vector<double> tokens;
    for (Index t = 0; t + 1 < time; ++t) tokens.push_back(static_cast<double>(t));
    for (std::size_t i = tokens.size(); i > 1; --i)  // shuffles the tokens
      std::swap(tokens[i - 1],
                tokens[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
    const auto place = static_cast<std::size_t>(random.below(time - 2));
    tokens.push_back(tokens[place]);
    next.push_back(static_cast<int>(tokens[place + 1]));
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  }
  return tensor(ids, {batch, time}, DType::i32);
}

void check(learn::Check& c) {
  c.part("previous", [&] {
    const Tensor x = c.normal({2, 4, 3});
    const Tensor shift = cast(equal(tril_mask(4, 4, -1), triu_mask(4, 4, -1)), DType::f64) *
                         cast(tril_mask(4, 4, -1), DType::f64);  // ones directly below the diagonal
    c.equal("row t - 1", previous(x), matmul(shift, x));
  });
  c.part("induction", [&] {
    const Index batch = 3, time = 6, vocabulary = 5;
    std::vector<int> next;
    const Tensor ids = sequences(batch, time, next);
    const Tensor copied = induction(one_hot(ids, vocabulary, DType::f64));
    c.require(copied.shape() == Shape{batch, time, vocabulary},
              fmt::format("the result has shape {}, expected (3, 6, 5)", copied.shape()));
    for (Index row = 0; row < batch; ++row)
      for (Index token = 0; token < vocabulary; ++token)
        c.equal(fmt::format("token {} at the end of sequence {}, {},", token, row,
                            to_string(slice(ids, 0, row, row + 1))),
                copied((row * time + time - 1) * vocabulary + token),
                token == next[static_cast<std::size_t>(row)] ? 1 : 0, 1e-6);
    // Later tokens must not change the results at earlier positions.
    const Tensor first =
        slice(induction(one_hot(slice(ids, 1, 0, 4), vocabulary, DType::f64)), 1, 0, 4);
    c.equal("the first four positions of a shorter sequence", first, slice(copied, 1, 0, 4), 1e-6,
            "no position may see later ones");
  });
}
