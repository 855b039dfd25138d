// News that nobody wrote, for encoders: sentences about four topics, in which persons, places and
// organisations act. One source for three tasks, so that what a model learned from much plain
// text can be put to use where few sentences have labels:
//
//   text   running text, as dataset `text` has it: input [B, N], target [B, N] (the next token)
//   actor  input [B, N]; mask [B, N]; target [B], whether an organisation, a place or a person acts
//   tags   input [B, N]; mask [B, N]; target [B, N], O, B-PER, I-PER, B-LOC, B-ORG, I-ORG
//
//   Dr Melona Tarvin praised the striker in Gorbach on Monday .
//
// The labelled sentences are few, and names many: most of those in validation were never seen with
// a label. The same names stand in the same places whatever they are ("X praised ..."), but
// elsewhere in the text each kind keeps its own company (Mr, in, Motors).
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

using Words = std::vector<std::string>;

struct Topic {
  Words verbs, things;
};

std::vector<Topic> all_topics() {
  return {
      {{"bought", "sold", "audited", "financed", "insured", "leased"},
       {"factory", "merger", "shares", "loan", "profit", "budget", "invoice", "warehouse", "bond",
        "dividend", "tariff", "contract", "patent", "payroll", "turnover", "mortgage"}},
      {{"vetoed", "proposed", "amended", "debated", "ratified", "repealed"},
       {"treaty", "law", "ballot", "coalition", "reform", "senate", "embassy", "decree", "motion",
        "charter", "sanctions", "summit", "mandate", "quorum", "cabinet", "border"}},
      {{"measured", "observed", "simulated", "isolated", "sequenced", "modelled"},
       {"comet", "enzyme", "neutron", "glacier", "genome", "vaccine", "laser", "fossil", "protein",
        "galaxy", "isotope", "polymer", "neuron", "crystal", "plasma", "microbe"}},
      {{"tackled", "outran", "coached", "scored", "defended", "benched"},
       {"striker", "penalty", "marathon", "referee", "stadium", "sprint", "goalkeeper", "medal",
        "regatta", "tournament", "relay", "innings", "playoff", "hurdles", "scrum", "podium"}},
  };
}

// Names of syllables, each once: the first parts run fastest.
Words names(const Words& first, const Words& middle, const Words& last) {
  Words all;
  for (const std::string& end : last)
    for (const std::string& between : middle)
      for (const std::string& start : first) all.push_back(start + between + end);
  return all;
}

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : seed_(seed) {}

  struct Sentence {
    TaggedSentence tagged;
    std::int32_t actor = 0;
  };

  Sentence sentence(std::string_view part, std::int64_t index) const {
    Draw draw{Random(seed_, part, static_cast<std::uint64_t>(index))};
    Sentence made;
    const Topic& topic = topics_[draw.below(topics_.size())];
    made.tagged.where = "sentence " + std::to_string(index + 1);
    TaggedSentence& s = made.tagged;
    if (draw.below(4) == 0) add(s, pick(draw, {"yesterday", "later", "meanwhile"}));
    made.actor = add_name(s, draw);
    add(s, draw.below(4) == 0 ? pick(draw, {"praised", "mentioned", "criticised", "discussed"})
                              : pick(draw, topic.verbs));
    add(s, "the");
    add(s, pick(draw, topic.things));
    if (draw.below(3) != 0) add(s, "and"), add(s, "the"), add(s, pick(draw, topic.things));
    if (draw.below(2) == 0) add(s, pick(draw, {"in", "near"})), add_place(s, draw);
    if (draw.below(3) == 0) {
      add(s, pick(draw, {"with", "against", "before"}));
      add_name(s, draw);
    }
    if (draw.below(4) == 0) add(s, "on"), add(s, pick(draw, {"Monday", "Friday", "Sunday"}));
    add(s, ".");
    return made;
  }

 private:
  struct Draw {
    Random random;
    std::uint64_t drawn = 0;
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random.below(drawn++, n)); }
  };

  static const std::string& pick(Draw& draw, const Words& from) {
    return from[draw.below(from.size())];
  }
  static std::string pick(Draw& draw, std::initializer_list<const char*> from) {
    return from.begin()[draw.below(from.size())];
  }
  static void add(TaggedSentence& s, const std::string& word, const char* tag = "O") {
    s.words.push_back(word);
    s.tags.push_back(tag);
  }

  // Which of the kinds it is.
  std::int32_t add_name(TaggedSentence& s, Draw& draw) const {
    const std::size_t which = draw.below(4);
    if (which == 0) add_organisation(s, draw);
    if (which == 1) add_place(s, draw);
    if (which > 1) add_person(s, draw);
    return static_cast<std::int32_t>(std::min<std::size_t>(which, 2));
  }

  void add_person(TaggedSentence& s, Draw& draw) const {
    const std::size_t form = draw.below(3);
    if (form == 0) add(s, pick(draw, {"Mr", "Ms", "Dr"}));
    if (form == 1) add(s, pick(draw, given_), "B-PER");
    add(s, pick(draw, family_), form == 1 ? "I-PER" : "B-PER");
  }

  void add_place(TaggedSentence& s, Draw& draw) const { add(s, pick(draw, places_), "B-LOC"); }

  void add_organisation(TaggedSentence& s, Draw& draw) const {
    add(s, pick(draw, firms_), "B-ORG");
    if (draw.below(3) == 0) add(s, pick(draw, {"Motors", "Bank", "Group", "Air"}), "I-ORG");
  }

  std::uint64_t seed_;
  std::vector<Topic> topics_ = all_topics();
  Words given_ = names({"Me", "Jo", "Al", "Ro", "Ti"}, {"la", "ri"}, {"na", "n", "s"});
  Words family_ = names({"Tar", "Kel", "Mor", "Win", "Sand", "Hol"}, {"v", "b", "d", "m"},
                        {"in", "er", "ow", "ley"});
  Words places_ = names({"Gor", "Lin", "Ost", "Wes", "Bran", "Har"}, {"a", "e", "o", "en"},
                        {"bach", "ton", "dorf"});
  Words firms_ =
      names({"Nor", "Vex", "Quan", "Zel", "Ax", "Pri"}, {"ti", "ra", "to", "lu"}, {"x", "co", "m"});
};

