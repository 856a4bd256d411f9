#include "io/results/probe_file.hpp"

#include "io/case/csv.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ritz {

bool is_column_of_tables(std::string_view name) {
  static constexpr std::array<std::string_view, 16> names{"step",
                                                          "time",
                                                          "load_case",
                                                          "member",
                                                          "status",
                                                          "fingerprint",
                                                          "iterations",
                                                          "residual",
                                                          "exit",
                                                          "kinetic_energy",
                                                          "strain_energy",
                                                          "work_of_loads",
                                                          "work_of_supports",
                                                          "damped_energy",
                                                          "lost_energy",
                                                          "dissipated_energy"};
  constexpr std::string_view frequency = "frequency_";
  const bool numbered = name.starts_with(frequency) && name.size() > frequency.size() &&
                        name.find_first_not_of("0123456789", frequency.size()) == std::string_view::npos;
  return numbered || std::ranges::find(names, name) != names.end();
}

ProbeFile::ProbeFile(std::string path, std::uint64_t committed) : path_(std::move(path)), text_() {
  if (committed == 0) return;
  text_ = text_of_file(path_).value_or("");
  if (text_.size() < committed)
    throw Error(ErrorKind::checkpoint_unusable,
                fmt::format("'{}' is shorter than what was committed to it, {} bytes", path_, committed), {},
                "inspect it with 'ritz results verify'; start again with --overwrite");
  text_.resize(committed);
}

JournalFile ProbeFile::add(int step, double time, const std::string& load_case,
                           const std::vector<std::pair<std::string, std::vector<double>>>& probes) {
  const std::size_t before = text_.size();
  std::string text = text_;  // a row that could not be written is not there
  if (before == 0) {
    text = "step,time,load_case";
    for (const auto& [name, values] : probes)
      for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format(",{}", csv_cell(values.size() == 1 ? name : fmt::format("{}.{}", name, i)));
    text += "\n";
  }
  text += fmt::format("{},{},{}", step, time, csv_cell(load_case));
  for (const auto& [name, values] : probes)
    for (const double value : values) text += fmt::format(",{}", value);
  text += "\n";
  write_file(path_, text);
  text_ = std::move(text);
  return {.path = {}, .slabs = {{"", before, text_.size() - before, crc32_of(std::string_view(text_).substr(before))}}};
}

}  // namespace ritz
