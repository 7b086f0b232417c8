#pragma once
// Web pages and SVG pictures, each in one file that needs no network.
#include "../../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// Returns a page with these styles and scripts, in order; it loads no other files. Scripts read
/// the data, whose numbers have the precision of floats, from the element with the id `data`.
/// Escapes the title and all strings in the data. If `refresh` isn't 0, the browser reloads the
/// page after that many seconds.
std::string web_page(const std::string& title, const std::vector<const char*>& styles,
                     const Json& data, const std::vector<const char*>& scripts, int refresh = 0);

/// Returns elements_js, the words in all languages, and these scripts, which use them.
std::vector<const char*> with_words(const std::vector<const char*>& scripts);

// ---- files of this folder, which the build embeds: base_css is base.css

extern const char* const page_html;  ///< has {refresh}, {title}, {style}, {data} and {script}

extern const char* const base_css;       ///< colours, controls, captions
extern const char* const attention_css;  ///< attention maps and images
extern const char* const charts_css;
extern const char* const examples_css;
extern const char* const explain_css;
extern const char* const explain_graph_css;
extern const char* const explain_numbers_css;  ///< tensors and elements
extern const char* const explain_print_css;
extern const char* const histograms_css;
extern const char* const inspect_css;  ///< numbers as colours
extern const char* const report_css;
extern const char* const study_css;
extern const char* const sweep_css;

extern const char* const elements_js;  ///< functions for all scripts
extern const char* const fingers_js;   ///< cells to tap, panels that stay in view
extern const char* const words_en_js;
extern const char* const words_de_js;
extern const char* const words_js;      ///< finds words in the reader's language
extern const char* const attention_js;  ///< the viewer of attention maps
extern const char* const attention_page_js;
extern const char* const checkpoints_js;  ///< attention maps by checkpoint and example
extern const char* const axes_js;         ///< number formatting and axes
extern const char* const charts_js;
extern const char* const examples_js;
extern const char* const lengths_js;    ///< charts of accuracy by length
extern const char* const trace_js;      ///< the data of `explain`: steps, values, gradients, slopes
extern const char* const scope_js;      ///< what the graph shows: steps, and modules as boxes
extern const char* const timeline_js;   ///< what is known at each moment
extern const char* const layout_js;     ///< positions of nodes and edges
extern const char* const maps_js;       ///< views of tensors as numbers and colours
extern const char* const spin_js;       ///< numbers that the reader changes
extern const char* const node_js;       ///< a node of the graph
extern const char* const graph_js;      ///< the graph
extern const char* const sentences_js;  ///< what an op does with a gradient, in words
extern const char* const caption_js;    ///< what happens at a moment
extern const char* const predict_js;    ///< the question on an edge
extern const char* const element_view_js;  ///< the selected element, term by term
extern const char* const jacobian_js;
extern const char* const panel_js;      ///< the selected step
extern const char* const explainer_js;  ///< the component of all these
extern const char* const explain_page_js;
extern const char* const histograms_js;  ///< histograms over steps
extern const char* const images_js;      ///< images shaded by a head's attention
extern const char* const circuit_js;     ///< the graph of edges between components
extern const char* const inspect_js;
extern const char* const report_js;
extern const char* const sections_js;  ///< headings and tables
extern const char* const study_js;
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
