#include "base/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace assay {
namespace {

template <class T>
const T& held(const StateArray& array, std::string_view name, std::string_view wanted) {
  if (const T* data = std::get_if<T>(&array.data)) return *data;
  throw Error(ExitCode::data, fmt::format("state '{}': wanted {}, got another type", name, wanted));
}

template <class T>
const T& single(const std::vector<T>& values, std::string_view name) {
  if (values.size() == 1) return values.front();
  throw Error(ExitCode::data,
              fmt::format("state '{}': wanted one number, got {}", name, values.size()));
}

}  // namespace

const StateArray& StateIo::entry(std::string_view name) const {
  const auto found = from_->find(name);
  if (found == from_->end())
    throw Error(ExitCode::data,
                fmt::format("state '{}' is missing: saved by another version?", name));
  return found->second;
}

void StateIo::reals(std::string_view name, std::span<float> values,
                    std::vector<std::int64_t> shape) {
  if (into_) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
    (*into_)[std::string(name)] = {std::move(shape),
                                   std::vector<float>(values.begin(), values.end())};
    return;
  }
  const auto& data = held<std::vector<float>>(entry(name), name, "float32");
  if (data.size() != values.size())
    throw Error(ExitCode::data, fmt::format("state '{}': wanted {} numbers, got {}", name,
                                            values.size(), data.size()));
  std::copy(data.begin(), data.end(), values.begin());
}

void StateIo::reals(std::string_view name, std::vector<double>& values) {
  if (into_)
    (*into_)[std::string(name)] = {{static_cast<std::int64_t>(values.size())}, values};
  else
    values = held<std::vector<double>>(entry(name), name, "float64");
}

void StateIo::integers(std::string_view name, std::vector<std::int64_t>& values) {
  if (into_)
    (*into_)[std::string(name)] = {{static_cast<std::int64_t>(values.size())}, values};
  else
    values = held<std::vector<std::int64_t>>(entry(name), name, "int64");
}

void StateIo::integer(std::string_view name, std::int64_t& value) {
  if (into_)
    (*into_)[std::string(name)] = {{}, std::vector<std::int64_t>{value}};
  else
    value = single(held<std::vector<std::int64_t>>(entry(name), name, "int64"), name);
}

void StateIo::real(std::string_view name, double& value) {
  if (into_)
    (*into_)[std::string(name)] = {{}, std::vector<double>{value}};
  else
    value = single(held<std::vector<double>>(entry(name), name, "float64"), name);
}

void StateIo::text(std::string_view name, std::string& value) {
  if (into_)
    (*into_)[std::string(name)] = {{static_cast<std::int64_t>(value.size())}, value};
  else
    value = held<std::string>(entry(name), name, "text");
}

void StateIo::texts(std::string_view name, std::vector<std::string>& values) {
  std::string bytes;
  std::vector<std::int64_t> ends;
  for (const std::string& value : values) {
    bytes += value;
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::string group(name);
  text(group + "/bytes", bytes);
  integers(group + "/ends", ends);
  if (!restores()) return;
  values.clear();
  std::int64_t start = 0;
  for (const std::int64_t end : ends) {
    if (end < start || end > static_cast<std::int64_t>(bytes.size()))
      throw Error(ExitCode::data,
                  fmt::format("state '{}': {} is no end of a text in {} bytes that follows {}",
                              group + "/ends", end, bytes.size(), start));
    values.push_back(
        bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
    start = end;
  }
}

}  // namespace assay
