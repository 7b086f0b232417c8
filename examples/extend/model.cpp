// An architecture, `--arch rnn`: a recurrent network (Elman, "Finding Structure in Time", 1990). An
// option sets how much of the state is kept (leaky integrators, Jaeger et al., 2007).
//   $ ./mine check rnn
//   $ ./mine gradcheck rnn
//   $ ./mine train copy --length 4 --symbols 8 --arch rnn --until exact-match=1 --out run
//   $ ./mine eval run | grep "exact match 100"
//   $ ./mine sample run --prompt 3141 | grep "out  3 1 4 1"
//   $ ./mine explain run --example 0
#include <tapehead/cli.hpp>

using namespace tapehead;

/// h = keep h + (1 - keep) tanh(W x + U h), token by token.
struct RNN : Module {
  RNN(const ModelOptions& o, double inertia)
      : tokens(o.vocabulary, o.width),
        in(o.width, o.width),
        back(o.width, o.width, {false}),
        head(o.width, o.vocabulary),
        keep(inertia) {
    finish_construction(*this, o);
  }
  Tensor forward(const Tensor& ids, Pass& pass) const override {
    const Tensor x = in(tokens(ids, pass), pass);  // (batch, time, width)
    Tensor h = zeros({x.dim(0), x.dim(2)}, x.dtype());
    std::vector<Tensor> all;
    for (Index t = 0; t < x.dim(1); ++t) {
      const Tensor now = reshape(slice(x, 1, t, t + 1), h.shape());  // (batch, width)
      h = keep * h + (1 - keep) * tanh(now + back(h, pass));
      all.push_back(h);
    }
    return head(stack(all, 1), pass);  // (batch, time, vocabulary)
  }
  void visit(Visitor& v) override {
    v("tokens", tokens);
    v("in", in);
    v("back", back);
    v("head", head);
  }

  Embedding tokens;
  Linear in, back, head;
  double keep;
};

/// Decoding without a cache, which reads the whole sequence again for each new token.
struct Rereading : Decoding {
  Rereading(const Module& model_, std::vector<std::vector<int>> rows_)
      : model(model_), rows(std::move(rows_)) {}
  Tensor next(const std::vector<int>& chosen) override {
    std::vector<double> ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!chosen.empty()) rows[i].push_back(chosen[i]);
      ids.insert(ids.end(), rows[i].begin(), rows[i].end());
    }
    const auto count = static_cast<Index>(rows.size()), time = static_cast<Index>(rows[0].size());
    Pass pass = Pass::evaluation();
    const Tensor logits = model(tensor(ids, {count, time}, DType::i32), pass);
    return reshape(slice(logits, 1, time - 1, time), Shape{count, logits.dim(2)});
  }
  const Module& model;
  std::vector<std::vector<int>> rows;
};

struct RNNModel : TaskModel {
  RNNModel(const ModelOptions& o, double inertia)
      : TaskModel("rnn", o, std::make_unique<RNN>(o, inertia)) {}
  Batch batch(const std::vector<Example>& examples) const override { return make_batch(examples); }
  std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const override {
    return std::make_unique<Rereading>(*module, questions);
  }
};

struct RNNOptions {
  double inertia = 0;
  void options(Fields& f) {
    f("inertia", inertia, Range::fraction(), "fraction of the state that is kept");
  }
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  MakeArchitecture rnn;
  rnn.make = [](const ModelOptions& options, const OwnValues& own, const Task*) {
    return std::make_unique<RNNModel>(options, own.as<RNNOptions>().inertia);
  };
  rnn.set_lengths = [](ModelOptions& o, const Task& task) { o.context = task.context(); };
  rnn.like = "gpt";  // supports the tasks that gpt supports
  registry.model({"rnn", "a recurrent network", rnn, {}, options_of<RNNOptions>()});
  return run(argc, argv, registry);
}
