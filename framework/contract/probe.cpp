#include <fmt/format.h>

#include <map>

#include "base/parallel.h"
#include "contract/support.h"
#include "interfaces/probe.h"

namespace assay {
namespace {

Measurements measured(const Probe& probe, int threads) {
  Measurements found;
  Pool(threads).run([&] { probe.measure(found); });
  return found;
}

bool same_scalar(double a, double b) {
  return same_bits(std::span<const double>(&a, 1), std::span<const double>(&b, 1));
}

bool equal(const MeasuredTable& a, const MeasuredTable& b) {
  if (a.rows() != b.rows() || a.columns.size() != b.columns.size() || a.texts != b.texts)
    return false;
  for (const auto& [name, values] : a.numbers) {
    const auto other = b.numbers.find(name);
    if (other == b.numbers.end() ||
        !same_bits(std::span<const double>(values), std::span<const double>(other->second)))
      return false;
  }
  return true;
}

// What differs, or an empty text.
std::string difference(const Measurements& a, const Measurements& b) {
  for (const auto& [name, value] : a.scalars)
    if (!b.scalars.count(name) || !same_scalar(value, b.scalars.at(name))) return name;
  for (const auto& [name, table] : a.tables)
    if (!b.tables.count(name) || !equal(table, b.tables.at(name))) return "table " + name;
  for (const auto& [name, array] : a.arrays) {
    const auto other = b.arrays.find(name);
    if (other == b.arrays.end() || other->second.shape != array.shape ||
        other->second.data != array.data)
      return "array " + name;
  }
  const bool as_many = a.scalars.size() == b.scalars.size() && a.tables.size() == b.tables.size() &&
                       a.arrays.size() == b.arrays.size();
  return as_many ? "" : "which figures there are";
}

void check_tables(const Measurements& found, Failures& failures) {
  if (found.scalars.empty() && found.tables.empty() && found.arrays.empty())
    failures.push_back("it measures nothing");
  for (const auto& [name, table] : found.tables) {
    if (table.rows() == 0) failures.push_back(fmt::format("table '{}' has no rows", name));
    for (const MeasuredColumn& column : table.columns) {
      const auto values = table.numbers.find(column.name);
      const auto texts = table.texts.find(column.name);
      const std::size_t cells = column.is_text()
                                    ? texts == table.texts.end() ? 0 : texts->second.size()
                                : values == table.numbers.end() ? 0
                                                                : values->second.size();
      if (cells != table.rows())
        failures.push_back(
            fmt::format("table '{}': column '{}' has {} cells, but there are {} rows", name,
                        column.name, cells, table.rows()));
    }
  }
}

}  // namespace

Failures check_probe(const Make<Probe>& make, Failures failures) {
  attempt(failures, "it measures something, in whole tables",
          [&] { check_tables(measured(*make({7}), 1), failures); });
  attempt(failures, "any number of threads measures the same bits", [&] {
    const auto probe = make({7});
    if (probe->measures_time()) return;
    const Measurements first = measured(*probe, 1);
    for (const int threads : {1, 3})
      if (const std::string name = difference(first, measured(*make({7}), threads)); !name.empty())
        failures.push_back(fmt::format(
            "with the same seed on {} threads it finds something else: {}", threads, name));
  });
  return failures;
}

}  // namespace assay
