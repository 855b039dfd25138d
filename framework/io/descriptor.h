// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace assay {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  void close() {
    if (number_ >= 0) ::close(number_);
  }

  int number_;
};

}  // namespace assay
