// Energies of a body along a load path, of increments in balance. Work is summed by trapezoids over the increments:
// that of the loads, of what supports exert, and of the stresses of laws with internal variables. The energy of all
// other forces of the body is a potential: its change is their work along the straight way between two states, by
// Gauss' rule of three points, of the order 6. So the difference of both, EnergyBalance::lost(), falls with the square
// of the increments, and is rounding where the body is linear. It does not see the error of the work of laws with
// internal variables, which the loads share. That is estimated by the trapezoid over two increments at once, which has
// four times the error (Richardson). Private to fem/analysis.
//
//   PathEnergies energies(equations);
//   energies.begin(at);  ...  energies.end(at);       // energies.balance()
#pragma once

#include "fem/analysis/state.hpp"
#include "fem/operator/equations.hpp"

#include <memory>

namespace ritz {

class PathEnergies {
 public:
  explicit PathEnergies(const Equations& equations);

  // A state that the equations are set for. What is out of balance under this part of the loads is exerted by supports.
  struct Place {
    const Vector &u, &unbalanced;
    double part;
  };
  // The begin and the end of an increment.
  void begin(const Place& place);
  void end(const Place& place);

  const EnergyBalance& balance() const { return balance_; }
  void resume(const EnergyBalance& balance) { balance_ = balance; }

 private:
  struct Forces {
    Vector elastic, inelastic, loads, supports;
    double time = 0;
  };
  void find(const Place& place, Forces& forces);
  double elastic_work(const Vector& change);
  void compare_pair(const Vector& end, double work);

  const std::shared_ptr<Equations> equations_;
  const std::unique_ptr<Equations> dead_loads_, elastic_;
  Forces before_, after_;
  Vector u_, work_, force_;
  struct Pair {
    Vector u, force;  // at the begin of the first increment
    double work = 0;  // of the first one
    bool has_first = false;
  };
  Pair pair_;
  EnergyBalance balance_;
};

}  // namespace ritz
