// How supports move in time: prescribed values at a time, and their rates by differences over the step, so that their
// sum over the steps is the change of the velocity, however a support is moved. Private to fem/analysis.
//
//   SupportMotion motion(supports, equations.zeros(), end);
//   motion.start(0, h);                    // and motion.move(t, h) at the end of each step
//   motion.put_rates(motion.v(), v);
#pragma once

#include "fem/space/supports.hpp"

namespace ritz {

class SupportMotion {
 public:
  // Zeros: [unknown]. `supports` is asked for no time after `end`, as a table may end there.
  SupportMotion(const Supports& supports, const Vector& zeros, double end);
  void start(double t, double h);  // by times after t
  void move(double t, double h);   // the end of a step of length h
  void resume();                   // at the time that the supports have; rates come with the next step

  // [unknown] Zero where unknowns are free.
  const Vector& u() const { return u_; }
  const Vector& v() const { return v_; }
  const Vector& a() const { return a_; }
  const Vector& offset() const { return offset_; }  // of unknowns that follow others, at the begin
  // Prescribed unknowns of x, and those that follow others: rates have no offsets.
  void put_rates(const Vector& prescribed, Vector& x) const;
  // The motion nearest to u, in the norm of the masses, that satisfies equations with values: which unknowns were
  // chosen to depend plays no part. `masses`: the diagonal.
  void fit(const Vector& masses, Vector& u) const;

 private:
  void find_offset();
  void find_rates(double t, double h, bool is_begin);

  Vector zeros() const;

  std::shared_ptr<Supports> supports_;
  const double end_;
  Vector u_, v_, a_, offset_;
  mutable Vector work_;
};

// Does u satisfy equations between unknowns, with values? Without an offset it need not: what follows others is set.
// Else `work` is by how much u is off.
bool satisfies_equations(const Supports& supports, const Vector& offset, const Vector& u, Vector& work);

}  // namespace ritz
