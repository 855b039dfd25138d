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

std::string collection_text(const std::vector<CollectionEntry>& entries,
                            const std::vector<CollectionResult>& results,
                            const Terminal& terminal) {
  Table table({{"system"},
               {"file", Align::left, Cut::back},
               {"metric"},
               {"expected", Align::right},
               {"got", Align::right},
               {"verdict"}});
  std::size_t missed = 0, all = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ExperimentResult& result = results[i].result;
    const auto line = [&](const std::string& metric, const std::string& wanted,
                          const std::string& got, const std::string& verdict) {
      table.row({entries[i].system, entries[i].file, metric, wanted, got, verdict});
    };
    for (const Verdict& verdict : result.verdicts) {
      ++all;
      missed += verdict.kind == Verdict::Kind::missed;
      std::string text = styled(terminal, verdict_style(verdict.kind), name(verdict.kind));
      if (!verdict.note.empty()) text += ": " + printable(verdict.note);
      line(verdict.metric, verdict.wanted, verdict.got ? metric_text(*verdict.got) : "-", text);
    }
    if (!results[i].error.empty())
      line("-", "-", "-", printable(results[i].error.substr(0, results[i].error.find('\n'))));
    else if (result.verdicts.empty())
      line("-", "nothing", "-", result.code == ExitCode::done ? "done" : "not done");
  }
  std::string last = fmt::format("{} of {} expectations missed\n", missed, all);
  if (results.size() < entries.size())
    last += fmt::format("stopped after {} of {} experiments; the same command continues\n",
                        results.size(), entries.size());
  return table.text(terminal) + last;
}

}  // namespace assay
