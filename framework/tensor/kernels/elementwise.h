// Element-wise arithmetic, sums over rows, transposition, dropout. `out` may be one of the inputs,
// except where said. Results do not depend on how a buffer is cut into parts.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "base/random.h"
#include "tensor/kernels/into.h"

namespace assay {

/// out = a, or out += a.
ASSAY_API void copy(std::span<const float> a, Into out);
ASSAY_API void add(std::span<const float> a, std::span<const float> b, Into out);
ASSAY_API void subtract(std::span<const float> a, std::span<const float> b, Into out);
ASSAY_API void multiply(std::span<const float> a, std::span<const float> b, Into out);
ASSAY_API void scale(std::span<const float> a, float factor, Into out);

/// a [rows, width] with b [width] repeated for each row. REQUIRES b is not empty and divides a.
ASSAY_API void add_repeated(std::span<const float> a, std::span<const float> b, Into out);
ASSAY_API void subtract_repeated(std::span<const float> a, std::span<const float> b, Into out);
ASSAY_API void multiply_repeated(std::span<const float> a, std::span<const float> b, Into out);

/// out [width] = sum over the rows of a [rows, width], from the first to the last. out is not a.
ASSAY_API void column_sums(std::int64_t rows, std::int64_t width, const float* a, Into out);
/// out [width] = sum over rows of a b, both [rows, width]: the gradient of multiply_repeated's b.
ASSAY_API void column_sums_of_products(std::int64_t rows, std::int64_t width, const float* a,
                                       const float* b, Into out);
/// Sum of all in double, in an order that depends on the length only.
ASSAY_API double sum(std::span<const float> a);

/// out [batch, columns, rows] = each a [batch, rows, columns] transposed. out is not a.
ASSAY_API void transpose(std::int64_t batch, std::int64_t rows, std::int64_t columns,
                         const float* a, Into out);

/// out = a / (1 - p) where element i is kept, else 0. Element i is dropped if number first + i of
/// random is below p, where number j is word j % 4 of random.block(j / 4), as a fraction of 2^32.
/// The backward pass is the same call on dy. REQUIRES 0 <= p < 1.
ASSAY_API void dropout(std::span<const float> a, float p, const Random& random, std::uint64_t first,
                       Into out);

}  // namespace assay
