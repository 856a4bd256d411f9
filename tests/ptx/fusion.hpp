// Products that ptxas fuses with sums: without a rounding modifier (PTX ISA, "mul", "add"), where all that reads the
// product is sums of its basic block, or a change of its sign for them. Found by assembling short texts with ptxas
// 13.0; a product that something else reads stays.
//   Fusion fusion;  for (...) fusion.add(word, number);  function.contractible = fusion.apply(code, block_of);
#pragma once

#include "tests/ptx/module.hpp"

#include <optional>

namespace ritz::ptx {

class Fusion {
 public:
  void add(std::string_view word, std::size_t instruction);  // its name with modifiers

  // Fuses as ptxas does: of two products the left one. Returns the number of sums for which it is not known what ptxas
  // does. `block_of`: the basic block of each instruction.
  int apply(std::vector<Instruction>& code, const std::vector<std::uint32_t>& block_of);

 private:
  enum class Kind : std::uint8_t { other, product, sum, difference, sign };
  struct Reader {  // a sum that reads a product, or the product with another sign
    std::size_t sum;
    bool is_left, is_negated;
  };

  Kind kind_of(std::size_t instruction) const {
    return instruction < kinds_.size() ? kinds_[instruction] : Kind::other;
  }
  bool is_sum(std::size_t instruction) const {
    return kind_of(instruction) == Kind::sum || kind_of(instruction) == Kind::difference;
  }
  // The sums that read a product; nothing: something else reads it, too, and ptxas leaves it as it is.
  std::optional<std::vector<Reader>> sums_of(std::size_t product, const std::vector<Instruction>& code,
                                             const std::vector<std::uint32_t>& block_of);
  bool fuse(std::vector<Instruction>& code, std::size_t product, const Reader& r) const;

  std::vector<Kind> kinds_;                                   // of instructions
  std::map<std::int32_t, std::vector<std::size_t>> readers_;  // of a register
};

}  // namespace ritz::ptx
