// One self-contained HTML file about runs: curves to explore, what differs, statistics, samples. No
// network; light and dark; readable on a phone.
#pragma once

#include <string>
#include <vector>

#include "cli/compare_sheets.h"

namespace assay {

/// title: what the page is called. Curves are thinned to what a screen can show (extremes stay).
std::string report_html(const CompareView& view, const std::string& title);

/// The page without its content: style, structure and script (report_page.cpp).
extern const char* const kReportPage;

}  // namespace assay
