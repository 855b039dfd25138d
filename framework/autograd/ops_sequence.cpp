#include "autograd/ops_sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/support.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/embedding.h"
#include "tensor/kernels/rotary.h"

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

// y[b, n] = x[b, first + n]                        dx[b, first + n] = dy[b, n], 0 elsewhere
Tensor some_positions(Tensor x, std::int64_t first, std::int64_t count) {
  const Shape& s = x.shape();
  if (s.rank() != 3 || first < 0 || count < 1 || first + count > s[1])
    shape_error("some_positions", s,
                fmt::format("positions {} to {} are wanted", first, first + count - 1));
  const std::int64_t row = s[1] * s[2], part = count * s[2], skipped = first * s[2];
  const Tensor y = tape_of(x).result({s[0], count, s[2]}, {x});
  for (std::int64_t b = 0; b < s[0]; ++b)
    std::copy_n(data_of(x) + b * row + skipped, part, data_of(y) + b * part);
  tape_of(x).record(y, [=] {
    const Into dx = gradient_into(x);
    if (!dx.accumulate) std::fill_n(dx.data, x.elements(), 0.0F);
    for (std::int64_t b = 0; b < x.shape()[0]; ++b)
      copy({gradient_of(y) + b * part, static_cast<std::size_t>(part)},
           Into{dx.data + b * row + skipped, dx.accumulate});
  });
  return y;
}

// y = R x, R turns by the angles                   dx = R^T dy
Tensor rotary(Tensor x, std::int64_t heads, const RotaryAngles& angles) {
  const Shape& s = x.shape();
  if (s.rank() != 3 || heads < 1 || s[2] % (2 * heads) != 0)
    shape_error("rotary", s, fmt::format("wanted [B, N, D] in {} heads of an even width", heads));
  Rotation rotation;
  rotation.batch = s[0], rotation.positions = s[1];
  rotation.heads = heads, rotation.head_width = s[2] / heads;
  const auto needed = static_cast<std::size_t>(s[1] * rotation.head_width / 2);
  if (angles.cosines.size() != needed || angles.sines.size() != needed)
    shape_error("rotary", s, fmt::format("{} angles are needed", needed));
  rotation.cosines = angles.cosines.data(), rotation.sines = angles.sines.data();
  const Tensor y = tape_of(x).result(s, {x});
  rotate(rotation, data_of(x), {data_of(y), false});
  tape_of(x).record(y, [=] {
    Rotation back = rotation;
    back.backward = true;
    rotate(back, gradient_of(y), gradient_into(x));
  });
  return y;
}

}  // namespace assay
