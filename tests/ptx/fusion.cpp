#include "tests/ptx/fusion.hpp"

#include "tests/ptx/decode.hpp"

#include <algorithm>

namespace ritz::ptx {
namespace {

bool is_written_between(const std::vector<Instruction>& code, const Operand& o, std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k)
    for (const Operand& out : code[k].out)
      if (out.is_given && o.at >= 0 && out.at == o.at) return true;
  return false;
}

}  // namespace

void Fusion::add(std::string_view word, std::size_t instruction) {
  kinds_.resize(instruction + 1);
  Kind& kind = kinds_.back();
  if (word == "mul.f64" || word == "mul.f32") kind = Kind::product;
  if (word == "neg.f64" || word == "neg.f32") kind = Kind::sign;
  if (word == "add.f64" || word == "add.f32") kind = Kind::sum;
  if (word == "sub.f64" || word == "sub.f32") kind = Kind::difference;
}

std::optional<std::vector<Fusion::Reader>> Fusion::sums_of(std::size_t product, const std::vector<Instruction>& code,
                                                           const std::vector<std::uint32_t>& block_of) {
  std::vector<Reader> found;
  const auto collect = [&](const auto& self, std::size_t k, bool is_negated) -> bool {
    for (const std::size_t reader : readers_[code[k].out[0].at]) {
      const Instruction& r = code[reader];
      const bool is_sign = kind_of(reader) == Kind::sign;
      const bool twice = is_sum(reader) && r.in[0].at == r.in[1].at;
      if (block_of[reader] != block_of[product] || twice || (!is_sign && !is_sum(reader))) return false;
      if (!is_sign) found.push_back({reader, r.in[0].at == code[k].out[0].at, is_negated});
      else if (!self(self, reader, !is_negated)) return false;
    }
    return true;
  };
  return collect(collect, product, false) ? std::optional(found) : std::nullopt;
}

int Fusion::apply(std::vector<Instruction>& code, const std::vector<std::uint32_t>& block_of) {
  for (std::size_t k = 0; k < code.size(); ++k)
    for (const Operand& o : code[k].in)
      if (o.is_given && o.at >= 0) readers_[o.at].push_back(k);
  std::map<std::size_t, std::vector<Reader>> products;
  std::map<std::size_t, std::size_t> chosen;  // sum -> product
  for (std::size_t k = 0; k < code.size(); ++k) {
    const auto sums = kind_of(k) == Kind::product ? sums_of(k, code, block_of) : std::nullopt;
    if (!sums) continue;
    products[k] = *sums;
    for (const Reader& r : *sums)
      if (r.is_left || !chosen.contains(r.sum)) chosen[r.sum] = k;
  }
  int unknown = 0;
  for (const auto& [product, sums] : products) {
    const auto lost = std::ranges::count_if(sums, [&, p = product](const Reader& r) { return chosen[r.sum] != p; });
    if (lost == 0)
      for (const Reader& r : sums) unknown += !fuse(code, product, r);
    else if (sums.size() > 1) unknown += static_cast<int>(sums.size());
  }
  return unknown;
}

bool Fusion::fuse(std::vector<Instruction>& code, std::size_t product, const Reader& r) const {
  const Instruction& p = code[product];
  Instruction& sum = code[r.sum];
  for (const Operand* factor : {&p.in[0], &p.in[1]})
    if (is_written_between(code, *factor, product + 1, r.sum)) return false;
  const bool is_difference = kind_of(r.sum) == Kind::difference;
  const bool negates_product = r.is_negated != (is_difference && !r.is_left),
             negates_addend = is_difference && r.is_left;
  sum.in[2] = r.is_left ? sum.in[1] : sum.in[0];
  sum.in[0] = p.in[0];
  sum.in[1] = p.in[1];
  sum.run = fused_sum(negates_product, negates_addend, sum.out[0].bytes == 8);
  return true;
}

}  // namespace ritz::ptx
