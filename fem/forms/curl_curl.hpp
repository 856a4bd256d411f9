// curl(a curl u) + b u on Nedelec's edges: fields that are continuous along surfaces and may jump across them, such as
// the electric field or the magnetic vector potential (Monk, Finite Element Methods for Maxwell's Equations, 2003).
#pragma once

#include "fem/forms/mixed_form.hpp"

namespace ritz {

template <int D>
struct CurlCurl {
  static constexpr const char* name = D == 3 ? "curl_curl3" : "curl_curl2";
  static constexpr int dimension = D;
  static constexpr std::array<FieldFacts, 1> fields{
      {{.name = "field", .components = 1, .order = 1, .family = Family::edge}}};
  static constexpr bool symmetric = true, linear = true;
  double a = 1, b = 1;
  static constexpr Parameter<CurlCurl> parameters[] = {{&CurlCurl::a, {.name = "a", .about = "factor of curl curl u"}},
                                                       {&CurlCurl::b, {.name = "b", .about = "factor of u"}}};

  template <class T>
  constexpr void operator()(const Location<T, D>&, const MixedFields<T, CurlCurl>& u,
                            MixedFields<T, CurlCurl>& f) const {
    const auto& [e] = u;
    auto& [flux] = f;
    for (int i = 0; i < D; ++i) flux.value[i] = b * e.value[i];
    for (int i = 0; i < (D == 3 ? 3 : 1); ++i) flux.curl[i] = a * e.curl[i];
  }
};

}  // namespace ritz
