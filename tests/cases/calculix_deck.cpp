#include "calculix_deck.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace ritz::test {
namespace {

namespace fs = std::filesystem;

void write_list(std::ostream& out, std::span<const Node> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)  // a line takes 16 numbers, and goes on after a comma
    out << ',' << (i == 14 ? "\n" : "") << nodes[i] + 1;
}

std::string text_of(const Deck& deck) {
  const Mesh& mesh = *deck.mesh;
  std::ostringstream out;
  out << "*NODE,NSET=NALL\n";
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    out << fmt::format("{},{:.13g},{:.13g},{:.13g}\n", node + 1, x[0], x[1], x[2]);  // a field has 20 places
  }
  out << "*ELEMENT,ELSET=EALL,TYPE=" << deck.element << '\n';
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    out << cell + 1;
    write_list(out, mesh.nodes_of(cell));
    out << '\n';
  }
  out << "*MATERIAL,NAME=M\n" << deck.material << "\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n";
  out << "*STEP\n" << deck.step << "\n*BOUNDARY\n";
  for (const Deck::Support& s : deck.supports)
    out << fmt::format("{},{},{},{:.13g}\n", s.node + 1, s.unknown, s.unknown, s.value);
  if (!deck.load.empty()) out << deck.load << '\n';
  for (const std::string& name : deck.outputs) out << "*NODE PRINT,NSET=NALL\n" << name << '\n';
  out << "*END STEP\n";
  return out.str();
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// " displacements (vx,vy,vz) for set NALL and time ...", an empty line, then a node and its numbers per line.
std::map<std::string, std::vector<double>> read_results(const fs::path& path, Index node_count) {
  std::map<std::string, std::vector<double>> results;
  std::vector<double>* values = nullptr;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (const std::size_t end = line.find(" for set"); end != std::string::npos) {
      const std::string title = line.substr(1, std::min(line.find(" ("), end) - 1);
      values = &results[title];
      continue;
    }
    std::istringstream numbers(line);
    Index node = 0;
    if (values == nullptr || !(numbers >> node)) continue;
    std::vector<double> row;
    for (double number; numbers >> number;) row.push_back(number);
    values->resize(static_cast<std::size_t>(node_count) * row.size());
    std::ranges::copy(row, values->begin() + static_cast<std::ptrdiff_t>((node - 1) * static_cast<Index>(row.size())));
  }
  return results;
}

}  // namespace

bool has_calculix() { return std::string_view(RITZ_CCX) != "" && fs::exists(RITZ_CCX); }

namespace {

// Runs ccx on the deck in a folder of its own, and hands over what read(its .dat file) makes of the results.
template <class Read>
auto run_calculix(const Deck& deck, const Read& read) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("ritz-calculix-{}", ::getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "deck.inp") << text_of(deck);
  const int status =
      std::system(fmt::format("cd '{}' && OMP_NUM_THREADS=1 '{}' deck > log 2>&1", folder.string(), RITZ_CCX).c_str());
  auto results = read(folder / "deck.dat");
  const std::string log = contents(folder / "log");
  fs::remove_all(folder);
  if (status != 0 || results.size() < std::max<std::size_t>(1, deck.outputs.size()))
    throw std::runtime_error("ccx failed:\n" + log);
  return results;
}

// "E I G E N V A L U E   O U T P U T", some lines of titles, then: number, eigenvalue, frequency [rad/time], ... per
// line, up to an empty line.
std::vector<double> read_eigenvalues(const fs::path& path) {
  std::vector<double> values;
  std::ifstream file(path);
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find("E I G E N V A L U E   O U T P U T") != std::string::npos) found = true;
    if (line.find("P A R T I C I P A T I O N") != std::string::npos) break;
    std::istringstream numbers(line);
    double number = 0, value = 0;
    if (found && numbers >> number >> value) values.push_back(value);
  }
  return values;
}

}  // namespace

std::map<std::string, std::vector<double>> solve_with_calculix(const Deck& deck) {
  return run_calculix(deck, [&](const fs::path& path) { return read_results(path, deck.mesh->node_count()); });
}

std::vector<double> eigenvalues_of_calculix(const Deck& deck) { return run_calculix(deck, read_eigenvalues); }

}  // namespace ritz::test
