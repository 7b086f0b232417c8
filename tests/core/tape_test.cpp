#include "../../core/ops.hpp"
#include "../../core/runtime/memory.hpp"
#include "../shared/support.hpp"

#include <pthread.h>

#include <cmath>
#include <thread>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(tape)

namespace {

Tensor f64(double value) { return scalar(value, DType::f64); }

/// Computes x + 1 and counts the calls of its backward function.
Tensor counted(const Tensor& x, int& runs) {
  return record("counted", x.detached() + 1.0, {x}, [&runs](const Tensor& dy) {
    ++runs;
    return Grads{dy};
  });
}

/// Runs f on a thread with a stack of 256 KiB: recursion along a long tape would overflow it.
void on_a_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  BOOST_TEST_REQUIRE(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
  pthread_t thread;
  const auto start = [](void* work) -> void* {
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
  };
  BOOST_TEST_REQUIRE(pthread_create(&thread, &attributes, start, &f) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

BOOST_AUTO_TEST_CASE(differentiates_the_example) {
  const Tensor x = f64(2), w = f64(-3), b = f64(6.8813735870195432);
  Tape tape;
  tape.watch(x, w, b);
  const Gradients grads = tape.backward(tanh(x * w + b));
  expect_equal(grads[x], {-1.5}, 1e-14);
  expect_equal(grads[w], {1.0}, 1e-14);
  expect_equal(grads[b], {0.5}, 1e-14);
}

// ---- gradient flow

BOOST_AUTO_TEST_CASE(takes_time_linear_and_stack_constant_in_its_length) {
  for (const int length : {10'000, 100'000}) {
    int runs = 0;
    std::size_t size = 0;
    double gradient = 0;
    on_a_small_stack([&] {
      Tape tape;
      const Tensor x = f64(0);
      tape.watch(x);
      Tensor y = x;
      for (int i = 0; i < length; ++i) y = counted(y, runs);
      size = tape.size();
      gradient = tape.backward(y)[x].item();
    });
    BOOST_TEST(runs == length);
    BOOST_TEST(size == static_cast<std::size_t>(length) + 1);
    BOOST_TEST(gradient == 1);
  }
}

BOOST_AUTO_TEST_CASE(adds_up_paths_without_walking_each) {
  Tape tape;
  const Tensor x = f64(1);
  tape.watch(x);
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;
  BOOST_TEST(tape.backward(y)[x].item() == std::ldexp(1, 60));
}

BOOST_AUTO_TEST_CASE(adds_up_repeated_operands) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  BOOST_TEST(tape.backward(x * x, {false, true})[x].item() == 6);
  BOOST_TEST(tape.backward(x / x, {false, true})[x].item() == 0);
  BOOST_TEST(tape.backward(x - x, {false, true})[x].item() == 0);
  BOOST_TEST(tape.backward(x * x * x + x)[x].item() == 28);
}

BOOST_AUTO_TEST_CASE(adds_in_place_only_what_nobody_else_holds) {
  // add passes one gradient to both operands; adding to one of them must not change the other.
  Tape tape;
  const Tensor a = full({8}, 1, DType::f64), b = full({8}, 1, DType::f64);
  tape.watch(a, b);
  const Tensor c = a + b;
  const Gradients grads = tape.backward(sum(c + a + a + c));
  expect_equal(grads[a], full({8}, 4, DType::f64));
  expect_equal(grads[b], full({8}, 2, DType::f64));
}

BOOST_AUTO_TEST_CASE(gives_the_gradient_of_watched_results) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  const Tensor y = x * x;
  tape.watch(y);
  const Tensor z = y * y + y;
  const Gradients grads = tape.backward(z);
  BOOST_TEST(grads[y].item() == 19);
  BOOST_TEST(grads[x].item() == 19 * 6);
}

BOOST_AUTO_TEST_CASE(gives_gradients_in_the_shape_and_type_of_their_inputs) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor matrix = ones({2, 3}, dtype), column = ones({2, 1}, dtype);
    const Tensor row = ones({3}, dtype), number = ones({}, dtype), empty = ones({0}, dtype);
    Tape tape;
    tape.watch(matrix, column, row, number, empty);
    const Tensor y = sum(matrix * column * row * number) + sum(empty * number);
    const Gradients grads = tape.backward(y);
    expect_equal(grads[matrix], ones({2, 3}, dtype));
    expect_equal(grads[column], full({2, 1}, 3, dtype));
    expect_equal(grads[row], full({3}, 2, dtype));
    expect_equal(grads[number], full({}, 6, dtype));
    expect_equal(grads[empty], ones({0}, dtype));
  }
}

