// Gated recurrent units (Cho et al., 2014). In the form and with the first numbers of PyTorch: the
// reset gate acts after the recurrent product, two biases, all uniform in +-1/sqrt(units).
#include <string>

#include "assay.h"

namespace {

using namespace assay;

struct Gru {
  struct Options : RecurrentOptions {
    std::string reset = "after";
    static void describe(OptionList<Options>& o) {
      RecurrentOptions::describe(o);
      o.add("reset", &Options::reset,
            "Where the reset gate acts: after the recurrent product, as in PyTorch, or on the "
            "state before it, as its authors have it.")
          .one_of({"after", "before"});
    }
  };
  static RecurrentStackOptions start(const Options& o) {
    RecurrentStackOptions stack;
    stack.cell = o.reset == "after" ? RecurrentCell::gru : RecurrentCell::gru_reset_before;
    return stack;
  }
};

}  // namespace

ASSAY_PLUGIN(Model, "gru", RecurrentModel<Gru>, "Recurrent network of gated units.")
