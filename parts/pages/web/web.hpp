#pragma once
// The files beside this one, as the build embeds them: base.css is base_css.

namespace tapehead {

extern const char* const page_html;  ///< with {refresh}, {title}, {style}, {data}, {script}

extern const char* const base_css;       ///< colours, controls, captions
extern const char* const attention_css;  ///< the viewer of attention maps
extern const char* const charts_css;
extern const char* const examples_css;
extern const char* const explain_css;
extern const char* const explain_numbers_css;  ///< tensors and elements
extern const char* const explain_print_css;
extern const char* const histograms_css;
extern const char* const inspect_css;  ///< numbers as colours
extern const char* const report_css;
extern const char* const sweep_css;
extern const char* const images_css;

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
extern const char* const picture_js;  ///< one picture, and what it shows
extern const char* const report_js;
extern const char* const sections_js;  ///< headings and tables
extern const char* const sweep_js;
extern const char* const view_js;  ///< smoothing, zoom and the legend of all charts of a page

}  // namespace tapehead
