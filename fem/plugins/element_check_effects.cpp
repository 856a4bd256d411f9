// Finds declarations of a form that have no effect: not a fault, since a field may be too small to show it, but worth a
// note.
#include "fem/plugins/element_check_model.hpp"

namespace ritz {
namespace {

// Some increments of a form on a few cells of order 1.
class Increments {
 public:
  Increments(const FormOnDevice& form, const FormRecord& record, double amplitude)
      : mesh_(record.cell >= 0        ? cells_to_check(static_cast<CellKind>(record.cell))
              : record.dimension == 2 ? check_mesh(CellKind::tri3, 2, {.random = 0.05})
                                      : check_mesh(CellKind::tet4, 2, {.random = 0.05})),
        model_(mesh_, form, {}),
        record_(record),
        amplitude_(amplitude) {}

  // Residuals of fields that grow, shrink and grow again, one after the other.
  Numbers forces() const {
    Numbers all;
    for (const double part : {1.0, 0.4, 2.0}) {
      const Numbers u = model_.values([&](const Point& x, int c) {
        return c < record_.components ? part * amplitude_ * check_wave(x, c + 3) : 0.0;
      });
      const Numbers r = model_.residual(u);
      all.insert(all.end(), r.begin(), r.end());
      if (record_.state_count > 0) model_.equations.states().commit(model_.up(u));
    }
    return all;
  }
  PointStates::Values state() const { return model_.equations.states().values(); }

 private:
  Mesh mesh_;
  CheckModel model_;
  const FormRecord& record_;
  double amplitude_;
};

}  // namespace

bool same_forces(const FormOnDevice& a, const FormOnDevice& b, const FormRecord& record,
                 const FormCheckOptions& options) {
  return Increments(a, record, options.amplitude).forces() == Increments(b, record, options.amplitude).forces();
}

std::vector<std::string> idle_states(const FormOnDevice& form, const FormRecord& record,
                                     const FormCheckOptions& options) {
  const Increments increments(form, record, options.amplitude);
  const PointStates::Values before = increments.state();
  increments.forces();
  const PointStates::Values after = increments.state();
  std::vector<std::string> names;
  int numbers = 0, first = 0;
  for (const StateFacts& facts : record.states()) numbers += facts.components;
  for (const StateFacts& facts : record.states()) {
    bool idle = true;
    for (std::size_t group = 0; group < after.size(); ++group)
      for (std::size_t i = 0; i < after[group].size(); ++i) {
        const int number = static_cast<int>(i / lane_count) % numbers;
        if (number >= first && number < first + facts.components) idle = idle && before[group][i] == after[group][i];
      }
    if (idle) names.emplace_back(facts.name);
    first += facts.components;
  }
  return names;
}

}  // namespace ritz
