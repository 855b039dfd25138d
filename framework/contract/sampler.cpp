#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "contract/support.h"

namespace assay {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

void check_logits(const Sampler& sampler, const std::string& what, const std::vector<float>& before,
                  Failures& failures) {
  std::vector<float> after = before, again = before;
  sampler.apply(after);
  sampler.apply(again);
  if (!same_bits(after, again))
    failures.push_back(fmt::format("{}: twice the same is not equal", what));
  bool some = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == kForbidden && after[i] != kForbidden)
      return failures.push_back(fmt::format("{}: a forbidden token becomes {}", what, after[i]));
    if (after[i] != kForbidden && !std::isfinite(after[i]))
      return failures.push_back(fmt::format("{}: {} becomes {}", what, before[i], after[i]));
    some = some || std::isfinite(after[i]);
  }
  if (!some) failures.push_back(fmt::format("{}: no token is left", what));
}

}  // namespace

Failures check_sampler(const Make<Sampler>& make, Failures failures) {
  attempt(failures, "making it", [&] {
    const auto sampler = make({});
    if (const auto beam = sampler->beam())
      if (beam->width < 1 || !std::isfinite(beam->length_penalty))
        failures.push_back(
            fmt::format("beam(): width {}, length penalty {}: wanted a width of at "
                        "least 1, and a finite penalty",
                        beam->width, beam->length_penalty));
    std::vector<float> some_forbidden = normal_numbers(50, Random(1, "logits"));
    for (std::size_t i = 0; i < some_forbidden.size(); i += 3) some_forbidden[i] = kForbidden;
    std::vector<float> one_left(20, kForbidden);
    one_left[7] = -3;
    constexpr float kLargest = std::numeric_limits<float>::max();
    const std::vector<std::pair<std::string, std::vector<float>>> cases = {
        {"ordinary logits", normal_numbers(50, Random(2, "logits"))},
        {"logits with forbidden tokens", some_forbidden},
        {"one allowed token", one_left},
        {"a vocabulary of one", {0.5F}},
        {"equal logits", std::vector<float>(10, 1.5F)},
        {"the largest logits", {kLargest, -kLargest, kLargest / 2, 0}},
        {"probabilities as logits", {-0.0F, -1e-30F, -80, kForbidden}},
    };
    for (const auto& one : cases)
      attempt(failures, one.first,
              [&] { check_logits(*sampler, one.first, one.second, failures); });
  });
  return failures;
}

}  // namespace assay