BOOST_AUTO_TEST_CASE(starts_from_the_gradient_that_it_is_given) {
  Tape tape;
  const Tensor x = tensor({1, 2, 3}, DType::f64);
  tape.watch(x);
  const Gradients grads = tape.backward(x * x, tensor({1, 10, 100}, DType::f64));
  expect_equal(grads[x], {2, 40, 600});
}

BOOST_AUTO_TEST_CASE(gives_zeros_if_the_loss_does_not_depend_on_a_tensor) {
  Tape tape;
  const Tensor x = f64(3), unrelated = ones({2, 2});
  tape.watch(x, unrelated);
  const Tensor later = x * 2.0;
  const Tensor loss = x * x;
  const Tensor unused = x * later;
  tape.watch(later, unused);
  for (const bool zeros_wanted : {false, true}) {
    const Gradients grads = tape.backward(loss, {false, true, zeros_wanted});
    BOOST_TEST(!grads.stored(unrelated));
    BOOST_TEST(grads.all().size() == 1U);  // only x
    BOOST_TEST(grads[x].item() == 6);
    for (const Tensor& other : {unrelated, later, unused}) {
      if (zeros_wanted)
        expect_equal(grads[other], zeros(other.shape(), other.dtype()));
      else
        expect_error<TapeError>(
            [&] { grads[other]; },
            fmt::format("gradient: the loss doesn't depend on this tensor of shape {}; it may be "
                        "the value that a parameter had before a step; set `zeros` to get zeros",
                        other.shape()));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_hessian_of_a_linear_function_is_zero_where_zeros_are_asked_for) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  const Tensor slope = tape.backward(x * 2.0, {true})[x];
  BOOST_TEST(slope.item() == 2);
  expect_error<TapeError>([&] { tape.backward(slope, {true}); },
                          "backward: the loss depends on no tensor that this tape watches; call "
                          "tape.watch(x), or use a parameter, before computing it; or set "
                          "`zeros`");
  BOOST_TEST(tape.backward(slope, {false, false, true})[x].item() == 0);
}

BOOST_AUTO_TEST_CASE(skips_inputs_without_a_gradient) {
  Tape tape;
  const Tensor a = f64(3), b = f64(4);
  tape.watch(a, b);
  const Tensor y = record("first", a.detached(), {a, b}, [](const Tensor& dy) {
    return Grads{dy, Tensor()};
  });
  const Gradients grads = tape.backward(y);
  BOOST_TEST(grads[a].item() == 1);
  BOOST_TEST(grads[b].item() == 0);
}

// ---- recording

BOOST_AUTO_TEST_CASE(records_only_what_depends_on_something_watched) {
  Tape tape;
  const Tensor x = f64(3), constant = f64(4);
  BOOST_TEST(!is_tracked(x));
  tape.watch(x);
  tape.watch(x);
  BOOST_TEST(is_tracked(x));
  BOOST_TEST(tape.size() == 1);
  const Tensor c = constant * constant;
  BOOST_TEST(!is_tracked(c));
  BOOST_TEST(tape.size() == 1);
  BOOST_TEST(is_tracked(x * c));
  BOOST_TEST(!is_tracked(x < c));  // truth values have no gradient
  BOOST_TEST(!is_tracked(x.detached()));
  BOOST_TEST(!is_tracked(
      record("sign", ones({}, DType::i32), {x}, [](const Tensor&) { return Grads{Tensor()}; })));
  BOOST_TEST(tape.size() == 2);
}

BOOST_AUTO_TEST_CASE(ignores_other_threads) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  const Tape* seen = &tape;
  double gradient = 0;
  std::thread([&] {
    seen = Tape::current();
    const Tensor unrecorded = x * x;
    Tape own;
    own.watch(x);
    gradient = own.backward(x * x * x)[x].item();
  }).join();
  BOOST_TEST(seen == nullptr);
  BOOST_TEST(gradient == 27);
  BOOST_TEST(tape.size() == 1);
  BOOST_TEST(tape.backward(x * x)[x].item() == 6);
}

