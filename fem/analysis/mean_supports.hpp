// Supports and prescribed means of a model. In coordinates along the means and across them a held mean is a prescribed
// unknown like others: set_values() moves the surface by the smallest field that has the mean, set_zero() removes the
// forces that hold it, and keep_prescribed() keeps these. Springs are forces that depend on the means. All analyses
// hold means by it; TangentSystem::set_beside() takes attached(). Private to fem/analysis.
//
//   const std::shared_ptr<MeanSupports> supports = mean_supports(model, setup);      // null: the model has no means
//   supports->add_springs(u, r);   supports->loads(u, r);
#pragma once

#include "fem/analysis/attached.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/space/supports.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class MeanSupports final : public Supports {
 public:
  // attached: motions that begin with those of the means. Throws Error: Exit::model where supports, or other means,
  // determine a mean that is held.
  MeanSupports(std::shared_ptr<const Attached> attached, std::span<const PrescribedMean> means,
               const Supports& supports);
  // Other values of the same unknowns.
  void hold(const Supports& supports) { contents_->supports = supports.shared(); }

  const std::shared_ptr<const Attached>& attached() const { return contents_->attached; }
  void add_springs(const Vector& u, Vector& r) const;  // the forces of springs, to a residual
  // [mean] the sizes of the loads that hold the means at u: r is the residual with springs, not gathered.
  std::vector<double> loads(const Vector& u, const Vector& r, double part = 1) const;
  std::vector<const Vector*> directions() const;  // orthonormal, of free unknowns: those of the means that are held
  // Loads of held means leave a residual, which was not gathered: what remains is of the other supports.
  void remove_loads(const std::vector<double>& loads, Vector& r) const;

  void set_values(Vector& u, double part = 1) const override;
  void set_linear(Vector& x) const override { inner().set_linear(x); }
  void gather(Vector& r) const override { inner().gather(r); }
  void gather_diagonal(Vector& d) const override { inner().gather_diagonal(d); }
  void set_zero(Vector& r) const override;
  void keep_prescribed(Vector& r) const override;
  void keep_constrained(Vector& r) const override;
  const Supports& eliminating() const override { return inner(); }
  bool has_dependent() const override { return inner().has_dependent() || !contents_->held.empty(); }
  const std::vector<std::uint8_t>& host_mask() const override { return inner().host_mask(); }
  bool varies_in_time() const override { return inner().varies_in_time(); }
  void set_time(double t) override { contents_->supports->set_time(t); }
  std::string name_of(Index unknown) const override { return inner().name_of(unknown); }

 private:
  struct Held {
    std::size_t mean;
    Vector along;             // a unit vector, orthogonal to those before
    std::vector<double> row;  // of those and this, which are the mean as the free unknowns see it
  };
  struct Contents {
    std::shared_ptr<const Attached> attached;
    std::vector<double> values, stiffness;  // [mean] infinite: held
    std::shared_ptr<Supports> supports;
    std::vector<Held> held = {};
    Vector work = {}, more = {};
  };
  explicit MeanSupports(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  std::shared_ptr<Supports> shared() const override { return std::shared_ptr<Supports>(new MeanSupports(contents_)); }
  const Supports& inner() const { return *contents_->supports; }
  void add_held(std::size_t mean, const std::string& origin);
  std::vector<double> at_stops(const Vector& x) const;
  void add_at_stops(const std::vector<double>& values, Vector& x) const;
  std::vector<double> along(const Vector& r) const;  // [held] components of free forces
  std::vector<double> held_loads(const Vector& r) const;

  std::shared_ptr<Contents> contents_;
};

// The motions of means, infinitely stiff where they are held.
std::vector<AttachedMotion> held_motions(std::span<const PrescribedMean> means);

// Supports with means; null: there are none. all: equations of the whole model; part: whose supports they are, null:
// one process. stops: Attached::stops. More motions come after those of the means.
std::shared_ptr<MeanSupports> mean_supports(const Equations& all, std::span<const PrescribedMean> means,
                                            const Supports& supports, const PartOfModel* part,
                                            std::span<const Index> stops, std::span<const AttachedMotion> more = {});
// Those of a model, or of the part of it that a rank has, with its attached motions.
std::shared_ptr<MeanSupports> mean_supports(const Model& model, const Setup& setup);

}  // namespace ritz
