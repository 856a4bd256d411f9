// A function of one to three variables, given by a table in a CSV file: columns of arguments, then the column of
// values; a first line of names; lines that begin with # are comments. With one argument the rows may have any order;
// with more, they are all points of a grid. Interpolation is as requested, and outside of the table there is no
// value.
//
//   x,conductivity
//   0,200
//   0.5,180
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// previous: the value at the largest argument that is not larger
enum class Interpolation { linear, nearest, previous };
enum class Outside { error, constant };  // constant: that of the nearest argument

class DataTable {
 public:
  // Throw Error(Exit::input) with the line.
  static DataTable from_file(const std::string& path, Interpolation interpolation, Outside outside);
  static DataTable from_text(std::string_view text, const std::string& name, Interpolation interpolation,
                             Outside outside);

  int argument_count() const { return static_cast<int>(axes_.size()); }
  // Nothing outside of the table, unless constants are continued there.
  std::optional<double> operator()(std::span<const double> arguments) const;
  Interpolation interpolation() const { return interpolation_; }
  Outside outside() const { return outside_; }
  const std::vector<double>& axis(int argument) const {
    return axes_[static_cast<std::size_t>(argument)];
  }                                                              // ascending
  const std::vector<double>& values() const { return values_; }  // [..][second argument][first argument]
  std::string range() const;                                     // "x from 0 to 0.5, y from 1 to 2"

 private:
  DataTable(Interpolation interpolation, Outside outside) : interpolation_(interpolation), outside_(outside) {}
  Interpolation interpolation_;
  Outside outside_;
  std::vector<std::string> names_;         // of the arguments
  std::vector<std::vector<double>> axes_;  // [argument], ascending
  std::vector<double> values_;             // [..][second argument][first argument]
};

}  // namespace ritz
