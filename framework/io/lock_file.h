// One writer per name, also across processes.
//
//   LockFile lock("results/gpt/seed=1.lock");       // throws if another process holds it
//   LockFile::is_held("results/gpt/seed=1.lock")    // for readers
//
// The lock is one of an open file description (fcntl, F_OFD_SETLK): it ends with the process
// however that ends, so a file left behind by a kill stops nobody. is_held asks and takes nothing,
// not even for a moment: a reader never makes a writer fail. Inside stand the holder's process id
// and the boot id of its machine, for messages. The destructor removes the file. Threads: any.
// Errors: Error(data).
#pragma once

#include <filesystem>

#include "base/api.h"
#include "io/descriptor.h"

namespace assay {

class ASSAY_API LockFile {
 public:
  /// Creates the folder and the file.
  explicit LockFile(std::filesystem::path file);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Whether anybody holds it now, this process included.
  static bool is_held(const std::filesystem::path& file);

 private:
  std::filesystem::path file_;
  Descriptor held_;
};

}  // namespace assay
