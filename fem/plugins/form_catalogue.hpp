// The forms and reference elements that can be named: the built-in ones, and those of plugins.
//
//   const FormCatalogue catalogue(device, {plugin});
//   FormValue form = catalogue.make("my_diffusion", {{"conductivity", 3}});
#pragma once

#include "device/kernel_families.hpp"
#include "fem/cells/reference_element.hpp"
#include "fem/forms/mixed_form_value.hpp"
#include "fem/forms/parameter_bounds.hpp"
#include "fem/modules/plugin.hpp"

#include <map>
#include <string>
#include <vector>

namespace ritz {

class FormCatalogue {
 public:
  explicit FormCatalogue(const Device& device, const std::vector<Plugin>& plugins = {});

  struct Entry {
    const FormRecord* record;
    std::string module;
    // Makes the form of its numbers, where these stand for a law of materials; nullptr: they are the form's own.
    FormValue (*complete)(const FormValue& numbers) = nullptr;
    FormValue completed(FormValue numbers) const { return complete != nullptr ? complete(numbers) : numbers; }
  };
  // Throws Error: Exit::input with the names there are.
  const Entry& find(const std::string& form) const;
  ReferenceElement element(const std::string& name) const;
  bool has_form(const std::string& name) const { return forms_.contains(name); }
  bool has_element(const std::string& name) const { return elements_.contains(name); }

  // The form with these parameters; the others have their fallbacks. Throws Error: Exit::input for parameters that are
  // unknown or missing, Error: Exit::model for values out of bounds.
  FormValue make(const std::string& form, const std::map<std::string, double>& parameters) const;

  // The same of forms of several fields, which are named apart from the others.
  struct MixedEntry {
    const MixedFormRecord* record;
    std::string module;
  };
  const MixedEntry& find_mixed(const std::string& form) const;
  bool has_mixed(const std::string& name) const { return mixed_.contains(name); }
  MixedFormValue make_mixed(const std::string& form, const std::map<std::string, double>& parameters) const;

  std::vector<std::string> forms() const;  // names
  std::vector<std::string> mixed_forms() const;
  std::vector<std::string> forms_of_plugins() const;
  std::vector<std::string> elements() const;

 private:
  void add_module(const Device& device, const std::string& module);
  std::map<std::string, Entry> forms_;
  std::map<std::string, MixedEntry> mixed_;
  std::map<std::string, const ElementRecord*> elements_;
  MissingFamilies missing_;
};

// Makes a form of what a record declares, as FormCatalogue::make does.
FormValue form_with_numbers(const FormRecord& record, const std::string& module,
                            const std::map<std::string, double>& parameters);

// Writes a declared parameter into the form's bytes.
void set_parameter(FormValue& form, const ParameterRecord& parameter, double value);  // of a vector: all three
void set_parameter(FormValue& form, const ParameterRecord& parameter, const std::vector<double>& vector);

}  // namespace ritz
