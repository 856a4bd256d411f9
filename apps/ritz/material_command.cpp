#include "apps/ritz/material_command.hpp"

#include "apps/cases/law_material.hpp"
#include "apps/ritz/specimen.hpp"
#include "apps/show/curves.hpp"
#include "device/error.hpp"
#include "fem/plugins/law_check.hpp"
#include "io/files/atomic_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

struct LawFile {
  Case input;
  Device cpu = Device::named("cpu", 1);
  std::optional<MaterialLaw> law;
  bool large = false;
  std::vector<Specimen> specimens;
};

LawFile read(const std::string& path, int specimens = 1) {
  LawFile file{Case::from_file(path)};
  Log log(LogLevel::normal, stderr, stderr);
  file.input.read_tables();
  const Case::Table root = file.input.root();
  file.law = read_law(file.cpu, log, root);
  file.large = root.flag("large_displacement", "strains are finite", !file.law->record->small);
  file.specimens = read_specimens(root, specimens);
  return file;
}

std::string csv_of(const std::vector<Specimen>& specimens, const std::vector<std::vector<PointOfTest>>& curves,
                   const LawRecord& law) {
  std::string text = "test,strain,nominal_stress,cauchy_stress,strain_across";
  for (const StateFacts& each : law.numbers.states())
    for (int c = 0; c < each.components; ++c)
      text += each.components == 1 ? fmt::format(",{}", each.name) : fmt::format(",{}_{}", each.name, c);
  text += "\n";
  for (std::size_t i = 0; i < curves.size(); ++i)
    for (const PointOfTest& p : curves[i]) {
      text += fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}", specimens[i].name, p.strain, p.nominal, p.cauchy, p.across);
      for (const double each : p.internal) text += fmt::format(",{:.9g}", each);
      text += "\n";
    }
  return text;
}

void write(const std::string& path, const std::string& content, bool overwrite) {
  if (!overwrite && std::filesystem::exists(path))
    throw Error(ErrorKind::results_exist, fmt::format("'{}' exists already", path), {},
                "name another file, or add --force");
  write_file(path, content);
}

// Curves and data of all tests.
std::vector<Curve> drawn(const std::vector<Specimen>& specimens, const std::vector<std::vector<PointOfTest>>& curves) {
  std::vector<Curve> all;
  for (std::size_t i = 0; i < specimens.size(); ++i) {
    Curve& curve = all.emplace_back(Curve{.name = specimens[i].name, .x = {}, .y = {}});
    for (const PointOfTest& p : curves[i]) {
      curve.x.push_back(p.strain);
      curve.y.push_back(p.nominal);
    }
    for (const auto& [strain, stress] : specimens[i].data) curve.marks.emplace_back(strain, stress);
  }
  return all;
}

std::string report_of(const LawFile& file, const MaterialCommand& command) {
  std::vector<std::vector<PointOfTest>> curves;
  std::string text = fmt::format("law {}\n{:<16} {:>12} {:>16} {:>16} {:>12}\n", file.law->record->name, "test",
                                 "strain", "nominal [Pa]", "Cauchy [Pa]", "across");
  for (const Specimen& each : file.specimens) {
    curves.push_back(curve_of(each, file.cpu, *file.law, file.large));
    const PointOfTest& end = curves.back().back();
    text += fmt::format("{:<16} {:>12.6g} {:>16.8g} {:>16.8g} {:>12.6g}\n", each.name, end.strain, end.nominal,
                        end.cauchy, end.across);
    if (each.data.empty()) continue;
    const DataMisfit m = misfit_of(each, stresses_at_data(each, file.cpu, *file.law, file.large));
    text += fmt::format(
        "  {} points of data: root mean square {:.2f} %, largest difference {:.2f} % of the largest stress\n",
        each.data.size(), 100 * m.mean, 100 * m.largest);
  }
  const std::string csv = command.curves.empty()
                              ? std::filesystem::path(command.file).replace_extension().string() + "-curves.csv"
                              : command.curves;
  write(csv, csv_of(file.specimens, curves, file.law->record[0]), command.overwrite);
  text += fmt::format("curves: {}\n", csv);
  if (!command.picture.empty()) {
    write(command.picture,
          curves_png(drawn(file.specimens, curves),
                     {.x = "strain", .y = fmt::format("{}: nominal stress [Pa]", file.law->record->name)}),
          command.overwrite);
    text += fmt::format("picture: {}\n", command.picture);
  }
  return text;
}

}  // namespace

std::string test_material(const MaterialCommand& command) {
  LawFile file = read(command.file);
  file.input.finish();
  return report_of(file, command);
}

