#include "properties/schedule_picture.h"

#include <algorithm>
#include <vector>

namespace bytegate {
namespace {

constexpr int64_t kBarWidth = 32;
constexpr size_t kLinesAbove = 24;
constexpr size_t kLinesBelow = 8;
constexpr size_t kPiecesListed = 4;
constexpr size_t kShortestFold = 3;  // SMs

// Splits first .. last of a request.
struct Piece {
  int64_t request = 0;
  int64_t first = 0;
  int64_t last = 0;

  [[nodiscard]] int64_t count() const { return last - first + 1; }
};

// What one SM, or several in a row, work on.
struct Share {
  int64_t first_sm = 0;
  int64_t last_sm = 0;
  int64_t least = 0;  // splits of an SM
  int64_t most = 0;
  std::vector<Piece> pieces;
};

std::string number(int64_t value) {
  return std::to_string(value);
}

std::string counted(int64_t count, const std::string& what) {
  return number(count) + " " + what + (count == 1 ? "" : "s");
}

int64_t num_splits(int32_t len_tokens) {
  return (int64_t{len_tokens} + kSplitKv - 1) / kSplitKv;
}

std::string range_text(int64_t first, int64_t last) {
  return first == last ? number(first) : number(first) + ".." + number(last);
}

Share share_of(const PagedMqaMetadataCase& c, std::span<const int32_t> table, int64_t sm) {
  const size_t row = static_cast<size_t>(2 * sm);
  Share share{.first_sm = sm, .last_sm = sm, .pieces = {}};
  int64_t first = table[row + 1];
  for (int64_t request = table[row]; request <= table[row + 2]; ++request) {
    const bool stops_here = request == table[row + 2];
    const int64_t end =
        stops_here ? table[row + 3] : num_splits(c.context_lens[static_cast<size_t>(request)]);
    if (first < end) share.pieces.push_back({request, first, end - 1});
    share.most += std::max<int64_t>(end - first, 0);
    first = 0;
  }
  share.least = share.most;
  return share;
}

// Whether the SMs can be told in one line: all idle, or all within one request.
bool folds(const Share& above, const Share& below) {
  if (above.pieces.empty() || below.pieces.empty()) {
    return above.pieces.empty() && below.pieces.empty();
  }
  return above.pieces.size() == 1 && below.pieces.size() == 1 &&
         above.pieces[0].request == below.pieces[0].request;
}

std::vector<Share> folded(const std::vector<Share>& shares) {
  std::vector<Share> lines;
  for (size_t begin = 0; begin < shares.size();) {
    size_t end = begin + 1;
    while (end < shares.size() && folds(shares[begin], shares[end])) ++end;
    if (end - begin < kShortestFold) {
      lines.insert(lines.end(), shares.begin() + static_cast<ptrdiff_t>(begin),
                   shares.begin() + static_cast<ptrdiff_t>(end));
    } else {
      Share line = shares[begin];
      line.last_sm = shares[end - 1].last_sm;
      for (size_t i = begin; i < end; ++i) {
        line.least = std::min(line.least, shares[i].least);
        line.most = std::max(line.most, shares[i].most);
      }
      if (!line.pieces.empty()) line.pieces[0].last = shares[end - 1].pieces[0].last;
      lines.push_back(line);
    }
    begin = end;
  }
  return lines;
}

// A letter for every `scale` splits of one SM, that of the request which owns the first of them.
std::string bar_of(const Share& share, int64_t scale) {
  std::string bar;
  int64_t before = 0;  // splits of the pieces so far
  int64_t next = 0;    // the split that the next letter is for
  for (const Piece& piece : share.pieces) {
    before += piece.count();
    for (; next < std::min(before, share.most); next += scale) {
      bar += static_cast<char>('a' + piece.request % 26);
    }
  }
  return bar;
}

std::string pieces_text(const std::vector<Piece>& pieces) {
  if (pieces.empty()) return "no work";
  const auto text_of = [](const Piece& piece) {
    return number(piece.request) + ":" + range_text(piece.first, piece.last);
  };
  std::string text = text_of(pieces[0]);
  if (pieces.size() > kPiecesListed) {
    return text + " .. " + number(static_cast<int64_t>(pieces.size()) - 2) + " requests .. " +
           text_of(pieces.back());
  }
  for (size_t i = 1; i < pieces.size(); ++i) text += " " + text_of(pieces[i]);
  return text;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// The lines in columns, those in the middle of a long chart counted.
std::string chart_of(const std::vector<Share>& lines, int64_t scale) {
  size_t sm_width = 0;
  size_t count_width = 0;
  size_t bar_width = 0;
  for (const Share& line : lines) {
    sm_width = std::max(sm_width, range_text(line.first_sm, line.last_sm).size());
    count_width = std::max(count_width, range_text(line.least, line.most).size());
    bar_width = std::max(bar_width, bar_of(line, scale).size());
  }
  const bool cut = lines.size() > kLinesAbove + kLinesBelow + 1;
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (cut && i == kLinesAbove) {
      const size_t next = lines.size() - kLinesBelow;
      text += "      .. " + counted(lines[next].first_sm - lines[i].first_sm, "SM") + "\n";
      i = next;
    }
    const Share& line = lines[i];
    text += "    SM " + padded(range_text(line.first_sm, line.last_sm), sm_width) + "  " +
            padded(range_text(line.least, line.most), count_width) + "  " +
            padded(bar_of(line, scale), bar_width) + "  " + pieces_text(line.pieces) + "\n";
  }
  return text;
}

}  // namespace

std::string schedule_picture(const PagedMqaMetadataCase& c, std::span<const int32_t> table) {
  std::vector<Share> shares;
  int64_t total = 0;
  int64_t most = 0;
  for (int64_t sm = 0; sm < c.num_sm; ++sm) {
    shares.push_back(share_of(c, table, sm));
    total += shares.back().most;
    most = std::max(most, shares.back().most);
  }
  const int64_t num_empty = std::count(c.context_lens.begin(), c.context_lens.end(), 0);
  const int64_t scale = std::max<int64_t>(1, (most + kBarWidth - 1) / kBarWidth);
  std::string text = "  schedule " + counted(total, "split") + " of " +
                     counted(static_cast<int64_t>(c.context_lens.size()), "request") + " over " +
                     counted(c.num_sm, "SM");
  if (num_empty > 0) text += ", " + counted(num_empty, "request") + " without any";
  if (total > 0) {
    text += "; a letter is " + (scale == 1 ? "a split" : number(scale) + " splits") +
            ", then request:splits";
  }
  return text + "\n" + chart_of(folded(shares), scale);
}

}  // namespace bytegate
