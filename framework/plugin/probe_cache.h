// Remembers that a plugin's file passed the probe. Failing to read or write the memory costs a
// repeated probe, nothing else.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

class ProbeCache {
 public:
  ProbeCache(const std::filesystem::path& file, const std::string& sha256);

  bool passed() const;
  void remember() const;

 private:
  std::filesystem::path record_;  // one per path of a plugin; empty: nowhere to remember
  std::string key_;               // what the record holds if exactly this build passed
};

}  // namespace assay
