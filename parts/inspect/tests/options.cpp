// Checks the effect of each option of `inspect`.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"attention runs/answers", "summary", "", "the loss increase without it", "", ""},
    {"inspect lens runs/copy", "input", "3 2 1 0", "3 2 1 0", "z", "copy: 'z' isn't one of"},
    {"inspect lens runs/copy", "example", "3", "example 3", "-1",
     "--example must be at least 0, not -1"},
    {"inspect lens runs/copy", "position", "6", "at position 6", "99",
     "--position 99: the model reads positions 0 to 6"},
    {"inspect lens runs/copy --example 1", "token", "1", "logit of 1", "3 3",
     "--token 3 3: expected one token, got 2"},
    {"inspect lens runs/copy", "against", "3", "minus the logit of 3", "z",
     "copy: 'z' isn't one of"},
    {"inspect gradients runs/copy", "weight", "blocks.0.mlp.in.weight", "Gradient of blocks.0.",
     "x", "--weight x: use a name that inspect gradients lists, such as blocks.0.attention."},
    {"inspect gradients runs/copy", "norms", "", "Gradient norms", "", ""},
    {"inspect circuits runs/copy", "layer", "1", "head 1.0", "2",
     "layer 2: the model has layers 0 to 1"},
    {"inspect circuits runs/copy", "head", "1", "head 0.1", "2",
     "head 2: layer 0 has heads 0 to 1"},
    {"inspect circuits runs/copy", "tokens", "3 1", "of 2 tokens", "z", "copy: 'z' isn't one of"},
    {"inspect neurons runs/copy", "neuron", "7", "Neuron 7", "32",
     "neuron 32: layer 0 has neurons 0 to 31"},
    {"inspect neurons runs/copy", "top", "3", "Showing 3 of 32", "-1",
     "--top must be at least 0, not -1"},
    {"report runs/answers --figures measured", "metric", "sharpness", "measured/sharpness.svg",
     "sharp", "unknown --metric 'sharp'; expected sharpness", "measured"},
    {"inspect curvature runs/copy", "training", "", "training examples", "", ""},
    {"inspect ablate runs/answers", "examples", "7", "on 7 validation", "0",
     "--examples must be at least 1, not 0"},
    {"inspect ablate runs/answers", "by", "zero", "by zeros.", "x",
     "unknown --by 'x'; expected mean or zero"},
    {"inspect ablate runs/answers", "heads", "0.1,1.0", "heads 0.1,1.0", "2.0",
     "unknown --heads '2.0'"},
    {"inspect ablate runs/answers", "pairs", "", "heads 0.0 and 1.1", "", ""},
    {"inspect ablate runs/answers", "positions", "", "Loss increase", "", ""},
    {"inspect ablate runs/answers", "checkpoint", "best", "", "first", "--checkpoint first: "},
    {"inspect gradients runs/text", "data", "other.txt", "", "none.txt", "none.txt: No such file"},
    {"inspect ablate runs/answers", "checkpoints", "all", "over checkpoints", "0",
     "--checkpoints must be all, or at least 1, not 0"},
    {"inspect ablate runs/answers", "out", "found.txt", "", "found.png",
     "--out found.png: the file extension must be .html, .json or .txt"},
    {"inspect ablate runs/answers", "json", "", "{", "", ""},
    {"inspect patch runs/learned", "clean", "4 3 2 1", "Clean: 4 3 2 1", "z",
     "reverse: 'z' isn't one of"},
    {"inspect patch runs/learned", "corrupted", "4 0 2 1", "Corrupted: 4 0 2 1", "4 3",
     "reverse expects 4 tokens, as in"},
});
const TrainRows train({{"metric",
                        "sharpness",
                        Changes::metrics,
                        {},
                        "sharp",
                        "unknown --metric 'sharp'; expected none or sharpness"}},
                      {});

}  // namespace
}  // namespace tapehead
