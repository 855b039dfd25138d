// Text that arrives in pieces, up to the first stop text in it.
//
//   StopTexts stops({"\n\n"});
//   for (...) { show(stops.add(piece)); if (stops.stopped()) break; }
//   show(stops.finish());
//
// What could be the beginning of a stop text is held back until it is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

class StopTexts {
 public:
  /// Empty stop texts are none.
  explicit StopTexts(std::vector<std::string> stops);
  std::string add(std::string_view bytes);
  /// What was held back; nothing once it has stopped.
  std::string finish();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace assay
