// Checks that each planted fault causes the matching finding and no other, and that correct layers
// cause none.
#include "../check_module.hpp"
#include "../../../core/checks/inputs.hpp"
#include "../../../nn/attention/presets.hpp"
#include "../../../nn/encoder_decoder.hpp"
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"

#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(check_module)

namespace {

constexpr Index width = 8, time_steps = 5;

/// A layer with a custom forward and list of parameters. By default, computes gain x + bias.
struct Own : Module {
  using Forward = std::function<Tensor(const Own&, const Tensor& x, Pass&)>;
  using List = std::function<void(Own&, Visitor&)>;

  explicit Own(Forward forward = {}, List list = {})
      : f(std::move(forward)), listed(std::move(list)) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    return f ? f(*this, x, pass) : x * gain + bias;
  }
  void visit(Visitor& v) override {
    if (listed) return listed(*this, v);
    v("gain", gain);
    v("bias", bias);
  }
  /// Returns gain x + bias, for faults elsewhere.
  Tensor right(const Tensor& x) const { return x * gain + bias; }

  Forward f;
  List listed;
  Parameter gain{{width}, Init::constant(1), false}, bias{{width}, Init::constant(0), false};
  Linear inner{width, width};
  mutable Index calls = 0;
  mutable Tensor kept;
};

struct Fault {
  const char* what;
  Finding::Kind kind;
  const char* says;  ///< a substring of the finding
  Own::Forward forward;
  Own::List list = {};
};

LayerEntry entry_of(const Own::Forward& forward, const Own::List& list = {}) {
  LayerEntry entry{"own", "", [=] { return std::make_unique<Own>(forward, list); },
                   normal_sample({2, time_steps, width}, 1)};
  entry.causal = entry.keeps_shape = true;
  return entry;
}

std::string text_of(const ModuleReport& report) {
  std::string text;
  for (const Finding& finding : report.findings)
    text += fmt::format("{}: {}\n", to_string(finding.kind), finding.text);
  return text;
}

/// Returns a tensor whose backward function sends a gradient only to the first input.
Tensor forgetful(const Tensor& x, const Tensor& gain) {
  const Tensor g = gain.detached();
  return record("forgetful", x.detached() * g, {x, gain}, [=](const Tensor& dy) {
    return Grads{dy * g, Tensor()};
  });
}
/// Computes attention of x to itself in primitive ops with a mask (time, time).
Tensor attend(const Tensor& x, const Tensor& mask) {
  const Tensor scores = matmul(x, transpose(x)) * 0.2;
  return matmul(softmax(masked_fill(scores, equal(mask, zeros({}, DType::i32)), -infinity)), x);
}
/// Computes causal attention whose heads are split without a permute, so that each sees only some
/// positions.
Tensor heads_by_reshape(const Tensor& x) {
  const Tensor heads = reshape(x, {x.dim(0), 2, time_steps, width / 2});
  return reshape(attention(heads, heads, heads, {true}), x.shape());
}
/// Computes causal attention within each pair of positions.
Tensor in_chunks(const Tensor& x) {
  const Tensor chunks = reshape(slice(x, 1, 0, 4), {x.dim(0), 2, 2, width});
  const Tensor y = attention(chunks, chunks, chunks, {true});
  return pad(reshape(y, {x.dim(0), 4, width}), 1, 0, 1);
}
Own::Forward plus(const std::function<Tensor(const Tensor&)>& f) {
  return [=](const Own& own, const Tensor& x, Pass&) { return own.right(x) + f(x); };
}

