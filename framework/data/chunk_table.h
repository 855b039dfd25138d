// Distinct pieces of a text, numbered in the order in which they were first met.
//
//   ChunkTable table;
//   const auto [number, fresh] = table.number(chunk);   // 0, 1, ...; fresh: met for the first time
//
// Open addressing with the hash beside the number, as most of the time of encoding is spent here.
// Views are kept, not copied. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

class ChunkTable {
 public:
  std::pair<std::uint32_t, bool> number(std::string_view chunk) {
    const std::uint64_t hash = hash_of(chunk);
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.number == kEmpty) {
        slot = {tag, static_cast<std::uint32_t>(chunks_.size())};
        chunks_.push_back(chunk);
        if (chunks_.size() * 2 > slots_.size()) grow();
        return {static_cast<std::uint32_t>(chunks_.size() - 1), true};
      }
      if (slot.tag == tag && chunks_[slot.number] == chunk) return {slot.number, false};
    }
  }

  const std::vector<std::string_view>& chunks() const { return chunks_; }

 private:
  struct Slot {
    std::uint32_t tag = 0, number = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  static constexpr std::size_t kInitialSlots = 1024;

  // Eight bytes at a time, mixed by a multiplication (the 64-bit golden ratio) and a shift.
  static std::uint64_t hash_of(std::string_view chunk) {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    std::uint64_t hash = chunk.size() * kMultiplier;
    const auto mix = [&hash](std::uint64_t word) {
      hash = (hash ^ word) * kMultiplier;
      hash ^= hash >> 29;
    };
    std::size_t at = 0;
    for (; at + 8 <= chunk.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, chunk.data() + at, 8);
      mix(word);
    }
    std::uint64_t word = 0;
    for (; at < chunk.size(); ++at) word = word << 8 | static_cast<unsigned char>(chunk[at]);
    mix(word);
    return hash;
  }

  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    mask_ = larger.size() - 1;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::uint64_t hash = hash_of(chunks_[i]);
      std::size_t at = hash & mask_;
      while (larger[at].number != kEmpty) at = (at + 1) & mask_;
      larger[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(i)};
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kInitialSlots);
  std::size_t mask_ = kInitialSlots - 1;
  std::vector<std::string_view> chunks_;
};

}  // namespace assay
