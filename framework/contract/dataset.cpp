#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "contract/support.h"

namespace assay {
namespace {

constexpr std::int64_t kContext = 8;
constexpr std::size_t kExamples = 5;

/// Ids are bytes: any text has them, with nothing to learn.
class Bytes final : public Tokenizer {
 public:
  void train(std::string_view) override {}
  std::int64_t vocabulary() const override { return 256; }
  std::vector<std::int32_t> encode(std::string_view text, const TextSource&) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += static_cast<char>(id);
    return text;
  }
  void state(StateIo&) override {}
};

struct Loaded {
  Bytes tokenizer;
  std::unique_ptr<Dataset> dataset;
};

Loaded load(const Make<Dataset>& make, const std::filesystem::path& folder) {
  Loaded loaded{{}, make({folder})};
  loaded.dataset->load();
  const bool is_text = loaded.dataset->text(Split::train).has_value();
  loaded.dataset->tokenize(is_text ? &loaded.tokenizer : nullptr);
  return loaded;
}

bool equal_fields(const Batch& a, const Batch& b, const FieldSpec& field) {
  if (a.has(field.name) != b.has(field.name)) return false;
  if (!a.has(field.name)) return true;
  if (field.vocabulary > 0) {
    const auto x = a.ids(field.name), y = b.ids(field.name);
    return x.shape == y.shape && same_bits(x.values, y.values);
  }
  if (field.width > 0) {
    const auto x = a.reals(field.name), y = b.reals(field.name);
    return x.shape == y.shape && same_bits(x.values, y.values);
  }
  return true;  // marks and weights carry no type in the spec
}

void check_batch(const Batch& batch, const DataSpec& spec, const std::string& where,
                 Failures& failures) {
  if (batch.size() != static_cast<std::int64_t>(kExamples))
    failures.push_back(
        fmt::format("{}: {} examples give a batch of {}", where, kExamples, batch.size()));
  for (const FieldSpec& field : spec.fields) {
    if (field.vocabulary == 0) continue;
    const Field<std::int32_t> ids = batch.ids(field.name);
    const std::int64_t rows = batch.size();
    const Shape wanted = field.length > 0 ? Shape{rows, field.length} : Shape{rows};
    if (!(ids.shape == wanted))
      failures.push_back(fmt::format("{}: '{}' has shape {}, but its spec says {}", where,
                                     field.name, ids.shape.text(), wanted.text()));
    for (const std::int32_t id : ids.values)
      if (id >= field.vocabulary) {
        failures.push_back(fmt::format("{}: '{}' has id {}, but a vocabulary of {}", where,
                                       field.name, id, field.vocabulary));
        break;
      }
  }
}

/// Where cover() has an example skip targets, those are negative, and all else is as without.
void check_skipping(const Dataset& dataset, Split split, const Request& request,
                    const Example& example, Failures& failures) {
  const DataSpec spec = dataset.spec(request);
  const FieldSpec* target = spec.find("target");
  if (!target || target->vocabulary == 0) return;
  const std::vector<Example> whole = {{example.index, 0}}, skipping = {example};
  const Batch all = dataset.batch(split, whole, request);
  const Batch some = dataset.batch(split, skipping, request);
  const auto wanted = all.ids("target").values, got = some.ids("target").values;
  const auto skipped = static_cast<std::size_t>(example.skip);
  for (std::size_t n = 0; n < wanted.size(); ++n)
    if (n < skipped ? got[n] >= 0 : got[n] != wanted[n])
      return failures.push_back(fmt::format(
          "{}: an example that skips {} targets has target {} at position {}; wanted {}",
          name(split), skipped, got[n], n,
          n < skipped ? "a negative one" : std::to_string(wanted[n])));
}

void check_split(const Dataset& one, const Dataset& two, Split split, const Request& request,
                 Failures& failures) {
  const std::string where(name(split));
  const std::int64_t count = one.examples(split, request);
  if (count < 1) return failures.push_back(fmt::format("{}: {} examples", where, count));
  if (two.examples(split, request) != count)
    failures.push_back(fmt::format("{}: loaded again, it has another number of examples", where));

  const Random draw(1, where);
  std::vector<Example> examples = {{0, 0}, {count - 1, 0}};
  while (examples.size() < kExamples)
    examples.push_back(
        {static_cast<std::int64_t>(draw.below(examples.size(), static_cast<std::uint64_t>(count))),
         0});
  const DataSpec spec = one.spec(request);
  const Batch batch = one.batch(split, examples, request);
  check_batch(batch, spec, where, failures);
  const Batch again = one.batch(split, examples, request),
              twin = two.batch(split, examples, request);
  for (const FieldSpec& field : spec.fields)
    if (!equal_fields(batch, again, field) || !equal_fields(batch, twin, field))
      failures.push_back(fmt::format("{}: the same examples give another '{}'", where, field.name));

  for (const Example& example : one.cover(split, request)) {
    if (example.index < 0 || example.index >= count || example.skip < 0)
      return failures.push_back(fmt::format("{}: cover() names example {} of {}, skipping {}",
                                            where, example.index, count, example.skip));
    if (example.skip > 0) check_skipping(one, split, request, example, failures);
  }
}

}  // namespace

Failures check_dataset(const Make<Dataset>& make, const std::filesystem::path& folder,
                       Failures failures) {
  attempt(failures, "loading", [&] {
    const Loaded one = load(make, folder), two = load(make, folder);
    attempt(failures, "digest", [&] {
      if (one.dataset->digest() != two.dataset->digest())
        failures.push_back("loaded again, it has another digest");
      if (one.dataset->digest().empty()) failures.push_back("its digest is empty");
    });
    for (const Split split : {Split::train, Split::validation})
      for (const std::int64_t history : {0, 3})
        attempt(failures, fmt::format("batches of {} with {} ids of history", name(split), history),
                [&] {
                  check_split(*one.dataset, *two.dataset, split, {kContext, history}, failures);
                });
  });
  return failures;
}

}  // namespace assay
