#include "train/options.h"

#include <algorithm>

namespace assay {
namespace {

// Enough for eight cores; folding this many gradients costs little beside the step.
constexpr std::int64_t kDefaultShards = 8;

}  // namespace

void TrainOptions::describe(OptionList<TrainOptions>& o) {
  o.add("steps", &TrainOptions::steps,
        "Length of the whole run: updates, or tokens or epochs to see.")
      .required()
      .at_least(1);
  o.add("batch", &TrainOptions::batch, "Examples per micro-batch.").at_least(1);
  o.add("context", &TrainOptions::context, "Positions N of a training window.").at_least(1);
  o.add("accumulate", &TrainOptions::accumulate,
        "Micro-batches per update; their losses are summed and divided once.")
      .at_least(1);
  o.add("shards", &TrainOptions::shards,
        "Parts of a micro-batch that run in parallel. Changes the bits, as it changes the order of "
        "sums; "
        "default: 8, or batch if that is less.")
      .at_least(1);
  o.add("clip", &TrainOptions::clip,
        "Largest global norm of the mean gradient; larger ones are scaled down. Not set: no "
        "clipping.")
      .above(0);
  o.add("order", &TrainOptions::order,
        "random: each example drawn on its own; shuffled: in random order, every example once "
        "before "
        "one comes again.")
      .one_of({"random", "shuffled"});
  o.rule("shards must not be more than batch",
         [](const TrainOptions& t) { return !t.shards || *t.shards <= t.batch; });
}

std::int64_t TrainOptions::resolved_shards() const {
  return shards.value_or(std::min(batch, kDefaultShards));
}

void EvaluateOptions::describe(OptionList<EvaluateOptions>& o) {
  o.add("every", &EvaluateOptions::every,
        "Between evaluations; there is always one at 0 and one at the end. Not set: only "
        "those.")
      .at_least(1);
  o.add("windows", &EvaluateOptions::windows,
        "random: batches x batch windows drawn with mt19937(seed); all: every target once.")
      .one_of({"random", "all"});
  o.add("seed", &EvaluateOptions::seed,
        "Seed of the random windows, the same for every run. Default: 123.")
      .at_least(0)
      .at_most(4294967295.0);
  o.add("batches", &EvaluateOptions::batches, "Batches of random windows. Default: 8.").at_least(1);
  o.add("batch", &EvaluateOptions::batch, "Random windows per batch. Default: 64.").at_least(1);
  o.add("context", &EvaluateOptions::context,
        "Positions N of an evaluation window. Default: that of train, or 64.")
      .at_least(1);
  o.rule(
      "seed, batches and batch are of random windows; remove them, or windows: all",
      [](const EvaluateOptions& e) {
        return e.windows != "all" || (!e.seed && !e.batches && !e.batch);
      },
      "{if: {properties: {windows: {const: all}}, required: [windows]}, "
      "then: {properties: {seed: {type: 'null'}, batches: {type: 'null'}, batch: {type: "
      "'null'}}}}");
}

EvaluateOptions EvaluateOptions::resolved() const {
  EvaluateOptions all = *this;
  if (windows == "all") return all;
  all.seed = seed.value_or(123);
  all.batches = batches.value_or(8);
  all.batch = batch.value_or(64);
  return all;
}

void CheckpointOptions::describe(OptionList<CheckpointOptions>& o) {
  o.add("every", &CheckpointOptions::every,
        "Between checkpoints, while the run lasts. Not set: 30s, or more seldom if that would take "
        "more than a fiftieth of the time.")
      .at_least(1)
      .or_seconds();
  o.add("keep", &CheckpointOptions::keep,
        "Latest checkpoints to keep while the run lasts, beside the best.")
      .at_least(1);
  o.add("best", &CheckpointOptions::best,
        "Metric of evaluations whose lowest value after the start makes the checkpoint \"best\".");
  o.rule([](const CheckpointOptions& c) {
    return c.best.starts_with("val/") ? "" : "best must be a metric of evaluations: val/...";
  });
}

void DigestOptions::describe(OptionList<DigestOptions>& o) {
  o.add(
       "every", &DigestOptions::every,
       "Between hashes of every parameter, which tell where two runs part. Not set: at evaluations "
       "only.")
      .at_least(1);
}

void AttentionMapOptions::describe(OptionList<AttentionMapOptions>& o) {
  o.add("text", &AttentionMapOptions::text,
        "What the model reads; of one that reads a source, that. Without a tokenizer, ids with "
        "spaces between.")
      .required();
  o.add("layers", &AttentionMapOptions::layers,
        "Patterns for the paths of layers, such as layer1/attention or decoder/*/cross.");
}

void DecodeOptions::describe(OptionList<DecodeOptions>& o) {
  o.add("prompt", &DecodeOptions::prompt,
        "Text to continue. Not set: beginnings from the validation split, the same for every run.");
  o.add("prompts", &DecodeOptions::prompts, "How many such beginnings.").at_least(1);
  o.add("context", &DecodeOptions::context, "Tokens of each.").at_least(1);
  o.add("length", &DecodeOptions::length, "Tokens to write after them.").at_least(1);
  o.add("beam", &DecodeOptions::beam, "Sequences that the beam keeps.").at_least(1);
  o.add("temperatures", &DecodeOptions::temperatures,
        "At which the entropy of the next token is measured.");
  o.add("cover", &DecodeOptions::cover,
        "Share of probability for which the most likely next tokens are counted.")
      .above(0)
      .at_most(1);
  o.rule("temperatures must be above 0", [](const DecodeOptions& d) {
    return std::all_of(d.temperatures.begin(), d.temperatures.end(),
                       [](double t) { return t > 0; });
  });
}

void SampleOptions::describe(OptionList<SampleOptions>& o) {
  o.add("prompt", &SampleOptions::prompt, "Text to continue.");
  o.add("length", &SampleOptions::length, "Tokens to generate, at most.").at_least(1);
  o.add("count", &SampleOptions::count, "How many samples.").at_least(1);
  o.add("stop", &SampleOptions::stop,
        "Special token of the tokenizer that ends a sample, and is no part of it. The same text, "
        "spelt out in other tokens, ends nothing.");
  o.add("sampler", &SampleOptions::sampler,
        "A sampler with its options, such as {type: temperature}; or a list of them, applied one "
        "after the other.")
      .plugin("sampler")
      .or_list();
  o.add("samplers", &SampleOptions::samplers,
        "Several of what sampler can be, each of which writes its own samples.")
      .plugin("sampler")
      .or_list();
  o.add("prompts", &SampleOptions::prompts, "Several texts to continue, in place of prompt.");
  o.add("when", &SampleOptions::when,
        "evaluations: with each of them, the default; end: when training is over.")
      .one_of({"evaluations", "end"});
  o.rule("prompts stand in place of prompt: remove one of the two",
         [](const SampleOptions& s) { return !s.prompts || s.prompt == SampleOptions().prompt; });
  o.rule(
      "prompts and samplers need at least one entry",
      [](const SampleOptions& s) {
        return (!s.prompts || !s.prompts->empty()) && (!s.samplers || !s.samplers->empty());
      },
      "{properties: {prompts: {minItems: 1}, samplers: {minItems: 1}}}");
  o.rule("samplers stand in place of sampler: remove one of the two",
         [](const SampleOptions& s) { return !s.samplers || s.sampler.is_null(); });
}

}  // namespace assay