// Facts of the law along paths of strain at random.
std::string check_material(const MaterialCommand& command) {
  LawFile file = read(command.file, 0);
  const Case::Table t = file.input.table("check", "paths of 'ritz material check'");
  LawCheckOptions options;
  options.strain = t.number("strain", "of the paths", {.fallback = options.strain, .above = 0});
  options.duration = t.number("duration", "[s] of a path", {.fallback = options.duration, .above = 0});
  options.temperature = t.number("temperature", "for laws that depend on it", {.fallback = 0});
  file.input.finish();
  std::string text = fmt::format("law {}\n", file.law->record->name);
  bool sound = true;
  for (const LawFinding& each : check_law(file.cpu, *file.law, file.large, options)) {
    sound = sound && each.holds();
    text += fmt::format("{:<6} {}: off by {:.1e}, {:.0e} is allowed\n", each.holds() ? "holds" : "WRONG", each.name,
                        each.worst, each.allowed);
  }
  if (!sound)
    throw Error(ErrorKind::law, fmt::format("the law '{}' has not all of its facts", file.law->record->name), text,
                "correct the law, or the properties that it declares");
  return text;
}

namespace {

struct Fitted {
  const ParameterRecord* parameter;
  double value, low, high;
};

double* number_in(MaterialLaw& law, const ParameterRecord& parameter) {
  return reinterpret_cast<double*>(law.numbers.data() + parameter.offset);
}

// [fit]: bounds of the parameters that are fitted; the values of the law are where the search begins.
std::vector<Fitted> read_fit(LawFile& file) {
  std::vector<Fitted> fitted;
  const Case::Table t = file.input.table("fit", "bounds [lowest, highest] of the parameters that are fitted");
  const FormRecord& record = file.law->record->numbers;
  for (int i = 0; i < record.parameter_count; ++i) {
    const ParameterRecord& p = record.parameters[i];
    if (!t.has(p.facts.name)) continue;
    const std::vector<double> bounds = t.vector(p.facts.name, p.facts.about, {.size = 2});
    const double start = *number_in(*file.law, p);
    if (!(bounds[0] < bounds[1]) || start < bounds[0] || start > bounds[1])
      t.error(ErrorKind::law, p.facts.name,
              fmt::format("the bounds of '{}' are {:g} and {:g}, and it begins at {:g}", p.facts.name, bounds[0],
                          bounds[1], start),
              "the search begins between them", "give the lowest and the highest value around it");
    fitted.push_back({&p, start, bounds[0], bounds[1]});
  }
  if (fitted.empty())
    t.error(ErrorKind::law, "", "no parameter is named under [fit]", {}, "give bounds, such as c10 = [1e4, 1e6]");
  return fitted;
}

// All differences from the data; each test weighs the same. Empty where the law has no stress at these parameters.
std::vector<double> differences(LawFile& file, const std::vector<Fitted>& fitted) {
  for (const Fitted& each : fitted) *number_in(*file.law, *each.parameter) = each.value;
  std::vector<double> all;
  try {
    for (const Specimen& each : file.specimens) {
      if (each.data.empty()) continue;
      const std::vector<double> stresses = stresses_at_data(each, file.cpu, *file.law, file.large);
      double scale = 0;
      for (const auto& row : each.data) scale = std::max(scale, std::abs(row[1]));
      scale *= std::sqrt(static_cast<double>(each.data.size()));
      for (std::size_t i = 0; i < stresses.size(); ++i) all.push_back((stresses[i] - each.data[i][1]) / scale);
    }
  } catch (const Error& error) {
    if (error.exit() != Exit::not_converged) throw;
    return {};
  }
  return all;
}

double sum_of_squares(const std::vector<double>& r) {
  double sum = 0;
  for (const double each : r) sum += each * each;
  return r.empty() ? INFINITY : sum;
}

// A x = b by elimination with pivots; false where A is singular.
bool solve(std::vector<std::vector<double>> A, std::vector<double> b, std::vector<double>& x) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    if (!(std::abs(A[pivot][k]) > 0)) return false;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  x.assign(n, 0);
  for (std::size_t k = n; k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= A[k][j] * x[j];
    x[k] = sum / A[k][k];
  }
  return true;
}

struct Slopes {
  std::vector<std::vector<double>> normal;  // J^T J, by parameters over their scales
  std::vector<double> gradient, scale;
};
Slopes slopes_at(LawFile& file, const std::vector<Fitted>& fitted, const std::vector<double>& r) {
  const std::size_t n = fitted.size();
  std::vector<std::vector<double>> J;
  Slopes s{std::vector<std::vector<double>>(n, std::vector<double>(n, 0.0)), std::vector<double>(n, 0.0), {}};
  for (std::size_t k = 0; k < n; ++k) {
    s.scale.push_back(std::max(std::abs(fitted[k].value), 1e-3 * (fitted[k].high - fitted[k].low)));
    std::vector<Fitted> moved = fitted;
    const double h = (fitted[k].value + 1e-6 * s.scale[k] > fitted[k].high ? -1e-6 : 1e-6) * s.scale[k];
    moved[k].value += h;
    std::vector<double> column = differences(file, moved);
    if (column.empty()) column = r;
    for (std::size_t i = 0; i < r.size(); ++i) column[i] = (column[i] - r[i]) * s.scale[k] / h;
    J.push_back(std::move(column));
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < r.size(); ++i) {
      s.gradient[k] += J[k][i] * r[i];
      for (std::size_t l = 0; l < n; ++l) s.normal[k][l] += J[k][i] * J[l][i];
    }
  return s;
}

