// A body that its supports leave free, of one field or of several: as many unknowns as it has rigid motions are held at
// zero, so that its stiffness is definite. Under forces that are in balance they hold nothing. Private to fem/analysis.
//
//   const StoppedBody body(model);   body.supports();   body.motions()     // [motion][unknown]
#pragma once

#include "fem/analysis/fields_of_model.hpp"
#include "fem/physics/free_body.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ritz {

class StoppedBody {
 public:
  // Throws Error: Exit::model where equations between unknowns take all that could be held.
  explicit StoppedBody(const Model& model);

  // Finished, with the stops.
  const Supports& supports() const { return fields_ ? static_cast<const Supports&>(*fields_) : own_->common(); }
  const std::vector<std::vector<double>>& motions() const { return motions_; }  // of the size of 1
  bool all_zero() const;                                                        // of prescribed values

 private:
  std::optional<ModelSupports> own_;           // of one field
  std::unique_ptr<FieldsConstraints> fields_;  // of several
  int field_count_ = 1;
  std::vector<std::vector<double>> motions_;
};

}  // namespace ritz
