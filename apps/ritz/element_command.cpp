#include "apps/ritz/element_command.hpp"

#include "device/error.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

std::vector<Plugin> plugins_of(const ElementCommand& command, const Device& device) {
  if (command.plugin.empty()) return {};
  return {load_plugin(command.plugin, device)};
}

std::map<std::string, double> parameters_of(const ElementCommand& command, const FormRecord& record) {
  std::map<std::string, double> parameters;
  for (int i = 0; i < record.parameter_count; ++i)
    parameters[record.parameters[i].facts.name] = example_of(record.parameters[i].facts);
  for (int i = 0; i < record.given_count; ++i) parameters[record.given[i].name] = example_of(record.given[i]);
  for (const std::string& text : command.parameters) {
    const std::size_t equals = text.find('=');
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (number.empty() || read.ec != std::errc() || read.ptr != number.data() + number.size())
      throw Error(ErrorKind::command_line, fmt::format("--set {}: expected NAME=NUMBER", text), {},
                  "for example --set conductivity=3");
    parameters[text.substr(0, equals)] = value;
  }
  return parameters;
}

// Another value within the bounds; none where there is no room for one.
std::optional<double> changed(const ParameterFacts& facts, double value) {
  for (const double step : {0.1, -0.1}) {
    const double other = value + step * std::max(std::abs(value), 1e-3);
    if (!(other < facts.minimum || other > facts.maximum || other <= facts.above || other >= facts.below))
      return other;  // NaN: no bound
  }
  return std::nullopt;
}

// Notes declarations of the form that have no effect at fields of this size.
void report_unused_facts(const FormCatalogue& catalogue, const FormOnDevice& form, const FormRecord& record,
                         const std::map<std::string, double>& parameters, const FormCheckOptions& options,
                         std::vector<std::string>& notes) {
  for (int i = 0; i < record.parameter_count; ++i) {
    const ParameterFacts& facts = record.parameters[i].facts;
    std::map<std::string, double> others = parameters;
    const std::optional<double> other = changed(facts, parameters.at(facts.name));
    if (!other) continue;
    others[facts.name] = *other;
    if (same_forces(form, {form.device, catalogue.make(record.name, others)}, record, options))
      notes.push_back(fmt::format("{} changes no force here: is it used? (--set, --amplitude)", facts.name));
  }
  if (record.state_count == 0) return;
  for (const std::string& name : idle_states(form, record, options))
    notes.push_back(fmt::format("{} stays as it is here: is it written? (--set, --amplitude)", name));
}

// The same of a form of several fields.
void report_unused_facts(const FormCatalogue& catalogue, const MixedFormOnDevice& form, const FormRecord& record,
                         const std::map<std::string, double>& parameters, double amplitude,
                         std::vector<std::string>& notes) {
  for (int i = 0; i < record.parameter_count; ++i) {
    const ParameterFacts& facts = record.parameters[i].facts;
    const std::optional<double> other = changed(facts, parameters.at(facts.name));
    if (!other) continue;
    std::map<std::string, double> others = parameters;
    others[facts.name] = *other;
    if (same_forces(form, {form.device, catalogue.make_mixed(record.name, others)}, amplitude))
      notes.push_back(fmt::format("{} changes no force here: is it used? (--set, --amplitude)", facts.name));
  }
}

// The other back ends of this machine that the form can run on.
std::vector<Device> other_devices(const Device& device) {
  std::vector<Device> others;
  for (const std::string name : {"cpu:v3", "cpu:v4", "gpu"}) {
    try {
      Device other = Device::named(name);
      if (other.backend() != device.backend()) others.push_back(std::move(other));
    } catch (const Error&) {  // this machine has none
    }
  }
  return others;
}

// use(device, the forms there), or a note why not.
template <class Use>
void each_other_device(const ElementCommand& command, const Device& device, ElementReport& report, const Use& use) {
  for (const Device& other : other_devices(device)) {
    try {
      use(other, FormCatalogue(other, plugins_of(command, other)));
    } catch (const Error& error) {
      if (error.exit() != Exit::environment) throw;
      report.notes.push_back(fmt::format("not compared with {}: {}", other.backend(), error.message()));
    }
  }
}

