#include "weights.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/step/not_finite.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tapehead {
namespace {

struct Row {
  const char *ours, *theirs;
  bool transposed = false;
};

constexpr Row of_model[] = {{"tokens.weight", "wte.weight"},
                            {"positions.weight", "wpe.weight"},
                            {"norm.gain", "ln_f.weight"},
                            {"norm.bias", "ln_f.bias"},
                            {"head.weight", "lm_head.weight"}};

// Parameters of a block: Tapehead's name, GPT-2's name. The columns of c_attn are in the same order
// as the rows of qkv: queries, keys and values, each by head.
constexpr Row of_block[] = {{"attention_norm.gain", "ln_1.weight"},
                            {"attention_norm.bias", "ln_1.bias"},
                            {"attention.qkv.weight", "attn.c_attn.weight", true},
                            {"attention.qkv.bias", "attn.c_attn.bias"},
                            {"attention.out.weight", "attn.c_proj.weight", true},
                            {"attention.out.bias", "attn.c_proj.bias"},
                            {"mlp_norm.gain", "ln_2.weight"},
                            {"mlp_norm.bias", "ln_2.bias"},
                            {"mlp.in.weight", "mlp.c_fc.weight", true},
                            {"mlp.in.bias", "mlp.c_fc.bias"},
                            {"mlp.out.weight", "mlp.c_proj.weight", true},
                            {"mlp.out.bias", "mlp.c_proj.bias"}};

namespace fs = std::filesystem;

constexpr const char *weights_name = "model.safetensors",
                     *index_name = "model.safetensors.index.json", *prefix = "transformer.",
                     *table_name = "wte.weight", *head_name = "lm_head.weight";

std::string without_prefix(const std::string& name) {
  const std::string start = prefix;
  return starts_with(name, start) ? name.substr(start.size()) : name;
}

/// Returns the name of a file with pickled weights in a folder; empty if there is none.
std::string pickled_file(const std::string& folder) {
  std::set<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored); !ignored && at != fs::directory_iterator();
       at.increment(ignored))
    for (const char* end : {".bin", ".pt", ".pth", ".ckpt"})
      if (at->path().extension() == end) found.insert(at->path().filename().string());
  return found.empty() ? "" : *found.begin();
}

[[noreturn]] void refuse_folder(const std::string& folder) {
  const std::string pickled = pickled_file(folder);
  if (pickled.empty())
    throw FileError("{}: found neither {} nor {}", folder, weights_name, index_name);
  throw FileError(
      "{0}/{1}: pickle files can run arbitrary code and aren't read; convert it to {2} in Python: "
      "from transformers import GPT2LMHeadModel; "
      "GPT2LMHeadModel.from_pretrained('{0}').save_pretrained('{0}')",
      folder, pickled, weights_name);
}

/// Reads an (in, out) matrix and transposes it. Reads some rows at a time, so that the matrix is
/// never in memory twice.
Tensor read_transposed(const SafetensorsReader& file, const SafetensorsReader::Entry& entry) {
  constexpr Index at_once = 64;
  const Index in = entry.shape[0], out = entry.shape[1];
  Tensor x = Tensor::empty({out, in}, DType::f32);
  float* to = x.mutable_data<float>();
  for (Index first = 0; first < in; first += at_once) {
    const Index rows = std::min(at_once, in - first);
    const Tensor part = file.read(entry.rows(first, first + rows));  // (rows, out)
    const float* from = part.data<float>();
    for (Index j = 0; j < out; ++j)
      for (Index i = 0; i < rows; ++i) to[j * in + first + i] = from[i * out + j];
  }
  return x;
}

}  // namespace

HubName hub_name(const std::string& path) {
  for (const Row& row : of_model)
    if (path == row.ours) return {row.theirs};
  const std::string blocks = "blocks.";
  const std::size_t dot = path.find('.', blocks.size());
  if (starts_with(path, blocks) && dot != std::string::npos)
    for (const Row& row : of_block)
      if (path.compare(dot + 1, std::string::npos, row.ours) == 0)
        return {"h." + path.substr(blocks.size(), dot - blocks.size()) + '.' + row.theirs,
                row.transposed};
  throw ValueError("GPT-2 has no parameter {}", path);
}

