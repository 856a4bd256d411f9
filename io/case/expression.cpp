#include "io/case/expression.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <muParser.h>

namespace ritz {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

constexpr std::pair<const char*, Unary> unary_functions[] = {
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"sign", [](double x) { return double((x > 0) - (x < 0)); }}};
constexpr std::pair<const char*, Binary> binary_functions[] = {
    {"atan2", [](double y, double x) { return std::atan2(y, x); }},
    {"min", [](double a, double b) { return std::fmin(a, b); }},
    {"max", [](double a, double b) { return std::fmax(a, b); }}};
constexpr std::pair<const char*, double> constants[] = {{"pi", std::numbers::pi}, {"e", std::numbers::e}};

std::vector<std::string> names_of_functions(const DataTables* tables) {
  std::vector<std::string> names;
  for (const auto& [name, function] : unary_functions) names.emplace_back(name);
  for (const auto& [name, function] : binary_functions) names.emplace_back(name);
  if (tables != nullptr)
    for (const auto& [name, table] : *tables) names.push_back(name);
  return names;
}

// muParser would set variables: a single = is no operator here.
void refuse_assignment(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    const bool compares = i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!');
    if (!doubled && !compares)
      throw ExpressionError{"a formula assigns nothing: '='", static_cast<int>(i) + 1, "compare with =="};
    if (doubled) ++i;
  }
}

ExpressionError explained(const mu::ParserError& error, const std::string& text,
                          const std::vector<std::string>& variables, const DataTables* tables) {
  const int column = std::clamp(error.GetPos() + 1, 1, static_cast<int>(text.size()) + 1);
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN || error.GetCode() == mu::ecINVALID_FUN_PTR) {
    std::string token = error.GetToken();
    while (!token.empty() && (token.back() == ' ' || token.back() == '(')) token.pop_back();
    std::vector<std::string> known = names_of_functions(tables);
    known.insert(known.end(), variables.begin(), variables.end());
    for (const auto& [name, value] : constants) known.emplace_back(name);
    const std::string word =
        token.substr(0, token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    const std::string near = word.size() < 2 ? std::string() : nearest_match(word, known);
    if (word == "t" && std::ranges::find(variables, "t") == variables.end())
      return {"'t' is not known: this run has no time", column,
              fmt::format("use {}, or give the case a [time]", quoted_list(variables))};
    return {fmt::format("'{}' is not known", word.empty() ? token : word), column,
            near.empty() ? fmt::format("variables are {}, constants pi and e, functions {}", quoted_list(variables),
                                       quoted_list(names_of_functions(tables)))
                         : fmt::format("did you mean '{}'?", near)};
  }
  std::string what = error.GetMsg();
  if (const std::size_t place = what.find(" at position"); place != std::string::npos) what.erase(place);
  while (!what.empty() && what.back() == '.') what.pop_back();
  if (!what.empty() && what[0] >= 'A' && what[0] <= 'Z') what[0] = static_cast<char>(what[0] - 'A' + 'a');
  return {what, column, {}};
}

// A table as seen by one evaluator, which notes where it was left.
struct TableUse {
  const std::string* name;
  const DataTable* table;
  std::string* outside;
  bool* left;
  double operator()(std::initializer_list<double> arguments) const {
    const std::span<const double> at(arguments.begin(), arguments.size());
    if (const std::optional<double> value = (*table)(at)) return *value;
    *left = true;
    if (outside->empty())
      *outside =
          fmt::format("the table '{}' at ({:g}) has no value: it goes {}", *name, fmt::join(at, ", "), table->range());
    return std::numeric_limits<double>::quiet_NaN();
  }
};

double table1(void* use, double x) { return (*static_cast<TableUse*>(use))({x}); }
double table2(void* use, double x, double y) { return (*static_cast<TableUse*>(use))({x, y}); }
double table3(void* use, double x, double y, double z) { return (*static_cast<TableUse*>(use))({x, y, z}); }

}  // namespace

struct Expression::Evaluator::Data {
  mu::Parser parser;
  std::vector<double> variables;
  std::vector<TableUse> tables;
  std::string outside;
  bool left = false;  // a table was left in this evaluation

