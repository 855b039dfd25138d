// How each type of option is read and written; included at the end of config/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"

namespace assay {

// Each reads a value of one type within the bounds and choices of info; else adds a problem and
// leaves into as it was.
ASSAY_API void read_option(std::int64_t& into, const OptionInfo& info, const Value& value,
                           const std::string& path, Problems& problems);
ASSAY_API void read_option(double& into, const OptionInfo& info, const Value& value,
                           const std::string& path, Problems& problems);
ASSAY_API void read_option(bool& into, const OptionInfo& info, const Value& value,
                           const std::string& path, Problems& problems);
ASSAY_API void read_option(std::string& into, const OptionInfo& info, const Value& value,
                           const std::string& path, Problems& problems);
ASSAY_API void read_option(Duration& into, const OptionInfo& info, const Value& value,
                           const std::string& path, Problems& problems);
ASSAY_API Value write_option(std::int64_t value);
ASSAY_API Value write_option(double value);
ASSAY_API Value write_option(bool value);
ASSAY_API Value write_option(const std::string& value);
ASSAY_API Value write_option(const Duration& value);
/// Adds that value is no list.
ASSAY_API void refuse_option(const OptionInfo& info, const Value& value, const std::string& path,
                             Problems& problems);

template <class T, OptionInfo::Type kKind>
struct PlainOptionType {
  static constexpr OptionInfo::Type type = kKind;
  static constexpr bool list = false, optional = false;
  static void read(T& into, const OptionInfo& info, const Value& value, const std::string& path,
                   Problems& problems) {
    read_option(into, info, value, path, problems);
  }
  static Value write(const T& value) { return write_option(value); }
};

template <>
struct OptionType<std::int64_t> : PlainOptionType<std::int64_t, OptionInfo::Type::integer> {};
template <>
struct OptionType<double> : PlainOptionType<double, OptionInfo::Type::real> {};
template <>
struct OptionType<bool> : PlainOptionType<bool, OptionInfo::Type::boolean> {};
template <>
struct OptionType<std::string> : PlainOptionType<std::string, OptionInfo::Type::text> {};

template <>
struct OptionType<Duration> : PlainOptionType<Duration, OptionInfo::Type::duration> {};

template <>
struct OptionType<Value> {
  static constexpr OptionInfo::Type type = OptionInfo::Type::any;
  static constexpr bool list = false, optional = false;
  static void read(Value& into, const OptionInfo&, const Value& value, const std::string&,
                   Problems&) {
    into = value;
  }
  static Value write(const Value& value) { return value; }
};

template <class T>
struct OptionType<std::optional<T>> {
  static constexpr OptionInfo::Type type = OptionType<T>::type;
  static constexpr bool list = OptionType<T>::list, optional = true;
  static void read(std::optional<T>& into, const OptionInfo& info, const Value& value,
                   const std::string& path, Problems& problems) {
    into.reset();
    if (!value.is_null()) OptionType<T>::read(into.emplace(), info, value, path, problems);
  }
  static Value write(const std::optional<T>& value) {
    return value ? OptionType<T>::write(*value) : Value();
  }
};

template <class T>
struct OptionType<std::vector<T>> {
  static constexpr OptionInfo::Type type = OptionType<T>::type;
  static constexpr bool list = true, optional = false;
  static void read(std::vector<T>& into, const OptionInfo& info, const Value& value,
                   const std::string& path, Problems& problems) {
    if (!value.is_list()) return refuse_option(info, value, path, problems);
    into.clear();
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      T item{};
      OptionType<T>::read(item, info, value.items()[i], path + "." + std::to_string(i), problems);
      into.push_back(std::move(item));
    }
  }
  static Value write(const std::vector<T>& values) {
    std::vector<Value> items;
    for (const T& value : values) items.push_back(OptionType<T>::write(value));
    return Value::list(std::move(items), {});
  }
};

/// The YAML of a default, on one line; empty if the option is not set.
ASSAY_API std::string default_option_text(const Value& value);

template <class Owner>
template <class T, class Base>
OptionRefiner OptionList<Owner>::add(std::string name, T Base::*member, std::string help) {
  using Type = OptionType<T>;
  OptionTable::Entry entry;
  entry.info.name = std::move(name);
  entry.info.help = std::move(help);
  entry.info.type = Type::type;
  entry.info.list = Type::list;
  entry.info.optional = Type::optional;
  entry.info.default_text = default_option_text(Type::write(Owner{}.*member));
  entry.read = [member](void* object, const OptionInfo& info, const Value& value,
                        const std::string& path, Problems& problems) {
    Type::read(static_cast<Owner*>(object)->*member, info, value, path, problems);
  };
  entry.write = [member](const void* object) {
    return Type::write(static_cast<const Owner*>(object)->*member);
  };
  table_.entries.push_back(std::move(entry));
  return OptionRefiner(table_.entries.back().info);
}

}  // namespace assay
