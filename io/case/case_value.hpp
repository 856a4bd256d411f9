// The tree of a case file: the values that toml++ read, with positions and a record of the questions. Private to io;
// only case_parse.cpp uses toml++, which compiles slowly.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct CasePlace {
  std::string source;  // the file, or the override on the command line
  int line = 0, column = 0;
  std::string text() const;  // "case.toml:3:9"
};

struct CaseMember;

struct CaseValue {
  enum class Kind { text, integer, number, flag, array, table, date };
  Kind kind = Kind::table;
  std::string text = {};
  std::int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::vector<CaseValue> items = {};   // of an array
  std::list<CaseMember> members = {};  // of a table, in the order of the file; list: handles keep their addresses
  CasePlace place = {};
  bool implicit = false;                     // not in the file: a fallback, or a table that only answers with fallbacks
  bool is_path = false;                      // of a file, from the folder of the case file on
  std::vector<std::string> asked = {};       // of a table: the keys that were asked for, in that order
  std::vector<std::string> looked_for = {};  // and those of has(): valid names, though not asked for

  CaseMember* find(std::string_view key);
  CaseValue& add(std::string_view key, CaseValue value);
  bool is_array_of_tables() const;
};

struct CaseMember {
  std::string key;
  CaseValue value;
  CasePlace place;  // of the key
  bool asked = false;
};

// "the number 3", "the text 'abc'", "a table": for messages.
std::string described(const CaseValue& value);

// Marks the value and all that is in it as read.
void mark_asked(CaseValue& value);

// The value as TOML on one line.
std::string inline_text(const CaseValue& value);
std::string inline_text(double number);
std::string quoted(std::string_view text);

// case_parse.cpp. Throws Error: Exit::input.
CaseValue parse_case(std::string_view text, const std::string& name);
// material = "steel S235", or one table [material] with a name, becomes a [[material]] of the region "all".
void spell_material(CaseValue& root);
// "key.path=value" put into the tree.
void apply_override(CaseValue& root, const std::string& text);

}  // namespace ritz
