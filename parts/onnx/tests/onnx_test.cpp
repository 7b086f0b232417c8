#include "../onnx.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/registered.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../parts.hpp"

#include <map>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(onnx)

namespace {

/// The fields of a protobuf message by number, in order; integers as text.
using Fields = std::map<std::uint64_t, std::vector<std::string>>;

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t result = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return result;
  }
}

Fields fields(const std::string& bytes) {
  Fields all;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t key = varint(bytes, at), value = varint(bytes, at);
    BOOST_TEST_REQUIRE((key % 8 == 0 || key % 8 == 2));
    all[key / 8].push_back(key % 8 == 0 ? std::to_string(value) : bytes.substr(at, value));
    if (key % 8 == 2) at += value;
    BOOST_TEST_REQUIRE(at <= bytes.size());
  }
  return all;
}

ModelOptions small() { return small_options(7, 5, 2); }

struct Graph {
  explicit Graph(const TaskModel& model) : file(fields(to_onnx(model))) {
    BOOST_TEST_REQUIRE(file.at(7).size() == 1u);
    graph = fields(file[7][0]);
    std::set<std::string> known = {"tokens"};
    for (const std::string& tensor : graph.at(5)) {
      Fields t = fields(tensor);
      tensors[t.at(8).at(0)] = t;
      BOOST_TEST(known.insert(t[8][0]).second, t[8][0]);
    }
    for (const std::string& one : graph.at(1)) {
      Fields node = fields(one);
      for (const std::string& input : node.at(1)) BOOST_TEST(known.count(input) == 1u, input);
      BOOST_TEST(known.insert(node.at(2).at(0)).second, node[2][0]);
      ++types[node.at(4).at(0)];
    }
    BOOST_TEST(known.count("logits") == 1u);
  }
  /// Returns the sizes of the graph's input or output, whichever `field` selects. The batch axis
  /// has the size "batch".
  std::vector<std::string> sizes(int field) {
    Fields value = fields(graph.at(field).at(0));
    Fields tensor = fields(fields(value.at(2)[0]).at(1)[0]);
    std::vector<std::string> all;
    Fields shape = fields(tensor.at(2)[0]);
    for (const std::string& dimension : shape.at(1)) {
      Fields size = fields(dimension);
      all.push_back(size.count(2) > 0 ? size[2][0] : size.at(1)[0]);
    }
    return all;
  }

  Fields file, graph;
  std::map<std::string, Fields> tensors;
  std::map<std::string, int> types;
};

using Texts = std::vector<std::string>;

struct Summed : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return cumsum(x, 1); }
  void visit(Visitor&) override {}
};
/// Counts the nodes of a type in the exported file of a GPT with this attention layer.
template <class Layer>
int occurrences(const std::string& type, ModelOptions options) {
  options.attention = [](const AttentionLayerOptions&) { return std::make_unique<Layer>(); };
  return Graph(*make_model("gpt", options)).types[type];
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_has_each_weight_under_its_name) {
  const auto model = make_model("gpt", small());
  Graph graph(*model);
  BOOST_TEST(graph.file.at(1) == Texts{"8"}, per_element());
  Fields opset = fields(graph.file.at(8)[0]);
  BOOST_TEST(opset.at(2) == Texts{"17"}, per_element());
  BOOST_TEST(graph.sizes(11) == (Texts{"batch", "5"}), per_element());
  BOOST_TEST(graph.sizes(12) == (Texts{"batch", "5", "7"}), per_element());
  BOOST_TEST(graph.types["Softmax"] == 2);
  BOOST_TEST(graph.types["Sigmoid"] == 2);
  Fields& weight = graph.tensors.at("blocks.1.mlp.in.weight");
  BOOST_TEST(weight.at(1) == (Texts{"32", "8"}), per_element());
  walk(*model->module, [&](const std::string& path, Parameter& p) {
    if (path != "blocks.1.mlp.in.weight") return;
    const std::string bytes(reinterpret_cast<const char*>(p.value().data<float>()), 32 * 8 * 4);
    BOOST_TEST((weight.at(9)[0] == bytes));
  });
}

BOOST_AUTO_TEST_CASE(a_constant_is_there_once_and_as_small_as_it_can_be) {
  Graph graph(*make_model("gpt", small()));
  int masks = 0;
  for (auto& [name, tensor] : graph.tensors) {
    if (name.rfind("constant_", 0) != 0 || tensor.at(2)[0] != "6") continue;
    ++masks;  // one mask, shared by both layers, all sequences and heads
    BOOST_TEST(tensor.at(1) == (Texts{"1", "1", "5", "5"}), per_element());
  }
  BOOST_TEST(masks == 1);
}

