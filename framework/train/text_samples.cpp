#include "train/text_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "train/beam_search.h"

namespace assay {

TextSamples::TextSamples(const WritingModel& asked, std::vector<SamplerChain> chains,
                         const SampleOptions& options)
    : asked_(asked),
      chains_(std::move(chains)),
      prompts_(options.all_prompts()),
      length_(options.length),
      count_(options.count) {
  for (std::size_t i = 0; i < prompts_.size(); ++i)
    starts_.push_back(
        text_start(asked_.codec, asked_.spec, prompts_[i],
                   options.prompts ? "samples.prompts." + std::to_string(i) : "samples.prompt"));
  for (const SamplerChain& chain : chains_)
    if (const auto beam = beam_of(chain.samplers); beam && beam->width < count_)
      throw Error(ExitCode::usage,
                  fmt::format("samples.count: {} are asked for, and a beam of width {} finds no "
                              "more than that",
                              count_, beam->width));
}

std::vector<TextSample> TextSamples::written(std::int64_t step) const {
  // Of each chain and prompt, one after the other.
  std::vector<std::vector<std::string>> found(chains_.size() * prompts_.size());
  parallel_for(static_cast<std::int64_t>(found.size()), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    found[i] = texts(chains_[i / prompts_.size()], starts_[i % prompts_.size()],
                     static_cast<std::uint64_t>(index * count_));
  });
  std::vector<TextSample> samples;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::string& text : found[i])
      samples.push_back({step, prompts_[i % prompts_.size()], std::move(text),
                         chains_[i / prompts_.size()].name,
                         !starts_[i % prompts_.size()].source.empty()});
  return samples;
}

std::vector<std::string> TextSamples::texts(const SamplerChain& chain, const TextStart& start,
                                            std::uint64_t first) const {
  std::vector<Ids> found;
  if (const auto beam = beam_of(chain.samplers))
    found = searched(*beam, start);
  else
    found = drawn(chain, start, first);
  std::vector<std::string> texts;
  for (Ids& ids : found) {
    const auto ends = [&](std::int32_t id) { return id == asked_.stop || id == start.end; };
    ids.erase(std::find_if(ids.begin(), ids.end(), ends), ids.end());
    texts.push_back(utf8_repaired(asked_.codec.decode(ids)));
  }
  return texts;
}

std::vector<TextSamples::Ids> TextSamples::drawn(const SamplerChain& chain, const TextStart& start,
                                                 std::uint64_t first) const {
  std::vector<Ids> found(static_cast<std::size_t>(count_));
  std::vector<Random> draws;
  for (std::uint64_t i = 0; i < found.size(); ++i)
    draws.emplace_back(asked_.seed, "samples", first + i);
  try {
    generate(asked_.model, asked_.parameters, chain.samplers, start.prompt(), start.most(length_),
             draws, [&](std::size_t which, const DrawnToken& token) {
               found[which].push_back(token.id);
               return token.id != asked_.stop && token.id != start.end;
             });
  } catch (const NotFinite&) {  // the losses say so, too
  }
  return found;
}

std::vector<TextSamples::Ids> TextSamples::searched(const BeamSettings& beam,
                                                    const TextStart& start) const {
  BeamOptions options;
  options.width = beam.width, options.length_penalty = beam.length_penalty;
  options.length = start.most(length_);
  options.end = asked_.stop >= 0 ? asked_.stop : start.end;
  std::vector<Ids> found;
  try {
    for (BeamResult& one : beam_search(asked_.model, asked_.parameters, start.prompt(), options))
      if (static_cast<std::int64_t>(found.size()) < count_) found.push_back(std::move(one.ids));
  } catch (const NotFinite&) {
    found.emplace_back();
  }
  return found;
}

}  // namespace assay
