// Which runs are in flight together: as many as jobs, as long as their memory fits.
//
//   Admission admission(needs, budget);
//   while (const auto next = admission.next()) {   // each job
//     run(*next);
//     admission.ended(*next);
//   }
//
// Runs start in order, but one that fits may pass one that has to wait. A job for which nothing
// fits ends, and its thread helps inside the runs of the others; when nothing is in flight the next
// run starts, whatever it needs. Threads: any.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "base/api.h"

namespace assay {

class ASSAY_API Admission {
 public:
  /// needs: bytes of each; 0: nothing is known of it.
  Admission(std::vector<double> needs, double budget);
  /// Nothing: none is left, or none fits beside those in flight.
  std::optional<std::size_t> next();
  void ended(std::size_t run);

 private:
  std::mutex mutex_;
  std::vector<double> needs_;
  std::vector<std::size_t> waiting_;  // in reverse order
  double left_;
  std::size_t in_flight_ = 0;
};

}  // namespace assay
