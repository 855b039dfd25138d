#include <fmt/format.h>

#include "base/text.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/word_vectors.h"

namespace assay {
namespace {

constexpr const char* kNeighboursUsage =
    "usage: assay neighbours FILE WORD, or assay neighbours FILE --analogy A B C";

struct Question {
  std::vector<std::int32_t> words;  // one, or a, b and c of a - b + c
  std::vector<double> direction;
};

Question question_of(const Arguments& arguments, const WordVectors& vectors) {
  Question question;
  for (std::size_t i = 1; i < arguments.words.size(); ++i)
    question.words.push_back(vectors.find(arguments.words[i]));
  question.direction = vectors.unit(question.words[0]);
  if (!arguments.has("analogy")) return question;
  const std::vector<double> less = vectors.unit(question.words[1]),
                            more = vectors.unit(question.words[2]);
  for (std::size_t i = 0; i < question.direction.size(); ++i)
    question.direction[i] += more[i] - less[i];
  return question;
}

std::string json_of(const WordVectors& vectors, const Question& question,
                    const std::vector<Neighbour>& neighbours) {
  const auto word = [&](std::int32_t id) {
    return json_text(vectors.words()[static_cast<std::size_t>(id)]);
  };
  std::vector<Value> asked, found;
  for (const std::int32_t id : question.words) asked.push_back(word(id));
  for (const Neighbour& n : neighbours)
    found.push_back(Value::map(
        {{"word", word(n.id)}, {"id", json_integer(n.id)}, {"cosine", json_number(n.cosine)}}, {}));
  return write_json(Value::map({{"words", Value::list(std::move(asked), {})},
                                {"neighbours", Value::list(std::move(found), {})}},
                               {}));
}

std::string table_of(const WordVectors& vectors, const std::vector<Neighbour>& neighbours) {
  Table table({{"word", Align::left, Cut::back}, {"cosine", Align::right}});
  for (const Neighbour& n : neighbours) {
    const std::string& word = vectors.words()[static_cast<std::size_t>(n.id)];
    const std::string quoted = quote(word);  // to see spaces, and what is no character
    const bool plain = quoted.size() == word.size() + 2 && word.find(' ') == word.npos;
    table.row({plain ? word : quoted, fmt::format("{:.4f}", n.cosine)});
  }
  return table.text(Terminal::of(stdout));
}

void check_neighbours_request(const Arguments& arguments) {
  const std::size_t wanted = arguments.has("analogy") ? 4 : 2;
  if (arguments.words.size() == wanted) return;
  throw Error(ExitCode::usage, fmt::format("neighbours: wanted a result file and {}; {}",
                                           wanted == 2 ? "one word" : "three words, of a - b + c",
                                           kNeighboursUsage));
}

ExitCode execute_neighbours(const Arguments& arguments) {
  constexpr int kNeighbours = 10;
  check_neighbours_request(arguments);
  Registry registry(default_plugin_path(plugin_folders(arguments)));
  WordVectorRequest request;
  request.checkpoint = arguments.value("checkpoint").value_or(request.checkpoint);
  request.weights = arguments.value("weights");
  const WordVectors vectors = read_word_vectors(arguments.words[0], request, registry);
  const Question question = question_of(arguments, vectors);
  const auto neighbours = vectors.nearest(
      question.direction, static_cast<std::size_t>(arguments.count("number", kNeighbours)),
      question.words);
  write_out(arguments.has("json") ? json_of(vectors, question, neighbours)
                                  : table_of(vectors, neighbours));
  return ExitCode::done;
}

}  // namespace

Verb neighbours_verb() {
  Verb verb;
  verb.name = "neighbours";
  verb.synopsis = "FILE WORD | FILE --analogy A B C [options]";
  verb.summary = "Show which word vectors of a run are nearest to one.";
  verb.details =
      "FILE is the result file of a run that has vectors of tokens: word2vec, gpt, or a recurrent "
      "model with an embedding. WORD is a token of its vocabulary; near is by the cosine. With "
      "--analogy the nearest to A - B + C, each in length 1.";
  verb.options = {{"number", 'n', "N", "How many to show; default 10."},
                  {"analogy", 0, "", "A, B and C are given: the nearest to A - B + C."},
                  {"weights", 0, "PATH", "The matrix with a row for each token; default: token."},
                  {"checkpoint", 0, "NAME", "Whose weights: final (the default) or best."},
                  {"json", 0, "", "Print one JSON object."},
                  plugins_option()};
  verb.examples = {"assay neighbours results/word2vec/seed=1.h5 king",
                   "assay neighbours results/word2vec/seed=1.h5 --analogy king man woman -n 3"};
  verb.complete = complete_results;
  verb.execute = execute_neighbours;
  return verb;
}

}  // namespace assay
