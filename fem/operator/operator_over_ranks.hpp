// The parts of one operator that several ranks have, each of its part of the space (fem/ranks/divided_equations.hpp).
// The operator of the whole space, which every rank has, tells them of changes.
#pragma once

#include <memory>

namespace ritz {

class ElementTerms;
class Operator;
class PointStates;

class OperatorOverRanks {
 public:
  virtual ~OperatorOverRanks() = default;
  virtual void numbers_changed() = 0;  // those of the forms, or their functions

  // Internal variables are those of the ranks once an analysis has changed them there: the operator's own follow when
  // they are read.
  virtual void bring_states(const ElementTerms& terms,
                            PointStates& states) = 0;  // sets the operator's own where they are older
  virtual void states_were_set() = 0;                  // the operator's own are those that count
  virtual void reset_states() = 0;                     // to those of the start
};

// From now on results of the operator are the work of several ranks. The connectivity and the lists of all cells go;
// another task rebuilds them.
void divide(const Operator& equations, std::shared_ptr<OperatorOverRanks> ranks);

}  // namespace ritz
