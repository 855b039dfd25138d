// Files that are there whole or not at all.
//
//   write_atomically("results/gpt/seed=1.h5", bytes);
//
//   AtomicFile file("play.txt");          // or piece by piece
//   while (more()) file.append(piece());
//   file.publish();                       // without this, the destructor removes the temporary
//
// A new temporary in the same folder (".<name>.<pid>-<n>.assay-tmp"), space reserved, written,
// synced, renamed, folder synced. A reader sees the old file or the new one, also after a kill or a
// power cut. A symbolic link is replaced by the file.
//
// Threads: any, also for the same name: the last to publish wins. Errors: Error(data) with path,
// reason and free space; the old file is as it was and the temporary is gone. A failed sync is
// never tried again: the kernel may have dropped the data. The program must ignore SIGXFSZ, or a
// file-size limit kills it before it can say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/api.h"
#include "io/descriptor.h"

namespace assay {

enum class IfExists { replace, refuse };

class ASSAY_API AtomicFile {
 public:
  /// Creates the folder and the temporary; expected_size bytes are reserved on the disk (0:
  /// unknown).
  explicit AtomicFile(std::filesystem::path file, std::uint64_t expected_size = 0,
                      IfExists if_exists = IfExists::replace);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::span<const std::byte> bytes);
  /// Puts the file in place. At most once, and nothing after it.
  void publish();

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void create_temporary();

  std::filesystem::path file_, temporary_;
  std::uint64_t expected_size_, size_ = 0;
  IfExists if_exists_;
  Descriptor to_;
};

ASSAY_API void write_atomically(const std::filesystem::path& file, std::span<const std::byte> bytes,
                                IfExists if_exists = IfExists::replace);

/// Gives a file another name in the same file system unless that is taken: 0, or the reason
/// (EEXIST).
int rename_unless_exists(const std::filesystem::path& from, const std::filesystem::path& to);
/// Brings the names in the file's folder to the disk: 0, or the reason.
int sync_folder_of(const std::filesystem::path& file);

/// " (1.2 GB free)" of the disk that file is on, for messages; empty where that is not known.
ASSAY_API std::string free_space(const std::filesystem::path& file);

/// Throws what write_atomically would throw there, as far as that can be known before: creates the
/// folder, and a temporary that it removes again. Removes leftovers in the folder.
ASSAY_API void check_can_write(const std::filesystem::path& file);

/// Removes temporaries whose writer has died; returns how many. Files of any other name are left
/// alone.
ASSAY_API int remove_leftovers(const std::filesystem::path& folder);

}  // namespace assay
