// Internal variables ("point state"): numbers that a form keeps at every quadrature point of its cells, because its
// flux depends on the history there: plastic strains, damage, the largest load so far. Memory, results and checkpoints
// follow from one declaration.
//
//   static constexpr std::array<StateFacts, 2> state = {{{.name = "plastic_strain", .about = "xx yy zz xy yz xz",
//       .components = 6},
//                                                        {.name = "equivalent_plastic_strain"}}};
//   template <class T>
//   constexpr void operator()(const Location<T, 3>&, const Fields<T, 3, 3>& u, const T (&before)[7], T (&now)[7],
//       Fields<T, 3, 3>& f) const;
//
// The quantities are stored one after the other. `before` holds them at the end of the last accepted increment and is
// constant while the equations of the next one are solved; the numbers in `now` replace it when that one is accepted.
// The tangent is the derivative of f through the whole update, the consistent tangent of Simo and Taylor 1985. `now`
// begins as `before`.
#pragma once

namespace ritz {

struct StateFacts {
  const char* name = "";  // of the field in results
  const char* unit = "";
  const char* about = "";
  int components = 1;
  double start = 0;  // of each of them, before the first increment
};

// Numbers in a list `state`.
template <class F>
constexpr int state_numbers_of() {
  int count = 0;
  if constexpr (requires { F::state; }) {
    for (const StateFacts& each : F::state) count += each.components;
  }
  return count;
}

}  // namespace ritz