BOOST_AUTO_TEST_CASE(all_living_tapes_record) {
  BOOST_TEST(Tape::current() == nullptr);
  Tape outer;
  const Tensor x = f64(3), z = f64(4);
  outer.watch(x);
  {
    Tape inner;
    BOOST_TEST(Tape::current() == &inner);
    const Tensor y = x * x;
    BOOST_TEST(inner.size() == 0);
    BOOST_TEST(outer.size() == 2);
    inner.watch(z);
    BOOST_TEST(inner.backward(z * z)[z].item() == 8);
    BOOST_TEST(Tape::current() == &outer);  // the inner tape is finished
    BOOST_TEST(is_tracked(y));
  }
  BOOST_TEST(Tape::current() == &outer);
  BOOST_TEST(outer.backward(x * 5.0)[x].item() == 5);
}

BOOST_AUTO_TEST_CASE(gradients_of_an_inner_tape_are_differentiated_by_the_outer_one) {
  const Tensor x = f64(3), w = tensor({0.5, -1}, {2, 1}, DType::f64);
  const Tensor rows = tensor({1, 2, 3, 4, 5, 7}, {3, 2}, DType::f64);
  Tape outer;
  outer.watch(x, w);
  Tape inner;
  inner.watch(x, w);
  const Gradients first = inner.backward(sum(x * x * x) + sum(gelu(matmul(rows, w))));
  const Tensor loss = sum(x) + sum(first[x]) + sum(first[w] * first[w]);
  const Gradients second = outer.backward(loss);
  BOOST_TEST(second[x].item() == 1 + 6 * 3);

  Tape alone;  // checks the same with one tape and a fused op
  alone.watch(w);
  const Tensor slope = alone.backward(sum(gelu(matmul(rows, w))), {true})[w];
  expect_equal(second[w], alone.backward(sum(slope * slope))[w], 1e-14);
}

BOOST_AUTO_TEST_CASE(refuses_to_watch_a_tensor_used_as_a_constant) {
  const std::string text =
      "watch: an op has already used this tensor of shape () as a constant; watch it before it "
      "is used, or use x.detached() for a constant";
  const Tensor x = f64(3);
  {
    Tape tape;
    const Tensor y = x * x;
    expect_error<TapeError>([&] { tape.watch(x); }, text);
  }
  Tape tape;
  const Tensor fixed = x.detached() * 2.0, compared = x < 2.0;
  {
    const Pause pause;
    const Tensor y = x * x;
  }
  tape.watch(x);
  BOOST_TEST(tape.backward(fixed * x)[x].item() == 6);
}

BOOST_AUTO_TEST_CASE(a_pause_records_nothing) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  Tensor factor;
  {
    const Pause pause;
    BOOST_TEST(Tape::current() == nullptr);
    factor = x * x;
    const Pause again;
  }
  BOOST_TEST(Tape::current() == &tape);
  BOOST_TEST(tape.backward(x * factor)[x].item() == 9);
}

// ---- backward again

BOOST_AUTO_TEST_CASE(runs_backward_twice_with_keep) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  const Tensor y = x * x, z = y * y;
  BOOST_TEST(tape.backward(z, {false, true})[x].item() == 4 * 27);
  BOOST_TEST(tape.backward(y, {false, true})[x].item() == 6);
  BOOST_TEST(tape.backward(z)[x].item() == 4 * 27);
  expect_error<TapeError>([&] { tape.backward(z); },
                          "backward: it has already run on this tape, or failed; to run it twice, "
                          "set `keep` the first time");
  expect_error<TapeError>([&] { tape.watch(x); },
                          "watch: backward has already run on this tape; make a new one");
}

// ---- values of gradients

