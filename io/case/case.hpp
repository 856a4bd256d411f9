// The case file: TOML with positions. Callers ask typed questions; every question states in one line the meaning and
// the unit of the key, and the case records that it was asked. Mistakes are collected, not thrown: after one, a
// question returns a harmless value so that the reading continues, and finish() throws all of them at once.
//
//   Case input = Case::from_file("case.toml", {"solver.relative=1e-9"});
//   Case::Table steel = input.table("material", "properties of the body");
//   const double E = steel.number("young", "Young's modulus [Pa]", {.above = 0});
//   input.finish();  // wrong values, missing keys and keys that were not asked for, all at once
#pragma once

#include "io/case/formula.hpp"
#include "io/case/unit.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct CaseData;   // io/case/case_data.hpp, private
struct CaseValue;  // io/case/case_value.hpp, private

// A key without a fallback must be given. Bounds: minimum <= value <= maximum, above < value < below; `out_of_bounds`
// is the kind of error outside them (ErrorKind::material_value for a material that cannot be).
struct NumberRule {
  std::optional<double> fallback, minimum, maximum, above, below;
  ErrorKind out_of_bounds = ErrorKind::wrong_value;
};
struct IntegerRule {
  std::optional<std::int64_t> fallback, minimum, maximum;
};
struct VectorRule {
  int size = 0;  // 0: any length but zero
  std::optional<std::vector<double>> fallback;
  std::optional<double> minimum, maximum, above, below;  // of every entry
};
struct TextRule {
  std::optional<std::string> fallback;
  bool may_be_empty = false;
};
struct PathRule {
  std::optional<std::string> fallback;  // relative to the case file, like the key itself; "" stays ""
  bool must_exist = false;
};
struct TablesRule {
  int minimum_count = 0;
};

// Limits of a value, for programs; `allowed` of a question gives them in words.
struct CaseLimits {
  std::optional<double> minimum, maximum, above, below;
  int size = 0;  // of a list; 0: any
  std::vector<std::string> choices;
  bool may_be_empty = false;  // a text
  // a plugin may have more: names of a choice, items of a list, keys of a table ("*")
  bool open = false;
  bool operator==(const CaseLimits&) const = default;
};

// One key that was asked for: the schema of the case as the program really reads it.
struct CaseQuestion {
  std::string path;  // "material[].young"
  // number, formula, formulas, integer, text, texts, choice, flag, vector, rows, points, literals, path, region, table,
  // tables
  std::string type;
  std::string about;     // "Young's modulus [Pa]"
  std::string fallback;  // as TOML; empty for a required key
  std::string allowed;   // "> 0", "'cg' and 'gmres'"
  CaseLimits limits = {};
  bool operator==(const CaseQuestion&) const = default;
};

// The questions of one reading of an imagined case (Case::survey), and the branches that it did not take.
struct CaseReading {
  std::vector<CaseQuestion> questions;
  // "solver.method" -> cg, ...; "probe[].point?" -> absent, given
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, std::string> taken;  // one of them
};

// Rows of a [[table]] over one argument: argument and value.
struct TableRows {
  std::vector<std::array<double, 2>> rows;
  bool continued = false;  // outside = "constant"; else there is no value outside of the rows
};
// A number or a formula of the position, or else a table over an unknown of the equations.
struct CaseProperty {
  Formula formula;
  std::optional<TableRows> table = {};
};

// A number that a key has, and the mean size of those in its list; 1: all are 0.
struct KeptNumber {
  double value, scale;
};

// A number of the case that was given as such, not as a formula.
struct GivenNumber {
  double value;
  std::string where;                 // "material.1.young at case.toml:15:9"
  std::vector<std::string> regions;  // of its table
};

// Tables of a case of steps (io/case/case_steps.cpp).
struct StepTables {
  std::vector<std::string> of_run;  // are those of the whole run: a step has none
  std::vector<std::string> of_one;  // act in their step alone; others stay until they are replaced or removed
};

class Case {
 public:
  class Table;

  // Overrides are "dotted.key=value": `material.0.young=1e9` counts entries from 0, the value is TOML, and a bare
  // word is a text. Throws Error: Exit::input with file:line:column when a file or an override cannot be understood.
  static Case from_file(const std::string& path, const std::vector<std::string>& overrides = {});
  static Case from_text(std::string_view text, const std::string& name = "case.toml",
                        const std::vector<std::string>& overrides = {});
  // A case without a file: every table and every [[table]] exists once, every question gets a harmless answer, and
  // where the reading branches on an answer (a choice, a flag, whether a key is given) it takes the branch in `taken`,
  // else the usual one. io/case/case_schema.hpp makes a schema of the questions of such readings.
  static Case survey(const std::string& name, std::map<std::string, std::string> taken);
  // The program that reads it: a case of another one is an error that names that one.
  void set_program(std::string name);
  const CaseReading& reading() const;
  Case(Case&&) noexcept;
  Case& operator=(Case&&) noexcept;
  ~Case();

