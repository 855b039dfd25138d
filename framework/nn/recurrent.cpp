#include "nn/recurrent.h"

#include <algorithm>
#include <cmath>

#include "nn/key_value_cache.h"

namespace assay {
namespace {

double unit(std::int64_t count) {
  return 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(count, 1)));
}

Tensor restored(KeyValueCache& cache, const std::string& path, std::int64_t rows,
                std::int64_t units, Pass& pass) {
  return pass.tape().constant({rows, units}, cache.state(path, units));
}

void keep(KeyValueCache& cache, const std::string& path, Tensor state) {
  const auto values = state.values();
  std::copy(values.begin(), values.end(), cache.state(path, state.shape()[1]).begin());
}

}  // namespace

RecurrentLayer::RecurrentLayer(const Scope& scope, const RecurrentLayerOptions& o)
    : cell_(o.cell), units_(o.units), path_(scope.path("")) {
  const std::int64_t columns = gates_of(cell_) * units_;
  input_ = scope.add("input", {o.inputs, columns}, o.input);
  recurrent_ = scope.add("recurrent", {units_, columns}, o.recurrent);
  bias_ = scope.add("bias", {columns}, o.bias);
  if (o.recurrent_bias) recurrent_bias_ = scope.add("recurrent_bias", {columns}, o.bias);
}

Tensor RecurrentLayer::second_bias(Pass& pass) const {
  return recurrent_bias_ ? pass.parameter(recurrent_bias_) : Tensor();
}

Recurrent RecurrentLayer::operator()(Tensor x, const RecurrentCall& call, Pass& pass) const {
  const Tensor products = linear(x, pass.parameter(input_), pass.parameter(bias_));
  return run(products, second_bias(pass), call, pass);
}

Recurrent RecurrentLayer::of_ids(std::span<const std::int32_t> ids, const Shape& shape,
                                 const RecurrentCall& call, Pass& pass) const {
  const Tensor products = embedding(pass.parameter(input_), ids, shape);
  const Tensor bias = pass.parameter(bias_), second = second_bias(pass);
  // A bias beside the recurrent product costs nothing, but is another function in the candidate of
  // a GRU that resets after the product.
  if (!second && cell_ != RecurrentCell::gru) return run(products, bias, call, pass);
  return run(add(products, bias), second, call, pass);
}

Recurrent RecurrentLayer::run(Tensor products, Tensor bias, const RecurrentCall& call,
                              Pass& pass) const {
  RecurrentInput input = {products,    pass.parameter(recurrent_), bias, call.initial, call.mask,
                          call.reverse};
  KeyValueCache* cache = pass.cache;
  const std::int64_t rows = products.shape()[0];
  if (cache && cache->length() > 0) {
    input.initial.hidden = restored(*cache, path_, rows, units_, pass);
    if (cell_ == RecurrentCell::lstm)
      input.initial.cell = restored(*cache, path_ + "/cell", rows, units_, pass);
  }
  const Recurrent out = recurrent(cell_, input);
  if (cache) {
    keep(*cache, path_, out.last.hidden);
    if (out.last.cell) keep(*cache, path_ + "/cell", out.last.cell);
  }
  return out;
}

RecurrentStack::RecurrentStack(const Scope& scope, const RecurrentStackOptions& o)
    : bidirectional_(o.bidirectional), width_(o.bidirectional ? 2 * o.units : o.units) {
  for (std::int64_t i = 0; i < o.layers; ++i) {
    RecurrentLayerOptions layer;
    layer.cell = o.cell, layer.units = o.units, layer.recurrent_bias = o.recurrent_bias;
    layer.inputs = i == 0 ? o.inputs : width_;
    layer.input = layer.recurrent = layer.bias = Initialiser::uniform(unit(o.units));
    if (o.elman_start) {
      layer.input = Initialiser::normal(i == 0 ? 0.1 : unit(layer.inputs));
      layer.recurrent = Initialiser::normal(unit(o.units));
      layer.bias = Initialiser::constant(0);
    }
    const Scope at = scope / std::string("layer").append(std::to_string(i));
    Layer& added = layers_.emplace_back();
    added.forward = RecurrentLayer(bidirectional_ ? at / "forward" : at, layer);
    if (bidirectional_) added.backward = RecurrentLayer(at / "backward", layer);
    added.dropout = Dropout(at, o.dropout);
  }
}

