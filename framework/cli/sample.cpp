#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/chosen_samplers.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/stop_texts.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/trained_model.h"
#include "plugin/registry.h"
#include "train/beam_search.h"
#include "train/text_start.h"

namespace assay {
namespace {

[[noreturn]] void refuse_sample(const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("sample: {}; {}", what, kSampleUsage));
}

template <class Number>
Number number_of(const Arguments& arguments, const std::string& name, Number otherwise) {
  const auto text = arguments.value(name);
  if (!text) return otherwise;
  Number number{};
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || text->starts_with('-') || number != number)
    refuse_sample(fmt::format("--{}: wanted a number of at least 0, got {}", name, quote(*text)));
  return number;
}

struct Token {
  std::int32_t id = 0;
  double log_probability = 0;
};

struct Sample {
  std::string bytes;
  std::vector<Token> tokens;
  bool stopped = false;  // at a stop text or id
};

// One verb's run: the model, and what is asked of it.
struct Session {
  TrainedModel trained;
  Samplers samplers;
  std::string prompt;
  TextStart from;
  std::int64_t length = 300;
  std::uint64_t seed = 1;
  std::vector<std::string> stops;
  std::vector<std::int32_t> stop_ids;

  explicit Session(const Arguments& arguments)
      : trained({arguments.words[0], plugin_folders(arguments),
                 arguments.value("checkpoint").value_or("final")}) {
    if (!trained.model().causal())
      throw Error(ExitCode::usage,
                  fmt::format("{}: model '{}' looks both ways, so that no text can be generated "
                              "from it",
                              arguments.words[0], trained.name()));
    if (trained.spec().field("target").length == 0)
      throw Error(ExitCode::usage,
                  fmt::format("{}: model '{}' gives one answer per row, and no text",
                              arguments.words[0], trained.name()));
    samplers = chosen_samplers(arguments, trained.registry());
    prompt = arguments.value("prompt").value_or(trained.reads_source() ? "" : "\n");
    from = text_start(trained.codec(), trained.spec(), prompt, "sample: the prompt");
    length = from.most(arguments.count("length", 300));
    seed = number_of<std::uint64_t>(arguments, "seed", 1);
    stops = arguments.values("stop");
    for (const std::string& id : arguments.values("stop-id"))
      stop_ids.push_back(stop_id(id, trained.spec().field("target").vocabulary));
    if (from.end >= 0) stop_ids.push_back(from.end);
  }

  Prompt start() const { return from.prompt(); }
  bool is_stop(std::int32_t id) const {
    return std::find(stop_ids.begin(), stop_ids.end(), id) != stop_ids.end();
  }
  // The bytes of one token, on its own.
  std::string piece(std::int32_t id) const {
    const std::string bytes = trained.codec().decode({&id, 1});
    return trained.tokenizer() ? bytes : bytes + " ";
  }

  // `count` samples; their bytes are shown as they come, those of different ones by different
  // threads.
  std::vector<Sample> samples(std::int64_t count,
                              const std::function<void(std::string_view)>& show) const {
    std::vector<Sample> made(static_cast<std::size_t>(count));
    std::vector<StopTexts> until(made.size(), StopTexts(stops));
    std::vector<Random> draws;
    const auto keep = [&](Sample& sample, const std::string& bytes) {
      sample.bytes += bytes;
      show(bytes);
    };
    for (std::uint64_t i = 0; i < made.size(); ++i) draws.emplace_back(seed, "sample", i);
    generate(trained.model(), trained.parameters(), samplers, start(), length, draws,
             [&](std::size_t which, const DrawnToken& drawn) {
               Sample& sample = made[which];
               sample.tokens.push_back({drawn.id, drawn.log_probability});
               sample.stopped = is_stop(drawn.id);
               if (sample.stopped) return false;
               keep(sample, until[which].add(piece(drawn.id)));
               sample.stopped = until[which].stopped();
               return !sample.stopped;
             });
    for (std::size_t i = 0; i < made.size(); ++i) keep(made[i], until[i].finish());
    return made;
  }

 private:
  static std::int32_t stop_id(const std::string& text, std::int64_t vocabulary) {
    std::int32_t id = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || id < 0 ||
        id >= vocabulary)
      refuse_sample(
          fmt::format("--stop-id: wanted an id from 0 to {}, got {}", vocabulary - 1, quote(text)));
    return id;
  }
};

double total(const std::vector<Token>& tokens) {
  double sum = 0;
  for (const Token& token : tokens) sum += token.log_probability;
  return sum;
}

double mean(const std::vector<Token>& tokens) {
  return tokens.empty() ? 0 : total(tokens) / static_cast<double>(tokens.size());
}

