// ptx_coverage [--kernels] FILE...: the part of PTX text, or of binaries with PTX in them, that the interpreter can
// run.
// --kernels names kernels whose bits may differ on a card.
#include "tests/ptx/fat_binary.hpp"
#include "tests/ptx/module.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace ritz::ptx;

struct Totals {
  bool names_kernels = false;
  int kernels = 0, complete = 0, exact = 0, contractible = 0, unwritten = 0;
  std::map<std::string, int> unsupported, inexact;
};

// Adds a function with those that it calls.
void add(const Function& f, std::map<const Function*, bool>& seen, std::map<std::string, int>& unsupported,
         std::map<std::string, int>& inexact, int& contractible) {
  if (std::exchange(seen[&f], true)) return;
  for (const auto& [word, count] : f.unsupported) unsupported[word] += count;
  for (const auto& [word, count] : f.inexact) inexact[word] += count;
  contractible += f.contractible;
  for (const auto& c : f.calls)
    if (c->function != nullptr) add(*c->function, seen, unsupported, inexact, contractible);
}

void cover(const PtxText& ptx, Totals& totals) {
  Module module(ptx.text, ptx.name);
  for (const std::string& name : module.entries()) {
    std::map<std::string, int> unsupported, inexact;
    std::map<const Function*, bool> seen;
    int contractible = 0;
    for (const std::uint32_t line : module.entry(name)->unwritten) {
      std::printf("reads what nothing writes: %s\n  %s\n", module.line_of_text(line).c_str(), name.c_str());
      ++totals.unwritten;
    }
    add(*module.entry(name), seen, unsupported, inexact, contractible);
    ++totals.kernels;
    totals.complete += unsupported.empty();
    totals.exact += unsupported.empty() && inexact.empty() && contractible == 0;
    totals.contractible += contractible;
    for (const auto& [word, count] : unsupported) totals.unsupported[word] += count;
    for (const auto& [word, count] : inexact) totals.inexact[word] += count;
    if (totals.names_kernels && contractible > 0)
      std::printf("%d sums that ptxas may contract: %s\n", contractible, name.c_str());
    if (totals.names_kernels && !inexact.empty())
      std::printf("%zu kinds of inexact instructions: %s\n", inexact.size(), name.c_str());
    if (!unsupported.empty()) std::printf("lacks %zu kinds: %s\n", unsupported.size(), name.c_str());
  }
}

void print(const char* title, const std::map<std::string, int>& words) {
  if (words.empty()) return;
  std::printf("%s:\n", title);
  for (const auto& [word, count] : words) std::printf("  %6d %s\n", count, word.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  Totals totals;
  for (int k = 1; k < count; ++k) {
    if (std::string_view(arguments[k]) == "--kernels") {
      totals.names_kernels = true;
      continue;
    }
    try {
      for (const PtxText& ptx : ptx_of_file(arguments[k])) cover(ptx, totals);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", arguments[k], error.what());
      return 2;
    }
  }
  print("instructions that the interpreter lacks", totals.unsupported);
  print("instructions whose bits no standard prescribes", totals.inexact);
  std::printf(
      "%d kernels, %d complete, %d of them with the bits of a card; %d sums that ptxas may contract; "
      "%d reads of what nothing writes\n",
      totals.kernels, totals.complete, totals.exact, totals.contractible, totals.unwritten);
  return totals.complete == totals.kernels && totals.unwritten == 0 ? 0 : 1;
}
