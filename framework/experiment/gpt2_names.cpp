#include "experiment/gpt2_names.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;  // ours, theirs

// Of what is the same but for its name.
Names plain_names(int layers) {
  Names names = {{"token", "wte.weight"},
                 {"position", "wpe.weight"},
                 {"norm/gain", "ln_f.weight"},
                 {"norm/bias", "ln_f.bias"}};
  for (int i = 0; i < layers; ++i) {
    const std::string ours = fmt::format("layer{}/", i), theirs = fmt::format("h.{}.", i);
    for (const auto& [a, b] : Names{{"attention_norm/gain", "ln_1.weight"},
                                    {"attention_norm/bias", "ln_1.bias"},
                                    {"attention/o/weight", "attn.c_proj.weight"},
                                    {"attention/o/bias", "attn.c_proj.bias"},
                                    {"mlp_norm/gain", "ln_2.weight"},
                                    {"mlp_norm/bias", "ln_2.bias"},
                                    {"mlp/expand/weight", "mlp.c_fc.weight"},
                                    {"mlp/expand/bias", "mlp.c_fc.bias"},
                                    {"mlp/project/weight", "mlp.c_proj.weight"},
                                    {"mlp/project/bias", "mlp.c_proj.bias"}})
      names.emplace_back(ours + a, theirs + b);
  }
  return names;
}

constexpr std::array<const char*, 3> kMaps = {"q", "k", "v"};

const std::vector<float>& floats(const StateArray& array) {
  return std::get<std::vector<float>>(array.data);
}

// Columns [part D, (part + 1) D) of [rows, 3 D]; of a vector, one row.
StateArray third(const StateArray& fused, std::size_t part) {
  const auto columns = static_cast<std::size_t>(fused.shape.back());
  const std::size_t rows = floats(fused).size() / columns, width = columns / 3;
  std::vector<float> values;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from =
        floats(fused).begin() + static_cast<std::ptrdiff_t>(row * columns + part * width);
    values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  StateArray result;
  result.shape = fused.shape;
  result.shape.back() /= 3;
  result.data = std::move(values);
  return result;
}

StateArray fused(const std::array<const StateArray*, 3>& parts) {
  const auto width = static_cast<std::size_t>(parts[0]->shape.back());
  const std::size_t rows = floats(*parts[0]).size() / width;
  std::vector<float> values;
  for (std::size_t row = 0; row < rows; ++row)
    for (const StateArray* part : parts) {
      const auto from = floats(*part).begin() + static_cast<std::ptrdiff_t>(row * width);
      values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
  StateArray result;
  result.shape = parts[0]->shape;
  result.shape.back() *= 3;
  result.data = std::move(values);
  return result;
}

StateArray transposed(const StateArray& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.shape[0]);
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  std::vector<float> values(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      values[j * rows + i] = floats(matrix)[i * columns + j];
  StateArray result;
  result.shape = {matrix.shape[1], matrix.shape[0]};
  result.data = std::move(values);
  return result;
}

int layers_of(const State& weights, const std::string& format) {
  int layers = 0;
  while (weights.count(fmt::format(fmt::runtime(format), layers))) ++layers;
  return layers;
}

// Some files have all names under "transformer.".
State without_prefix(const State& weights) {
  constexpr std::string_view kPrefix = "transformer.";
  State bare;
  for (const auto& [name, array] : weights)
    bare.emplace(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name, array);
  return bare;
}

}  // namespace

bool has_gpt2_names(const State& weights) {
  return weights.count("wte.weight") || weights.count("transformer.wte.weight");
}

State from_gpt2_names(const State& all) {
  const State theirs = without_prefix(all);
  const int layers = layers_of(theirs, "h.{}.attn.c_attn.weight");
  State ours;
  for (const auto& [a, b] : plain_names(layers))
    if (const auto found = theirs.find(b); found != theirs.end()) ours.emplace(a, found->second);
  for (int i = 0; i < layers; ++i)
    for (const char* kind : {"weight", "bias"}) {
      const std::string name = fmt::format("h.{}.attn.c_attn.{}", i, kind);
      const auto found = theirs.find(name);
      if (found == theirs.end()) continue;
      if (found->second.shape.empty() || found->second.shape.back() % 3 != 0)
        throw Error(ExitCode::data, fmt::format("{}: wanted three maps beside each other", name));
      for (std::size_t part = 0; part < 3; ++part)
        ours.emplace(fmt::format("layer{}/attention/{}/{}", i, kMaps[part], kind),
                     third(found->second, part));
    }
  // Where the output is tied, it is the embedding once more.
  if (const auto head = theirs.find("lm_head.weight");
      head != theirs.end() && head->second.shape.size() == 2)
    ours.emplace("head", transposed(head->second));
  return ours;
}

State to_gpt2_names(const State& ours) {
  const int layers = layers_of(ours, "layer{}/attention_norm/gain");
  State theirs;
  std::size_t used = 0;
  const auto take = [&](const std::string& name) -> const StateArray& {
    const auto found = ours.find(name);
    if (found == ours.end())
      throw Error(ExitCode::usage,
                  fmt::format("this model has no {}: GPT-2 is a gpt with mlp: gelu_tanh (or gelu), "
                              "attention_bias: true and no other part than the default",
                              name));
    ++used;
    return found->second;
  };
  for (const auto& [a, b] : plain_names(layers)) theirs.emplace(b, take(a));
  for (int i = 0; i < layers; ++i)
    for (const char* kind : {"weight", "bias"}) {
      std::array<const StateArray*, 3> parts{};
      for (std::size_t part = 0; part < 3; ++part)
        parts[part] = &take(fmt::format("layer{}/attention/{}/{}", i, kMaps[part], kind));
      theirs.emplace(fmt::format("h.{}.attn.c_attn.{}", i, kind), fused(parts));
    }
  if (ours.count("head")) theirs.emplace("lm_head.weight", transposed(take("head")));
  if (used == ours.size()) return theirs;
  std::vector<std::string> others;
  const State back = from_gpt2_names(theirs);
  for (const auto& [name, array] : ours)
    if (!back.count(name)) others.push_back(name);
  throw Error(ExitCode::usage, fmt::format("GPT-2 has no name for {}", join(others)));
}

}  // namespace assay
