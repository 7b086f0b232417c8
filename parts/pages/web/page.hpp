#pragma once
// Pages and pictures, each one file that a browser shows without a network.
#include "../../../train/files/json.hpp"

#include <initializer_list>
#include <string>

namespace tapehead {

/// A page of these styles and scripts, in this order; a browser loads nothing else. The scripts
/// find `data`, whose numbers are written as floats, in the element of that name. The title and all
/// strings in the data stay text. With `refresh`, the browser loads it again after so many seconds.
std::string web_page(const std::string& title, std::initializer_list<const char*> styles,
                     const Json& data, std::initializer_list<const char*> scripts, int refresh = 0);

// ---- the files of this folder, as the build embeds them: base.css is base_css

extern const char* const page_html;  ///< with {refresh}, {title}, {style}, {data}, {script}

extern const char* const base_css;       ///< colours, controls, captions
extern const char* const attention_css;  ///< the viewer of attention maps, and images
extern const char* const charts_css;
extern const char* const examples_css;
extern const char* const explain_css;
extern const char* const explain_numbers_css;  ///< tensors and elements
extern const char* const explain_print_css;
extern const char* const histograms_css;
extern const char* const inspect_css;  ///< numbers as colours
extern const char* const report_css;
extern const char* const sweep_css;

extern const char* const elements_js;   ///< what every script builds on
extern const char* const attention_js;  ///< the viewer of attention maps
extern const char* const attention_page_js;
extern const char* const checkpoints_js;  ///< the viewer with a choice of checkpoint and example
extern const char* const axes_js;         ///< numbers as text
extern const char* const charts_js;
extern const char* const examples_js;
extern const char* const explain_data_js;     ///< what the page of explain knows of its steps
extern const char* const explain_maps_js;     ///< tensors as numbers and colours
extern const char* const explain_list_js;     ///< the steps by module, with edges
extern const char* const explain_element_js;  ///< one element, term by term
extern const char* const explain_cards_js;    ///< inputs and result of a step
extern const char* const explain_jacobian_js;
extern const char* const explain_predict_js;  ///< what a student is asked
extern const char* const explain_handout_js;  ///< all steps on paper
extern const char* const explain_js;
extern const char* const histograms_js;  ///< distributions over steps
extern const char* const images_js;      ///< images, and what a head looks at in them
extern const char* const inspect_js;
extern const char* const report_js;
extern const char* const sections_js;  ///< headings and tables
extern const char* const sweep_js;
extern const char* const view_js;  ///< smoothing, zoom and the legend of all charts of a page

// ---- pictures for slides and pages, without script or fonts

/// Of a monospaced character, by the font's size.
constexpr double character_width = 0.61;

/// A line of text whose baseline begins at (x, y), in pixels; `more` are attributes.
std::string svg_text(double x, double y, const char* kind, const std::string& content,
                     const std::string& more = "");
/// The picture of these elements, with a background of its own, light or dark as the reader
/// prefers, so that it fits any page. There are the classes back, title, soft, frame and ink;
/// `more` are rules for others.
std::string svg_picture(int width, int height, const std::string& title, const std::string& more,
                        const std::string& elements);

}  // namespace tapehead