using Kind = Finding::Kind;
const std::vector<Fault> faults =
    {
        // ---- a parameter that is used but not listed
        {"a bias that visit forgets",
         Kind::unlisted,
         "a parameter of shape (8)",
         {},
         [](Own& own, Visitor& v) { v("gain", own.gain); }},
        {"a layer inside that visit forgets", Kind::unlisted, "a parameter of shape (8",
         [](const Own& own, const Tensor& x, Pass& pass) { return own.inner(own.right(x), pass); }},
        {"a layer that was given values elsewhere", Kind::unlisted,
         "a parameter of shape (8, 8), in linear",
         [](const Own& own, const Tensor& x, Pass& pass) {
           static Linear shared = [] {
             Linear made(width, width);
             initialise(made, 1);
             return made;
           }();
           return own.right(x) + cast(shared(cast(x, DType::f32), pass), x.dtype());
         }},
        // ---- a parameter that is listed twice
        {"a parameter under two names",
         Kind::listed_twice,
         "the parameter 'gain' again, as 'scale'",
         {},
         [](Own& own, Visitor& v) {
           v("gain", own.gain), v("bias", own.bias), v("scale", own.gain);
         }},
        {"a layer under two names", Kind::listed_twice, "'first.weight' again, as 'second.weight'",
         [](const Own& own, const Tensor& x, Pass& pass) { return own.inner(x, pass); },
         [](Own& own, Visitor& v) { v("first", own.inner), v("second", own.inner); }},
        {"one name for two parameters",
         Kind::listed_twice,
         "two parameters the name 'gain'",
         {},
         [](Own& own, Visitor& v) { v("gain", own.gain), v("gain", own.bias); }},
        // ---- a parameter that is never used
        {"a bias that forward forgets", Kind::unused, "doesn't depend on 'bias'",
         [](const Own& own, const Tensor& x, Pass&) { return x * own.gain; }},
        {"a layer whose result is dropped", Kind::unused, "doesn't depend on 'inner.weight'",
         [](const Own& own, const Tensor& x, Pass& pass) {
           own.inner(x, pass);
           return own.right(x);
         },
         [](Own& own, Visitor& v) {
           v("gain", own.gain), v("bias", own.bias), v("inner", own.inner);
         }},
        // ---- a width that changes
        {"a column more", Kind::shape, "(2, 5, 9) for an input of shape (2, 5, 8)",
         [](const Own& own, const Tensor& x, Pass&) { return pad(own.right(x), -1, 0, 1); }},
        {"half of the columns", Kind::shape, "(2, 5, 4) for an input of shape (2, 5, 8)",
         [](const Own& own, const Tensor& x, Pass&) { return slice(own.right(x), -1, 0, 4); }},
        {"axes that are swapped", Kind::shape, "(2, 8, 5) for an input of shape (2, 5, 8)",
         [](const Own& own, const Tensor& x, Pass&) { return transpose(own.right(x)); }},
        // ---- dependence on later positions
        {"a mean over time", Kind::future, "Position 0 of the result changes with position 4",
         plus([](const Tensor& x) { return mean(x, {1}, true); })},
        {"attention without a mask", Kind::future,
         "Position 0 of the result changes with position 4", plus([](const Tensor& x) {
           return attend(x, ones({5, 5}, DType::i32));
         })},
        {"a mask that is one off", Kind::future, "Position 3 of the result changes with position 4",
         plus([](const Tensor& x) { return attend(x, tril_mask(5, 5, 1)); })},
        {"a mask the wrong way", Kind::future, "Position 0 of the result changes with position 4",
         plus([](const Tensor& x) { return attend(x, triu_mask(5, 5)); })},
        {"pairs of positions, of which the last has none", Kind::future,
         "Position 2 of the result changes with position 3", plus([](const Tensor& x) {
           const Tensor pairs = reshape(slice(x, 1, 0, 4), {x.dim(0), 2, 2, width});
           const Tensor both = broadcast_to(mean(pairs, {2}, true), pairs.shape());
           return pad(reshape(both, {x.dim(0), 4, width}), 1, 0, 1);
         })},
        {"a trace of the future", Kind::future, "Position 0 of the result changes with position 4",
         plus([](const Tensor& x) { return mean(x, {1}, true) * 1e-6; })},
        // ---- a cache
        {"a shift by one that keeps nothing in the cache", Kind::cache, "element [0, 1, 0]",
         plus([](const Tensor& x) { return pad(slice(x, 1, 0, x.dim(1) - 1), 1, 1, 0); })},
        {"a mean of what came before, whose sum the cache forgets", Kind::cache, "token by token",
         [](const Own& own, const Tensor& x, Pass& pass) {
           Tensor before = pass.cache ? pass.cache->state<Tensor>(&own) : Tensor();
           if (!before) before = zeros(x.shape().with(1, 1), x.dtype());
           if (pass.cache) pass.cache->state<Tensor>(&own) = slice(x, 1, x.dim(1) - 1, x.dim(1));
           const Tensor lower = cast(tril_mask(x.dim(1), x.dim(1)), x.dtype());
           return own.right(x) + before + matmul(lower, x);
         }},
        // ---- a gradient that is zero everywhere
        {"a gain read by its value", Kind::no_gradient, "No gradient reaches 'gain'",
         [](const Own& own, const Tensor& x, Pass&) { return x * own.gain.value() + own.bias; }},
        {"a rule that forgets an input", Kind::no_gradient, "No gradient reaches 'gain'",
         [](const Own& own, const Tensor& x, Pass&) { return forgetful(x, own.gain) + own.bias; }},
        {"a bias times zero", Kind::no_gradient, "The gradient of 'bias' is zero everywhere",
         [](const Own& own, const Tensor& x, Pass&) { return x * own.gain + own.bias * 0.0; }},
        {"a gain behind a dead relu", Kind::no_gradient,
         "The gradient of 'gain' is zero everywhere",
         [](const Own& own, const Tensor& x, Pass&) {
           return x + relu(own.gain * own.gain * -1.0) + own.bias;
         }},
        {"an input that is detached", Kind::no_gradient, "The gradient of the input",
         [](const Own& own, const Tensor& x, Pass&) { return own.right(x.detached()); }},
        // ---- other rows of the batch
        {"a mean over the batch", Kind::batch,
         "Row 0 of the result depends on the batch's other rows",
         plus([](const Tensor& x) { return mean(x, {0}, true); })},
        {"a sum divided by the batch", Kind::batch, "element [0, 0, 0]",
         plus([](const Tensor& x) { return x / static_cast<double>(x.dim(0)); })},
        {"a softmax along the wrong axis", Kind::batch, "Row 0",
         plus([](const Tensor& x) { return softmax(x, 0); })},
        {"a running sum over rows", Kind::batch, "Row 1 of the result",
         plus([](const Tensor& x) { return pad(slice(x, 0, 0, x.dim(0) - 1), 0, 1, 0); })},
        {"the batch's mean in training alone, behind dropout", Kind::batch, "in training",
         [](const Own& own, const Tensor& x, Pass& pass) {
           const Tensor y = own.right(x);
           if (!pass.train) return y;
           return dropout(y - mean(y, {0}, true), 0.2, pass.next_key());
         }},
        // ---- values
        {"a root of negative numbers", Kind::fails, "of the result is nan",
         plus([](const Tensor& x) { return sqrt(x); })},
        // ---- f32 and f64
        {"a small difference of large numbers", Kind::precision, "of the result is",
         [](const Own& own, const Tensor& x, Pass&) { return (own.right(x) + 1e6) - 1e6; }},
        {"an exponential that overflows", Kind::precision, "of the result is",
         [](const Own& own, const Tensor& x, Pass&) {
           return log(exp(own.right(x) * 20.0 + 60.0)) / 20.0;
         }},
        {"a softmax that subtracts no maximum", Kind::precision, ", element [0, ",
         plus([](const Tensor& x) {
           const Tensor e = exp(x * 2.0);
           return e / sum(e, {-1}, true);
         })},
        {"a softplus by its definition", Kind::precision, "is inf in f32",
         plus([](const Tensor& x) { return log(exp(x) + 1.0); })},
        {"a gradient that cancels", Kind::precision, "of the gradient of 'gain'",
         [](const Own& own, const Tensor& x, Pass&) {
           const Tensor& gain = own.gain;
           const Tensor g = gain.detached(), in = x.detached();
           return record("cancels", in * g, {x, gain},
                         [=](const Tensor& dy) {
                           return Grads{dy * g, dy * ((in + 1e6) - 1e6)};
                         }) +
                  own.bias;
         }},
        {"a constant of one type", Kind::precision, "works in f64 but fails in f32",
         plus([](const Tensor& x) { return x * full({width}, 2, DType::f64); })},
        {"a result of one type", Kind::precision, "works in f32 but fails in f64",
         [](const Own& own, const Tensor& x, Pass&) { return cast(own.right(x), DType::f32); }},
        // ---- training and evaluation
        {"a factor in evaluation", Kind::mode, "no random numbers were drawn",
         [](const Own& own, const Tensor& x, Pass& pass) {
           return pass.train ? own.right(x) : own.right(x) * 0.5;
         }},
        {"a branch that evaluation leaves out", Kind::mode, "Training and evaluation differ",
         [](const Own& own, const Tensor& x, Pass& pass) {
           return pass.train ? own.right(x) + tanh(x) : own.right(x);
         }},
        {"dropout with a key of its own", Kind::mode, "random numbers from pass.next_key()",
         [](const Own& own, const Tensor& x, Pass& pass) {
           return pass.train ? dropout(own.right(x), 0.5, RandomKey{7}) : own.right(x);
         }},
        {"dropout that is always on", Kind::mode, "Evaluation draws random numbers",
         [](const Own& own, const Tensor& x, Pass& pass) {
           return dropout(own.right(x), 0.3, pass.next_key());
         }},
        // ---- positions
        {"heads of a reshape without a permute", Kind::positions, "are split by reshape",
         plus(heads_by_reshape)},
        {"chunks of two positions", Kind::positions,
         "on position 3 of the input, although 3 depends on 2.", plus(in_chunks)},
        // ---- nondeterminism
        {"dropout with a key of its own, always on", Kind::chance, "but not on the other rows",
         [](const Own& own, const Tensor& x, Pass&) {
           return dropout(own.right(x), 0.5, RandomKey{7});
         }},
        {"a count of calls", Kind::chance, "Two calls in training",
         [](const Own& own, const Tensor& x, Pass&) {
           return own.right(x) * static_cast<double>(++own.calls);
         }},
        {"dropout from numbers of its own", Kind::chance, "Two calls in training",
         [](const Own& own, const Tensor& x, Pass& pass) {
           static std::uint64_t seed = 0;
           return pass.train ? dropout(own.right(x), 0.5, {++seed}) : own.right(x);
         }},
        {"a state that training leaves behind", Kind::chance, "Two calls in evaluation",
         [](const Own& own, const Tensor& x, Pass& pass) {
           if (!pass.train) return own.right(x) * (1.0 + static_cast<double>(own.calls));
           ++own.calls;
           return own.right(x);
         }},
        // ---- failures
        {
            "a batch of two and no other", Kind::fails,
            "It fails when a row is alone in its batch: ",
            [](const Own& own, const Tensor& x, Pass&) {
              return reshape(reshape(own.right(x), {2, time_steps * width}), x.shape());
            }},
        {"another rank than it takes", Kind::fails, "(2, 5, 8)",
         [](const Own& own, const Tensor& x, Pass&) {
           return own.right(reshape(x, {2, 5, 7}));
         }},
};

