#include "sites.hpp"

#include <algorithm>

namespace tapehead {

std::string Site::name() const {
  constexpr const char* names[] = {"head", "attention", "mlp", "block"};
  const std::string name = fmt::format("{} {}", names[static_cast<int>(kind)], number);
  return head < 0 ? name : fmt::format("{}.{}", name, head);
}

std::vector<Site> find_sites(const TaskModel& model, const Batch& batch) {
  using Kind = Site::Kind;
  std::vector<Site> sites;
  std::vector<Site::Place> branches;  // outputs of the current block's components
  Index attentions = 0, mlps = 0, blocks = 0;
  Pass pass = Pass::evaluation();
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    const std::string name = point.name;
    const Index width = x.dim(-1), heads = model.options.heads;
    const auto add = [&](Kind kind, Index number, Index head, std::vector<Site::Place> places) {
      sites.push_back({kind, number, head, blocks, x.dim(1), std::move(places)});
    };
    const auto add_branch = [&](Kind kind, Index number) {
      branches.push_back({point.module, name, 0, width});
      add(kind, number, -1, {branches.back()});
    };
    if (name == "heads" && width % heads == 0)
      for (Index i = 0; i < heads; ++i)
        add(Kind::head, attentions, i,
            {{point.module, name, i * width / heads, (i + 1) * width / heads}});
    if (name == "attention_out" || name == "cross_out") add_branch(Kind::attention, attentions++);
    if (name == "mlp_out") add_branch(Kind::mlp, mlps++);
    if (name == "out") {
      add(Kind::block, blocks, -1, std::exchange(branches, {}));
      ++blocks;
    }
    return x;
  };
  logits_of(*model.module, batch, pass);
  return sites;
}

bool is_at(const Site::Place& place, const HookPoint& point) {
  return place.point == point.name && place.module == point.module;
}

Tensor replace_columns(const Tensor& x, Index first, Index end, const Tensor& by, Index position) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const Index time = x.dim(1), width = x.dim(2);
  with_floats("inspect", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    std::copy(from, from + x.size(), to);
    for (Index row = 0; row < x.size() / width; ++row) {
      const Index at = row % time;
      if (position >= 0 && at != position) continue;
      T* cells = to + row * width;
      if (by)
        std::copy(by.data<T>() + at * width + first, by.data<T>() + at * width + end,
                  cells + first);
      else
        std::fill(cells + first, cells + end, T{0});
    }
  });
  return y;
}

}  // namespace tapehead
