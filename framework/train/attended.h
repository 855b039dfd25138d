// What the heads of a model attend to on one text: what `assay attention` shows, and a run stores
// where its section `attention` asks for it.
//
//   const Attended found = attend({model, parameters, spec, codec}, "To be", "--text");
//   const AttentionMaps& last = found.at("layer1/attention");    // last.at(head, query, key)
//
// A model that reads a source takes the text as that, and what it writes for it, greedily, as the
// target. Threads: call from within a Pool.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/api.h"
#include "interfaces/model.h"
#include "results/record.h"
#include "train/text_codec.h"

namespace assay {

struct AttendingModel {
  const Model& model;
  const Parameters& parameters;
  const DataSpec& spec;
  const TextCodec& codec;
};

using Attended = std::map<std::string, AttentionMaps>;  // by the path of the layer

/// The ids of a text that the model can take. what: who asks, for messages. Throws Error(usage) for
/// a text without tokens, or with more than the model sees.
ASSAY_API std::vector<std::int32_t> attended_ids(const AttendingModel& asked,
                                                 const std::string& text, const std::string& what);

/// Throws Error(usage) as above, and if the model has no attention.
ASSAY_API Attended attend(const AttendingModel& asked, const std::string& text,
                          const std::string& what);

/// Whether the queries of a layer are of a target and its keys of a source.
ASSAY_API bool is_cross(std::string_view layer);
/// How far back a head looks, on average over the tokens.
ASSAY_API double look_back(const AttentionMaps& maps, std::int64_t head);
/// By layer, of self-attention shortest_look_back and longest_look_back among its heads; of
/// cross-attention to a source as long as the target, the share of its weight that is within one
/// position of the diagonal and of the anti_diagonal.
ASSAY_API std::map<std::string, double> attention_figures(const Attended& attended);

}  // namespace assay