// Lines of the parameters and coefficients.
std::string numbers_of(const FormRecord& r) {
  std::string text;
  const auto add = [&](const ParameterFacts& f, const char* varies) {
    text += fmt::format("    {:<24} {} [{}]{}{}{}\n", f.name, f.about, f.unit,
                        bounds_of(f).empty() ? "" : ", " + bounds_of(f),
                        std::isnan(f.fallback) ? "" : fmt::format("; {:g} by default", f.fallback), varies);
  };
  for (int i = 0; i < r.parameter_count; ++i) add(r.parameters[i].facts, "");
  for (int i = 0; i < r.given_count; ++i) add(r.given[i], "; may vary from point to point");
  return text;
}

const char* family_name(Family family) {
  switch (family) {
    case Family::lagrange: return "nodes";
    case Family::cell: return "cells";
    case Family::facet: return "facets";
    default: return "edges";
  }
}

ElementReport check_form_named(const ElementCommand& command, const FormCatalogue& catalogue, const Device& device) {
  const FormRecord& record = *catalogue.find(command.name).record;
  const std::map<std::string, double> parameters = parameters_of(command, record);
  std::vector<FormOnDevice> devices = {{device, catalogue.make(command.name, parameters)}};
  ElementReport report{command.name, record.cell >= 0 ? "element" : "form", {}, {}};
  each_other_device(command, device, report, [&](const Device& other, const FormCatalogue& there) {
    devices.push_back({other, there.make(command.name, parameters)});
  });
  for (const auto& [name, value] : parameters) report.notes.push_back(fmt::format("{} = {:g}", name, value));
  if (record.state_count > 0)
    report.notes.emplace_back("keeps a state at points: checked as it begins, then in a second increment");
  if (record.state_count > 0 && !record.rate_independent)
    report.notes.emplace_back("does not claim to be rate independent");
  if (!record.linear) report.notes.emplace_back("does not claim to be linear");
  if (!record.symmetric) report.notes.emplace_back("does not claim a symmetric tangent");
  if (!record.objective)
    report.notes.emplace_back("does not claim to be objective: no rigid motions, patch test, zero-energy modes");
  if (devices.size() == 1) report.notes.emplace_back("only one back end here: not compared");
  const FormCheckOptions options{.amplitude = command.amplitude, .element = {}};
  report.results = check_form(devices, record, options);
  if (all_passed(report.results))
    report_unused_facts(catalogue, devices.front(), record, parameters, options, report.notes);
  return report;
}

ElementReport check_mixed_form_named(const ElementCommand& command, const FormCatalogue& catalogue,
                                     const Device& device) {
  const FormRecord& record = catalogue.find_mixed(command.name).record->form;
  const std::map<std::string, double> parameters = parameters_of(command, record);
  std::vector<MixedFormOnDevice> devices = {{device, catalogue.make_mixed(command.name, parameters)}};
  ElementReport report{command.name, "form of several fields", {}, {}};
  each_other_device(command, device, report, [&](const Device& other, const FormCatalogue& there) {
    devices.push_back({other, there.make_mixed(command.name, parameters)});
  });
  for (const auto& [name, value] : parameters) report.notes.push_back(fmt::format("{} = {:g}", name, value));
  for (const FieldFacts& field : devices.front().form.fields)
    report.notes.push_back(fmt::format("field {}: {} of order {}", field.name, family_name(field.family), field.order));
  if (!record.linear) report.notes.emplace_back("does not claim to be linear");
  if (!record.symmetric) report.notes.emplace_back("does not claim a symmetric tangent");
  if (devices.size() == 1) report.notes.emplace_back("only one back end here: not compared");
  report.notes.emplace_back("no order of convergence: it depends on which fields are stable together");
  report.results = check_mixed_form(devices, command.amplitude);
  if (all_passed(report.results))
    report_unused_facts(catalogue, devices.front(), record, parameters, command.amplitude, report.notes);
  return report;
}

// "hex8:3"
std::optional<ReferenceElement> lagrange_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  int order = 0;
  const auto read = std::from_chars(name.data() + colon + 1, name.data() + name.size(), order);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
  return lagrange_element(traits(cell_kind_named(name.substr(0, colon))).linear, order);
}

}  // namespace

