// The body and the fields of its steps for the view in a page (viewer.js), as JSON with numbers in base64.
#pragma once

#include "apps/show/shown.hpp"

#include <string>

namespace ritz {

// points: Float32 [node][3] from the middle of the body; triangles and segments with the cells of each: Uint32; steps:
// [{name, fields: [{name, components, labels, cells, values: Float32}]}]; look: what the view shows first. "<" is
// written as \u003c, so that the text may stand in a page.
std::string body_data(const Shown& shown, const Look& look);

}  // namespace ritz
