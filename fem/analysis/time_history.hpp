// Time history on modes: motion from rest under loads and accelerations of the base that vary in time. Between two
// times forces are linear, and each column of a modal space moves as an oscillator exactly does under them,
// m q'' + c q' + k q = f (Nigam and Jennings, Bull. Seismol. Soc. Am. 59, 1969). So the times need be no closer than
// the forces and the reader ask for.
//
//   TimeHistory history{.damping = {.ratio = 0.02}, .times = {0, 0.01, 0.02}, .forces = {{{.load = 0}, {1, 1, 1}}}};
//   for (MotionInTime motion(space, history); !motion.at_end(); motion.advance()) motion.now().of(quantity);
#pragma once

#include "fem/analysis/modal_space.hpp"

#include <array>
#include <vector>

namespace ritz {

struct ForceInTime {
  Excitation excitation;          // a load, or a direction of the base; its size and phase are not used
  std::vector<double> amplitude;  // [time] factor of the load, or acceleration of the base
};

struct TimeHistory {
  ModalDamping damping = {};       // the structural part is that of a viscous force at the resonance of each column
  std::vector<double> times = {};  // ascending [s]: the motion begins at rest at the first one
  std::vector<ForceInTime> forces = {};
};

struct HistoryMotion {
  double time = 0;
  std::vector<double> q, velocity, acceleration;  // [column] relative to the base
  std::vector<double> carried;                    // [direction] acceleration of the base
  double of(const ModalQuantity& quantity) const;
};

class MotionInTime {
 public:
  // Both must outlive it. Throws Error(ErrorKind::vibration) for times that do not ascend, amplitudes of another
  // number, and what forces_of() throws.
  MotionInTime(const ModalSpace& space, const TimeHistory& history);

  const HistoryMotion& now() const { return now_; }
  bool at_end() const { return place_ + 1 >= history_.times.size(); }
  void advance();  // to the next time

 private:
  // Columns q, v after a step, of q, v and the forces at its begin and end.
  using Step = std::array<std::array<double, 4>, 2>;
  void make_steps(double length);
  void set_forces();

  const ModalSpace& space_;
  const TimeHistory& history_;
  std::vector<std::vector<double>> forces_, carried_;  // [force][column], [force][direction]
  std::vector<Step> steps_;                            // [column]
  double length_ = 0;                                  // of these
  std::size_t place_ = 0;
  std::vector<double> force_;  // [column] now
  HistoryMotion now_;
};

}  // namespace ritz
