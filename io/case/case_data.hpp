// The data of a Case. Private to io.
#pragma once

#include "io/case/case.hpp"
#include "io/case/case_value.hpp"

#include <set>

namespace ritz {

// Type of a question for all tables of the root but those in its choices.
inline constexpr const char* tables_of_the_root = "tables of the root";

bool mentions(const std::string& formula, const std::string& name);  // as a whole word

struct CaseData {
  std::string path, program;
  CaseValue root;
  std::vector<CaseQuestion> questions;
  DataTables tables;                    // by name, for formulas
  std::set<std::string> unread_tables;  // whose files were refused
  CaseFields fields;                    // that formulas may name
  CaseFields arrays;                    // of a calling program, by keys of the case: formulas by themselves
  std::map<std::string, Case::FieldOfNumber> varied;  // by keys
  UnitSystem units = UnitSystem::si;
  int dimension = 3;  // in which formulas are evaluated
  bool has_time = false;
  std::set<double> row_times;
  std::optional<std::size_t> step;  // of [[step]], whose tables act
  StepTables step_tables;
  std::set<std::string> files;

  struct Found {
    Error error;
    CasePlace place;
    const CaseValue* table = nullptr;  // of a missing key
    std::string missing;
  };
  std::vector<Found> errors;
  std::optional<CaseReading> survey;
  // In a survey: the way to go at this point, the first option unless another was named.
  const std::string& decide(const std::string& point, std::vector<std::string> options);
  std::list<CaseValue> scratch;  // take the place of tables that have another type in the file

  void add(Error error, const CasePlace& place);  // once, where several parts of a program find the same
  void add_missing(Error error, const CasePlace& place, const CaseValue& table, std::string_view key) {
    for (const Found& known : errors)
      if (known.table == &table && known.missing == key) return;  // asked for twice
    errors.push_back({std::move(error), place, &table, std::string(key)});
  }
  // The error of such a table was told; the formula has none of its own.
  bool calls_unread_table(const std::string& formula) const;
  void remember(CaseQuestion question);
  void judge_unasked(const CaseValue& table, const std::string& path, const std::string& title);
  void throw_errors();

 private:
  void add_unknown(const CaseValue& table, const CaseMember& member, const std::string& path, const std::string& title);
};

// One question at a key: finds the value, marks it as asked, and words the errors.
class CaseAnswer {
 public:
  CaseAnswer(CaseData& data, CaseValue& table, std::string_view key, std::string key_path, std::string_view about);

  CaseValue* value() const { return value_; }  // nullptr: not given
  // "expected a number above 0, got the text 'abc'"
  void wrong(std::string_view expected, ErrorKind kind = ErrorKind::wrong_value) const;
  void wrong(std::string_view expected, const CaseValue& got, ErrorKind kind = ErrorKind::wrong_value) const;
  void wrong_text(ErrorKind kind, std::string what, std::string why, std::string fix) const;
  void missing(std::string_view expected, const std::string& table_title) const;
  void missing_tables(const std::string& header, int given, int needed) const;
  void use_fallback(CaseValue fallback) const;
  // Turns texts such as "210 GPa", also in a list, into numbers in the unit of the key. False after an error.
  bool read_units() const;

 private:
  bool read_units(CaseValue& value) const;  // of a list, each
  bool read_unit(CaseValue& value) const;
  CaseData& data_;
  CaseValue& table_;
  std::string key_, key_path_, about_;
  CaseValue* value_ = nullptr;
};

}  // namespace ritz