  Table root() const;                                               // the keys above the first [table]
  Table table(std::string_view key, std::string_view about) const;  // short for root().table(...)
  std::vector<Table> tables(std::string_view key, std::string_view about, const TablesRule& rule = {}) const;

  // Arrays of a calling program, by names that formulas may be from here on.
  void give(CaseFields arrays);
  // Makes a number at this key an array of a calling program, by `field`, when a formula is asked for.
  using FieldOfNumber = std::function<CaseField(double)>;
  void vary(const std::string& key, FieldOfNumber field);
  // Reads [[table]]: functions that formulas may use from here on.
  void read_tables();
  // A field that formulas may use from here on. Errors of its name are added to the case, at its table.
  void add_field(const Table& table, const std::string& name, CaseField field);
  // Sets the dimension of the mesh: from here on formulas on a mesh of two dimensions have no z.
  void set_dimension(int dimension);
  // The system of the numbers from here on: texts such as "210 GPa" are turned into its units, and are errors where it
  // is not known.
  void set_units(UnitSystem system);
  // The analysis goes through time: from here on formulas may depend on t.
  void allow_time();
  // The times of the rows of tables that the formulas read so far call with t, or with a linear formula of t,
  // ascending.
  std::vector<double> row_times() const;
  // From here on the root has the tables that act in this entry of [[step]]: those of the case, and of the steps up to
  // it, of which later ones on the same region take the place. Without [[step]] there is one, the case itself. Adds
  // errors for tables that no step can have, for those that act in none, and for removals of nothing.
  void enter_step(std::size_t step, const StepTables& tables);
  // For the schema: an entry of [[step]] may have all other tables of the root.
  void open_steps(const StepTables& tables);
  // Adds an error of the caller to those found so far; `finish` throws them all, in the order of the file.
  void add_error(const Error& error);
  // Removes a key of the root, as if it had not been given: it was read elsewhere.
  void drop(std::string_view key);
  // Accepts the key and all that is in it without questions, and keeps it.
  void excuse(std::string_view key);
  // Keys that were not asked for are errors from here on. Throws Error or Errors, exit code Exit::input first.
  void finish();
  // Throws the errors found so far without judging unasked keys: before a step that cannot run with bad values.
  void throw_if_any() const;
  bool sound() const;  // no error was found so far

  const std::string& path() const;         // of the case file as it was given
  std::vector<std::string> files() const;  // existing files that it names: meshes, tables, plugins
  void add_file(const std::string& path);  // one that a file of these names, and on which results depend
  // The whole case as TOML, overrides and used defaults included: read again, it is the same case. Keys whose absence
  // has a meaning (the program asked has()) stay absent. For a file in another `folder`, names of files are made
  // relative to that folder.
  std::string resolved(const std::string& folder = {}) const;
  // The numbers `key` of all [[table]]s, or of [table]; nothing counts as asked for. For notices.
  std::vector<GivenNumber> given_numbers(std::string_view table, std::string_view key) const;
  // [entry] The keys given in each [[table]]; nothing counts as asked for.
  std::vector<std::vector<std::string>> given_keys(std::string_view table) const;
  // The number that was read at this dotted key, "material.0.orthotropic.young.1"; nullopt: there is none.
  std::optional<KeptNumber> number_at(std::string_view key) const;
  bool has_value(std::string_view key) const;   // whatever was given there
  std::vector<CaseQuestion> questions() const;  // in the order of asking, each key of [[tables]] once
  std::string describe() const;                 // the same as a commented TOML skeleton

 private:
  explicit Case(std::unique_ptr<CaseData> data);
  std::unique_ptr<CaseData> data_;
};

