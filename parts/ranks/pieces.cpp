#include "pieces.hpp"
#include "../../optim/clip.hpp"

#include <algorithm>
#include <tuple>

namespace tapehead {

std::vector<Piece> cut(const std::vector<Parameter*>& all, int ranks) {
  std::vector<std::size_t> whole, others;
  Index total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->trainable) continue;
    (all[i]->matrices.empty() ? others : whole).push_back(i);
    total += all[i]->shape.size();
  }
  std::vector<Index> load(ranks);
  std::vector<Piece> pieces;
  const auto give = [&](std::size_t i, Index first, Index most) {
    const auto least = std::min_element(load.begin(), load.end());
    constexpr Index message = 1 << 27;  // at most 1 GB, whose length MPI can count
    const Index room = std::clamp(total / ranks - *least, norm_block, message);
    const Index end =
        std::min(all[i]->shape.size(), first + std::max(room / norm_block * norm_block, most));
    *least += end - first;
    pieces.push_back({i, first, end, static_cast<int>(least - load.begin())});
    return end;
  };
  // The largest first, and what can be cut last: it fills what the others leave.
  std::stable_sort(whole.begin(), whole.end(), [&](std::size_t a, std::size_t b) {
    return all[a]->shape.size() > all[b]->shape.size();
  });
  for (const std::size_t i : whole) give(i, 0, all[i]->shape.size());
  for (const std::size_t i : others)
    for (Index first = 0; first < all[i]->shape.size();) first = give(i, first, 0);
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.parameter, a.first) < std::tie(b.parameter, b.first);
  });
  return pieces;
}

Share::Share(const std::vector<Parameter*>& all, const std::vector<Piece>& pieces, int rank) {
  for (const Piece& piece : pieces) {
    Parameter* const whole = all[piece.parameter];
    if (piece.owner != rank) continue;
    parameters_.push_back(whole);
    if (piece.size() == whole->shape.size()) continue;
    auto part = std::make_unique<Parameter>(Shape{piece.size()}, whole->init, whole->decay);
    part->path = fmt::format("{}[{}]", whole->path, piece.first);
    part->dtype = whole->dtype;
    parameters_.back() = part.get();
    copies_.push_back({whole, piece.first, std::move(part)});
  }
  take();
}

void Share::visit(Visitor& visitor) {
  for (Parameter* parameter : parameters_) visitor(parameter->path, *parameter);
}

void Share::take() {
  for (const auto& [whole, first, part] : copies_) {
    const Tensor view = whole->value().part_as(part->shape, first);
    part->set(Tensor::empty(part->shape, part->dtype));
    view.bytes().copy(part->change_bytes(), view.bytes().size());
  }
}

void Share::give() {
  for (const auto& [whole, first, part] : copies_) {
    const std::string_view bytes = part->value().bytes();
    bytes.copy(whole->change_bytes() + first * bytes_of(part->dtype), bytes.size());
  }
}

}  // namespace tapehead
