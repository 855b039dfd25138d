#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "data/corpora.h"
#include "data/text_file.h"
#include "experiment/stored_tokenizer.h"
#include "plugin/registry.h"

namespace assay {
namespace {

constexpr const char* kTokenizeUsage =
    "usage: assay tokenize FILE [KEY=VALUE ...] (--type TYPE [--train FILE] | --from RESULT)";

struct Tokens {
  std::vector<std::int32_t> ids;
  std::vector<std::string> pieces;  // the bytes of each
  std::int64_t characters = 0, bytes = 0, vocabulary = 0, unknown = 0;
  std::vector<std::string> notes;

  double characters_per_token() const {
    return ids.empty() ? 0 : static_cast<double>(characters) / static_cast<double>(ids.size());
  }
};

// "-" is standard input. What a dataset would read: LF for CR LF, and no byte order mark.
std::string read_source(const std::string& source, bool any_bytes) {
  const Invalid invalid = any_bytes ? Invalid::keep : Invalid::refuse;
  if (source != "-") {
    const auto file = find_corpus(source, std::filesystem::current_path());
    return read_text_file(file, Newlines::normalise, invalid).text;
  }
  std::string bytes{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  return decode_text(std::move(bytes), "standard input", Newlines::normalise, invalid).text;
}

Value section_of(const Arguments& arguments, Problems& problems) {
  std::vector<std::string> settings = read_settings("tokenize", arguments, 1, kTokenizeUsage);
  for (const char* option : {"merges", "vocabulary"})
    if (const auto value = arguments.value(option))
      settings.push_back(fmt::format("{}={}", option, *value));
  const Location at = Location::of("tokenize");
  return plugin_section(*arguments.value("type"), settings, at, problems);
}

std::unique_ptr<Tokenizer> made(const Prepared<Tokenizer>& prepared) {
  return prepared.create({std::filesystem::current_path()});
}

std::unique_ptr<Tokenizer> stored_tokenizer(const std::string& from, Registry& registry,
                                            Problems& problems) {
  const StoredTokenizer stored =
      read_stored_tokenizer(find_stored_tokenizer(from, std::filesystem::current_path()));
  const auto prepared = registry.prepare<Tokenizer>(stored.section, "tokenizer", problems);
  problems.raise();
  auto tokenizer = made(prepared);
  restore(*tokenizer, stored.state);
  return tokenizer;
}

std::unique_ptr<Tokenizer> trained_tokenizer(const Arguments& arguments, Registry& registry,
                                             Problems& problems) {
  const auto prepared =
      registry.prepare<Tokenizer>(section_of(arguments, problems), "tokenizer", problems);
  problems.raise();
  auto tokenizer = made(prepared);
  const std::string source = arguments.value("train").value_or(arguments.words[0]);
  if (source == "-")
    throw Error(ExitCode::usage,
                "tokenize: standard input is read once: name a file to learn from, --train FILE");
  tokenizer->train(read_source(source, tokenizer->takes_any_bytes()));
  return tokenizer;
}

void check_tokenize_request(const Arguments& arguments) {
  const auto refuse = [](const std::string& what) {
    throw Error(ExitCode::usage, fmt::format("tokenize: {}; {}", what, kTokenizeUsage));
  };
  if (arguments.words.empty()) refuse("no text given");
  read_settings("tokenize", arguments, 1, kTokenizeUsage);
  if (arguments.has("type") == arguments.has("from"))
    refuse("wanted one of --type, a tokenizer to train, and --from, a result file that has one");
  if (!arguments.has("from")) return;
  for (const char* option : {"train", "merges", "vocabulary"})
    if (arguments.has(option))
      refuse(fmt::format("--{} is for training, and the tokenizer of --from is trained", option));
  if (arguments.words.size() > 1)
    refuse(fmt::format("{} is for training, and the tokenizer of --from is trained",
                       quote(arguments.words[1])));
}

Tokens tokenize(const Tokenizer& tokenizer, const std::string& source) {
  const std::string text = read_source(source, tokenizer.takes_any_bytes());
  Tokens tokens;
  tokens.ids = tokenizer.encode(text, source == "-" ? "standard input" : source);
  for (const std::int32_t& id : tokens.ids) tokens.pieces.push_back(tokenizer.decode({&id, 1}));
  tokens.characters = static_cast<std::int64_t>(utf8_count(text));
  tokens.bytes = static_cast<std::int64_t>(text.size());
  tokens.vocabulary = tokenizer.vocabulary();
  tokens.unknown = tokenizer.unknown() < 0
                       ? 0
                       : std::count(tokens.ids.begin(), tokens.ids.end(), tokenizer.unknown());
  tokens.notes = tokenizer.notes();
  return tokens;
}

std::string json_of(const Tokens& tokens) {
  std::vector<Value> ids, pieces;
  for (const std::int32_t id : tokens.ids) ids.push_back(json_integer(id));
  for (const std::string& piece : tokens.pieces) pieces.push_back(json_text(piece));
  return write_json(
      Value::map({{"tokens", json_integer(static_cast<std::int64_t>(ids.size()))},
                  {"characters", json_integer(tokens.characters)},
                  {"bytes", json_integer(tokens.bytes)},
                  {"characters_per_token", json_number(tokens.characters_per_token())},
                  {"vocabulary", json_integer(tokens.vocabulary)},
                  {"unknown", json_integer(tokens.unknown)},
                  {"ids", Value::list(std::move(ids), {})},
                  {"pieces", Value::list(std::move(pieces), {})}},
                 {}));
}

// Bytes that are no whole characters as <E2>; newlines to be seen, and to be broken at.
std::string visible(const std::string& piece) {
  std::string shown;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t length = utf8_length(std::string_view(piece).substr(at));
    if (piece[at] == '\n')
      shown += "\\n";
    else if (length == 0 || static_cast<unsigned char>(piece[at]) < 0x20 || piece[at] == 0x7F)
      shown += fmt::format("<{:02X}>", static_cast<unsigned char>(piece[at]));
    else
      shown += piece.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return shown;
}

// Pieces beside each other: every second one in reverse where there is colour, else with bars
// between.
std::string pieces_text(const Tokens& tokens, std::size_t count, const Terminal& terminal) {
  std::string text;
  int column = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string shown = visible(tokens.pieces[i]);
    const int width = display_width(shown) + (terminal.colour ? 0 : 1);
    if (column > 0 && column + width > std::min(terminal.width, 100)) {
      text += '\n';
      column = 0;
    }
    text += i % 2 == 1 ? styled(terminal, Style::reverse, shown) : shown;
    if (!terminal.colour) text += '|';
    column += width;
    if (tokens.pieces[i].find('\n') == std::string::npos) continue;
    text += '\n';
    column = 0;
  }
  return text + (column > 0 ? "\n" : "");
}

std::string summary(const Tokens& tokens) {
  std::string text = fmt::format(
      "{} tokens, {} characters, {:.2f} characters per token, vocabulary {}",
      human_count(static_cast<std::int64_t>(tokens.ids.size())), human_count(tokens.characters),
      tokens.characters_per_token(), human_count(tokens.vocabulary));
  if (tokens.unknown > 0) text += fmt::format(", {} unknown", human_count(tokens.unknown));
  return text + "\n";
}

std::string text_of(const Tokens& tokens, std::size_t limit, const Terminal& terminal) {
  const std::size_t count = std::min(limit, tokens.ids.size());
  std::string text = pieces_text(tokens, count, terminal);
  const std::vector<std::int32_t> ids(tokens.ids.begin(),
                                      tokens.ids.begin() + static_cast<std::ptrdiff_t>(count));
  if (count > 0)
    text += wrapped(fmt::format("ids: {}", fmt::join(ids, " ")), std::min(terminal.width, 100), 5) +
            "\n";
  if (count < tokens.ids.size())
    text += fmt::format("... and {} more; --limit N shows more, --json all\n",
                        human_count(static_cast<std::int64_t>(tokens.ids.size() - count)));
  return text + summary(tokens);
}

ExitCode execute_tokenize(const Arguments& arguments) {
  constexpr int kLimit = 300;
  check_tokenize_request(arguments);
  Registry registry(default_plugin_path(plugin_folders(arguments)));
  Problems problems;
  const auto from = arguments.value("from");
  const auto tokenizer = from ? stored_tokenizer(*from, registry, problems)
                              : trained_tokenizer(arguments, registry, problems);
  const Tokens tokens = tokenize(*tokenizer, arguments.words[0]);
  for (const std::string& note : tokens.notes) write_err(fmt::format("note: {}\n", note));
  write_out(arguments.has("json")
                ? json_of(tokens)
                : text_of(tokens, static_cast<std::size_t>(arguments.count("limit", kLimit)),
                          Terminal::of(stdout)));
  return ExitCode::done;
}

std::vector<Candidate> complete_tokenize(const Unfinished& line) {
  const auto type = line.before.value("type");
  if (line.before.words.empty() || !type) return complete_files(line);
  return complete_plugin_settings(line, "tokenizer", *type);
}

}  // namespace

Verb tokenize_verb() {
  Verb verb;
  verb.name = "tokenize";
  verb.synopsis = "FILE [KEY=VALUE ...] --type TYPE | --from RESULT [options]";
  verb.summary = "Show the tokens of a text.";
  verb.details =
      "FILE is a text file, a known corpus, or - for standard input. A tokenizer of type TYPE "
      "learns from the file of --train, or from FILE itself; KEY=VALUE are its options (assay "
      "plugins show tokenizer TYPE). --from takes the one that the run of a result file trained.";
  verb.options = {
      {"type", 0, "TYPE", "The tokenizer: char, word, bpe, byte_bpe, ...", false, {}, "tokenizer"},
      {"train", 0, "FILE", "Text or known corpus to learn from; default: FILE itself."},
      {"merges", 0, "N", "The same as merges=N."},
      {"vocabulary", 0, "N", "The same as vocabulary=N."},
      {"from", 0, "RESULT", "Result file of the run that trained the tokenizer."},
      {"limit", 0, "N", "Tokens to show; default 300."},
      {"json", 0, "", "Print one JSON object, with all tokens."},
      plugins_option()};
  verb.examples = {"assay tokenize play.txt --type bpe --merges 200 --train tiny_shakespeare",
                   "assay tokenize play.txt --from results/bpe/seed=1.h5 --json",
                   "echo 'Hear me speak.' | assay tokenize - --type byte_bpe --train play.txt"};
  verb.complete = complete_tokenize;
  verb.execute = execute_tokenize;
  return verb;
}

}  // namespace assay