  // NaN also where a comparison, min or max would make a number of what has no value.
  double value() {
    left = false;
    const double result = parser.Eval();
    return left ? std::numeric_limits<double>::quiet_NaN() : result;
  }
};

Expression::Evaluator::Evaluator(const Expression& expression) : data_(std::make_unique<Data>()) {
  Data& d = *data_;
  d.parser.ClearFun();
  d.parser.ClearConst();
  d.parser.ClearPostfixOprt();
  for (const auto& [name, function] : unary_functions) d.parser.DefineFun(name, function);
  for (const auto& [name, function] : binary_functions) d.parser.DefineFun(name, function);
  for (const auto& [name, value] : constants) d.parser.DefineConst(name, value);
  d.variables.resize(expression.variables_.size());
  for (std::size_t i = 0; i < d.variables.size(); ++i) d.parser.DefineVar(expression.variables_[i], &d.variables[i]);
  if (expression.tables_ != nullptr) {
    d.tables.reserve(expression.tables_->size());
    for (const auto& [name, table] : *expression.tables_) {
      TableUse& use = d.tables.emplace_back(TableUse{&name, &table, &d.outside, &d.left});
      if (table.argument_count() == 1) d.parser.DefineFunUserData(name, table1, &use, false);
      else if (table.argument_count() == 2) d.parser.DefineFunUserData(name, table2, &use, false);
      else d.parser.DefineFunUserData(name, table3, &use, false);
    }
  }
  d.parser.SetExpr(expression.text_);
}

Expression::Evaluator::~Evaluator() = default;

double Expression::Evaluator::operator()(std::span<const double> values) {
  std::copy(values.begin(), values.end(), data_->variables.begin());
  const double result = data_->value();
  if (std::fetestexcept(FE_INVALID) == 0) return result;  // no root of a negative number, no 0/0 on the way
  std::feclearexcept(FE_INVALID);                         // by this evaluation, or by what the thread did before
  const double again = data_->value();
  const bool invalid = std::fetestexcept(FE_INVALID) != 0;
  std::feclearexcept(FE_INVALID);
  return invalid ? std::numeric_limits<double>::quiet_NaN() : again;
}

std::string Expression::Evaluator::outside() const { return data_->outside; }

Expression::Expression(std::string text, std::vector<std::string> variables, const DataTables* tables)
    : text_(std::move(text)), variables_(std::move(variables)), tables_(tables) {
  constexpr std::size_t longest = 10000;
  if (text_.size() > longest)
    throw ExpressionError{fmt::format("a formula of {} characters", text_.size()), 1,
                          fmt::format("write one of at most {}", longest)};
  // muParser's own nesting is recursive; and it treats characters outside of ASCII as signed numbers.
  int depth = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (static_cast<unsigned char>(text_[i]) >= 0x80 || static_cast<unsigned char>(text_[i]) < 0x20)
      throw ExpressionError{"a character that formulas do not have", static_cast<int>(i) + 1,
                            "use letters, digits and signs of plain ASCII"};
    if (text_[i] == '"')
      throw ExpressionError{"formulas have no texts", static_cast<int>(i) + 1, "remove the quotation marks"};
    depth += text_[i] == '(' ? 1 : text_[i] == ')' ? -1 : 0;
    if (depth > 200)
      throw ExpressionError{"more than 200 nested parentheses", static_cast<int>(i) + 1, "write it in fewer"};
  }
  refuse_assignment(text_);
  try {
    Evaluator trial(*this);
    int count = 0;
    trial.data_->parser.Eval(count);  // all errors of the text show at the first evaluation
    if (count != 1)
      throw ExpressionError{fmt::format("{} values separated by commas, instead of one", count), 1,
                            "write one formula; vectors are lists [\"...\", \"...\"]"};
    for (const auto& [name, place] : trial.data_->parser.GetUsedVar()) used_.insert(name);
  } catch (const mu::ParserError& error) { throw explained(error, text_, variables_, tables_); }
}

bool is_reserved_name(const std::string& name) {
  const std::vector<std::string> functions = names_of_functions(nullptr);
  return std::ranges::find(functions, name) != functions.end() ||
         std::ranges::any_of(constants, [&](const auto& constant) { return name == constant.first; });
}

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace ritz
