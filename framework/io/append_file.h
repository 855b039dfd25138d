// A file that only grows: each piece with one write(), and what does not fit is taken back.
//
//   AppendFile file("run.journal", 0);
//   file.append(record);        // after this a kill of the process cannot lose it
//   file.sync();                // after this a power cut cannot either
//
// Threads: one. Errors: Error(data) with path, reason and free space; the file is then cut back to
// the last whole piece, and a failed sync is never tried again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/api.h"
#include "io/descriptor.h"

namespace assay {

class ASSAY_API AppendFile {
 public:
  /// Creates it where there is none; else what is beyond the first `keep` bytes is cut off.
  AppendFile(std::filesystem::path file, std::uint64_t keep);

  void append(std::string_view piece);
  void sync();
  /// Empties it.
  void clear();
  std::uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void cut(std::uint64_t size);

  std::filesystem::path file_;
  Descriptor to_;
  std::uint64_t size_ = 0;
  bool is_named_ = false;  // its name is on the disk too: without it a power cut takes the file
};

}  // namespace assay
