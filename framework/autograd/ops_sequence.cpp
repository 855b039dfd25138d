#include "autograd/ops_sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/support.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/embedding.h"

namespace assay {

// y[i] = table[ids[i]]                             dtable[k] = sum of dy[i] over all i with ids[i]
// = k
Tensor embedding(Tensor table, std::span<const std::int32_t> ids, const Shape& lead) {
  const Shape& s = table.shape();
  if (s.rank() != 2) shape_error("embedding", s, "the table must be a matrix");
  if (lead.elements() != static_cast<std::int64_t>(ids.size()))
    shape_error("embedding", s, lead, fmt::format("the leading shape has not {} ids", ids.size()));
  check_ids("embedding", "id", ids, s[0]);
  const Tensor y = tape_of(table).result(lead.appended(s[1]), {table});
  gather_rows(data_of(table), s[1], ids, data_of(y));
  tape_of(table).record(y, [=] {
    const Shape& t = table.shape();
    scatter_add_rows(gradient_of(y), t[1], ids, t[0], gradient_into(table));
  });
  return y;
}

// y[b, n] = x[b, n] + positions[first + n]         dx = dy        dpositions[first + n] = sum over
// b of dy[b, n]
Tensor add_positions(Tensor x, Tensor positions, std::int64_t first) {
  const Shape &xs = x.shape(), &ps = positions.shape();
  if (xs.rank() != 3 || ps.rank() != 2 || xs[2] != ps[1])
    shape_error("add_positions", xs, ps, "wanted [B, N, D] and [C, D]");
  if (first < 0 || first + xs[1] > ps[0])
    shape_error(
        "add_positions", xs, ps,
        fmt::format("positions {} to {} of {} are wanted", first, first + xs[1] - 1, ps[0]));
  const Tensor y = tape_of(x).result(xs, {x, positions});
  const std::int64_t begin = first * xs[2], used = xs[1] * xs[2];
  add_repeated(
      x.values(),
      positions.values().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(used)),
      {data_of(y), false});
  tape_of(x).record(y, [=] {
    if (const Into d = gradient_into(positions); d.data) {
      if (!d.accumulate) {
        std::fill(d.data, d.data + begin, 0.0F);
        std::fill(d.data + begin + used, d.data + positions.elements(), 0.0F);
      }
      column_sums(x.shape()[0], used, gradient_of(y), {d.data + begin, d.accumulate});
    }
    tape_of(y).pass_on_gradient(y, x);
  });
  return y;
}

}  // namespace assay
