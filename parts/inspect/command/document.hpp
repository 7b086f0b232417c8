#pragma once
// The results of an experiment on a model, before they become text, JSON or a page.
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/shape.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tapehead {

class Json;

/// The result of an experiment. It is shown in this order: notes, grids, tables, curves.
struct Document {
  struct Column {
    enum class Kind { text, number, share };
    std::string name;  ///< name of the quantity, with its unit if any
    Kind kind = Kind::number;
    int decimals = 4;
  };
  using Cell = std::variant<std::string, double>;  ///< a text for text columns, else a number
  struct Table {
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  ///< one cell per column
    /// The numeric column that is tracked over checkpoints, by the text in a row's first cell; 0:
    /// none.
    std::size_t tracked_column = 0;
  };
  /// A heatmap: numbers with row and column labels, shown as colours; negative ones have other
  /// colours.
  struct Grid {
    std::string title, down, across;                   ///< names of the row and column axes
    std::vector<std::string> rows = {}, columns = {};  ///< labels
    std::vector<double> values = {};                   ///< row by row; NaN for an empty cell
    double full = 0;  ///< the value of the strongest colour; 0: the largest absolute value
    std::vector<std::string> texts = {};  ///< shown instead of the numbers, if not empty
    int decimals = 2;

    double strongest() const;
  };
  /// A quantity over the checkpoints of a run.
  struct Curves {
    struct Line {
      std::string name;
      std::vector<double> values;  ///< one per step; NaN if missing
    };
    std::string title, quantity;
    std::vector<Index> steps;
    std::vector<Line> lines;
  };

  std::string title;
  std::vector<std::string> notes;  ///< complete sentences
  std::vector<Grid> grids = {};
  std::vector<Table> tables = {};
  std::vector<Curves> curves = {};
};

/// Returns the tracked columns of one experiment's documents at these steps, as curves. Throws
/// UsageError if there are none.
std::vector<Document::Curves> checkpoint_curves(const std::vector<Document>& documents,
                                                const std::vector<Index>& steps);

/// Formats a document as text: numbers if they fit, else shades; in colour if the terminal has it.
std::string to_text(const Document& document, const Terminal& terminal);
/// Returns {title, notes, grids, tables, curves}. A table's rows are objects with its column names
/// as keys; `shares` lists the columns with fractions of 1. A grid's values are rows of numbers;
/// `full` is the value of the strongest colour. Numbers are exact; non-finite ones are null.
Json to_json(const Document& document);
/// Returns an HTML page in one file.
std::string to_page(const Document& document);

}  // namespace tapehead