BOOST_AUTO_TEST_CASE(gradients_scale_when_they_are_read) {
  Tape tape;
  const Tensor x = tensor({1, 2}), unrelated = ones({3});
  tape.watch(x, unrelated);
  Gradients grads = tape.backward(sum(x * x), {false, false, true}).scaled(0.5).scaled(0.5);
  BOOST_TEST(grads.factor() == 0.25);
  expect_equal(grads[x], {0.5, 1});
  expect_equal(grads.stored(x), {2, 4});
  expect_equal(grads[unrelated], {0, 0, 0});
  BOOST_TEST(grads.contains(x));
  BOOST_TEST(!grads.contains(ones({2})));
}

BOOST_AUTO_TEST_CASE(gradients_of_several_losses_add_up) {
  const Tensor a = tensor({1, 2}), b = tensor({3, 4}), c = tensor({5});
  const auto run = [](const std::vector<Tensor>& watched, const std::function<Tensor()>& loss) {
    Tape tape;
    for (const Tensor& x : watched) tape.watch(x);
    return tape.backward(loss());
  };
  std::vector<Gradients> parts = {run({a, b}, [&] { return sum(a * a); }),
                                  run({a, b}, [&] { return sum(a * b); }),
                                  run({b, c}, [&] { return sum(c * c); })};
  const Tensor before = parts[0][a];
  Gradients total = Gradients::sum(std::move(parts));
  expect_equal(total[a], {2 + 3, 4 + 4});
  expect_equal(total[b], {1, 2});
  expect_equal(total[c], {10});
  expect_equal(before, {2, 4});  // a gradient that was read doesn't change
  const std::vector<Tensor> all = total.all();
  BOOST_TEST_REQUIRE(all.size() == 3);
  expect_equal(all[0], {5, 8});
  expect_equal(all[2], {10});
  parts.clear();
  parts.push_back(std::move(total)), parts.push_back(run({a}, [&] { return sum(a); }).scaled(2));
  const Tensor sum_of_a = parts[0][a];
  total = Gradients::sum(std::move(parts));
  expect_equal(total[a], {7, 10});
  expect_equal(total[b], {1, 2});
  BOOST_TEST(total.factor() == 1);
  expect_equal(sum_of_a, {5, 8});
}

BOOST_AUTO_TEST_CASE(gradients_add_up_to_the_last_bit_in_their_order) {
  for (const Index size : {1, 4095, 4096, 10000}) {  // sums are computed in blocks
    const Tensor x = ones({size});
    std::vector<Gradients> parts;
    Tensor expected;
    for (std::uint64_t part = 0; part < 5; ++part) {
      std::vector<double> values(static_cast<std::size_t>(size));
      Random random({part});
      for (double& value : values) value = random.normal();
      const Tensor factor = tensor(values, {size});
      expected = part == 0 ? factor : expected + factor;
      Tape tape;
      tape.watch(x);
      parts.push_back(tape.backward(sum(x * factor)));
    }
    expect_equal(Gradients::sum(std::move(parts))[x], expected);
  }
}

BOOST_AUTO_TEST_CASE(frees_saved_tensors_during_backward) {
  constexpr int length = 8;
  constexpr std::size_t bytes = 8 << 16;
  std::vector<std::size_t> live;
  Tape tape;
  Tensor x = f64(0);
  tape.watch(x);
  Tensor y = x;
  for (int i = 0; i < length; ++i)
    y = record("saves", f64(0), {y},
               [&live, saved = ones({1 << 16}, DType::f64)](const Tensor& dy) {
                 live.push_back(memory_use().live);
                 return Grads{dy + saved(0)};
               });
  tape.backward(y);
  BOOST_TEST_REQUIRE(live.size() == length);
  for (int i = 1; i < length; ++i)
    BOOST_TEST(live[static_cast<std::size_t>(i)] + bytes / 2 <=
               live[static_cast<std::size_t>(i - 1)]);
}

BOOST_AUTO_TEST_CASE(frees_everything_when_destroyed) {
  const std::size_t before = memory_use().live;
  {
    Tape tape;
    const Tensor x = ones({1 << 16});
    tape.watch(x);
    const Tensor y = sum(x * x * x);
    BOOST_TEST(memory_use().live > before);
  }
  BOOST_TEST(memory_use().live == before);
}