Value json_of(const Session& session, const std::vector<Token>& tokens) {
  std::vector<Value> list;
  for (const Token& token : tokens)
    list.push_back(Value::map({{"id", json_integer(token.id)},
                               {"text", json_text(session.trained.codec().decode({&token.id, 1}))},
                               {"log_probability", json_number(token.log_probability)}},
                              {}));
  return Value::list(std::move(list), {});
}

Value json_of(const Session& session, const Sample& sample) {
  return Value::map({{"text", json_text(sample.bytes)},
                     {"stopped", json_truth(sample.stopped)},
                     {"log_probability", json_number(total(sample.tokens))},
                     {"log_probability_per_token", json_number(mean(sample.tokens))},
                     {"tokens", json_of(session, sample.tokens)}},
                    {});
}

void write_samples(const Session& session, const std::vector<Sample>& samples, bool json) {
  if (json) {
    std::vector<Value> list;
    for (const Sample& sample : samples) list.push_back(json_of(session, sample));
    write_out(write_json(Value::map({{"model", json_text(session.trained.name())},
                                     {"step", json_integer(session.trained.step())},
                                     {"prompt", json_text(session.prompt)},
                                     {"samples", Value::list(std::move(list), {})}},
                                    {})));
    return;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.size() > 1)
      write_out(fmt::format("{}--- {} of {} ({:.3f} per token) ---\n", i ? "\n" : "", i + 1,
                            samples.size(), mean(samples[i].tokens)));
    const std::string prompt = session.trained.reads_source() ? "" : session.prompt;
    write_out(utf8_repaired(prompt + samples[i].bytes) + "\n");
  }
}

// One sample on the screen while it is made.
void stream(const Session& session) {
  Utf8Decoder decoder;
  if (!session.trained.reads_source()) write_out(decoder.add(session.prompt));
  session.samples(1, [&](std::string_view bytes) {
    if (const std::string known = decoder.add(bytes); !known.empty()) write_out(known);
  });
  write_out(decoder.finish() + "\n");
}

// The best `count` of the beam.
void write_beams(const Session& session, const BeamSettings& beam, std::size_t count, bool json) {
  BeamOptions options;
  options.width = beam.width, options.length_penalty = beam.length_penalty;
  options.length = session.length;
  if (session.stop_ids.size() > 1 || !session.stops.empty())
    refuse_sample("a beam ends at one id: use one --stop-id");
  if (!session.stop_ids.empty()) options.end = session.stop_ids[0];
  std::vector<Sample> found;
  for (const BeamResult& one : beam_search(session.trained.model(), session.trained.parameters(),
                                           session.start(), options)) {
    Sample sample;
    for (std::size_t i = 0; i < one.ids.size(); ++i) {
      sample.tokens.push_back({one.ids[i], one.log_probabilities[i]});
      sample.stopped = session.is_stop(one.ids[i]);
      if (!sample.stopped) sample.bytes += session.piece(one.ids[i]);
    }
    found.push_back(std::move(sample));
  }
  if (found.size() > count) found.resize(count);
  write_samples(session, found, json);
}

void write_score(const Session& session, const std::string& text, bool json) {
  const auto ids = session.trained.codec().encode(text, "the text of --score");
  if (ids.empty()) refuse_sample("the text of --score has no token");
  const auto found = log_probabilities(session.trained.model(), session.trained.parameters(),
                                       session.start(), ids);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < ids.size(); ++i) tokens.push_back({ids[i], found[i]});
  if (json) {
    write_out(write_json(Value::map({{"prompt", json_text(session.prompt)},
                                     {"text", json_text(text)},
                                     {"log_probability", json_number(total(tokens))},
                                     {"log_probability_per_token", json_number(mean(tokens))},
                                     {"tokens", json_of(session, tokens)}},
                                    {})));
    return;
  }
  write_out(fmt::format("{:.3f} per token, {:.3f} for all {}\n", mean(tokens), total(tokens),
                        tokens.size()));
}

// The distribution of the next token, as the samplers leave it.
void write_next(const Session& session, std::size_t count, bool json) {
  NextLogits next(session.trained.model(), session.trained.parameters(),
                  static_cast<std::int64_t>(session.from.ids.size()), session.from.source);
  const auto raw = next(session.from.ids);
  std::vector<float> logits(raw.begin(), raw.end());
  for (const auto& sampler : session.samplers) sampler->apply(logits);
  const std::vector<double> all = log_softmax(logits);
  std::vector<std::int32_t> ids(all.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto value = [&](std::int32_t id) { return all[static_cast<std::size_t>(id)]; };
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::int32_t a, std::int32_t b) { return value(a) > value(b); });
  double entropy = 0, covered = 0;
  std::int64_t needed = 0;
  for (const std::int32_t id : ids) {
    const double p = std::exp(value(id));
    if (p > 0) entropy -= p * value(id);
    if (covered < 0.9) ++needed;
    covered += p;
  }
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < std::min(count, ids.size()); ++i)
    tokens.push_back({ids[i], value(ids[i])});
  if (json) {
    write_out(write_json(Value::map({{"prompt", json_text(session.prompt)},
                                     {"entropy", json_number(entropy)},
                                     {"tokens_for_90_percent", json_integer(needed)},
                                     {"tokens", json_of(session, tokens)}},
                                    {})));
    return;
  }
  std::string text =
      fmt::format("entropy {:.3f} nats; 90% of the probability on {} tokens\n", entropy, needed);
  for (const Token& token : tokens)
    text += fmt::format("{:>6.3f}  {}\n", std::exp(token.log_probability),
                        quote(session.trained.codec().decode({&token.id, 1})));
  write_out(text);
}

