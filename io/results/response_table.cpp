#include "io/results/response_table.hpp"

#include "io/case/csv.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace ritz {
namespace {

constexpr const char* name_of_abscissa(ResponseTable::Kind kind) {
  return kind == ResponseTable::Kind::time ? "time" : "frequency";
}

// Numbers of the format: the type of function, that of its values, and of the axis.
struct FunctionType {
  int function, values, abscissa;
};
FunctionType type_of(ResponseTable::Kind kind) {
  switch (kind) {
    case ResponseTable::Kind::frequency_response: return {4, 6, 18};
    case ResponseTable::Kind::density: return {9, 4, 18};
    default: return {1, 4, 17};
  }
}

// A number in at most `width` characters, with an exponent of two digits or more, as Fortran writes it.
std::string number(double value, int width, int digits) { return fmt::format("{:>{}.{}E}", value, width, digits); }

std::string axis(int type, const char* name, const char* unit) {
  return fmt::format("{:10}{:5}{:5}{:5} {:<20} {:<20}\n", type, 0, 0, 0, name, unit);
}

}  // namespace

std::string csv_of(const ResponseTable& table) {
  std::string text = name_of_abscissa(table.kind);
  for (const ResponseTable::Series& each : table.series) {
    text += "," + csv_cell(each.name);
    if (table.is_complex()) text += "," + csv_cell(each.name + "_phase");
  }
  text += "\n";
  for (std::size_t i = 0; i < table.at.size(); ++i) {
    text += fmt::format("{}", table.at[i]);
    for (const ResponseTable::Series& each : table.series) {
      if (table.is_complex())
        text += fmt::format(",{},{}", std::abs(each.values[i]), std::arg(each.values[i]) * 180 / std::numbers::pi);
      else text += fmt::format(",{}", each.values[i].real());
    }
    text += "\n";
  }
  return text;
}

std::string universal_file_of(const ResponseTable& table) {
  const FunctionType type = type_of(table.kind);
  std::string text;
  int count = 0;
  for (const ResponseTable::Series& each : table.series) {
    const std::string name = each.name.substr(0, 10);
    text += fmt::format("{:>6}\n{:>6}\n{:<80.80}\nNONE\nNONE\nNONE\nNONE\n", -1, 58, each.name);
    text += fmt::format("{:5}{:10}{:5}{:10} {:<10}{:10}{:4} {:<10}{:10}{:4}\n", type.function, ++count, 0, 0, name, 0,
                        0, "NONE", 0, 0);
    text += fmt::format("{:10}{:10}{:10}{}{}{}\n", type.values, table.at.size(), 0,
                        number(table.at.empty() ? 0 : table.at.front(), 13, 5), number(0, 13, 5), number(0, 13, 5));
    text += axis(type.abscissa, table.kind == ResponseTable::Kind::time ? "Time" : "Frequency",
                 table.kind == ResponseTable::Kind::time ? "s" : "Hz");
    text += axis(0, "NONE", "NONE") + axis(0, "NONE", "NONE") + axis(0, "NONE", "NONE");
    for (std::size_t i = 0; i < table.at.size(); ++i) {
      text += number(table.at[i], 13, 5) + number(each.values[i].real(), 20, 11);
      if (table.is_complex()) text += number(each.values[i].imag(), 20, 11) + "\n";
      else if (i % 2 == 1 || i + 1 == table.at.size()) text += "\n";
    }
    text += fmt::format("{:>6}\n", -1);
  }
  return text;
}

}  // namespace ritz
