// Long short-term memory (Hochreiter and Schmidhuber, 1997; with forget gates, Gers et al., 2000):
// a cell c that gates let in, keep and read out. In the form and with the first numbers of PyTorch:
// two biases, all uniform in +-1/sqrt(units).
#include "assay.h"

namespace {

using namespace assay;

struct Lstm {
  using Options = RecurrentOptions;
  static RecurrentStackOptions start(const Options&) {
    RecurrentStackOptions stack;
    stack.cell = RecurrentCell::lstm;
    return stack;
  }
};

}  // namespace

ASSAY_PLUGIN(Model, "lstm", RecurrentModel<Lstm>, "Recurrent network of gated memory cells.")
