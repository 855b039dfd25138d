// A whole split as batches in its order, each target counted once: what models that count are
// fitted on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/api.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"

namespace assay {

class ASSAY_API CoverStream final : public BatchStream {
 public:
  /// rows: examples per batch. The dataset outlives the stream.
  CoverStream(const Dataset& dataset, Split split, const Request& request, std::int64_t rows = 64);
  void rewind() override;
  std::optional<Batch> next() override;

 private:
  const Dataset& dataset_;
  Split split_;
  Request request_;
  std::size_t rows_;
  std::vector<Example> examples_;
  std::size_t next_ = 0;
};

}  // namespace assay