bool is_hub_mask(const std::string& name) {
  return starts_with(name, "h.") &&
         (ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias"));
}

HubWeights::HubWeights(const std::string& folder) : folder_(folder) {
  const std::string whole = folder + "/" + weights_name, index = folder + "/" + index_name;
  if (exists(whole))
    open(whole);
  else if (exists(index))
    open_shards(index);
  else
    refuse_folder(folder);
}

void HubWeights::open(const std::string& path) {
  files_.push_back(std::make_unique<SafetensorsReader>(path));
  for (const SafetensorsReader::Entry& entry : files_.back()->entries())
    if (const std::string name = without_prefix(entry.name);
        !tensors_.emplace(name, Tensors{files_.back().get(), &entry}).second)
      throw FileError("{}: {} occurs twice", path, quote(name));
}

void HubWeights::open_shards(const std::string& index) {
  const std::optional<Json> json = parse_json(read_file(index));
  if (!json) throw FileError("{}: not JSON", index);
  const Json& map = (*json)["weight_map"];
  if (map.members().empty()) throw FileError("{}: \"weight_map\" is missing", index);
  std::set<std::string> names;
  for (const auto& [tensor, file] : map.members()) {
    const std::string& name = file.string();
    if (name.empty() || name.find('/') != std::string::npos)
      throw FileError("{}: {} is in {}, which isn't a file name in this folder", index,
                      quote(tensor), quote(name));
    names.insert(name);
  }
  for (const std::string& name : names) open(folder_ + "/" + name);
  for (const auto& [tensor, file] : map.members()) {
    const auto found = tensors_.find(without_prefix(tensor));
    if (found == tensors_.end() || found->second.file->path() != folder_ + "/" + file.string())
      throw FileError("{}: {} isn't in {}", index, quote(tensor), quote(file.string()));
  }
}

const HubWeights::Tensors& HubWeights::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw FileError("{}: {} is missing", files_.front()->path(), quote(name));
  return found->second;
}

bool HubWeights::has_own_head() const {
  if (tensors_.count(head_name) == 0) return false;
  const auto& [head_file, head] = find(head_name);
  const auto& [table_file, table] = find(table_name);
  if (head->shape != table->shape) return true;
  if (head->shape.rank() != 2 || head->shape.size() == 0) return false;
  constexpr Index at_once = 256;
  for (Index first = 0, rows = head->shape[0]; first < rows; first += at_once) {
    const Index last = std::min(first + at_once, rows);
    const Tensor a = head_file->read(head->rows(first, last)),
                 b = table_file->read(table->rows(first, last));
    if (a.dtype() != b.dtype() || a.bytes() != b.bytes()) return true;
  }
  return false;
}

Tensor HubWeights::read(const HubName& name, Shape shape) const {
  const auto& [file, entry] = find(name.name);
  if (name.transposed) std::swap(shape[0], shape[1]);
  if (entry->shape != shape)
    throw FileError("{}: {} has the shape {}, but config.json requires {}", file->path(),
                    quote(name.name), entry->shape, shape);
  if (entry->type != "F32" && entry->type != "F16" && entry->type != "BF16")
    throw FileError("{}: {} has type {}; expected F32, F16 or BF16", file->path(), quote(name.name),
                    entry->type);
  Tensor x = name.transposed ? read_transposed(*file, *entry) : file->read(*entry);
  if (const std::string what = non_finite_kind(x); !what.empty())
    throw FileError("{}: {} contains {}; weights must be finite", file->path(), quote(name.name),
                    what);
  return x;
}

void HubWeights::load(Module& model, bool tied, Index vocabulary,
                      const std::vector<int>& ids) const {
  std::set<std::string> known;
  if (tied) known.insert(head_name);
  walk(model, [&](const std::string& path, Parameter&) { known.insert(hub_name(path).name); });
  for (const auto& [name, tensor] : tensors_)
    if (known.count(name) == 0 && !is_hub_mask(name))
      throw FileError("{}: {} isn't a parameter of the GPT-2 model in config.json",
                      tensor.file->path(), quote(name));
  const Tensor rows = tensor({ids.begin(), ids.end()}, DType::i32);
  walk(model, [&](const std::string& path, Parameter& p) {
    const HubName name = hub_name(path);
    const bool is_table = name.name == table_name || name.name == head_name;
    p.set(is_table ? gather_rows(read(name, {vocabulary, p.shape[1]}), rows) : read(name, p.shape));
  });
}

Safetensors hub_tensors(Module& model) {
  Safetensors contents;
  contents.metadata["format"] = "pt";
  walk(model, [&](const std::string& path, Parameter& p) {
    const auto [name, transposed] = hub_name(path);
    const std::string start = name == head_name ? "" : prefix;
    contents.tensors[start + name] = transposed ? transpose(p.value()) : p.value();
  });
  return contents;
}

}  // namespace tapehead
