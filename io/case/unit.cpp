#include "io/case/unit.hpp"

#include "io/files/input_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace ritz {
namespace {

struct Named {
  const char* name;
  Unit unit;
  bool takes_prefix = false;
};

//                                              kg  m   s  K  rad
constexpr Named units[] = {{"m", {1, 0, {0, 1, 0, 0, 0}}, true},
                           {"g", {1, -3, {1, 0, 0, 0, 0}}, true},
                           {"s", {1, 0, {0, 0, 1, 0, 0}}, true},
                           {"K", {1, 0, {0, 0, 0, 1, 0}}, true},
                           {"N", {1, 0, {1, 1, -2, 0, 0}}, true},
                           {"Pa", {1, 0, {1, -1, -2, 0, 0}}, true},
                           {"J", {1, 0, {1, 2, -2, 0, 0}}, true},
                           {"W", {1, 0, {1, 2, -3, 0, 0}}, true},
                           {"Hz", {1, 0, {0, 0, -1, 0, 0}}, true},
                           {"rad", {1, 0, {0, 0, 0, 0, 1}}, true},
                           {"bar", {1, 5, {1, -1, -2, 0, 0}}, true},
                           {"deg", {std::numbers::pi / 180, 0, {0, 0, 0, 0, 1}}},
                           {"%", {1, -2, {}}},
                           {"min", {60, 0, {0, 0, 1, 0, 0}}},
                           {"h", {3600, 0, {0, 0, 1, 0, 0}}},
                           {"t", {1, 3, {1, 0, 0, 0, 0}}},
                           {"in", {254, -4, {0, 1, 0, 0, 0}}},
                           {"ft", {3048, -4, {0, 1, 0, 0, 0}}},
                           {"lb", {45359237, -8, {1, 0, 0, 0, 0}}},
                           {"lbf", {4.4482216152605, 0, {1, 1, -2, 0, 0}}},
                           {"psi", {6894.757293168361, 0, {1, -1, -2, 0, 0}}},
                           {"ksi", {6894.757293168361, 3, {1, -1, -2, 0, 0}}}};

constexpr std::pair<char, int> prefixes[] = {{'n', -9}, {'u', -6}, {'m', -3}, {'c', -2},
                                             {'d', -1}, {'k', 3},  {'M', 6},  {'G', 9}};

std::optional<Unit> symbol(std::string_view name) {
  for (const Named& each : units)
    if (name == each.name) return each.unit;
  for (const auto& [letter, exponent] : prefixes)
    for (const Named& each : units)
      if (each.takes_prefix && name.size() > 1 && name.front() == letter && name.substr(1) == each.name) {
        Unit unit = each.unit;
        unit.exponent += exponent;
        return unit;
      }
  return std::nullopt;
}

void multiply(Unit& unit, const Unit& by, int power) {
  for (int i = 0; i < std::abs(power); ++i) unit.factor = power > 0 ? unit.factor * by.factor : unit.factor / by.factor;
  unit.exponent += power * by.exponent;
  for (std::size_t d = 0; d < unit.powers.size(); ++d) unit.powers[d] += power * by.powers[d];
}

// Factors from the left to the right; "/" stands for the next factor alone.
class UnitText {
 public:
  explicit UnitText(std::string_view text) : text_(text) {}

  std::optional<Unit> whole() {
    const std::optional<Unit> unit = product();
    return at_ == text_.size() ? unit : std::nullopt;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (next() == ' ' || next() == '*') ++at_;
  }

  std::optional<Unit> product() {
    Unit unit;
    int power = 1;
    for (int factors = 0;; ++factors) {
      skip_blanks();
      if (factors > 0 && power > 0 && (next() == '\0' || next() == ')')) return unit;
      const std::optional<Unit> one = factor();
      if (!one || factors > 20) return std::nullopt;
      multiply(unit, *one, power);
      skip_blanks();
      power = next() == '/' ? -1 : 1;
      if (power < 0) ++at_;
    }
  }

  std::optional<Unit> factor() {
    if (next() == '1') {
      ++at_;
      return Unit{};
    }
    std::optional<Unit> base;
    if (next() == '(') {
      ++at_;
      if (++depth_ > 8) return std::nullopt;
      base = product();
      --depth_;
      if (next() != ')') return std::nullopt;
      ++at_;
    } else {
      const std::size_t start = at_;
      while (std::isalpha(static_cast<unsigned char>(next())) != 0 || next() == '%') ++at_;
      base = symbol(text_.substr(start, at_ - start));
    }
    return base ? power_of(*base) : base;
  }

