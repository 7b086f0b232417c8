#pragma once
// The results of an experiment on a model, before they become text, JSON or a page.
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/shape.hpp"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tapehead {

class Json;

/// The result of an experiment. It is shown in this order: notes, graphs, grids, tables, curves.
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
    /// The number of the column that is plotted over checkpoints, one curve per text in the first
    /// column; 0: none.
    std::size_t tracked_column = 0;
  };
  /// A heatmap: colours for numbers, with row and column labels. Negative numbers have different
  /// colours.
  struct Grid {
    std::string title, down, across;                   ///< names of the row and column axes
    std::vector<std::string> rows = {}, columns = {};  ///< labels
    std::vector<double> values = {};                   ///< row by row; NaN for an empty cell
    double full = 0;  ///< the number with the strongest colour; 0: the largest absolute value
    std::vector<std::string> texts = {};  ///< shown instead of the numbers, unless empty
    int decimals = 2;

    double strongest() const;
  };
  /// Components of a model in columns, and the edges between them.
  struct Graph {
    struct Node {
      std::string name;
      Index level;  ///< number of the column
    };
    struct Edge {
      std::string from, to;  ///< names of nodes
      std::string input;     ///< the input that reads: query, key, value, or empty
      double score;
    };
    std::string title, quantity;  ///< the quantity is the score's name
    std::vector<Node> nodes;
    std::vector<Edge> edges;
  };
  /// A quantity at some checkpoints of a run, one line per name.
  struct Curves {
    struct Line {
      std::string name;
      std::vector<double> values;  ///< one per checkpoint; NaN if missing
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
  std::map<std::string, double> numbers = {};  ///< exact values of rounded numbers in the notes
  std::vector<Graph> graphs = {};              ///< shown before the grids, only in pages and JSON
};

/// Returns curves of the tracked columns in an experiment's documents, one document per step.
/// Throws UsageError if no column is tracked.
std::vector<Document::Curves> checkpoint_curves(const std::vector<Document>& documents,
                                                const std::vector<Index>& steps);

/// Formats a document as text. Grids show numbers if they fit, else shades; in colour if the
/// terminal supports it.
std::string to_text(const Document& document, const Terminal& terminal);
/// Returns {title, notes, graphs, grids, tables, curves, numbers}; graphs and numbers only if not
/// empty. A table's rows are objects with the column names as keys; `shares` lists the columns that
/// hold fractions of 1. A grid's `values` are arrays of numbers, one per row; `full` is the number
/// with the strongest colour. Numbers are exact; non-finite ones are null.
Json to_json(const Document& document);
/// Returns a self-contained HTML page.
std::string to_page(const Document& document);

}  // namespace tapehead
