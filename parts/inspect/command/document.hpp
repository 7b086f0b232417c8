#pragma once
// What an experiment on a model has found, before it is text, JSON or a page.
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/shape.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tapehead {

class Json;

/// Its parts are shown in this order: notes, grids, tables, curves.
struct Document {
  struct Column {
    enum class Kind { text, number, share };
    std::string name;  ///< of the quantity, with its unit where it has one
    Kind kind = Kind::number;
    int decimals = 4;
  };
  using Cell = std::variant<std::string, double>;  ///< a text, or a number of another kind
  struct Table {
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  ///< as many cells each as there are columns
    /// The column of numbers that is followed over checkpoints, by the text of a row's first cell;
    /// 0: none is.
    std::size_t tracked_column = 0;
  };
  /// Numbers by two labels, as colours; negative ones have a colour of their own.
  struct Grid {
    std::string title, down, across;                   ///< what its rows are, and its columns
    std::vector<std::string> rows = {}, columns = {};  ///< their labels
    std::vector<double> values = {};                   ///< row by row; NaN where there is nothing
    double full = 0;  ///< the number of the strongest colour; 0: the largest absolute value
    std::vector<std::string> texts = {};  ///< in the cells, in place of the numbers; none: these
    int decimals = 2;

    double strongest() const;
  };
  /// A quantity over the checkpoints of a run.
  struct Curves {
    struct Line {
      std::string name;
      std::vector<double> values;  ///< one a step; NaN where there is none
    };
    std::string title, quantity;
    std::vector<Index> steps;
    std::vector<Line> lines;
  };

  std::string title;
  std::vector<std::string> notes;  ///< whole sentences
  std::vector<Grid> grids = {};
  std::vector<Table> tables = {};
  std::vector<Curves> curves = {};
};

/// The followed columns of documents of one experiment, made at these steps, as curves. Throws
/// UsageError if there are none.
std::vector<Document::Curves> checkpoint_curves(const std::vector<Document>& documents,
                                                const std::vector<Index>& steps);

/// In characters: numbers where they fit the width, else shades; in colour where there are colours.
std::string to_text(const Document& document, const Terminal& terminal);
/// {title, notes, grids, tables, curves}: a table's rows are objects by the names of its columns,
/// `shares` names those that are fractions of 1; a grid's values are rows of numbers, `full` is
/// that of the strongest colour. All numbers are exact; what is not finite is null.
Json to_json(const Document& document);
/// In one file, for a browser.
std::string to_page(const Document& document);

}  // namespace tapehead