// ---- errors

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be_differentiated) {
  Tape tape;
  const Tensor x = ones({2, 3}), stranger = f64(1);
  tape.watch(x);
  expect_error<ShapeError>([&] { tape.backward(x * x); },
                           "backward: the loss has shape (2, 3), expected one element; use sum or "
                           "mean, or pass the gradient of each element");
  expect_error<TapeError>([&] { tape.backward(stranger); },
                          "backward: the loss depends on no tensor that this tape watches; call "
                          "tape.watch(x), or use a parameter, before computing it; or set "
                          "`zeros`");
  expect_error<ShapeError>([&] { tape.backward(x, ones({3})); },
                           "backward: the result is f32 (2, 3), but its gradient is f32 (3)");
  expect_error<ShapeError>(
      [&] {
        tape.backward(x, ones({2, 3}, DType::f64));
      },
      "backward: the result is f32 (2, 3), but its gradient is f64 (2, 3)");
  expect_error<TypeError>([&] { tape.watch(ones({2}, DType::i32)); },
                          "watch: a tensor of type i32 has no gradient");
  const Gradients grads = tape.backward(sum(x));
  expect_error<TapeError>([&] { grads[stranger]; },
                          "gradient: a tensor of shape () was not watched by the tape; call "
                          "tape.watch(x) before it is used");
}

BOOST_AUTO_TEST_CASE(backward_functions_may_add_to_gradient_sums) {
  const Tensor table = ones({4, 2}, DType::f64), ids = cast(arange(2, DType::f64), DType::i32);
  const Tensor later = full({4, 2}, 3, DType::f64);
  const auto gradient = [&](BackwardOptions options) {
    Tape tape;
    tape.watch(table);
    const Tensor first = gather_rows(table, ids);               // runs last in backward
    const Tensor loss = sum(first * 2.0) + sum(table * later);  // d table = later, + 2 in rows 0, 1
    return tape.backward(loss, options)[table];
  };
  for (const BackwardOptions& options : {BackwardOptions{}, {true, false}, {false, true}}) {
    const Tensor d = gradient(options);
    for (Index i = 0; i < d.size(); ++i) BOOST_TEST(d.data<double>()[i] == (i < 4 ? 5 : 3));
  }
  BOOST_TEST(later.data<double>()[0] == 3);
}

BOOST_AUTO_TEST_CASE(gradient_sums_that_are_shared_are_not_taken) {
  const Tensor table = ones({2}), other = ones({2}), constant = ones({2});
  Tape tape;
  tape.watch(table, other);
  Tensor of_table, of_constant;
  const Tensor first = record("first", ones({2}), {table, constant},  // runs last in backward
                              [&](const Tensor& dy, GradientSums& arrived) {
                                of_table = arrived.take(0);
                                of_constant = arrived.take(1);
                                return Grads{dy * 2.0, Tensor()};
                              });
  // The gradients of the sum's two terms are one tensor.
  const Gradients grads = tape.backward(first * (table + other), ones({2}));
  BOOST_TEST(!of_table);
  BOOST_TEST(!of_constant);
  expect_equal(grads[table], {5, 5});
  expect_equal(grads[other], {1, 1});
}

BOOST_AUTO_TEST_CASE(tapes_and_pauses_may_end_in_any_order) {
  const auto records = [] {
    const Tensor x = ones({2});
    Tape* const tape = Tape::current();
    if (!tape) return false;
    tape->watch(x);
    return tape->is_tracking(x * 2.0);
  };
  auto outer = std::make_unique<Tape>(), inner = std::make_unique<Tape>();
  BOOST_TEST((Tape::current() == inner.get()));
  outer.reset();
  BOOST_TEST((Tape::current() == inner.get()));
  BOOST_TEST(records());
  inner.reset();
  BOOST_TEST((Tape::current() == nullptr));

  auto tape = std::make_unique<Tape>();
  auto pause = std::make_unique<Pause>();
  BOOST_TEST((Tape::current() == nullptr));
  tape.reset();
  pause.reset();
  BOOST_TEST((Tape::current() == nullptr));

  auto first = std::make_unique<Pause>();
  tape = std::make_unique<Tape>();
  first.reset();
  BOOST_TEST((Tape::current() == tape.get()));
  auto second = std::make_unique<Pause>();
  auto third = std::make_unique<Pause>();
  second.reset();
  BOOST_TEST((Tape::current() == nullptr));
  third.reset();
  BOOST_TEST((Tape::current() == tape.get()));
  BOOST_TEST(records());
}