// A cheap handle on one table of a case; valid as long as the case lives.
class Case::Table {
 public:
  double number(std::string_view key, std::string_view about, const NumberRule& rule = {}) const;
  std::int64_t integer(std::string_view key, std::string_view about, const IntegerRule& rule = {}) const;
  std::string text(std::string_view key, std::string_view about, const TextRule& rule = {}) const;
  std::string choice(std::string_view key, std::string_view about, const std::vector<std::string>& allowed,
                     std::optional<std::string> fallback = {}) const;
  // A choice that decides which other keys this table has. An unknown name without a near match is reported, and then
  // nothing else in the table is judged: nullopt.
  std::optional<std::string> kind(std::string_view key, std::string_view about, const std::vector<std::string>& allowed,
                                  std::optional<std::string> fallback = {}) const;
  bool flag(std::string_view key, std::string_view about, std::optional<bool> fallback = {}) const;
  // A single number counts as a vector of length one; with `size` given, the length must agree.
  std::vector<double> vector(std::string_view key, std::string_view about, const VectorRule& rule = {}) const;
  // One text or a list of texts.
  std::vector<std::string> texts(std::string_view key, std::string_view about,
                                 std::optional<std::vector<std::string>> fallback = {}) const;
  // A number or a text; numbers come back with all their digits, as text.
  std::string expression(std::string_view key, std::string_view about, const TextRule& rule = {}) const;
  // A number, or a formula of x, y, z, t where the analysis has a time, and the tables and fields of the case; its
  // values keep the rule wherever it is evaluated.
  Formula formula(std::string_view key, std::string_view about, const NumberRule& rule = {}) const;
  // The same, or "name(T)": a [[table]] over T, the name of an unknown. Its values are not held to the rule here.
  CaseProperty property(std::string_view key, std::string_view about, const std::string& unknown,
                        const NumberRule& rule = {}) const;
  // A list of numbers within the bounds, or tables over the unknown, "name(T)". Formulas of the position are errors.
  std::vector<CaseProperty> properties(std::string_view key, std::string_view about, const std::string& unknown,
                                       const VectorRule& rule) const;
  // Pairs of numbers, or the name of a [[table]] of one argument that is linear between its rows.
  std::vector<std::array<double, 2>> rows(std::string_view key, std::string_view about) const;
  // Points of two or three coordinates each, [[0, 0], [1, 0.5]]; z is 0 where it is omitted. Empty after an error, and
  // in a survey.
  std::vector<std::array<double, 3>> points(std::string_view key, std::string_view about) const;
  // Like formula(), one per component. `size` 0 takes any length; a single entry is not repeated.
  std::vector<Formula> formulas(std::string_view key, std::string_view about, int size) const;
  // A list of values of any kind, each as TOML on one line: what overrides are made of.
  std::vector<std::string> literals(std::string_view key, std::string_view about) const;
  // A file name; a relative one is taken from the folder of the case file.
  std::string path(std::string_view key, std::string_view about, const PathRule& rule = {}) const;

  // A region of the mesh of one of the `kinds`; nullptr after an error (unknown name: nearest match, valid names).
  const Region* region(std::string_view key, std::string_view about, const Mesh& mesh,
                       std::initializer_list<RegionKind> kinds) const;
  // One name or a list of names.
  std::vector<const Region*> regions(std::string_view key, std::string_view about, const Mesh& mesh,
                                     std::initializer_list<RegionKind> kinds) const;

  // [key]: a table that is not there answers every question with its fallback.
  Table table(std::string_view key, std::string_view about) const;
  // [[key]]: one handle per entry, in the order of the file.
  std::vector<Table> tables(std::string_view key, std::string_view about, const TablesRule& rule = {}) const;
  // [key.any_name]: the sub-tables of [key], in the order of the file; name() gives the name of each.
  std::vector<Table> named_tables(std::string_view key, std::string_view about, const TablesRule& rule = {}) const;

  // Plugins may add to the questions here: names for this choice, items of this list or, with "*", keys. For the schema
  // only.
  void open_to_plugins(std::string_view key) const;

  bool has(std::string_view key) const;              // given by the user? A given key must still be asked for.
  UnitSystem units() const;                          // of the case
  bool present() const;                              // is the table itself there?
  std::vector<std::string> keys() const;             // given by the user, in the order of the file
  const std::string& name() const { return name_; }  // last part of the path: "steel" of [material.steel]
  std::string where() const;                         // "[[material]] #2 at case.toml:14"
  std::string where(std::string_view key) const;     // "material.1.young at case.toml:15:9"
  // Adds an error of the caller at a key, as Case::add_error does.
  void error(ErrorKind kind, std::string_view key, std::string what, std::string why = {}, std::string fix = {}) const;
  void error(std::string_view key, const Error& thrown) const;  // with its kind and sentences
  // The same for a key that has no place here: nothing inside it is judged any more.
  void refuse(ErrorKind kind, std::string_view key, std::string what, std::string why = {}, std::string fix = {}) const;
  void excuse() const;  // nothing else in this table is judged: what it is about is not known

 private:
  friend class Case;
  std::string title() const;                           // "[[material]] #2"
  std::string full_path(std::string_view key) const;   // "material.1.young"
  std::string schema_key(std::string_view key) const;  // "material[].young"
  bool is_root() const { return path_.empty(); }
  Table own_table(std::string_view key, std::string_view about) const;             // [key] of this table alone
  std::vector<Table> entries(std::string_view key, std::string_view about) const;  // [[key]], likewise
  // The root in a step (io/case/case_steps.cpp).
  std::vector<Table> sources(std::string_view key) const;  // the root and steps, whose tables of this kind may act
  Table table_of_step(std::string_view key, std::string_view about) const;
  std::vector<Table> tables_of_step(std::string_view key, std::string_view about) const;
  bool step_has(std::string_view key) const;
  std::vector<std::string> keys_of_step() const;
  void ask(std::string_view key, const char* type, std::string_view about, std::string fallback, std::string allowed,
           CaseLimits limits = {}) const;     // remembers the question
  bool is_given(std::string_view key) const;  // in a survey: as it decides
  Table survey_entry(std::string_view key, const char* suffix, const char* name) const;

  CaseData* data_ = nullptr;
  CaseValue* value_ = nullptr;
  std::string path_;         // "material.1", for messages
  std::string schema_path_;  // "material[]", for questions()
  std::string name_;
};

}  // namespace ritz
