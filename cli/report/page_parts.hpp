#pragma once

namespace tapehead {

/// What a report's page is made of, besides its data and the style of the page of attention maps.
/// The scripts stand in the page in this order.
extern const char *const report_style, *const report_body;
extern const char *const report_base_script,
    *const report_chart_script, *const report_maps_script, *const report_examples_script,
                                                               *const report_script;

}  // namespace tapehead
