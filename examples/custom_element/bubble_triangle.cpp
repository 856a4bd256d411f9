// A reference element of one's own: the quadratic triangle enriched by a cubic bubble, as in the Crouzeix-Raviart pair
// of fluid mechanics (Rev. francaise 7 (1973) R-3, 33). Seven nodes; on its sides it is the usual quadratic triangle.
#include "fem/add_form.hpp"

namespace {

void evaluate(const ritz::Point& x, std::span<double> values, std::span<ritz::Point> gradients) {
  const double l[3] = {1 - x[0] - x[1], x[0], x[1]};  // barycentric coordinates
  const double dl[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  const double bubble = 27 * l[0] * l[1] * l[2];  // 1 at the centroid
  double slope[2];
  for (int d = 0; d < 2; ++d)
    slope[d] = 27 * (dl[0][d] * l[1] * l[2] + l[0] * dl[1][d] * l[2] + l[0] * l[1] * dl[2][d]);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    values[i] = l[i] * (2 * l[i] - 1) + bubble / 9;  // less the value at the centroid, -1/9
    values[3 + i] = 4 * l[i] * l[j] - bubble * 4 / 9;
    for (std::size_t d = 0; d < 2; ++d) {
      gradients[i][d] = (4 * l[i] - 1) * dl[i][d] + slope[d] / 9;
      gradients[3 + i][d] = 4 * (dl[i][d] * l[j] + l[i] * dl[j][d]) - slope[d] * 4 / 9;
    }
    gradients[i][2] = gradients[3 + i][2] = 0;
  }
  values[6] = bubble;
  gradients[6] = {slope[0], slope[1], 0};
}

ritz::ReferenceElement bubble_triangle() {
  ritz::ReferenceElement element;
  element.name = "P2 triangle with a bubble";
  element.shape = ritz::CellKind::tri3;
  element.order = 2;           // all quadratic polynomials are in it,
  element.enriched_order = 3;  // and the bubble wants a finer quadrature
  element.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {1.0 / 3, 1.0 / 3, 0}};
  element.evaluate = evaluate;
  return element;
}

const ritz::AddElement added("bubble_triangle", bubble_triangle);

}  // namespace
