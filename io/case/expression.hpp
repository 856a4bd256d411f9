// A formula of named variables, "100*sin(pi*x) + wind(z)", with the tables of the case as functions. Through muParser,
// kept to functions that are listed here: sin cos tan asin acos atan atan2 sinh cosh tanh exp log (natural) log10 sqrt
// abs sign floor ceil min max, + - * / ^, < <= > >= == != && || and a ? b : c; constants pi and e.
//
//   const Expression f("2*x^2", {"x", "y", "z"});
//   Expression::Evaluator at(f);   at({0.5, 0, 0});      // one for each thread
#pragma once

#include "io/case/data_table.hpp"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ritz {

using DataTables = std::map<std::string, DataTable>;  // by the name of the function

// An error in the text of a formula, and its position.
struct ExpressionError {
  std::string what;
  int column = 0;  // from 1
  std::string fix = {};
};

class Expression {
 public:
  // The tables must outlive the expression. Throws ExpressionError.
  Expression(std::string text, std::vector<std::string> variables, const DataTables* tables = nullptr);
  const std::string& text() const { return text_; }
  bool is_constant() const { return used_.empty(); }                // no variable occurs
  std::size_t variable_count() const { return variables_.size(); }  // whether they occur or not
  bool uses(const std::string& variable) const { return used_.contains(variable); }

  class Evaluator {
   public:
    explicit Evaluator(const Expression& expression);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    // One number per variable. Not finite where the formula, or a part of it that was evaluated, has no value: max(0,
    // sqrt(-1)) has none. (Both sides of && and || are evaluated, of ?: only the one that is taken.) outside() then
    // names a table that was left.
    double operator()(std::span<const double> values);
    std::string outside() const;  // "'wind' at (12), which goes z from 0 to 10"; empty: none

   private:
    friend class Expression;
    struct Data;
    std::unique_ptr<Data> data_;
  };

 private:
  std::string text_;
  std::vector<std::string> variables_;
  const DataTables* tables_;
  std::set<std::string> used_;  // of the variables
};

// Names that no table may have: functions, constants.
bool is_reserved_name(const std::string& name);
// A letter or _, then letters, digits and _.
bool is_identifier(const std::string& name);

}  // namespace ritz