class Sentences final : public Dataset {
 public:
  struct Options {
    std::string task = "text";
    std::int64_t seed = 1, sentences = 10000, labelled = 64, validation = 500;
    static void describe(OptionList<Options>& o) {
      o.add("task", &Options::task, "Running text, who acts in each sentence, or a tag per word.")
          .one_of({"text", "actor", "tags"});
      o.add("seed", &Options::seed, "Of what is made.").at_least(0);
      o.add("sentences", &Options::sentences, "Sentences of the running text.").at_least(10);
      o.add("labelled", &Options::labelled, "Sentences with labels to train on.").at_least(1);
      o.add("validation", &Options::validation, "Others with labels, for validation.").at_least(1);
    }
  };

  Sentences(const Options& options, const DatasetBuild&) : options_(options) {}

  void load() override {
    const Writer writer(static_cast<std::uint64_t>(options_.seed));
    std::string text;
    for (std::int64_t i = 0; i < options_.sentences; ++i) {
      const auto words = writer.sentence("text", i).tagged.words;
      for (const std::string& word : words) text += (&word == words.data() ? "" : " ") + word;
      text += '\n';
    }
    text_ = WindowedText(std::move(text), "dataset 'sentences'", 0.1);
    std::array<std::vector<TaggedSentence>, 2> parts;
    for (const Split split : {Split::train, Split::validation}) {
      const std::size_t part = split == Split::train ? 0 : 1;
      const std::int64_t count = part == 0 ? options_.labelled : options_.validation;
      for (std::int64_t i = 0; i < count; ++i) {
        Writer::Sentence made = writer.sentence(name(split), i);
        parts[part].push_back(std::move(made.tagged));
        actors_[part].push_back(made.actor);
      }
    }
    labelled_ = TaggedSentences(std::move(parts[0]), std::move(parts[1]), "dataset 'sentences'");
  }

  // That of the running text, whatever the task: a tokenizer learns the same of all three.
  std::optional<std::string_view> text(Split split) const override { return text_.text(split); }

  void tokenize(const Tokenizer* tokenizer) override {
    labelled_.tokenize(tokenizer);
    text_.tokenize(tokenizer);
  }

  DataSpec spec(const Request& request) const override {
    if (running()) return text_.spec(request);
    DataSpec spec = labelled_.spec(request);
    if (options_.task == "actor")
      spec.fields[1] = {"target", static_cast<std::int64_t>(kinds_.size()), 0, 0, {}, kinds_};
    return spec;
  }

  std::int64_t examples(Split split, const Request& request) const override {
    return running() ? text_.examples(split, request) : labelled_.examples(split);
  }

  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    if (running()) return text_.batch(split, examples, request);
    if (options_.task == "tags") return labelled_.batch(split, examples, request);
    const Batch tagged = labelled_.batch(split, examples, request);
    Batch batch(tagged.size());
    const auto ids = tagged.ids("input");
    std::copy(ids.values.begin(), ids.values.end(), batch.add_ids("input", ids.shape).begin());
    const auto marks = tagged.marks("mask");
    std::copy(marks.values.begin(), marks.values.end(), batch.add_marks("mask", ids.shape).begin());
    const auto target = batch.add_ids("target", {tagged.size()});
    for (std::size_t row = 0; row < examples.size(); ++row)
      target[row] = examples[row].skip > 0 ? -1
                                           : actors_[split == Split::train ? 0 : 1]
                                                    [static_cast<std::size_t>(examples[row].index)];
    return batch;
  }

  std::vector<Example> cover(Split split, const Request& request) const override {
    return running() ? text_.cover(split, request) : Dataset::cover(split, request);
  }

  std::string digest() const override {
    return sha256_hex(text_.whole() + std::string(labelled_.text(Split::train)) +
                      std::string(labelled_.text(Split::validation)));
  }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return running() ? text_.facts() : labelled_.facts();
  }

  double characters_per_token(Split split) const override {
    return running() ? text_.characters_per_token(split) : 0;
  }

 private:
  bool running() const { return options_.task == "text"; }

  Options options_;
  WindowedText text_;
  TaggedSentences labelled_;
  std::array<std::vector<std::int32_t>, 2> actors_;  // of the labelled sentences of each split
  Words kinds_ = {"organisation", "place", "person"};
};

}  // namespace

ASSAY_PLUGIN(Dataset, "sentences", Sentences,
             "Sentences made up, with names in them, as text or labelled.")
