#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/heat_map.h"
#include "results/export.h"

namespace assay {
namespace {

constexpr std::size_t kBuckets = 500;  // of two points each: more than a screen has columns

/// Of each bucket of neighbours the lowest and the highest that are finite, in their order: what a
/// line of a thousand columns shows of the whole.
Series thinned(const Series& series) {
  const std::size_t n = series.values.size();
  if (n <= 2 * kBuckets) return series;
  Series out;
  const auto keep = [&](std::size_t i) {
    if (!out.steps.empty() && out.steps.back() == series.steps[i]) return;
    out.steps.push_back(series.steps[i]);
    out.values.push_back(series.values[i]);
  };
  keep(0);
  for (std::size_t b = 0; b < kBuckets; ++b) {
    const std::size_t from = b * n / kBuckets, to = (b + 1) * n / kBuckets;
    std::size_t low = to, high = to;
    for (std::size_t i = from; i < to; ++i) {
      if (!std::isfinite(series.values[i])) continue;  // is not drawn
      if (low == to || series.values[i] < series.values[low]) low = i;
      if (high == to || series.values[i] > series.values[high]) high = i;
    }
    if (low == to) low = high = from;  // a gap
    keep(std::min(low, high));
    keep(std::max(low, high));
  }
  keep(n - 1);
  return out;
}

std::string curve_json(const Series& series) {
  std::string steps, values;
  const char* separator = "";
  for (std::size_t i = 0; i < series.steps.size(); ++i) {
    steps += fmt::format("{}{}", separator, series.steps[i]);
    values += separator;
    values += std::isfinite(series.values[i]) ? fmt::format("{:.6g}", series.values[i]) : "null";
    separator = ",";
  }
  return fmt::format("{{\"s\":[{}],\"v\":[{}]}}", steps, values);
}

/// Within a script element no "<" may start a tag.
std::string in_script(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string runs_json(const CompareView& view) {
  std::vector<const LoadedRun*> runs;
  std::vector<std::size_t> group_of;
  for (std::size_t g = 0; g < view.shown; ++g)
    for (const LoadedRun* run : view.groups[g].runs) {
      runs.push_back(run);
      group_of.push_back(g);
    }
  const std::vector<std::string> names = short_names(runs);
  std::string out = "[";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string curves;
    for (const auto& [metric, series] : runs[i]->record.metrics) {
      if (series.values.empty()) continue;
      curves +=
          (curves.empty() ? "" : ",") + json_string(metric) + ":" + curve_json(thinned(series));
    }
    out += fmt::format("{}{{\"name\":{},\"group\":{},\"label\":{},\"curves\":{{{}}}}}",
                       i == 0 ? "" : ",\n", json_string(names[i]), group_of[i],
                       json_string(view.labels[group_of[i]]), curves);
  }
  return out + "]";
}

std::string section(const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", html_text(title), content);
}

std::string sheet_section(const std::string& title, const Sheet& sheet) {
  return sheet.empty() ? "" : section(title, "<div class=\"scroll\">" + sheet.html() + "</div>\n");
}

// The first of the latest samples is open.
std::string samples_of(const CompareView& view) {
  std::string out;
  bool open = false;
  for (std::size_t g = 0; g < view.shown; ++g)
    for (const LoadedRun* run : view.groups[g].runs)
      for (const TextSample& sample : run->record.samples) {
        const bool opens = !open && sample.step == run->record.samples.back().step;
        open = open || opens;
        out += fmt::format(
            "<details{}><summary>{}, after {} steps{}</summary><pre><b>{}</b>{}</pre></details>\n",
            opens ? " open" : "", html_text(run->file), sample.step,
            sample.sampler.empty() ? "" : ", " + html_text(sample.sampler),
            html_text(sample.prompt) + (sample.answers ? "\n" : ""), html_text(sample.text));
      }
  return out;
}

// All heads of a layer are one picture.
std::string attention_of(const CompareView& view) {
  std::string out;
  for (std::size_t g = 0; g < view.shown; ++g)
    for (const LoadedRun* run : view.groups[g].runs)
      for (const auto& [layer, maps] : run->record.attention) {
        std::vector<HeatMap> heads;
        for (std::int64_t head = 0; head < maps.weights.shape[0]; ++head) {
          heads.push_back(attention_map(maps, head));
          heads.back().title = fmt::format("head {}", head);
        }
        const std::string title =
            fmt::format("{}, {}, after {} steps", run->file, layer, maps.step);
        out += fmt::format(
            "<details{}><summary>{}</summary><div class=\"scroll\"><img alt=\"attention of {}\" "
            "src=\"{}\"></div></details>\n",
            out.empty() ? " open" : "", html_text(title), html_text(title),
            png_address(heat_map_picture(heads)));
      }
  return out;
}

std::string configurations_of(const CompareView& view) {
  std::string out;
  for (std::size_t g = 0; g < view.shown; ++g)
    out += fmt::format("<details><summary>{}: {}</summary><pre>{}</pre></details>\n",
                       html_text(view.labels[g]), html_text(view.groups[g].runs.front()->file),
                       html_text(view.groups[g].runs.front()->record.config));
  return out;
}

/// The page with texts in the place of its marks, in one pass: a mark within a text stays.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string out;
  while (true) {
    std::size_t at = page.size();
    const std::pair<std::string_view, std::string>* next = nullptr;
    for (const auto& entry : texts)
      if (const std::size_t found = page.find(entry.first); found < at) {
        at = found;
        next = &entry;
      }
    out += page.substr(0, at);
    if (!next) return out;
    out += next->second;
    page.remove_prefix(at + next->first.size());
  }
}

}  // namespace

std::string report_html(const CompareView& view, const std::string& title) {
  std::string content = sheet_section("Groups", groups_sheet(view, false, true));
  if (view.groups.size() > 1)
    content += sheet_section(
        "Differences of " + view.metrics.front().text() + ", against " + baseline_name(view),
        claims_sheet(view, true));
  content += sheet_section("Configuration: what differs", differences_sheet(view));
  content += sheet_section("Runs", runs_sheet(view));
  if (const std::string parting = parting_text(view); !parting.empty())
    content += section("Where they part", "<pre>" + html_text(parting) + "</pre>\n");
  content += section("Samples", samples_of(view));
  content += section("Attention", attention_of(view));
  content += section("Configurations", configurations_of(view));
  return filled(kReportPage, {{"@TITLE@", html_text(title)},
                              {"@CONTENT@", content},
                              {"@DATA@", in_script(runs_json(view))}});
}

}  // namespace assay