ExitCode execute_sample(const Arguments& arguments) {
  if (arguments.words.empty()) refuse_sample("no result file given");
  int kinds = 0;
  for (const char* kind : {"score", "next", "samples"}) kinds += arguments.has(kind);
  if (kinds > 1) refuse_sample("wanted one of --samples, --score and --next");
  const bool json = arguments.has("json");
  const int threads = arguments.count("threads", available_cores());
  Pool(threads).run([&] {
    const Session session(arguments);
    const auto beam = beam_of(session.samplers);
    if (beam && arguments.has("next"))
      refuse_sample("a beam writes text: --next does not go with it");
    if (beam) {
      const int count = arguments.count("samples", static_cast<int>(json ? beam->width : 1));
      if (count > beam->width)
        refuse_sample(fmt::format("--samples {}: a beam of width {} finds no more than that", count,
                                  beam->width));
      write_beams(session, *beam, static_cast<std::size_t>(count), json);
    } else if (const auto text = arguments.value("score")) {
      write_score(session, *text, json);
    } else if (arguments.has("next")) {
      write_next(session, static_cast<std::size_t>(arguments.count("next", 1)), json);
    } else if (arguments.has("samples") || json) {
      write_samples(session,
                    session.samples(arguments.count("samples", 1), [](std::string_view) {}), json);
    } else {
      stream(session);
    }
  });
  return ExitCode::done;
}

}  // namespace

Verb sample_verb() {
  Verb verb;
  verb.name = "sample";
  verb.synopsis = "FILE [--prompt TEXT] [--sampler TYPE] [KEY=VALUE ...]";
  verb.summary = "Let the model of a result file write text.";
  verb.details =
      "FILE is a result file. Samplers are applied in this order, whatever that of the options: "
      "--temperature, --k, --p, --min-p, then that of --sampler with its KEY=VALUE (assay plugins "
      "show sampler TYPE). Without any, tokens are drawn from the model's own distribution. The "
      "same seed gives the same text at any number of threads. A model that reads a source writes "
      "the target of --prompt; without a tokenizer, tokens are ids with spaces between.";
  verb.options = {
      {"prompt", 0, "TEXT", "What the text goes on from; default: a newline."},
      {"length", 'n', "N", "Tokens to write at most; default 300."},
      {"sampler",
       0,
       "TYPE",
       "greedy, temperature, top_k, top_p, min_p, beam, or one of a plugin.",
       false,
       {},
       "sampler"},
      {"temperature", 0, "T", "Divides the logits; 0 takes the most likely token."},
      {"k", 0, "K", "Keep the K most likely tokens."},
      {"p", 0, "P", "Keep the most likely tokens that have probability P together."},
      {"min-p", 0, "P", "Keep tokens of at least P times the largest probability."},
      {"seed", 0, "N", "Of the draws; default 1."},
      {"samples", 0, "N", "Write several, one after the other; of a beam, the best."},
      {"stop", 0, "TEXT", "End before this text. May be given several times.", true},
      {"stop-id", 0, "ID", "End at this token. May be given several times.", true},
      {"beam", 0, "B", "The likeliest text that a beam of this width finds."},
      {"width", 0, "B", "Of the sampler beam: beginnings that are kept; default 5."},
      {"length-penalty", 0, "A", "Beams are compared by log-probability / length^A; default 1."},
      {"score", 0, "TEXT", "The log-probability of this text after the prompt."},
      {"next", 0, "N", "The N likeliest next tokens, and the entropy."},
      {"checkpoint", 0, "NAME", "final (the default) or best.", false, {"final", "best"}},
      {"json", 0, "", "Print one JSON object, with every token's log-probability."},
      {"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
      plugins_option()};
  verb.examples = {"assay sample FILE --prompt ROMEO: --sampler top_p --p 0.9 -n 300",
                   "assay sample FILE --prompt ROMEO: --temperature 0.8 --k 40 --samples 3 --json",
                   "assay sample FILE --prompt 'To be' --score ', or not to be'"};
  verb.complete = complete_results;
  verb.execute = execute_sample;
  return verb;
}

}  // namespace assay
