// Arrays that element kernels read at quadrature points: tables of functions, geometry of curved cells, coefficients,
// internal variables and laws. Each is made at its first use and stays; kernels hold its address, so that it is written
// in place. Owned by the terms of an operator. Private to fem/operator.
#pragma once

#include "device/memory_needs.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/cells/vector_element.hpp"
#include "fem/launch/assembly.hpp"
#include "fem/launch/law_inputs.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/operator/fields_at_points.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ritz {

class PointData {
 public:
  explicit PointData(const FunctionSpace& space) : space_(space) {}

  ReferenceTable table(const ElementGroup& group, int degree, Family family = Family::lagrange);
  const double* geometry(const ElementGroup& group, const ReferenceTable& table);  // null: the cells are straight
  // Sets what the form is given at all points of the rule of this degree, at time t.
  void give(ElementArguments& arguments, const ElementGroup& group, int degree, const FormValue& form, double t);
  // Evaluates the coefficients at another time, or those of changed functions; in place.
  enum class Which { all, in_time };
  void update_coefficients(Which which, double t);
  void forget_fields_but_of(const std::vector<FormValue>& forms) { fields_.forget_others(forms); }

  Vector& state(const ElementGroup& group, const Integral& integral);  // begins with the numbers of the start
  void reset_states();
  bool has_states() const { return !states_.empty(); }  // some were made

  // The law of the integral's form, with so many numbers of room on a GPU.
  const LawWithInputs& law(const Integral& integral, Index workspace);
  void set_law_results(LawResults results);  // of all laws, from now on

  void forget_geometry() { geometry_.clear(); }
  // [bytes] The arrays that these terms read in each run.
  Index bytes_read_by(const std::vector<std::vector<AssemblyTerm>>& terms) const;

  // Needs that were counted already.
  struct Counted {
    std::set<std::tuple<const ElementGroup*, const FormValue*, int>> arrays;
    FieldsAtPoints::Foreseen fields;
    bool laws = false;
  };
  // Needs of arrays that do not exist yet.
  void add_law_needs(Index workspace, Counted& counted, MemoryNeeds& needs) const;
  // points: of the rule of the degree.
  void add_coefficient_needs(const ElementGroup& group, const FormValue& form, int degree, int points, Counted& counted,
                             MemoryNeeds& needs) const;
  void add_geometry_needs(const ElementGroup& group, int points, Counted& counted, MemoryNeeds& needs) const;
  void add_state_needs(const ElementGroup& group, const Integral& integral, MemoryNeeds& needs);

 private:
  struct Coefficients {
    Vector numbers;
    int stride = 0;  // ElementArguments::given_stride
  };
  Index state_numbers(const ElementGroup& group, const FormValue& form);
  void evaluate(const ElementGroup& group, int degree, const FormValue& form, double t, Coefficients& to);

  FunctionSpace space_;
  using TablePlace = std::tuple<const ReferenceElement*, const ReferenceElement*, int, int>;  // degree, facet
  std::map<TablePlace, Tabulation> tables_;
  std::map<std::pair<TablePlace, Family>, VectorTabulation> vector_tables_;
  std::map<std::pair<const ElementGroup*, int>, Vector> geometry_;  // by group and number of points
  // by degree of the rule
  std::map<std::tuple<const ElementGroup*, const FormValue*, int>, Coefficients> coefficients_;
  FieldsAtPoints fields_;  // for the coefficients
  std::map<std::pair<const ElementGroup*, const Integral*>, Vector> states_;
  std::map<const Integral*, LawWithInputs> laws_;
  LawResults law_results_ = LawResults::stress;
  Vector law_workspace_;  // of a GPU
};

}  // namespace ritz
