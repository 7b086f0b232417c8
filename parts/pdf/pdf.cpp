#include "pdf.hpp"

#include <cairo-pdf.h>

#include <cmath>
#include <memory>

namespace tapehead {
namespace {

void set_colour(cairo_t* to, unsigned colour, double opacity) {
  const auto part = [&](int bits) { return ((colour >> bits) & 0xff) / 255.0; };
  cairo_set_source_rgba(to, part(16), part(8), part(0), opacity);
}

void trace(cairo_t* to, const Mark& mark) {
  cairo_new_path(to);
  for (const Place& place : mark.points) cairo_line_to(to, place.x, place.y);
}

void show_text(cairo_t* to, const Mark& mark) {
  cairo_text_extents_t size;
  cairo_text_extents(to, mark.text.c_str(), &size);
  const double shares[] = {0, 0.5, 1};  // of the width, before the anchor
  cairo_save(to);
  cairo_translate(to, mark.points[0].x, mark.points[0].y);
  if (mark.upwards) cairo_rotate(to, -std::acos(-1.0) / 2);
  cairo_move_to(to, -shares[static_cast<int>(mark.anchor)] * size.x_advance, 0);
  cairo_show_text(to, mark.text.c_str());
  cairo_restore(to);
}

void draw(cairo_t* to, const Mark& mark) {
  set_colour(to, mark.colour, mark.opacity);
  switch (mark.kind) {
    case Mark::Kind::line:
      trace(to, mark);
      cairo_set_line_width(to, mark.width);
      cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
      cairo_set_dash(to, mark.dashes.data(), static_cast<int>(mark.dashes.size()), 0);
      cairo_stroke(to);
      break;
    case Mark::Kind::area:
      trace(to, mark);
      cairo_close_path(to);
      cairo_fill(to);
      break;
    case Mark::Kind::text:
      show_text(to, mark);
  }
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string to_pdf(const Drawing& drawing) {
  std::string bytes;
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> page(
      cairo_pdf_surface_create_for_stream(append, &bytes, drawing.width, drawing.height),
      cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(page.get(), CAIRO_PDF_METADATA_TITLE, drawing.title.c_str());
  const std::unique_ptr<cairo_t, void (*)(cairo_t*)> to(cairo_create(page.get()), cairo_destroy);
  cairo_select_font_face(to.get(), "Helvetica", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(to.get(), Drawing::font_size);
  for (const Mark& mark : drawing.marks) draw(to.get(), mark);
  cairo_surface_finish(page.get());
  for (const cairo_status_t status : {cairo_status(to.get()), cairo_surface_status(page.get())})
    if (status != CAIRO_STATUS_SUCCESS) throw Error("pdf: {}", cairo_status_to_string(status));
  return bytes;
}

}  // namespace tapehead
