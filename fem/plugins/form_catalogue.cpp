#include "fem/plugins/form_catalogue.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/forms/derived_fields.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/plugins/von_mises.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

constexpr const char* own_module = "ritz_fem_kernels";

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

// Each name is a key of the case file; two numbers under one would have one value without anybody noticing.
void check_names(const FormRecord& record) {
  std::set<std::string> names = {"region", "form", "element"};
  const auto add = [&](const ParameterFacts& facts) {
    if (!names.insert(facts.name).second)
      throw Error(ErrorKind::plugin,
                  fmt::format("the form '{}' declares a parameter '{}' that exists already", record.name, facts.name),
                  "parameters are keys of the case file, and so are 'region', 'form' and 'element'",
                  "give it a name of its own");
  };
  for (int i = 0; i < record.parameter_count; ++i) add(record.parameters[i].facts);
  for (int i = 0; i < record.given_count; ++i) add(record.given[i]);
}

// Each name is a field of the results; of two under one name a file keeps the last.
void check_fields(const FormRecord& record) {
  std::set<std::string> names = {"reaction", "reaction_moment", "rotation", "region"};
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !names.insert(name).second)
      throw Error(ErrorKind::plugin,
                  fmt::format("the form '{}' declares a field '{}' that exists already", record.name, name),
                  "unknown, derived quantities and states are fields of the results, beside 'reaction', "
                  "'reaction_moment', 'rotation' and 'region'",
                  "give it a name of its own");
  };
  add(record.unknown);
  for (const DerivedField& each : derived_fields(record)) add(each.name);
  for (const StateFacts& state : record.states()) add(state.name);
}

