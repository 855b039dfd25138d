// A model that is healthy until it trains, and then does what `by` says.
#include <cstdlib>
#include <stdexcept>

#include "assay.h"

namespace {

using namespace assay;

// Not a tail call, which would leave no frame.
[[gnu::noinline]] std::int64_t exhaust_stack(std::int64_t depth) {
  volatile char room[4096] = {};
  room[depth % 4096] = 1;
  return depth < 0 ? 0 : exhaust_stack(depth + 1) + room[0];
}

void throws(bool wanted) {
  if (wanted) throw std::runtime_error("no one may catch this");
}
void throws_past_noexcept(bool wanted) noexcept {
  throws(wanted);
}

class Misbehaves final : public Model {
 public:
  struct Options {
    std::string by = "nothing";
    static void describe(OptionList<Options>& o) {
      o.add("by", &Options::by, "What it does.")
          .one_of(
              {"nothing", "crash", "exit", "abort", "throw", "throw_int", "terminate", "overflow"});
    }
  };
  Misbehaves(const Options& options, const ModelBuild& build) : by_(options.by) {
    const std::int64_t vocabulary = build.data.field("target").vocabulary;
    table_ = Embedding(build.scope / "table", build.data.field("input").vocabulary, vocabulary,
                       Initialiser::normal(1));
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    if (pass.mode() == Mode::train) misbehave();
    return {table_(input.values, input.shape, pass), {}};
  }

 private:
  void misbehave() const {
    if (by_ == "crash") *static_cast<volatile int*>(nullptr) = 1;
    if (by_ == "exit") std::exit(0);
    if (by_ == "abort") std::abort();
    if (by_ == "throw") throw Error(ExitCode::data, "the table is missing");
    if (by_ == "throw_int") throw 7;
    throws_past_noexcept(by_ == "terminate");
    if (by_ == "overflow") exhaust_stack(1);
  }

  std::string by_;
  Embedding table_;
};

}  // namespace

ASSAY_PLUGIN(Model, "misbehaves", Misbehaves, "Misbehaves when it trains.")
