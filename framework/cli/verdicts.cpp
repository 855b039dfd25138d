#include "cli/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/numbers.h"
#include "cli/table.h"

namespace assay {

Style verdict_style(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::met:
      return Style::green;
    case Verdict::Kind::missed:
      return Style::red;
    case Verdict::Kind::open:
      break;
  }
  return Style::yellow;
}

std::string verdicts_text(const std::vector<Verdict>& verdicts, const Terminal& terminal) {
  if (verdicts.empty()) return "";
  Table table({{"expected of", Align::left, Cut::back},
               {"metric"},
               {"wanted", Align::right},
               {"got", Align::right},
               {"verdict"}});
  for (const Verdict& verdict : verdicts) {
    std::string text = styled(terminal, verdict_style(verdict.kind), name(verdict.kind));
    if (!verdict.note.empty()) text += ": " + printable(verdict.note);
    table.row({verdict.of, verdict.metric, verdict.wanted,
               verdict.got ? metric_text(*verdict.got) : "-", text});
  }
  const auto missed = std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) {
    return v.kind == Verdict::Kind::missed;
  });
  const std::string last =
      missed ? fmt::format("{} of {} expectations missed\n", missed, verdicts.size()) : "";
  return "\n" + table.text(terminal) + last;
}

}  // namespace assay