[[noreturn]] void throw_unknown(const char* what, const std::string& name, const std::vector<std::string>& known,
                                const MissingFamilies& missing = {}) {
  if (!missing.reason.empty())
    throw Error(ErrorKind::environment, fmt::format("there is no {} '{}' in what was built", what, name),
                missing.reason, missing.remedy);
  const std::string near = nearest_match(name, known);
  throw Error(ErrorKind::plugin, fmt::format("there is no {} '{}'", what, name),
              known.empty() ? "there is none at all" : fmt::format("there are {}", quoted_list(known)),
              near.empty() ? "name one of them, or a plugin that has it" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

// The form with these numbers; those that it does not find have their fallbacks.
FormValue form_with_numbers(const FormRecord& record, const std::string& module,
                            const std::map<std::string, double>& parameters) {
  const std::string form = record.name;
  if (!record.declared)
    throw Error(ErrorKind::plugin, fmt::format("the form '{}' declares no parameters", form),
                "it cannot be made of named numbers", "give it a list `parameters`: fem/forms/parameter.hpp");
  FormValue value(record, module);
  std::vector<std::string> known;
  for (int i = 0; i < record.parameter_count; ++i) known.emplace_back(record.parameters[i].facts.name);
  for (int i = 0; i < record.given_count; ++i) known.emplace_back(record.given[i].name);
  const auto number_for = [&](const ParameterFacts& facts) {
    const auto given = parameters.find(facts.name);
    if (given == parameters.end() && std::isnan(facts.fallback))
      throw Error(ErrorKind::plugin, fmt::format("the parameter '{}' of '{}' is missing", facts.name, form),
                  fmt::format("{} [{}]", facts.about, facts.unit), "give it a value");
    const double number = given == parameters.end() ? facts.fallback : given->second;
    if (!keeps_bounds(facts, number))
      throw Error(ErrorKind::material_value,
                  fmt::format("the parameter '{}' of '{}' is {:g}", facts.name, form, number),
                  fmt::format("{} [{}]", facts.about, facts.unit), fmt::format("give a number {}", bounds_of(facts)));
    return number;
  };
  for (const auto& [name, number] : parameters)
    if (std::ranges::find(known, name) == known.end())
      throw_unknown(fmt::format("parameter of '{}'", form).c_str(), name, known);
  for (int i = 0; i < record.parameter_count; ++i)
    set_parameter(value, record.parameters[i], number_for(record.parameters[i].facts));
  for (int i = 0; i < record.given_count; ++i) value.given.push_back(constant(number_for(record.given[i])));
  return value;
}

FormCatalogue::FormCatalogue(const Device& device, const std::vector<Plugin>& plugins)
    : missing_(explain_missing_families(device.backend(), own_module)) {
  add_module(device, own_module);
  if (has_kernels(device.backend(), own_module, law_kernel_name("j2")))
    for (const VonMisesForm& each : von_mises_forms()) forms_[each.record.name] = {&each.record, own_module, each.make};
  for (const Plugin& plugin : plugins) add_module(device, plugin.module);
}

void FormCatalogue::add_module(const Device& device, const std::string& module) {
  const std::string record_ending = form_record_name(""), mixed_ending = mixed_record_name(""),
                    element_beginning = element_record_name("");
  for (const std::string& name : kernel_names(device.backend(), module)) {
    // find_kernels refuses what two modules claim
    if (name.ends_with(record_ending)) {
      const auto* record = static_cast<const FormRecord*>(find_kernels(device.backend(), module, name));
      if (record->of_law) continue;  // laws are named, not these
      check_names(*record);
      check_fields(*record);
      forms_[record->name] = {record, module};
    } else if (name.ends_with(mixed_ending)) {
      const auto* record = static_cast<const MixedFormRecord*>(find_kernels(device.backend(), module, name));
      check_names(record->form);
      mixed_[record->form.name] = {record, module};
    } else if (name.starts_with(element_beginning)) {
      const auto* record = static_cast<const ElementRecord*>(find_kernels(device.backend(), module, name));
      elements_[record->name] = record;
    }
  }
}

const FormCatalogue::Entry& FormCatalogue::find(const std::string& form) const {
  const auto found = forms_.find(form);
  if (found == forms_.end() && has_mixed(form))
    throw Error(ErrorKind::wrong_value, fmt::format("'{}' is a form of several fields", form),
                "case files do not know these", "use it in a C++ program, or check it by `ritz element check`");
  if (found == forms_.end()) throw_unknown("form", form, forms(), missing_);
  return found->second;
}

const FormCatalogue::MixedEntry& FormCatalogue::find_mixed(const std::string& form) const {
  const auto found = mixed_.find(form);
  if (found == mixed_.end()) throw_unknown("form of several fields", form, mixed_forms(), missing_);
  return found->second;
}

ReferenceElement FormCatalogue::element(const std::string& name) const {
  const auto found = elements_.find(name);
  if (found == elements_.end()) throw_unknown("reference element", name, elements(), missing_);
  ReferenceElement element = found->second->make();
  if (element.name.empty()) element.name = name;
  return element;
}

std::vector<std::string> FormCatalogue::forms() const { return names_of(forms_); }
std::vector<std::string> FormCatalogue::mixed_forms() const { return names_of(mixed_); }
std::vector<std::string> FormCatalogue::elements() const { return names_of(elements_); }

std::vector<std::string> FormCatalogue::forms_of_plugins() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : forms_)
    if (entry.module != own_module) names.push_back(name);
  for (const auto& [name, entry] : mixed_)
    if (entry.module != own_module) names.push_back(name);
  return names;
}

FormValue FormCatalogue::make(const std::string& form, const std::map<std::string, double>& parameters) const {
  const Entry& entry = find(form);
  return entry.completed(form_with_numbers(*entry.record, entry.module, parameters));
}

MixedFormValue FormCatalogue::make_mixed(const std::string& form,
                                         const std::map<std::string, double>& parameters) const {
  const MixedEntry& entry = find_mixed(form);
  return {*entry.record, form_with_numbers(entry.record->form, entry.module, parameters)};
}

void set_parameter(FormValue& form, const ParameterRecord& parameter, double value) {
  set_parameter(form, parameter, std::vector<double>(static_cast<std::size_t>(parameter.count), value));
}

void set_parameter(FormValue& form, const ParameterRecord& parameter, const std::vector<double>& vector) {
  std::memcpy(form.bytes.data() + parameter.offset, vector.data(),
              static_cast<std::size_t>(parameter.count) * sizeof(double));
}

}  // namespace ritz