ElementReport check_named(const ElementCommand& command) {
  const Device device = Device::named(command.device);
  const FormCatalogue catalogue(device, plugins_of(command, device));
  std::optional<ReferenceElement> element = lagrange_named(command.name);
  if (!element && catalogue.has_element(command.name)) element = catalogue.element(command.name);
  if (element) return {command.name, "reference element", check_element(*element, device), {}};
  if (catalogue.has_mixed(command.name)) return check_mixed_form_named(command, catalogue, device);
  return check_form_named(command, catalogue, device);
}

std::string list_elements(const ElementCommand& command) {
  const Device device = Device::named(command.device);
  const FormCatalogue catalogue(device, plugins_of(command, device));
  std::string text, forms = "forms\n", whole = "elements by themselves (ritz-structure)\n";
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    std::string& text = r.cell >= 0 ? whole : forms;
    if (r.cell >= 0)
      text += fmt::format("  {:<26} on {}, {} unknown{} per node{}\n", name, traits(static_cast<CellKind>(r.cell)).name,
                          r.components, r.components == 1 ? "" : "s", r.declared ? "" : "; declares no parameters");
    else
      text += fmt::format("  {:<26} {} component{} in {} dimensions{}{}\n", name, r.components,
                          r.components == 1 ? "" : "s", r.dimension, r.codimension == 1 ? ", on facets" : "",
                          r.declared ? "" : "; declares no parameters");
    text += numbers_of(r);
    for (const StateFacts& f : r.states())
      text += fmt::format("    {:<24} kept at points: {} number{}{}{}{}\n", f.name, f.components,
                          f.components == 1 ? "" : "s", *f.unit == '\0' ? "" : fmt::format(" [{}]", f.unit),
                          *f.about == '\0' ? "" : fmt::format(", {}", f.about),
                          f.start == 0 ? "" : fmt::format("; {:g} at first", f.start));
  }
  text = forms + "forms of several fields, or of facets and edges\n";
  for (const std::string& name : catalogue.mixed_forms()) {
    const MixedFormRecord& r = *catalogue.find_mixed(name).record;
    text += fmt::format("  {:<26}", name);
    for (int k = 0; k < r.field_count; ++k)
      text += fmt::format("{} {} ({}, order {})", k == 0 ? "" : ",", r.fields[k].name, family_name(r.fields[k].family),
                          r.fields[k].order);
    text += fmt::format(" in {} dimensions{}{}\n", r.form.dimension, r.form.codimension == 1 ? ", on facets" : "",
                        r.form.declared ? "" : "; declares no parameters");
    text += numbers_of(r.form);
  }
  text += whole + "reference elements\n";
  for (const std::string& name : catalogue.elements())
    text += fmt::format("  {:<26} on {}\n", name, traits(catalogue.element(name).shape).name);
  return text + "  SHAPE:ORDER                Lagrange, for example hex8:3\n";
}

std::string text_of(const ElementReport& report) {
  std::string text = fmt::format("{} {}\n{:<29} {:<20} {:<8} {:>10} {:>12}\n", report.what, report.name, "check", "on",
                                 "result", "number", "limit");
  for (const CheckResult& r : report.results)
    text += fmt::format("{:<29} {:<20} {:<8} {:>10.2e} {:>12}  {}\n", r.check, r.on, r.passed ? "ok" : "FAILED",
                        r.number, fmt::format("{} {:.1e}", r.at_least ? ">=" : "<=", r.limit), r.note);
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
  const auto failed = std::ranges::count(report.results, false, &CheckResult::passed);
  return text + (failed == 0 ? fmt::format("all {} checks passed\n", report.results.size())
                             : fmt::format("{} of {} checks FAILED\n", failed, report.results.size()));
}

std::string json_of(const ElementReport& report) {
  nlohmann::json json = {
      {"name", report.name}, {"what", report.what}, {"passed", report.passed()}, {"notes", report.notes}};
  for (const CheckResult& r : report.results)
    json["checks"].push_back({{"check", r.check},
                              {"on", r.on},
                              {"passed", r.passed},
                              {"number", std::isfinite(r.number) ? nlohmann::json(r.number) : nlohmann::json()},
                              {"limit", r.limit},
                              {"at_least", r.at_least},
                              {"note", r.note}});
  return json.dump(2) + "\n";
}

}  // namespace ritz
