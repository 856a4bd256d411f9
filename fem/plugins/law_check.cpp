#include "fem/plugins/law_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace ritz {
namespace {

using Gradient = Tensor<double>;
using Path = std::vector<Gradient>;

Gradient random_gradient(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  Gradient H;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) H(i, j) = number(random);
  return H;
}

Gradient between(const Gradient& a, const Gradient& b, double part) {
  Gradient c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c(i, j) = a(i, j) + part * (b(i, j) - a(i, j));
  return c;
}

// From rest by two places at random and back to rest.
Path closed_path(std::mt19937& random, const LawCheckOptions& options, int refined = 1) {
  const Gradient rest{},
      corners[4] = {rest, random_gradient(random, options.strain), random_gradient(random, options.strain), rest};
  Path path;
  const int steps = refined * options.steps;
  for (int leg = 0; leg < 3; ++leg)
    for (int i = 1; i <= steps; ++i)
      path.push_back(between(corners[leg], corners[leg + 1], static_cast<double>(i) / steps));
  return path;
}

Gradient random_rotation(std::mt19937& random) {
  Gradient F = random_gradient(random, 0.7);
  for (int i = 0; i < 3; ++i) F(i, i) += 1;
  return polar(F).rotation;
}

class LawChecks {
 public:
  LawChecks(const Device& cpu, const MaterialLaw& law, bool large, const LawCheckOptions& options)
      : cpu_(cpu), law_(law), large_(large), options_(options) {}

  std::vector<LawFinding> all() {
    for (int path = 0; path < options_.paths; ++path) {
      Path open = closed_path(random_, options_);
      open.pop_back();  // at rest a law without tension has two tangents
      moduli_along(open);
      turned_along(closed_path(random_, options_));
      work_along(closed_path(random_, options_, 8));
    }
    std::vector<LawFinding> found = {{"moduli are the derivatives of the stress", moduli_, 1e-5}};
    if (law_.record->symmetric) found.push_back({"moduli are symmetric", symmetry_, 1e-8});
    if (large_) found.push_back({"a turned body has turned stresses", objectivity_, 1e-8});
    if (law_.record->isotropic) found.push_back({"a turned material has the same stresses", isotropy_, 1e-8});
    found.push_back({"closed paths of strain return no work", work_, 1e-3});
    return found;
  }

 private:
  LawAtPoint point() const {
    LawAtPoint p(cpu_, law_, large_);
    p.set_temperature(options_.temperature);
    return p;
  }
  Time time_at(std::size_t step, std::size_t count) const {
    const double dt = options_.duration / static_cast<double>(count);
    return {.t = dt * static_cast<double>(step + 1), .dt = dt};
  }
  // Not a number counts as the worst.
  static void worse(double& worst, double value) {
    worst = value <= worst ? worst : std::isfinite(value) ? value : INFINITY;
  }

  void moduli_along(const Path& path) {
    LawAtPoint p = point();
    for (std::size_t step = 0; step < path.size(); ++step) {
      const Time time = time_at(step, path.size());
      const LawAtPoint::Response r = p.respond(path[step], time);
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) stiffness_ = std::max(stiffness_, std::abs(r.at(i, j)));
      const double size = stiffness_;
      for (int j = 0; j < 9; ++j) {
        const auto at = [&](double x) {
          Gradient H = path[step];
          H(j / 3, j % 3) += x;
          return p.respond(H, time);
        };
        // where differences of two lengths disagree there is a kink between them, as of a table
        const double h = 1e-4 * options_.strain;
        const auto a = at(h), b = at(-h), c = at(h / 2), d = at(-h / 2);
        for (int i = 0; i < 9; ++i) {
          const double slope = (c.stress[i] - d.stress[i]) / h, other = (a.stress[i] - b.stress[i]) / (2 * h);
          if (!(std::abs(slope - other) > 1e-5 * size)) worse(moduli_, std::abs(slope - r.at(i, j)) / size);
          worse(symmetry_, std::abs(r.at(i, j) - r.at(j, i)) / size);
        }
      }
      p.respond(path[step], time);
      p.accept();
    }
  }

  void turned_along(const Path& path) {
    LawAtPoint here = point(), body = point(), material = point();
    const Gradient Q = random_rotation(random_);
    for (std::size_t step = 0; step < path.size(); ++step) {
      const Time time = time_at(step, path.size());
      const Gradient F = deformation(path[step]), R = random_rotation(random_);
      const LawAtPoint::Response r = here.respond(path[step], time), of_body = body.respond(less_one(R * F), time),
                                 of_material = material.respond(Q * path[step] * transposed(Q), time);
      double size = 0, turned = 0, same = 0;
      const Gradient P = stress_of(r), PR = R * P, PQ = Q * P * transposed(Q);
      for (int i = 0; i < 9; ++i) {
        size = std::max(size, std::abs(r.stress[i]));
        worse(turned, std::abs(of_body.stress[i] - PR(i / 3, i % 3)));
        worse(same, std::abs(of_material.stress[i] - PQ(i / 3, i % 3)));
      }
      largest_ = std::max(largest_, size);
      worse(objectivity_, turned / largest_);
      worse(isotropy_, same / largest_);
      for (LawAtPoint* each : {&here, &body, &material}) each->accept();
    }
  }

  void work_along(const Path& path) {
    LawAtPoint p = point();
    double work = 0, moved = 0;
    Gradient before{}, P{};
    for (std::size_t step = 0; step < path.size(); ++step) {
      const Gradient now = stress_of(p.respond(path[step], time_at(step, path.size())));
      p.accept();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double part = 0.5 * (now(i, j) + P(i, j)) * (path[step](i, j) - before(i, j));
          work += part;
          moved += std::abs(part);
        }
      before = path[step];
      P = now;
    }
    worse(work_, -work / moved);
  }

  static Gradient less_one(Gradient F) {
    for (int i = 0; i < 3; ++i) F(i, i) -= 1;
    return F;
  }
  static Gradient stress_of(const LawAtPoint::Response& r) {
    Gradient P;
    for (int i = 0; i < 9; ++i) P(i / 3, i % 3) = r.stress[i];
    return P;
  }

  Device cpu_;
  const MaterialLaw& law_;
  bool large_;
  const LawCheckOptions& options_;
  std::mt19937 random_{20};
  double moduli_ = 0, symmetry_ = 0, objectivity_ = 0, isotropy_ = 0, work_ = 0, largest_ = 0, stiffness_ = 0;
};

}  // namespace

std::vector<LawFinding> check_law(const Device& cpu, const MaterialLaw& law, bool large,
                                  const LawCheckOptions& options) {
  return LawChecks(cpu, law, large, options).all();
}

}  // namespace ritz