std::vector<LayerEntry> right_layers() {
  std::vector<LayerEntry> all = make_registry().layers();
  const auto add = [&](const std::string& name, auto make, const Tensor& input, bool causal,
                       bool keeps_shape) {
    LayerEntry entry{name, "", make, input};
    entry.causal = causal, entry.keeps_shape = keeps_shape;
    all.push_back(entry);
  };
  const Tensor numbers = normal_sample({3, time_steps, width}, 1);
  const Tensor ids = tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {2, 5}, DType::i32);
  const auto attention = [&](const std::string& name, auto change, bool keeps_shape = true) {
    AttentionLayerOptions o;
    o.width = width, o.heads = 2, o.causal = true;
    change(o);
    add(
        name, [=] { return std::make_unique<MultiHeadAttention>(o); }, numbers, o.causal,
        keeps_shape);
  };
  const std::pair<const char*, Positions> kinds[] = {{"none", Positions()},
                                                     {"rotary", RotaryPositions{}},
                                                     {"alibi", AlibiPositions{}},
                                                     {"relative", RelativePositions{2}},
                                                     {"t5", T5Positions{4}}};
  for (const Temperature temperature : {Temperature::none, Temperature::layer, Temperature::head,
                                        Temperature::qkv, Temperature::lsa})
    for (const auto& [kind, position] : kinds)
      for (const bool causal : {true, false})
        attention(fmt::format("attention {} {} {}", static_cast<int>(temperature), kind, causal),
                  [=, position = position](auto& o) {
                    o.temperature = temperature, o.position = position, o.causal = causal;
                    o.fused = causal;
                  });
  attention("tied", [](auto& o) { o.tied_kv = true; });
  attention("tied rotary", [](auto& o) {
    o.tied_kv = o.qk_norm = true, o.fused = false, o.position = RotaryPositions{};
  });
  attention("window", [](auto& o) { o.window = 2; });
  attention("norms", [](auto& o) { o.qk_norm = o.pre_norm = true; });
  attention("extra", [](auto& o) { o.bias_kv = o.zero_kv = true; });
  attention("no biases", [](auto& o) { o.in_bias = o.out_bias = false; });
  attention("one key head", [](auto& o) { o.kv_heads = 1; });
  attention("scale first", [](auto& o) { o.mask_before_scale = true; });
  attention("wide values", [](auto& o) { o.value_width = 7; });
  attention("no projection", [](auto& o) { o.project_out = false; });
  attention("all of the dropout", [](auto& o) { o.dropout = o.out_dropout = 0.4; });
  attention(
      "another width", [](auto& o) { o.out_width = 3; }, false);
  ModelOptions model;
  model.vocabulary = 7, model.context = 5, model.heads = 2, model.width = width;
  const auto models = [&](const std::string& name, auto change) {
    ModelOptions o = model;
    change(o);
    add(
        "gpt " + name, [=] { return std::make_unique<GPT>(o); }, ids, true, false);
    add(
        "encoder " + name, [=] { return std::make_unique<Encoder>(o); }, ids, false, false);
    o.source = 3, o.context = 2;
    add(
        "both " + name, [=] { return std::make_unique<EncoderDecoder>(o); }, ids, true, false);
  };
  models("plain", [](auto&) {});
  models("dropout", [](auto& o) { o.dropout = 0.5; });
  models("recompute", [](auto& o) { o.recompute = true, o.dropout = 0.1; });
  models("untied", [](auto& o) { o.tied = false, o.zero_out = true; });
  models("bare", [](auto& o) { o.mlp = nullptr, o.norm = nullptr, o.residual = false; });
  models("convolution", [](auto& o) { o.convolution = 2; });
  models("shared", [](auto& o) { o.layers = 3, o.share_layers = 2, o.tied_kv = true; });
  models("rotary",
         [](auto& o) { o.position = RotaryPositions{}, o.mlp = StandardMLP{Activation::swiglu}; });
  model.pooled = true, model.classes = 3;
  const ModelOptions pooled = model;
  add(
      "pooled", [=] { return std::make_unique<Encoder>(pooled); }, ids, false, false);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_each_planted_fault_and_no_other) {
  std::map<Kind, int> planted;
  for (const Fault& fault : faults) {
    ++planted[fault.kind];
    LayerEntry entry = entry_of(fault.forward, fault.list);
    entry.caches = fault.kind == Kind::cache;
    const ModuleReport report = tapehead::check_module(entry);
    BOOST_TEST_CONTEXT(fault.what << ": " << text_of(report)) {
      BOOST_TEST(!report.findings.empty());
      for (const Finding& finding : report.findings)
        BOOST_TEST(to_string(finding.kind) == std::string(to_string(fault.kind)));
      BOOST_TEST(has(text_of(report), fault.says));
    }
  }
  BOOST_TEST(planted.size() == 13u);
  for (const auto& [kind, count] : planted) BOOST_TEST(count >= 2, to_string(kind));
}