// Least squares by Levenberg and Marquardt's method; steps end at the bounds, and parameters that push against theirs
// rest. Moré, The Levenberg-Marquardt algorithm, 1978.
double fit(LawFile& file, std::vector<Fitted>& fitted) {
  std::vector<double> r = differences(file, fitted);
  double best = sum_of_squares(r), damping = 1e-3;
  constexpr int most = 300;
  for (int step = 0; step < most && std::isfinite(best) && damping < 1e12; ++step) {
    const Slopes s = slopes_at(file, fitted, r);
    const std::size_t n = fitted.size();
    std::vector<std::vector<double>> A = s.normal;
    std::vector<double> b(n), x;
    for (std::size_t k = 0; k < n; ++k) {
      b[k] = -s.gradient[k];
      const bool rests =
          (fitted[k].value <= fitted[k].low && b[k] < 0) || (fitted[k].value >= fitted[k].high && b[k] > 0);
      if (rests)
        for (std::size_t l = 0; l < n; ++l) A[k][l] = A[l][k] = 0;
      if (rests) b[k] = 0;
      A[k][k] = rests ? 1 : A[k][k] * (1 + damping) + 1e-300;
    }
    std::vector<Fitted> moved = fitted;
    if (!solve(A, b, x)) return best;
    for (std::size_t k = 0; k < n; ++k)
      moved[k].value = std::clamp(fitted[k].value + s.scale[k] * x[k], fitted[k].low, fitted[k].high);
    std::vector<double> there = differences(file, moved);
    const double found = sum_of_squares(there);
    if (!(found < best)) {
      damping *= 4;
      continue;
    }
    const bool rests = best - found < 1e-12 * best;
    fitted = std::move(moved), r = std::move(there), best = found, damping = std::max(damping / 5, 1e-15);
    if (rests) break;
  }
  differences(file, fitted);  // the law has the best parameters
  return best;
}

// From the begin and some places between the bounds: least squares of such laws have several minima.
double fit_from_several(LawFile& file, std::vector<Fitted>& fitted) {
  constexpr int more = 8;
  std::vector<Fitted> best = fitted;
  double least = fit(file, best);
  for (int start = 1; start <= more; ++start) {
    std::vector<Fitted> other = fitted;
    for (std::size_t k = 0; k < other.size(); ++k) {  // Halton's points, bases 2, 3, 5, ...
      constexpr int bases[] = {2, 3, 5, 7, 11, 13, 17, 19};
      double share = 0, part = 1;
      const int base = bases[k % std::size(bases)];
      for (int i = start; i > 0; i /= base) part /= base, share += part * (i % base);
      other[k].value = other[k].low + share * (other[k].high - other[k].low);
    }
    if (const double found = fit(file, other); found < least) least = found, best = other;
  }
  fitted = best;
  return sum_of_squares(differences(file, fitted));
}

std::string text_of(LawFile& file, const std::vector<Fitted>& fitted) {
  const std::vector<double> r = differences(file, fitted);
  const Slopes s = slopes_at(file, fitted, r);
  const std::size_t n = fitted.size();
  const double variance = sum_of_squares(r) / static_cast<double>(std::max<std::size_t>(r.size() - n, 1));
  std::string text = fmt::format("# fitted to {} points of data\n", r.size());
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> unit(n, 0.0), column;
    unit[k] = 1;
    const bool known = solve(s.normal, unit, column) && column[k] > 0;
    const double error = known ? s.scale[k] * std::sqrt(variance * column[k]) : INFINITY;
    const Fitted& p = fitted[k];
    const bool at_bound = p.value <= p.low || p.value >= p.high;
    text += fmt::format("{} = {:.8g}    # standard error {:.1e}{}{}\n", p.parameter->facts.name, p.value, error,
                        at_bound ? ": lies at its bound" : "",
                        error > 0.5 * std::abs(p.value) ? ": these tests hardly determine it" : "");
  }
  differences(file, fitted);
  return text;
}

}  // namespace

std::string fit_material(const MaterialCommand& command) {
  LawFile file = read(command.file);
  std::vector<Fitted> fitted = read_fit(file);
  if (std::ranges::all_of(file.specimens, [](const Specimen& each) { return each.data.empty(); }))
    file.input.add_error(Error(ErrorKind::law, "no test has data", "parameters are fitted to measured stresses",
                               "add data = [[stretch, stress], ...] to a [[test]]"));
  file.input.finish();
  const double left = fit_from_several(file, fitted);
  if (!std::isfinite(left))
    throw Error(
        ErrorKind::newton_not_converged,
        fmt::format("Newton's method found no stresses of the law '{}' between the bounds", file.law->record->name),
        "no strain across without stress at the strains of the data",
        "narrow the bounds, or begin with other parameters");
  return text_of(file, fitted) + report_of(file, command);
}

}  // namespace ritz
