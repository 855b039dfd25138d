#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/adaptation.h"
#include "experiment/gpt2_names.h"
#include "experiment/word_vectors.h"
#include "io/atomic_file.h"
#include "results/export.h"
#include "results/run_file.h"
#include "results/safetensors.h"

namespace assay {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string exported(const std::string& file, const std::string& format,
                     const std::string& checkpoint, bool gpt2_names,
                     const std::vector<std::filesystem::path>& plugins) {
  if (format == "word2vec") {
    Registry registry(default_plugin_path(plugins));
    return word2vec_text(read_word_vectors(file, {checkpoint, std::nullopt}, registry));
  }
  if (format != "safetensors") {
    const RunRecord record = read_run(file, false);
    if (format == "csv") return export_csv(record);
    if (format == "jsonl") return export_json_lines(record);
    return export_tensorboard(record, now());
  }
  const RunRecord record = read_run(file);
  const State& weights = stored_checkpoint(record, checkpoint, file).weights;
  return safetensors(gpt2_names ? to_gpt2_names(weights) : weights);
}

// What the name of the file asks for.
std::string format_for(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension();
  if (extension == ".safetensors" || extension == ".jsonl") return extension.substr(1);
  return output.find("tfevents") != std::string::npos ? "tensorboard" : "csv";
}

ExitCode execute_export(const Arguments& arguments) {
  const std::string usage = "usage: assay export FILE --format FORMAT [-o FILE]";
  if (arguments.words.size() != 1)
    throw Error(ExitCode::usage, "export: wanted one result file; " + usage);
  const auto output = arguments.value("output");
  const std::string format = arguments.value("format").value_or(format_for(output.value_or("")));
  if (arguments.has("checkpoint") && format != "safetensors" && format != "word2vec")
    throw Error(ExitCode::usage,
                fmt::format("export: --checkpoint chooses weights, and {} has none: give --format "
                            "safetensors or word2vec",
                            format));
  const std::string names = arguments.value("names").value_or("assay");
  if (names == "gpt2" && format != "safetensors")
    throw Error(ExitCode::usage, "export: --names is of weights: give --format safetensors");
  const bool binary = format == "tensorboard" || format == "safetensors";
  if (binary && !output)
    throw Error(ExitCode::usage, fmt::format("export: {} is not text: give -o FILE", format));
  const std::string bytes =
      exported(arguments.words[0], format, arguments.value("checkpoint").value_or("final"),
               names == "gpt2", plugin_folders(arguments));
  if (!output) {
    write_out(bytes);
    return ExitCode::done;
  }
  write_atomically(*output, std::as_bytes(std::span(bytes)));
  write_err(
      fmt::format("wrote {} ({})\n", *output, human_bytes(static_cast<double>(bytes.size()))));
  return ExitCode::done;
}

}  // namespace

Verb export_verb() {
  Verb verb;
  verb.name = "export";
  verb.synopsis = "FILE [--format FORMAT] [-o FILE]";
  verb.summary = "Metrics as CSV, JSON Lines, TensorBoard events; weights; word vectors.";
  verb.details =
      "csv and jsonl have a row for each step, and go to standard output unless -o is given. "
      "TensorBoard looks for files whose names hold \"tfevents\". word2vec is the text format of "
      "the program of that name: a line for each token, its text and its vector.";
  verb.options = {
      {"format",
       0,
       "FORMAT",
       "csv, jsonl, tensorboard, safetensors or word2vec; default: by the name of FILE, else csv.",
       false,
       {"csv", "jsonl", "tensorboard", "safetensors", "word2vec"}},
      {"output", 'o', "FILE", "Where to; replaced if it exists."},
      {"checkpoint", 0, "NAME", "Whose weights: final (the default) or best."},
      {"names",
       0,
       "NAMES",
       "Of weights: assay (the default), or gpt2 as Hugging Face has them.",
       false,
       {"assay", "gpt2"}},
      plugins_option()};
  verb.examples = {"assay export run.h5 > metrics.csv",
                   "assay export run.h5 --format tensorboard -o logs/run.tfevents",
                   "assay export run.h5 -o model.safetensors",
                   "assay export run.h5 --format word2vec -o vectors.txt"};
  verb.complete = complete_results;
  verb.execute = execute_export;
  return verb;
}

}  // namespace assay
