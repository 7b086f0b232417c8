#pragma once
// Web pages and SVG pictures, each in one file that needs no network.
#include "../../../train/files/embedded_file.hpp"
#include "../../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

extern const EmbeddedFile page_files[];

/// Returns a page with these styles and scripts, in order; it loads no other files. They are names
/// of files in this folder and its subfolders, which the build embeds. Scripts read the data, whose
/// numbers have the precision of floats, from the element with the id `data`. Escapes the title and
/// all strings in the data. If `refresh` isn't 0, the browser reloads the page after that many
/// seconds.
std::string web_page(const std::string& title, const std::vector<const char*>& styles,
                     const Json& data, const std::vector<const char*>& scripts, int refresh = 0);

/// Returns elements.js, the words in all languages, and these scripts, which use them.
std::vector<const char*> with_words(const std::vector<const char*>& scripts);

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
