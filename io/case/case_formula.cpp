// Questions whose answers are numbers or formulas of the position, and the tables that formulas use.
#include "io/case/case_rules.hpp"
#include "io/case/row_times.hpp"
#include "io/files/input_file.hpp"

#include <algorithm>

namespace ritz {
namespace {

// The formula, or its error and nothing; a formula without variables is a number.
std::optional<Formula> read_formula(const CaseAnswer& answer, const std::string& key, const CaseValue& value,
                                    CaseData& data, Formula::Rules rules) {
  for (const CaseFields* fields : {&data.fields, &data.arrays})
    if (const auto found = fields->find(value.text); found != fields->end())
      return Formula(found->first, found->second, std::move(rules));
  if (data.calls_unread_table(value.text)) return std::nullopt;
  try {
    FormulaVariables variables = Formula::variables(data.has_time);
    for (const auto& [name, field] : data.fields) variables.emplace_back(name, field.value);
    const Expression expression(value.text, variables, &data.tables);
    if (data.dimension == 2 && expression.uses("z"))
      answer.wrong_text(
          ErrorKind::formula_syntax,
          fmt::format("'{}' is the formula '{}', which uses z on a mesh of two dimensions,", key, value.text),
          "points of the plane have x and y; of a body of revolution x is the radius, and y runs along the axis",
          "write it with x and y");
    if (expression.uses("t")) data.row_times.merge(row_times_of(value.text, data.tables));
    if (!expression.is_constant()) return Formula(expression, std::move(rules), data.fields);
    const double number = expression.value().at({});
    if (std::isfinite(number) && rules.bounds.allow(number)) return number;
    std::string left;
    expression.value().explain(Point{}, 0, &left);
    answer.wrong_text(ErrorKind::formula_syntax,
                      fmt::format("'{}' is the formula '{}', which is {:g},", key, value.text, number), left,
                      fmt::format("give {}", rules.expected));
  } catch (const ExpressionError& error) {
    answer.wrong_text(ErrorKind::formula_syntax,
                      fmt::format("'{}' is the formula '{}', which cannot be understood: {}, character {},", key,
                                  value.text, error.what, error.column),
                      fmt::format("{}\n       {:>{}}", value.text, "^", error.column), error.fix);
  }
  return std::nullopt;
}

PointBounds bounds_of(const NumberRule& rule) {
  const double infinity = PointBounds::infinity;
  return {rule.minimum.value_or(-infinity), rule.maximum.value_or(infinity), rule.above.value_or(-infinity),
          rule.below.value_or(infinity)};
}

// A number that is allowed, or the array that it is to be.
Formula number_or_array(double number, const std::string& key, const CaseData& data, Formula::Rules rules) {
  const auto found = data.varied.find(key);
  return found == data.varied.end() ? Formula(number) : Formula(key, found->second(number), std::move(rules));
}

}  // namespace

Formula Case::Table::formula(std::string_view key, std::string_view about, const NumberRule& rule) const {
  const std::string bounds = bounds_text(rule),
                    expected = with_bounds("a number", bounds) +
                               (data_->has_time ? ", or a formula of x, y, z and t" : ", or a formula of x, y and z");
  ask(key, "formula", about, fallback_text(rule.fallback), bounds, limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const Formula::Rules rules{bounds_of(rule), with_bounds("a number", bounds), where(key), ErrorKind::formula_value};
  if (answer.value() == nullptr) {
    if (rule.fallback) answer.use_fallback(value_of(*rule.fallback));
    else answer.missing("<" + expected + ">", where());
    if (rule.fallback) return number_or_array(*rule.fallback, full_path(key), *data_, rules);
    return harmless_number(rule);
  }
  if (!answer.read_units()) return rule.fallback.value_or(harmless_number(rule));
  const CaseValue& value = *answer.value();
  if (value.kind == CaseValue::Kind::text && !value.text.empty())
    return read_formula(answer, full_path(key), value, *data_, rules).value_or(harmless_number(rule));
  const std::optional<double> number = finite_number(value);
  if (number && is_within(rule, *number)) return number_or_array(*number, full_path(key), *data_, rules);
  answer.wrong(expected, number ? rule.out_of_bounds : ErrorKind::wrong_value);
  return rule.fallback.value_or(harmless_number(rule));
}

std::vector<Formula> Case::Table::formulas(std::string_view key, std::string_view about, int size) const {
  const std::string expected = count_text(size, "number or formula", "numbers or formulas");
  ask(key, "formulas", about, "", expected, {.size = size});
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const std::vector<Formula> harmless(static_cast<std::size_t>(std::max(size, 1)), Formula(0));
  if (answer.value() == nullptr) {
    answer.missing("<" + expected + ">", where());
    return harmless;
  }
  if (!answer.read_units()) return harmless;
  std::vector<Formula> result;
  const CaseValue& given = *answer.value();
  const std::span<const CaseValue> items =
      given.kind == CaseValue::Kind::array ? std::span(given.items) : std::span(&given, 1);
  if (items.empty() || (size != 0 && static_cast<int>(items.size()) != size)) {
    answer.wrong(expected);
    return harmless;
  }
  for (const CaseValue& item : items) {
    if (item.kind == CaseValue::Kind::text && !item.text.empty()) {
      result.push_back(
          read_formula(answer, full_path(key), item, *data_, {{}, "a number", where(key), ErrorKind::formula_value})
              .value_or(Formula(0)));
    } else if (const std::optional<double> number = finite_number(item)) {
      result.push_back(number_or_array(*number, fmt::format("{}.{}", full_path(key), result.size()), *data_,
                                       {{}, "a number", where(key), ErrorKind::formula_value}));
    } else {
      answer.wrong(expected, item);
      return harmless;
    }
  }
  return result;
}

namespace {

// Checks the name of a function or a variable of formulas, beside others of its kind.
template <class Others>
bool check_name(const Case::Table& t, const std::string& name, const Others& others) {
  const FormulaVariables variables = Formula::variables(true);
  if (!is_identifier(name))
    t.error(ErrorKind::table_data, "name", fmt::format("'{}' is not a valid name of a function", name), {},
            "use letters, digits and _, a letter first");
  else if (is_reserved_name(name) ||
           std::ranges::any_of(variables, [&](const auto& each) { return each.first == name; }))
    t.error(ErrorKind::table_data, "name", fmt::format("'{}' has a meaning in formulas already", name), {},
            "choose another name");
  else if (others.contains(name))
    t.error(ErrorKind::table_data, "name", fmt::format("a second table is called '{}'", name), {},
            "give each a name of its own");
  else return true;
  return false;
}

}  // namespace

void Case::add_field(const Table& table, const std::string& name, CaseField field) {
  if (name.empty()) return;  // said before, or a survey
  if (name == "T" || data_->tables.contains(name) || data_->fields.contains(name))
    table.error(ErrorKind::table_data, "name", fmt::format("'{}' has a meaning in formulas already", name),
                name == "T" ? "tables over the temperature are called with it"
                            : "a [[table]] or another [[field]] has this name",
                "choose another name");
  else if (check_name(table, name, data_->fields)) data_->fields.emplace(name, std::move(field));
}

void Case::set_dimension(int dimension) { data_->dimension = dimension; }

void Case::set_units(UnitSystem system) { data_->units = system; }

UnitSystem Case::Table::units() const { return data_->units; }

void Case::allow_time() { data_->has_time = true; }

std::vector<double> Case::row_times() const { return {data_->row_times.begin(), data_->row_times.end()}; }

void Case::read_tables() {
  for (const Table& t : tables(
           "table", "a function for formulas, given by a CSV file: columns of arguments, then the column of values")) {
    const std::string name = t.text("name", "name of the function, as in wind(z)");
    const std::string file =
        t.path("file", "CSV file with a line of names, then numbers; one to three arguments", {.must_exist = true});
    const std::string interpolation =
        t.choice("interpolation", "between the rows: linear, or the nearest, or the previous one",
                 {"linear", "nearest", "previous"}, "linear");
    const std::string outside =
        t.choice("outside", "outside of the rows: an error, or the value at the end", {"error", "constant"}, "error");
    if (name.empty()) continue;
    check_name(t, name, data_->tables);
    if (data_->tables.contains(name) || !is_identifier(name)) continue;
    data_->unread_tables.insert(name);
    if (file.empty() || is_outside(file) || !lack_of_input(file).empty()) continue;  // said before
    try {
      data_->tables.emplace(name, DataTable::from_file(file,
                                                       interpolation == "linear"    ? Interpolation::linear
                                                       : interpolation == "nearest" ? Interpolation::nearest
                                                                                    : Interpolation::previous,
                                                       outside == "constant" ? Outside::constant : Outside::error));
      data_->unread_tables.erase(name);
    } catch (const Error& error) { t.error(error.kind(), "file", error.message(), error.why(), error.fix()); }
  }
}

}  // namespace ritz
