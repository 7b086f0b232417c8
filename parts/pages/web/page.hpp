#pragma once
// Web pages and SVG pictures, each in one file that needs no network.
#include "../../../train/files/json.hpp"

#include <initializer_list>
#include <string>

namespace tapehead {

/// Returns a page with these styles and scripts, in order; it loads no other files. Scripts read
/// the data, whose numbers have the precision of floats, from the element with the id `data`.
/// Escapes the title and all strings in the data. If `refresh` isn't 0, the browser reloads the
/// page after that many seconds.
std::string web_page(const std::string& title, std::initializer_list<const char*> styles,
                     const Json& data, std::initializer_list<const char*> scripts, int refresh = 0);

// ---- files of this folder, which the build embeds: base_css is base.css

extern const char* const page_html;  ///< has {refresh}, {title}, {style}, {data} and {script}

extern const char* const base_css;       ///< colours, controls, captions
extern const char* const attention_css;  ///< attention maps and images
extern const char* const charts_css;
extern const char* const examples_css;
extern const char* const explain_css;
extern const char* const explain_numbers_css;  ///< tensors and elements
extern const char* const explain_print_css;
extern const char* const histograms_css;
extern const char* const inspect_css;  ///< numbers as colours
extern const char* const report_css;
extern const char* const sweep_css;

extern const char* const elements_js;   ///< functions for all scripts
extern const char* const attention_js;  ///< the viewer of attention maps
extern const char* const attention_page_js;
extern const char* const checkpoints_js;  ///< attention maps by checkpoint and example
extern const char* const axes_js;         ///< number formatting and axes
extern const char* const charts_js;
extern const char* const examples_js;
extern const char* const explain_data_js;     ///< data of a page of `explain`
extern const char* const explain_maps_js;     ///< views of tensors as numbers and colours
extern const char* const explain_list_js;     ///< list of steps by module, with edges
extern const char* const explain_element_js;  ///< the selected element, term by term
extern const char* const explain_cards_js;    ///< cards of a step's inputs and result
extern const char* const explain_jacobian_js;
extern const char* const explain_predict_js;  ///< prediction exercise
extern const char* const explain_handout_js;  ///< printable list of all steps
extern const char* const explain_js;
extern const char* const histograms_js;  ///< histograms over steps
extern const char* const images_js;      ///< images shaded by a head's attention
extern const char* const inspect_js;
extern const char* const report_js;
extern const char* const sections_js;  ///< headings and tables
extern const char* const sweep_js;
extern const char* const view_js;  ///< settings of all charts: smoothing, zoom, hidden runs

// ---- pictures for slides and pages, without scripts or fonts

/// Width of a monospaced character relative to the font size.
constexpr double character_width = 0.61;

/// Returns a line of text whose baseline starts at (x, y), in pixels. `kind` is its class, and
/// `more` are extra attributes.
std::string svg_text(double x, double y, const char* kind, const std::string& content,
                     const std::string& more = "");
/// Returns an SVG of these elements on a light or dark background, depending on the browser's
/// setting. Defines the classes back, title, soft, frame and ink; `more` are extra CSS rules.
std::string svg_picture(int width, int height, const std::string& title, const std::string& more,
                        const std::string& elements);

}  // namespace tapehead
