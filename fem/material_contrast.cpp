#include "fem/material_contrast.hpp"

#include "device/kernels.hpp"
#include "fem/form_record.hpp"
#include "fem/launch/element_arguments.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace ritz {

double material_contrast(const Operator& equations) {
  std::map<std::pair<std::string, std::size_t>, std::pair<double, double>> ranges;  // form and place in it -> least and largest value
  for (const Integral& integral : equations.integrals()) {
    const FormValue& form = integral.form;
    if (!form.has_matrix || form.codimension != 0 || form.cell >= 0) continue;
    const std::string name = form_record_name(form.name.c_str()), &backend = equations.space().device().backend();
    if (!has_kernels(backend, form.module, name)) continue;
    const auto* record = static_cast<const FormRecord*>(find_kernels(backend, form.module, name));
    for (int p = 0; p < record->parameter_count; ++p)
      for (int i = 0; i < record->parameters[p].count; ++i) {
        const std::size_t place = record->parameters[p].offset + static_cast<std::size_t>(i) * sizeof(double);
        double value = 0;
        std::memcpy(&value, form.bytes.data() + place, sizeof value);
        if (!(value > 0)) continue;
        auto& [least, largest] = ranges.try_emplace({form.name, place}, value, value).first->second;
        least = std::min(least, value);
        largest = std::max(largest, value);
      }
  }
  double contrast = 1;
  for (const auto& [parameter, range] : ranges) contrast = std::max(contrast, range.second / range.first);
  return contrast;
}

}  // namespace ritz
