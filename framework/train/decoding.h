// How likely the text is that a model finds likely: what searching for it (greedily, by a beam)
// gains, how far below both lies what people wrote, and how sure the model is of the next token.
// A run measures this at its end where its section `decode` asks for it.
//
//   decode: {prompts: 16, context: 20, length: 40, beam: 5}
//
// Threads: call from within a Pool; the numbers are the same for any number of threads.
#pragma once

#include <map>
#include <string>

#include "base/api.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/tokenizer.h"
#include "train/options.h"

namespace assay {

struct DecodingModel {
  const Model& model;
  const Parameters& parameters;
  const Dataset& dataset;
  const Tokenizer* tokenizer = nullptr;  // null: the dataset speaks ids itself
};

/// By name, over all prompts:
///   greedy_log_probability, beam_log_probability   of what is written, per character (or token)
///   text_log_probability                           of what stands there; not of a prompt that is
///   given entropy_at_0.5                                 of the next token, in nats, at each
///   temperature tokens_to_cover_0.9                            the fewest that have this share of
///   probability
/// Throws Error(data) if the validation split has no window so long.
ASSAY_API std::map<std::string, double> decode(const DecodingModel& asked,
                                               const DecodeOptions& options);

}  // namespace assay
