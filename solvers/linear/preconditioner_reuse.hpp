// How long a preconditioner serves on when the values of the matrix change (Newton's method): for as long as iterations
// gain as many digits with it as they did when it was new, or nearly.
#pragma once

#include "solvers/algebra/solve_report.hpp"

#include <vector>

namespace ritz {

class PreconditionerReuse {
 public:
  void matrix_changed(bool alike);  // alike: by other numbers in the same equations; else it is of no use any more
  void made_anew() { current_ = true, refreshed_ = false; }
  void refreshed() { current_ = refreshed_ = true; }  // its values are of the matrix at hand, its structure is older
  bool may_be_refreshed() const { return !outgrown_; }
  bool current() const { return current_; }
  bool serves() const { return current_ || may_serve_; }

  // Iterations that one of another matrix is given to gain that many digits; 0: no limit, it is of the matrix at hand.
  int patience(double digits) const;
  // Judges an iteration with it. False: it belongs to another matrix, or its structure does, and the iteration failed;
  // rebuild it and call again.
  bool judge(const std::vector<SolveReport>& reports, bool may_serve_others = true);

 private:
  bool current_ = true, may_serve_ = false, refreshed_ = false, outgrown_ = false;
  double digits_ = 0;  // gained by an iteration when it was new; 0: not known
};

}  // namespace ritz
