#include "sites.hpp"

#include <algorithm>

namespace tapehead {

std::string Site::name() const {
  constexpr const char* names[] = {"head", "attention", "mlp", "block"};
  const std::string name = fmt::format("{} {}", names[static_cast<int>(kind)], number);
  return head < 0 ? name : fmt::format("{}.{}", name, head);
}

std::vector<Site> sites_of(const TaskModel& model, const Tensor& inputs) {
  using Kind = Site::Kind;
  std::vector<Site> sites;
  std::vector<Site::Place> branches;  // of the block that runs
  Index attentions = 0, mlps = 0, blocks = 0;
  Pass pass = Pass::evaluation();
  pass.hook = [&](const Point& point, const Tensor& x) {
    const std::string name = point.name;
    const Index width = x.dim(-1), heads = model.options.heads;
    const Site::Place all = {point.module, name, 0, width};
    if (name == "heads" && width % heads == 0) {
      for (Index i = 0; i < heads; ++i)
        sites.push_back({Kind::head,
                         attentions,
                         i,
                         blocks,
                         {{point.module, name, i * width / heads, (i + 1) * width / heads}}});
    } else if (name == "attention_out" || name == "cross_out") {
      sites.push_back({Kind::attention, attentions++, -1, blocks, {all}});
      branches.push_back(all);
    } else if (name == "mlp_out") {
      sites.push_back({Kind::mlp, mlps++, -1, blocks, {all}});
      branches.push_back(all);
    } else if (name == "out") {
      sites.push_back({Kind::block, blocks, -1, blocks, std::exchange(branches, {})});
      ++blocks;
    }
    return x;
  };
  (*model.module)(inputs, pass);
  return sites;
}

bool is_at(const Site::Place& place, const Point& point) {
  return place.point == point.name && place.module == point.module;
}

Tensor replaced(const Tensor& x, Index first, Index end, const Tensor& by, Index position) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const Index time = x.dim(1), width = x.dim(2);
  dispatch_float("inspect", x.dtype(), [&](auto zero) {
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
