// A rank after the first, which does what that one orders (fem/ranks/divided_equations.hpp, divided_system.hpp). It
// reads no file: parts of the space, equations and systems are those that it got.
//
//   RankHelper helper(ranks, device);
//   while (!is_end(order = ranks.wait(0))) helper.carry_out(std::move(order));
#pragma once

#include "fem/ranks/divided_fields.hpp"
#include "fem/ranks/rank_orders.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ritz {

class RankHelper {
 public:
  RankHelper(Ranks& ranks, const Device& device) : ranks_(ranks), device_(device) {}
  void carry_out(std::string order);

 private:
  void make_part(Unpacked& from, std::int32_t number);
  void make_equations(Unpacked& from, std::int32_t number);
  void make_system(Unpacked& from, std::int32_t number);
  void make_fields(Unpacked& from, std::int32_t number);
  FunctionElsewhere functions() const;
  void help(PartEquations& equations, Order what, Unpacked& from) const;
  void help(RankSystem& system, Order what, Unpacked& from) const;
  void forget_freed_memory() const;

  Ranks& ranks_;
  Device device_;
  std::map<std::int32_t, std::shared_ptr<const RankPart>> parts_;
  std::map<std::int32_t, std::shared_ptr<PartEquations>> equations_;
  std::map<std::int32_t, std::unique_ptr<RankSystem>> systems_;
  std::map<std::int32_t, std::unique_ptr<FieldsHelper>> fields_;
};

}  // namespace ritz