BOOST_AUTO_TEST_CASE(a_tape_may_end_on_another_thread_and_is_used_on_its_own) {
  const Tensor x = ones({2});
  auto outer = std::make_unique<Tape>(), inner = std::make_unique<Tape>();
  inner->watch(x);
  const Tensor loss = sum(x * x);
  std::thread([&] {
    BOOST_TEST((Tape::current() == nullptr));
    expect_error<TapeError>(
        [&] { inner->watch(loss); },
        "watch: this tape was made on another thread; make one on the thread that uses it");
    expect_error<TapeError>(
        [&] { inner->backward(loss); },
        "backward: this tape was made on another thread; make one on the thread that uses it");
    outer.reset();
  }).join();
  BOOST_TEST((Tape::current() == inner.get()));
  BOOST_TEST(inner->backward(loss)[x](0) == 2);
  std::thread([&] { inner.reset(); }).join();
  BOOST_TEST((Tape::current() == nullptr));
}

BOOST_AUTO_TEST_CASE(a_backward_function_that_throws_finishes_the_tape) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  bool broken = true;
  const Tensor y = record("fragile", x * 2.0, {x}, [&](const Tensor& dy) {
    if (broken) throw ValueError("fragile: broken");
    return Grads{dy * 2.0};
  });
  const Tensor loss = y * y;
  const auto expect_broken = [&](const BackwardOptions& options) {
    expect_error<ValueError>([&] { tape.backward(loss, options); }, "fragile: broken");
  };
  expect_broken({false, true});  // with `keep`, the tape can be used again
  broken = false;
  BOOST_TEST(tape.backward(loss, {false, true})[x].item() == 24);
  broken = true;
  expect_broken({});
  broken = false;
  expect_error<TapeError>([&] { tape.backward(loss); },
                          "backward: it has already run on this tape, or failed; to run it twice, "
                          "set `keep` the first time");
}

BOOST_AUTO_TEST_CASE(null_tensors_are_refused_by_name) {
  Tape tape;
  const Tensor x = ones({2, 2}), null;
  tape.watch(x);
  const auto refuses = [&](const std::string& op, const std::string& which,
                           const std::function<void()>& f) {
    expect_error<TypeError>(
        f, op + ": " + which +
               " is null: it was never set, was moved from, or is an absent parameter");
  };
  refuses("watch", "the tensor", [&] { tape.watch(null); });
  refuses("backward", "the tensor", [&] { tape.backward(null); });
  refuses("backward", "tensor 2 of 2", [&] { tape.backward(x, null); });
  refuses("gradient", "the tensor", [&] { tape.backward(sum(x), {false, true})[null]; });
  expect_error<TypeError>(
      [&] {
        record("own", x * 2.0, {x, null}, [](const Tensor& dy) { return Grads{dy, dy}; });
      },
      "own: input 1 is null");
  expect_error<ValueError>([] { Gradients::sum({}); },
                           "gradients: nothing to sum, expected at least one Gradients");
}

BOOST_AUTO_TEST_CASE(refuses_gradients_of_wrong_number_shape_or_type) {
  const auto backward = [](const Grads& grads) {
    Tape tape;
    const Tensor x = ones({3});
    tape.watch(x);
    const Tensor y = record("broken", ones({3}), {x}, [=](const Tensor&) { return grads; });
    tape.backward(y, ones({3}));
  };
  expect_error<TapeError>([&] { backward({}); },
                          "broken: its backward function returned 0 gradients for 1 input");
  expect_error<TypeError>(
      [&] { backward({ones({3}, DType::f64)}); },
      "broken: its backward function returned a gradient of f64 for input 0, which is f32");
  expect_error<ShapeError>(
      [&] { backward({ones({2})}); },
      "broken: its backward function returned a gradient of (2) for input 0, which is (3)");
  expect_error<ShapeError>(
      [&] { backward({ones({})}); },
      "broken: its backward function returned a gradient of () for input 0, which is (3)");
}

BOOST_AUTO_TEST_SUITE_END()