BOOST_AUTO_TEST_CASE(accepts_correct_layers) {
  const std::vector<LayerEntry> all = right_layers();
  BOOST_TEST(all.size() > 100u);
  std::size_t number = 0;
  for (const LayerEntry& entry : all) {
    if (under_sanitizers && number++ % 7 > 0) continue;
    const ModuleReport report = tapehead::check_module(entry);
    BOOST_TEST(report.findings.empty(), entry.name << ": " << text_of(report));
  }
  const ModuleReport own = tapehead::check_module(entry_of({}));
  BOOST_TEST(own.findings.empty(), text_of(own));
  BOOST_TEST(own.notes == (std::vector<std::string>{"keeps the shape", "causal"}), per_element());
}

// All positions see the first two; only the next position sees each of the others.
BOOST_AUTO_TEST_CASE(accepts_a_window_with_first_positions) {
  std::vector<double> seen;
  for (Index query = 0; query < time_steps; ++query)
    for (Index key = 0; key < time_steps; ++key)
      seen.push_back(key <= query && (key >= query - 1 || key < 2) ? 1 : 0);
  const Tensor mask = tensor(seen, {time_steps, time_steps}, DType::i32);
  const ModuleReport report =
      tapehead::check_module(entry_of(plus([=](const Tensor& x) { return attend(x, mask); })));
  BOOST_TEST(report.findings.empty(), text_of(report));
}

