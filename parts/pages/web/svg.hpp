#pragma once
// Pictures for slides and pages, in one file without script or fonts.
#include <string>

namespace tapehead {

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
