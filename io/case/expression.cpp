#include "io/case/expression.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <numbers>

#include <fmt/format.h>

namespace ritz {
namespace {

struct Function {
  const char* name;
  PointOperation operation;
};
constexpr Function unary_functions[] = {
    {"sin", PointOperation::sine},        {"cos", PointOperation::cosine},     {"tan", PointOperation::tangent},
    {"asin", PointOperation::arcsine},    {"acos", PointOperation::arccosine}, {"atan", PointOperation::arctangent},
    {"sinh", PointOperation::sinh},       {"cosh", PointOperation::cosh},      {"tanh", PointOperation::tanh},
    {"exp", PointOperation::exponential}, {"log", PointOperation::logarithm},  {"log10", PointOperation::logarithm10},
    {"sqrt", PointOperation::root},       {"abs", PointOperation::absolute},   {"floor", PointOperation::floor},
    {"ceil", PointOperation::ceiling},    {"sign", PointOperation::sign}};
constexpr Function binary_functions[] = {
    {"atan2", PointOperation::angle}, {"min", PointOperation::lesser}, {"max", PointOperation::greater}};
constexpr std::pair<const char*, double> constants[] = {{"pi", std::numbers::pi}, {"e", std::numbers::e}};

// Operators of the same precedence, which group from the left; the loosest first. The longer of two comes first.
constexpr int levels = 5, comparisons = 2;
constexpr Function operators[levels][7] = {{{"||", PointOperation::either}},
                                           {{"&&", PointOperation::both}},
                                           {{"<=", PointOperation::is_less_equal},
                                            {">=", PointOperation::is_greater_equal},
                                            {"==", PointOperation::is_equal},
                                            {"!=", PointOperation::is_unequal},
                                            {"<", PointOperation::is_less},
                                            {">", PointOperation::is_greater}},
                                           {{"+", PointOperation::add}, {"-", PointOperation::subtract}},
                                           {{"*", PointOperation::multiply}, {"/", PointOperation::divide}}};

std::vector<std::string> names_of_functions(const DataTables* tables) {
  std::vector<std::string> names;
  for (const Function& each : unary_functions) names.emplace_back(each.name);
  for (const Function& each : binary_functions) names.emplace_back(each.name);
  if (tables != nullptr)
    for (const auto& [name, table] : *tables) names.push_back(name);
  return names;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void fail_at(std::size_t at, std::string what, std::string fix = {}) {
  throw ExpressionError{std::move(what), static_cast<int>(at) + 1, std::move(fix)};
}

// A text that is read from the left, and how far.
class FormulaText {
 public:
  explicit FormulaText(const std::string& text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ == text_.size(); }
  // The character after spaces; 0 at the end.
  char next() {
    while (!is_at_end() && text_[at_] == ' ') ++at_;
    return is_at_end() ? '\0' : text_[at_];
  }
  bool take(std::string_view sign) {
    next();
    if (text_.compare(at_, sign.size(), sign) != 0) return false;
    at_ += sign.size();
    return true;
  }
  void demand(std::string_view sign) {
    if (!take(sign)) fail_here();
  }
  double number() {
    double value = 0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const auto end = static_cast<std::size_t>(read.ptr - text_.data());
    if (read.ec == std::errc::result_out_of_range)
      fail_at(at_, fmt::format("{} is beyond the numbers of 64 bit", text_.substr(at_, end - at_)),
              "write a number between 1e-307 and 1e308");
    if (read.ec != std::errc()) fail_at(at_, fmt::format("'{}' begins no number", text_[at_]));
    at_ = end;
    return value;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (!is_at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void fail_here() {
    next();
    if (is_at_end()) fail_at(at_, "unexpected end of the formula");
    if (text_[at_] == '=') fail_at(at_, "a formula assigns nothing: '='", "compare with ==");
    fail_at(at_, fmt::format("unexpected '{}'", text_[at_]));
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

// Names that a formula may use.
struct FormulaNames {
  const FormulaVariables& variables;
  const DataTables* tables;

  [[noreturn]] void fail_unknown(const std::string& name, std::size_t at) const {
    std::vector<std::string> known = names_of_functions(tables), letters;
    for (const auto& [variable, value] : variables) letters.push_back(variable);
    known.insert(known.end(), letters.begin(), letters.end());
    for (const auto& [constant, value] : constants) known.emplace_back(constant);
    const std::string near = name.size() < 2 ? std::string() : nearest_match(name, known);
    if (name == "t")
      fail_at(at, "'t' is not known: this run has no time",
              fmt::format("use {}, or give the case a [time]", quoted_list(letters)));
    fail_at(at, fmt::format("'{}' is not known", name),
            near.empty() ? fmt::format("variables are {}, constants pi and e, functions {}", quoted_list(letters),
                                       quoted_list(names_of_functions(tables)))
                         : fmt::format("did you mean '{}'?", near));
  }
};

// One function for each level of precedence.
class Parser {
 public:
  Parser(const std::string& text, const FormulaNames& names, std::set<std::string>& used)
      : text_(text), names_(names), used_(used) {}

  PointExpression whole() {
    PointExpression value = choice();
    int count = 1;
    for (; text_.take(","); ++count) choice();
    if (!text_.is_at_end()) text_.fail_here();
    if (count > 1)
      fail_at(0, fmt::format("{} values separated by commas, instead of one", count),
              "write one formula; vectors are lists [\"...\", \"...\"]");
    return value;
  }

 private:
  // Depth of parentheses and choices: each is a call of functions within functions.
  PointExpression choice() {
    constexpr int deepest = 200;
    if (++depth_ > deepest + 1) fail_at(text_.at() - 1, "more than 200 nested parentheses", "write it in fewer");
    // a ? b : c ? d : e is one chain, however long.
    std::vector<PointExpression> conditions, values;
    PointExpression last = pairs(0);
    while (text_.take("?")) {
      conditions.push_back(std::move(last));
      values.push_back(choice());
      text_.demand(":");
      last = pairs(0);
    }
    while (!conditions.empty()) {
      last = PointExpression::choice(std::move(conditions.back()), std::move(values.back()), std::move(last));
      conditions.pop_back(), values.pop_back();
    }
    --depth_;
    return last;
  }

  PointExpression pairs(int level) {
    if (level == levels) return factor();
    PointExpression left = pairs(level + 1);
    int count = 0;
    while (const Function* found = operator_at(level)) {
      // 1 < x < 2 would compare the truth of 1 < x with 2.
      if (level == comparisons && ++count > 1)
        fail_at(text_.at() - 1, "a second comparison of the same value",
                "write 1 < x && x < 2 for 1 < x < 2, or parentheses");
      left = PointExpression::of(found->operation, {std::move(left), pairs(level + 1)});
    }
    return left;
  }
  const Function* operator_at(int level) {
    for (const Function& each : operators[level])
      if (each.name != nullptr && text_.take(each.name)) return &each;
    return nullptr;
  }

  // -x^2 is -(x^2), and 2^3^2 is 2^(3^2).
  PointExpression factor() {
    if (text_.take("-")) return PointExpression::of(PointOperation::negate, {power()});
    text_.take("+");
    return power();
  }
  PointExpression power() {
    PointExpression base = primary();
    if (!text_.take("^")) return base;
    constexpr int longest = 200;
    if (++powers_ > longest) fail_at(text_.at(), "more than 200 powers of powers", "write it in fewer");
    PointExpression exponent = factor();
    --powers_;
    const bool small = !base.is_number() && exponent.is_number();
    for (const auto& [number, operation] :
         {std::pair{2.0, PointOperation::square}, {3.0, PointOperation::cube}, {4.0, PointOperation::fourth}})
      if (small && exponent.number() == number) return PointExpression::of(operation, {std::move(base)});
    return PointExpression::of(PointOperation::power, {std::move(base), std::move(exponent)});
  }

  PointExpression primary() {
    const char c = text_.next();
    if (is_digit(c) || c == '.') return text_.number();
    if (is_letter(c)) return named();
    text_.demand("(");
    PointExpression value = choice();
    text_.demand(")");
    return value;
  }

  PointExpression named() {
    const std::size_t begin = text_.at();
    const std::string name = text_.name();
    for (const auto& [variable, value] : names_.variables)
      if (variable == name) return used_.insert(name), value;
    for (const auto& [constant, value] : constants)
      if (name == constant) return value;
    for (const Function& each : unary_functions)
      if (name == each.name) return PointExpression::of(each.operation, arguments(name, 1));
    for (const Function& each : binary_functions)
      if (name == each.name) return PointExpression::of(each.operation, arguments(name, 2));
    if (names_.tables != nullptr)
      if (const auto found = names_.tables->find(name); found != names_.tables->end())
        return found->second.of(name, arguments(name, static_cast<std::size_t>(found->second.argument_count())));
    names_.fail_unknown(name, begin);
  }

  std::vector<PointExpression> arguments(const std::string& name, std::size_t count) {
    if (text_.next() != '(')
      fail_at(text_.at(), fmt::format("'{}' is a function: its argument is missing", name),
              "write it as " + name + "(x)");
    const std::size_t begin = text_.at();
    text_.demand("(");
    std::vector<PointExpression> result = {choice()};
    while (text_.take(",")) result.push_back(choice());
    text_.demand(")");
    if (result.size() != count)
      fail_at(begin,
              fmt::format("'{}' takes {} argument{}, not {}", name, count, count == 1 ? "" : "s", result.size()));
    return result;
  }

  FormulaText text_;
  const FormulaNames names_;
  std::set<std::string>& used_;
  int depth_ = 0, powers_ = 0;
};

void check_characters(const std::string& text) {
  constexpr std::size_t longest = 10000;
  if (text.size() > longest)
    throw ExpressionError{fmt::format("a formula of {} characters", text.size()), 1,
                          fmt::format("write one of at most {}", longest)};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80 || static_cast<unsigned char>(text[i]) < 0x20)
      throw ExpressionError{"a character that formulas do not have", static_cast<int>(i) + 1,
                            "use letters, digits and signs of plain ASCII"};
    if (text[i] == '"')
      throw ExpressionError{"formulas have no texts", static_cast<int>(i) + 1, "remove the quotation marks"};
  }
}

}  // namespace

Expression::Expression(std::string text, const FormulaVariables& variables, const DataTables* tables)
    : text_(std::move(text)) {
  check_characters(text_);
  value_ = Parser(text_, {variables, tables}, used_).whole();
  try {
    PointCode code(value_);
  } catch (const Error& error) { throw ExpressionError{error.message(), 1, error.fix()}; }
}

bool is_reserved_name(const std::string& name) {
  const std::vector<std::string> functions = names_of_functions(nullptr);
  return std::ranges::find(functions, name) != functions.end() ||
         std::ranges::any_of(constants, [&](const auto& constant) { return name == constant.first; });
}

bool is_identifier(const std::string& name) {
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace ritz