BOOST_AUTO_TEST_CASE(norms_over_the_batch_cause_two_findings) {
  const ModuleReport report =
      tapehead::check_module(entry_of([](const Own& own, const Tensor& x, Pass& pass) {
        return own.right(pass.train ? x - mean(x, {0}, true) : x);
      }));
  std::set<Kind> kinds;
  for (const Finding& finding : report.findings) kinds.insert(finding.kind);
  BOOST_TEST((kinds == std::set<Kind>{Kind::batch, Kind::mode}), text_of(report));
}

BOOST_AUTO_TEST_CASE(findings_name_the_place_and_the_fix) {
  const auto said = [](const Own::Forward& forward, const Own::List& list = {}) {
    return text_of(tapehead::check_module(entry_of(forward, list)));
  };
  BOOST_TEST(said({}, [](Own& own, Visitor& v) { v("gain", own.gain); }) ==
             "unlisted: forward uses a parameter of shape (8), but visit doesn't list it. It would "
             "be neither trained nor saved; list it in visit.\n");
  BOOST_TEST(said([](const Own& own, const Tensor& x, Pass&) { return x * own.gain; }) ==
             "unused: The result doesn't depend on 'bias', and no gradient reaches it. Use it in "
             "forward, or remove it from the layer.\n");
}

BOOST_AUTO_TEST_CASE(frozen_parameters_need_no_gradient) {
  LayerEntry entry = entry_of({});
  entry.make = [] {
    auto layer = std::make_unique<Own>();
    layer->gain.trainable = false;
    return layer;
  };
  BOOST_TEST(tapehead::check_module(entry).findings.empty());
}

BOOST_AUTO_TEST_CASE(construction_errors_are_findings) {
  LayerEntry entry = entry_of({});
  entry.make = []() -> std::unique_ptr<Module> { throw ValueError("no width"); };
  BOOST_TEST(text_of(tapehead::check_module(entry)) ==
             "fails: It fails when it is made: no width.\n");
}

BOOST_AUTO_TEST_CASE(notes_rows_that_cannot_be_compared) {
  LayerEntry entry = entry_of([](const Own& own, const Tensor& x, Pass&) {
    return reshape(own.right(x), {x.dim(0) * time_steps, width});
  });
  entry.causal = entry.keeps_shape = false;
  const ModuleReport report = tapehead::check_module(entry);
  BOOST_TEST(report.findings.empty());
  BOOST_TEST(report.notes == std::vector<std::string>{"rows not compared"}, per_element());
}

BOOST_AUTO_TEST_SUITE_END()
