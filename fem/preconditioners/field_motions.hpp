// Motions of single fields that supports leave free: constants of a body, rigid motions. Where the matrix maps one to
// zero, the solution of an iteration would keep whatever it makes of the motion, and a factorisation would name no
// field.
//
//   const std::vector<FieldMotion> motions = motions_left(equations, supports);       // of the whole mesh
//   require_none_is_free(equations, K, sizes, motions);                               // throws Error: Exit::model
#pragma once

#include "fem/operator/fields_operator.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/preconditioners/block_norms.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

struct FieldMotion {
  int field;
  bool constant;                   // of a component; else a rigid motion
  std::string what;                // "a constant may be added to the field 'pressure'"
  std::function<Vector()> values;  // [unknown of the field] of the size of 1; over ranks the owned ones
};

// At most 50 constants of a field, and the rigid motions of at most 16 bodies.
std::vector<FieldMotion> motions_left(const FieldsOperator& equations, const FieldsConstraints& supports);

// K: the tangent with its supports. sizes: of its blocks, before.
void require_none_is_free(const FieldsOperator& equations, const LinearOperator& K, const BlockNorms& sizes,
                          const std::vector<FieldMotion>& motions);

}  // namespace ritz
