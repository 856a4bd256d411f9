// The one header of a plugin: a source with forms and elements of your own, which case files name with
// `plugin = "my_form.cpp"`, and which ritz_add_plugin() compiles ahead of time. See docs/your-own-element.md.
//
//   struct MyForm { ... };                              // fem/forms/form.hpp, fem/forms/parameter.hpp
//   const ritz::AddForm<MyForm> my_form;                // runs on every cell and element of its dimension
//   const ritz::AddForm<ritz::PlaneStrain<MyForm>> flat;  // and in the plane: fem/forms/in_plane.hpp
//   const ritz::AddElement my_element("my_element", make_my_element);
//   const ritz::AddWholeElement<MyRope> my_rope;        // fem/forms/whole_element.hpp
#pragma once

#include "fem/cells/reference_element.hpp"
#include "fem/forms/from_energy.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_mixed.hpp"
#include "fem/launch/register_whole.hpp"
#include "fem/numbers/mixed_numbers.hpp"

namespace ritz {

// Registers a form, the form of an energy density (FromEnergy) or a form of several fields, for all elements. `Cells`
// may list cells that get kernels of their own, faster and slower to compile: Cell<8, 3> for hexahedra of 8 nodes.
template <class F, class... Cells>
struct AddForm {
  AddForm() {
    if constexpr (MixedForm<F>) add_mixed();
    else if constexpr (HasEnergy<F>) add<FromEnergy<F>>();
    else add<F>();
  }

 private:
  static void add_mixed() { static const RITZ_BACKEND::RegisterMixedForm<F> added; }
  template <Form Known>
  static void add() {
    static_assert(Known::components >= 1 && Known::components <= 6, "a form has 1 to 6 components");
    static_assert(Known::dimension == 2 || Known::dimension == 3, "a form is of 2 or 3 dimensions");
    static const RITZ_BACKEND::RegisterForm<Known, Cells...,
                                            RITZ_BACKEND::AnyElement<Known::dimension - FormFacts<Known>::codimension>>
        added;
  }
};

// Registers a whole element: a bar, a spring, anything between a few nodes.
template <WholeElement E>
struct AddWholeElement {
  static_assert(WholeElementFacts<E>::dimension == 3,
                "a whole element stands in space, dimension = 3: a plane model holds its nodes across the plane");
  AddWholeElement() { static const RITZ_BACKEND::RegisterWholeElement<E> added; }
};

// Registers a reference element for the shape that it says it has.
struct AddElement {
  AddElement(const char* name, ReferenceElement (*make)()) : record_{name, make} {
    register_kernels(RITZ_TEXT(RITZ_BACKEND), element_record_name(name).c_str(), &record_);
  }
  AddElement(const AddElement&) = delete;

 private:
  ElementRecord record_;
};

}  // namespace ritz
