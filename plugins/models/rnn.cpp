// Elman network (Elman, 1990): what it has read is a vector h, and each token makes of it
// h' = tanh(x w_x + h w_h + b). Without an embedding x is one-hot: the rows of w_x are the tokens'.
//
// First numbers: w_x N(0, 0.1) at the first layer and N(0, 1/sqrt(inputs)) above, w_h and the
// output matrix N(0, 1/sqrt(units)), biases 0.
#include "assay.h"

namespace {

using namespace assay;

struct Rnn {
  struct Options : RecurrentOptions {
    Options() { recurrent_bias = false; }
  };
  static RecurrentStackOptions start(const Options&) {
    RecurrentStackOptions stack;
    stack.cell = RecurrentCell::elman, stack.elman_start = true;
    return stack;
  }
};

}  // namespace

ASSAY_PLUGIN(Model, "rnn", RecurrentModel<Rnn>, "Recurrent network of tanh units.")
