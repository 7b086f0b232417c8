#include "names.hpp"
#include "../../core/error.hpp"
#include "../../train/starts_with.hpp"

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

// The columns of c_attn are queries, keys and values, head by head, as the rows of qkv are.
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

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
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
  throw ValueError("GPT-2 has no parameter such as {}", path);
}

bool is_hub_mask(const std::string& name) {
  return starts_with(name, "h.") &&
         (ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias"));
}

}  // namespace tapehead
