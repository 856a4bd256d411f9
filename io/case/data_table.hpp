// A function of one to three variables, given by a table in a CSV file: columns of arguments, then the column of
// values; a first line of names; lines that begin with # are comments. With one argument the rows may have any order;
// with more, they are all points of a grid. Interpolation is as requested, and outside of the table there is no
// value.
//
//   x,conductivity
//   0,200
//   0.5,180
#pragma once

#include "mesh/functions/point_expression.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz {

enum class Outside { error, constant };  // constant: that of the nearest argument

class DataTable {
 public:
  // Throw Error: Exit::input with the line.
  static DataTable from_file(const std::string& path, Interpolation interpolation, Outside outside);
  static DataTable from_text(std::string_view text, const std::string& name, Interpolation interpolation,
                             Outside outside);

  int argument_count() const { return static_cast<int>(table_->axes.size()); }
  // Nothing outside of the table, unless constants are continued there.
  std::optional<double> operator()(std::span<const double> arguments) const;
  // The table at arguments that vary; `name` is for errors.
  PointExpression of(const std::string& name, std::vector<PointExpression> arguments) const;
  Interpolation interpolation() const { return table_->interpolation; }
  Outside outside() const { return table_->continued ? Outside::constant : Outside::error; }
  const std::vector<double>& axis(int argument) const {
    return table_->axes[static_cast<std::size_t>(argument)];
  }                                                                     // ascending
  const std::vector<double>& values() const { return table_->values; }  // [..][second argument][first argument]
  std::string range() const;                                            // "x from 0 to 0.5, y from 1 to 2"

 private:
  DataTable(std::vector<std::string> names, TableValues table)
      : names_(std::move(names)), table_(std::make_shared<const TableValues>(std::move(table))) {}
  std::vector<std::string> names_;  // of the arguments
  std::shared_ptr<const TableValues> table_;
};

}  // namespace ritz