// first(layer, call): the lowest layer on its input.
template <class First>
RecurrentStack::Result RecurrentStack::run(const First& first, std::span<const std::uint8_t> mask,
                                           Pass& pass, std::span<RecurrentState> states) const {
  Result result;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const auto direction = [&](const RecurrentLayer& one, const RecurrentCall& call) {
      return i == 0 ? first(one, call) : one(result.y, call, pass);
    };
    RecurrentCall call;
    call.mask = mask;
    if (!states.empty()) call.initial = states[i];
    Recurrent out = direction(layer.forward, call);
    if (!states.empty()) states[i] = out.last;
    if (bidirectional_) {
      call.reverse = true;
      const Recurrent back = direction(layer.backward, call);
      out.y = concatenate(out.y, back.y);
      out.last.hidden = concatenate(out.last.hidden, back.last.hidden);
    }
    result = {layer.dropout(out.y, pass), out.last.hidden};
  }
  return result;
}

RecurrentStack::Result RecurrentStack::operator()(Tensor x, std::span<const std::uint8_t> mask,
                                                  Pass& pass,
                                                  std::span<RecurrentState> states) const {
  const auto first = [&](const RecurrentLayer& layer, const RecurrentCall& call) {
    return layer(x, call, pass);
  };
  return run(first, mask, pass, states);
}

RecurrentStack::Result RecurrentStack::of_ids(std::span<const std::int32_t> ids, const Shape& shape,
                                              std::span<const std::uint8_t> mask, Pass& pass,
                                              std::span<RecurrentState> states) const {
  const auto first = [&](const RecurrentLayer& layer, const RecurrentCall& call) {
    return layer.of_ids(ids, shape, call, pass);
  };
  return run(first, mask, pass, states);
}

RecurrentReader::RecurrentReader(const Scope& scope, const RecurrentNetworkOptions& o)
    : embeds_(o.embedding > 0) {
  RecurrentStackOptions stack = o.stack;
  stack.inputs = embeds_ ? o.embedding : o.vocabulary;
  if (embeds_)
    embedding_ = Embedding(scope / "token", o.vocabulary, o.embedding, Initialiser::normal(1));
  stack_ = RecurrentStack(scope, stack);
}

RecurrentStack::Result RecurrentReader::operator()(std::span<const std::int32_t> ids,
                                                   const Shape& shape,
                                                   std::span<const std::uint8_t> mask, Pass& pass,
                                                   std::span<RecurrentState> states) const {
  if (!embeds_) return stack_.of_ids(ids, shape, mask, pass, states);
  return stack_(embedding_(ids, shape, pass), mask, pass, states);
}

RecurrentNetwork::RecurrentNetwork(const Scope& scope, const RecurrentNetworkOptions& o)
    : per_position_(o.per_position), reader_(scope, o) {
  LinearOptions head;
  if (o.stack.elman_start) {
    head.weight = Initialiser::normal(unit(reader_.width()));
    head.bias_start = Initialiser::constant(0);
  }
  head_ = Linear(scope / "head", reader_.width(), o.classes, head);
}

RecurrentNetwork::Result RecurrentNetwork::operator()(std::span<const std::int32_t> ids,
                                                      const Shape& shape,
                                                      std::span<const std::uint8_t> mask,
                                                      Pass& pass,
                                                      std::span<RecurrentState> states) const {
  const RecurrentStack::Result result = reader_(ids, shape, mask, pass, states);
  const Tensor hidden = per_position_ ? result.y : result.last;
  return {head_(hidden, pass), hidden};
}

}  // namespace assay
