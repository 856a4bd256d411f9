// libFuzzer target for one of the small languages that Ritz reads, named by RITZ_FUZZ_TARGET: case files, formulas,
// tables of numbers, journals of results. Whatever the bytes, there is an answer or an error of the kind that is
// promised, and what was understood is understood again when it is written out.
#include "io/case/case.hpp"
#include "io/case/data_table.hpp"
#include "io/case/formula.hpp"
#include "io/files/checksum.hpp"
#include "io/files/journal.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace {

using namespace ritz;

void require(bool fact) {
  if (!fact) std::abort();
}

// Questions of every type, in tables of every kind.
void ask(Case& input) {
  input.root().text("title", "", {.fallback = "", .may_be_empty = true});
  const Case::Table mesh = input.table("mesh", "");
  mesh.path("file", "");
  mesh.number("scale", "", {.fallback = 1, .above = 0});
  mesh.integer("order", "", {.fallback = 0, .minimum = 0, .maximum = 2});
  mesh.choice("mid_nodes", "", {"serendipity", "full"}, "serendipity");
  input.read_tables();
  for (const Case::Table& t : input.tables("material", "", {.minimum_count = 1})) {
    t.texts("region", "");
    t.formula("young", "", {.above = 0, .out_of_bounds = Exit::model});
    t.expression("name", "", {.fallback = "0"});
    if (t.has("color")) t.vector("color", "", {.size = 3, .minimum = 0, .maximum = 1});
  }
  for (const Case::Table& t : input.tables("load_case", ""))
    for (const Case::Table& load : t.tables("traction", "")) load.formulas("value", "", 3);
  for (const Case::Table& t : input.root().named_tables("factor", ""))
    for (const std::string& key : t.keys()) t.number(key, "");
  input.table("output", "").flag("single_precision", "", false);
}

void fuzz_case(std::string_view text) {
  std::string resolved;
  try {
    Case input = Case::from_text(text, "case.toml");
    ask(input);
    input.finish();
    resolved = input.resolved();
  } catch (const Error& error) { return require(error.exit() == Exit::input || error.exit() == Exit::model); }
  try {
    Case again = Case::from_text(resolved, "case.toml");
    ask(again);
    again.finish();
    require(again.resolved() == resolved);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n---\n{}", error.what(), resolved);
    std::abort();
  }
}

void fuzz_override(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  try {
    Case input = Case::from_text("[mesh]\nfile = \"a\"\n[[material]]\nyoung = 1\n", "case.toml",
                                 {std::string(text.substr(0, end))});
    ask(input);
    input.finish();
  } catch (const Error& error) { require(error.exit() == Exit::input || error.exit() == Exit::model); }
}

void fuzz_formula(std::string_view text) {
  static const DataTables tables = [] {
    DataTables made;
    made.emplace("wind", DataTable::from_text("z,w\n0,1\n10,2\n", "wind.csv", Interpolation::linear, Outside::error));
    made.emplace("plate", DataTable::from_text("x,y,k\n0,0,1\n1,0,2\n0,1,3\n1,1,4\n", "plate.csv",
                                               Interpolation::nearest, Outside::constant));
    return made;
  }();
  try {
    const PointExpression formula = Expression(std::string(text), Formula::variables(), &tables).value();
    const PointCode code(formula);
    const double points[][3] = {{0, 0, 0}, {0.5, -1, 3}, {1e300, 1e-300, -1e300}, {NAN, INFINITY, -INFINITY}};
    double together[4];
    code.run(std::span<const double>(points[0], 12), 0, together);
    for (int i = 0; i < 4; ++i) {  // a point alone has the value that it has beside others
      const double alone = formula.at({points[i][0], points[i][1], points[i][2]});
      require(alone == together[i] || (std::isnan(alone) && std::isnan(together[i])));
    }
  } catch (const ExpressionError& error) {
    require(!error.what.empty() && error.column >= 1 && error.column <= static_cast<int>(text.size()) + 1);
  }
}

void fuzz_table(std::string_view text) {
  for (const Interpolation interpolation : {Interpolation::linear, Interpolation::nearest, Interpolation::previous})
    for (const Outside outside : {Outside::error, Outside::constant}) {
      try {
        const DataTable table = DataTable::from_text(text, "table.csv", interpolation, outside);
        require(table.argument_count() >= 1 && table.argument_count() <= 3 && !table.range().empty());
        for (const double x : {0.0, -1.5, 1e308, -1e308, double(NAN), double(INFINITY)}) {
          const std::array<double, 3> at{x, 0, x};
          const auto value = table(std::span(at).first(static_cast<std::size_t>(table.argument_count())));
          require(value.has_value() || outside == Outside::error || std::isnan(x));
        }
      } catch (const Error& error) { require(error.exit() == Exit::input); }
    }
}

// The text as it is, and with the right checksum in each line: else nothing would come past it.
void fuzz_journal(std::string_view text) {
  parse_journal(text);
  std::string right;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    right += fmt::format("{:08x} {}\n", crc32_of(line), line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  const Journal journal = parse_journal(right);
  require(!journal.unfinished_line && journal.valid_size == right.size());
  std::string written;
  for (const JournalEntry& entry : journal.entries) written += to_line(entry);
  for (const auto& [case_name, run] : journal.complete) written += to_line_of_end(case_name, run);
  const Journal again = parse_journal(written);
  require(again.damaged_lines.empty() || !journal.damaged_lines.empty());  // steps may be out of order
  require(again.entries.size() == journal.entries.size() && again.complete == journal.complete);
  std::string rewritten;
  for (const JournalEntry& entry : again.entries) rewritten += to_line(entry);
  for (const auto& [case_name, run] : again.complete) rewritten += to_line_of_end(case_name, run);
  require(rewritten == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size), reader = RITZ_FUZZ_TARGET;
  if (reader == "case") fuzz_case(text);
  else if (reader == "override") fuzz_override(text);
  else if (reader == "formula") fuzz_formula(text);
  else if (reader == "table") fuzz_table(text);
  else if (reader == "journal") fuzz_journal(text);
  else std::abort();
  return 0;
}