BOOST_AUTO_TEST_CASE(every_kind_of_model_goes_out) {
  ModelOptions options = small();
  options.position = RotaryPositions{};
  options.kv_heads = 1;
  options.qk_norm = true;
  options.mlp = StandardMLP{Activation::swiglu};
  BOOST_TEST(Graph(*make_model("gpt", options)).types["Gather"] ==
             3);  // one reads rows of the embedding, two are rotary positions, one per layer
  BOOST_TEST(Graph(*make_model("encoder", small())).types["Softmax"] == 2);
  options.tied_kv = true;
  options.share_layers = 1;
  Graph shared(*make_model("gpt", options));  // one weight for the two layers
  BOOST_TEST(shared.tensors.count("blocks.0.attention.qkv.weight") == 1);
  BOOST_TEST(shared.tensors.count("blocks.1.attention.qkv.weight") == 0);
  options.source = 4;
  Graph both(*make_model("encoder-decoder", options));
  BOOST_TEST(both.sizes(11) == (Texts{"batch", "9"}), per_element());
  BOOST_TEST(both.sizes(12) == (Texts{"batch", "5", "7"}), per_element());
}

// Requires the part that provides image models.
BOOST_AUTO_TEST_CASE(images_go_out, *boost::unit_test::precondition(registered("vit"))) {
  const Registry registry = make_registry();
  TrainConfig config = registry.find_task("shapes").recipe;
  apply(parse_settings("--side 8 --patch 4 --pool class --shifted-patches true --layers 2"),
        all_options(registry.find_task("shapes"), registry), config);
  Graph image(*make_model(config, *make_task(config, registry), registry));
  BOOST_TEST(image.types["Expand"] == 1);
  BOOST_TEST(image.types["Pad"] == 8);
  BOOST_TEST(image.sizes(12) == (Texts{"batch", "8"}), per_element());
}

BOOST_AUTO_TEST_CASE(what_has_no_translation_is_named) {
  ModelOptions options = small();
  options.attention = [](const AttentionLayerOptions&) { return std::make_unique<Summed>(); };
  expect_error<ValueError>([&] { to_onnx(*make_model("gpt", options)); },
                           "onnx: op cumsum can't be exported; use other ops in this layer, "
                           "or export safetensors (in blocks.0.attention)");
  struct Reading : Module {  // reads values, which no op records
    Tensor forward(const Tensor& x, Pass&) const override { return x * x.values()[0]; }
    void visit(Visitor&) override {}
  };
  options.attention = [](const AttentionLayerOptions&) { return std::make_unique<Reading>(); };
  expect_error<ValueError>([&] { to_onnx(*make_model("gpt", options)); },
                           "onnx: gpt: blocks.0.attention depends on the values of its input or on "
                           "the batch size outside "
                           "of ops, so its graph isn't constant; compute it with ops");
}

BOOST_AUTO_TEST_CASE(ops_tell_how_they_were_called) {
  struct Masked : Module {  // its masks depend on the tokens
    Tensor forward(const Tensor& x, Pass&) const override {
      return masked_fill(masked_fill(x, x < 0, 0), equal(x, scalar(1, x.dtype())), 0);
    }
    void visit(Visitor&) override {}
  };
  struct Clamped : Module {
    Tensor forward(const Tensor& x, Pass&) const override { return clamp(x, -1, infinity); }
    void visit(Visitor&) override {}
  };
  // The slices have equal values, so only the recorded ops tell their positions.
  struct Parts : Module {
    Tensor forward(const Tensor& x, Pass&) const override {
      const Tensor same = x * 0;
      return concat({slice(same, 2, 1, 4), slice(same, 2, 4, 4), slice(same, 2, 3, 8)}, 2);
    }
    void visit(Visitor&) override {}
  };
  BOOST_TEST(occurrences<Masked>("Less", small()) == 2);
  BOOST_TEST(occurrences<Masked>("Equal", small()) == 2);
  BOOST_TEST(occurrences<Clamped>("Clip", small()) == 2);
  BOOST_TEST(occurrences<Parts>("Slice", small()) == 4 + 5);  // 5: one for each of the five norms
  ModelOptions narrow = small_options(7, 1, 1);
  narrow.width = narrow.heads = 1;  // all slices are equal
  BOOST_TEST(Graph(*make_model("gpt", narrow)).types["Slice"] == 3 + 3);
}

BOOST_AUTO_TEST_CASE(a_run_goes_out) {
  const Elsewhere elsewhere;
  done("train copy --width 8 --heads 2 --layers 1 --steps 1 --batch 2 --out runs/o");
  BOOST_TEST(has(done("export runs/o --format onnx o.onnx").text,
                 "step 1 of runs/o · o.onnx: from tokens (batch, 31) to logits"));
  BOOST_TEST(has(read_file("o.onnx"), "blocks.0.attention.qkv.weight"));
  Registry registry = make_registry();
  registry.attention("summed",
                     [](const AttentionLayerOptions&) { return std::make_unique<Summed>(); });
  done("train copy --attention summed --width 8 --layers 1 --steps 1 --batch 2 --out runs/l",
       registry);
  expect_refused(command("export runs/l --format onnx l.onnx", registry),
                 "onnx: op cumsum can't be exported; use other ops in this layer, or "
                 "export safetensors (in blocks.0.attention)");
  BOOST_TEST(!std::filesystem::exists("l.onnx"));
}

BOOST_AUTO_TEST_SUITE_END()