  std::optional<Unit> power_of(const Unit& base) {
    if (next() == '^') ++at_;
    int power = 1;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), power);
    if (error == std::errc{}) at_ = static_cast<std::size_t>(end - text_.data());
    else if (at_ > 0 && text_[at_ - 1] == '^') return std::nullopt;
    if (std::abs(power) > 9) return std::nullopt;
    Unit unit;
    multiply(unit, base, power);
    return unit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Signs of one character in ASCII.
std::string plain(std::string_view text) {
  std::string result(text);
  for (const auto& [sign, ascii] :
       {std::pair{"²", "^2"}, {"³", "^3"}, {"⁴", "^4"}, {"·", " "}, {"µ", "u"}, {"μ", "u"}, {"°", "deg"}})
    for (std::size_t at = 0; (at = result.find(sign, at)) != std::string::npos;)
      result.replace(at, std::string_view(sign).size(), ascii);
  return result;
}

}  // namespace

std::optional<Unit> unit_named(std::string_view text) { return UnitText(plain(text)).whole(); }

std::optional<Quantity> quantity_in(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t sign = text[begin] == '+' || text[begin] == '-' ? 1 : 0;
  const char* const digits = text.data() + begin + sign;
  if (std::isdigit(static_cast<unsigned char>(*digits)) == 0 && *digits != '.') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits, text.data() + text.size(), value);
  if (error != std::errc{} && error != std::errc::result_out_of_range) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  const std::size_t first = unit.find_first_not_of(" \t");
  if (first == std::string::npos) return std::nullopt;
  unit = unit.substr(first, unit.find_last_not_of(" \t") - first + 1);
  const bool reciprocal = unit.starts_with("1/") && first > 0;
  if (!reciprocal && std::isalpha(static_cast<unsigned char>(plain(unit).front())) == 0 && unit != "%")
    return std::nullopt;
  return Quantity{(text[begin] == '-' ? "-" : "") + std::string(digits, end), std::move(unit)};
}

double in_si(const std::string& number, const Unit& unit) {
  const std::size_t e = number.find_first_of("eE");
  int own = 0;
  if (e != std::string::npos) {
    const std::size_t first = e + (number[e + 1] == '+' ? 2 : 1);
    const auto read = std::from_chars(number.data() + first, number.data() + number.size(), own);
    if (read.ec != std::errc{} || std::abs(own) > 100000) return std::numeric_limits<double>::quiet_NaN();
  }
  const std::string shifted = fmt::format("{}e{}", number.substr(0, e), own + unit.exponent);
  double value = 0;
  const auto read = std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  const double result = value * unit.factor;
  return read.ec == std::errc{} && std::isfinite(result) ? result : std::numeric_limits<double>::quiet_NaN();
}

double in_unit(const std::string& number, const Unit& unit, const Unit& other) {
  const bool only_prefixes = unit.factor == other.factor;
  return in_si(number, {only_prefixes ? 1 : unit.factor / other.factor, unit.exponent - other.exponent, {}});
}

std::string unit_in(std::string_view about) {
  for (std::size_t open = about.find('['); open != std::string_view::npos; open = about.find('[', open + 1)) {
    const std::size_t close = about.find(']', open);
    if (close == std::string_view::npos) break;
    const std::string_view inside = about.substr(open + 1, close - open - 1);
    if (!inside.empty() && unit_named(inside)) return std::string(inside);
  }
  return "";
}

std::string unit_like(const std::string& text) {
  std::vector<std::string> known;
  for (const Named& each : units) {
    known.emplace_back(each.name);
    for (const auto& [letter, exponent] : prefixes)
      if (each.takes_prefix) known.push_back(letter + std::string(each.name));
  }
  const auto folded = [](std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
  };
  for (const std::string& each : known)
    if (folded(each) == folded(text) && each.size() > 1) return each;
  return "";
}

UnitSystem unit_system_named(std::string_view name) {
  return name == "mm" ? UnitSystem::mm : name == "none" ? UnitSystem::none : UnitSystem::si;
}

std::string in_system(std::string_view si_unit, UnitSystem system) {
  if (system == UnitSystem::none) return "";
  if (system == UnitSystem::si) return std::string(si_unit);
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> others{
      {{"m", "mm"}, {"Pa", "MPa"}, {"kg", "t"}, {"J", "mJ"}, {"W", "mW"}}};
  std::string text;
  for (std::size_t at = 0; at < si_unit.size();) {
    std::size_t end = at;
    while (end < si_unit.size() && std::isalpha(static_cast<unsigned char>(si_unit[end])) != 0) ++end;
    if (end == at) {
      text += si_unit[at++];
      continue;
    }
    const std::string_view word = si_unit.substr(at, end - at);
    const auto found = std::ranges::find(others, word, &std::pair<std::string_view, std::string_view>::first);
    text += found == others.end() ? word : found->second;
    at = end;
  }
  return text;
}

}  // namespace ritz
