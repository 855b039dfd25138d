// Options declared once: the declaration gives parsing, bounds, near matches, help, JSON Schema,
// and what a result file records.
//
//   struct Options {
//     std::int64_t width = 64;
//     std::string norm = "pre";
//     static void describe(OptionList<Options>& o) {
//       o.add("width", &Options::width, "Width D of the residual stream.").at_least(1);
//       o.add("norm", &Options::norm, "Where the layer norm stands.").one_of({"pre", "post"});
//       o.rule("width must be even", [](const Options& g) { return g.width % 2 == 0; });
//     }
//   };
//
// Types: std::int64_t, double, bool, std::string, Duration (steps, tokens or epochs;
// config/duration.h), std::optional of these (absent = not set), std::vector of these, and Value
// (whatever is written; checked by the owner). A default is the member's initial value; required()
// has none. Numbers: std::from_chars over the whole text, an optional sign, leading zeros decimal
// (010 is 10); integers also as 1e3 or 2.0 where exact; finite; no 0x10, no 1_000. Quoted text is
// text, never a number. true and false are the only truth values. Rules run once types and bounds
// hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/api.h"
#include "config/duration.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

class OptionTable;

/// Everything about one option that does not depend on its owner's type; what help and schema
/// print.
struct OptionInfo {
  enum class Type { integer, real, boolean, text, duration, any };
  std::string name, help;
  Type type = Type::any;
  bool list = false, optional = false, required = false;
  std::optional<double> minimum, maximum;  // inclusive unless said
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::shared_ptr<const OptionTable> section;  // of a section with options of its own; else null
  std::string kind;         // of a section that names a plugin: "sampler"; else empty
  bool chain = false;       // a list of such sections may stand for one
  bool names_file = false;  // text that may be a relative path
  bool seconds = false;     // a duration may be in seconds too
  std::vector<std::string> choices;
  std::string default_text;  // as YAML; empty if required or not set
};

/// The type-erased description of an options struct.
class ASSAY_API OptionTable {
 public:
  struct Entry {
    OptionInfo info;
    /// Reads value into the struct at object; what info does not allow becomes a problem prefixed
    /// with path.
    std::function<void(void* object, const OptionInfo& info, const Value& value,
                       const std::string& path, Problems&)>
        read;
    std::function<Value(const void* object)> write;  // null: an optional that is not set
  };
  std::vector<Entry> entries;
  struct Rule {
    std::string text;    // what must hold; empty: told only where it does not
    std::string schema;  // the same in JSON Schema, where that can say it; as YAML
    std::function<std::string(const void*)> check;  // what is wrong, or an empty text
  };
  std::vector<Rule> rules;

  /// Reads a section (a map; its `type` key is skipped) into the struct. Unknown keys, wrong types,
  /// bounds and rules all become problems; path names the section ("model"; empty: the top level),
  /// owner the plugin ("model 'gpt'"). null, for the section or an option, is as if it were not
  /// there; it unsets an optional.
  void read(void* object, const Value& section, const std::string& path, const std::string& owner,
            Problems& problems) const;
  /// The section with every option, defaults included (unset optionals left out).
  Value write(const void* object) const;
};

template <class T>
struct OptionType;  // the types listed above, in config/option_types.h

/// Refines the option just added; returned by OptionList::add.
class ASSAY_API OptionRefiner {
 public:
  explicit OptionRefiner(OptionInfo& info) : info_(info) {}
  OptionRefiner& at_least(double minimum);
  OptionRefiner& above(double minimum);
  OptionRefiner& at_most(double maximum);
  OptionRefiner& below(double maximum);
  OptionRefiner& one_of(std::vector<std::string> choices);
  OptionRefiner& required();
  /// Of a Value: a section with these options, which its owner reads.
  OptionRefiner& section(OptionTable table);
  /// Of a Value: a section that names a plugin of this kind.
  OptionRefiner& plugin(std::string kind);
  /// Of such a section: a list of them may stand in its place.
  OptionRefiner& or_list();
  /// Of a text: it is or may be the path of a file, relative to the file that says it. The plugin
  /// gets it relative to its Build's folder.
  OptionRefiner& names_file();
  /// Of a duration: seconds (30s) are allowed too.
  OptionRefiner& or_seconds();

 private:
  OptionInfo& info_;
};

template <class Owner>
class OptionList {
 public:
  /// member: of Owner, or of a class that it inherits.
  template <class T, class Base>
  OptionRefiner add(std::string name, T Base::*member, std::string help);
  /// What options must fulfil together: a text, and whether it holds. schema says the same in JSON
  /// Schema, as YAML: "{properties: {betas: {minItems: 2}}}".
  template <class Holds>
  void rule(std::string text, Holds holds, std::string schema = {}) {
    const auto check = [text, holds](const void* o) {
      return holds(*static_cast<const Owner*>(o)) ? std::string() : text;
    };
    table_.rules.push_back({text, std::move(schema), check});
  }
  /// Where the text depends on the values: rule returns what is wrong, or an empty text.
  template <class Rule>
  void rule(Rule rule) {
    const auto check = [rule](const void* o) {
      return std::string(rule(*static_cast<const Owner*>(o)));
    };
    table_.rules.push_back({{}, {}, check});
  }
  OptionTable& table() { return table_; }

 private:
  OptionTable table_;
};

/// The table of an options struct with a static describe().
template <class Options>
OptionTable describe_options() {
  OptionList<Options> list;
  Options::describe(list);
  return std::move(list.table());
}

}  // namespace assay

#include "config/option_types.h"  // the definitions of the templates above
