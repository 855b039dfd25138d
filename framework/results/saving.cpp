#include "results/saving.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace assay {
namespace {

Element element_of(const std::vector<float>&) {
  return Element::float32;
}
Element element_of(const std::vector<double>&) {
  return Element::float64;
}
Element element_of(const std::vector<std::int64_t>&) {
  return Element::int64;
}
Element element_of(const std::string&) {
  return Element::bytes;
}

bool same(const StateArray& a, const StateArray& b) {
  if (a.shape != b.shape || a.data.index() != b.data.index()) return false;
  return std::visit(
      [&](const auto& values) {
        const auto& others = std::get<std::decay_t<decltype(values)>>(b.data);
        return values.size() == others.size() &&
               (values.empty() ||
                std::memcmp(values.data(), others.data(), values.size() * sizeof values[0]) == 0);
      },
      a.data);
}

}  // namespace

bool same(const State& a, const State& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same(x.second, y.second);
  });
}

bool same(const Checkpoint& a, const Checkpoint& b) {
  return a.step == b.step && same(a.weights, b.weights) && same(a.model, b.model) &&
         same(a.optimizer, b.optimizer) && same(a.counters, b.counters);
}

std::string encode_name(std::string_view name) {
  constexpr std::string_view plain = "-_.~ ()+,:=@";
  if (name.empty()) return "%";
  if (name == ".") return "%2E";
  std::string encoded;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos)
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

void Saving::array(const std::string& path, const StateArray& array) {
  std::visit(
      [&](const auto& values) {
        const ArrayKind kind{element_of(values), array.shape};
        if (std::any_of(array.shape.begin(), array.shape.end(), [](auto n) { return n < 0; }) ||
            kind.count() != values.size())
          throw Error(ExitCode::failed,
                      fmt::format("{}: {} numbers do not fill the shape [{}]", path, values.size(),
                                  fmt::join(array.shape, ",")));
        put(path, kind.element, array.shape, std::span(values.data(), values.size()));
      },
      array.data);
}

void Saving::save_index(std::string prefix, const Facts& names) {
  prefix_ = std::move(prefix);
  table(kIndex, names, [](auto& row) { return std::tie(row.first, row.second); });
}

}  // namespace assay
