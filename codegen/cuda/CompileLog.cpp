//===- CompileLog.cpp - NVRTC's log as diagnostics ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/CompileLog.h"

#include <algorithm>
#include <regex>

using namespace mkc::cuda;

static constexpr std::string_view kNodeComment = "// mk-node: ";

static std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == text.npos ? "" : text.substr(end + 1);
  }
  return lines;
}

static std::string trimmed(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? "" : std::string(line.substr(begin));
}

std::string CudaDiagnostic::format() const {
  std::string result = module;
  if (line)
    result += ":" + std::to_string(line);
  result += isError ? ": error: " : ": warning: ";
  result += message;
  if (!node.empty())
    result += ", from node " + node;
  if (!text.empty())
    result += "\n  " + text;
  return result;
}

std::string mkc::cuda::nodeOfLine(std::string_view moduleText, unsigned line) {
  std::vector<std::string_view> lines = splitLines(moduleText);
  for (size_t i = std::min<size_t>(line, lines.size()); i-- > 0;)
    if (size_t at = lines[i].find(kNodeComment); at != lines[i].npos)
      return std::string(lines[i].substr(at + kNodeComment.size()));
  return "";
}

/// Stands for the module where no line is known.
static std::string firstNode(std::string_view moduleText) {
  size_t at = moduleText.find(kNodeComment);
  return at == moduleText.npos
             ? ""
             : std::string(
                   splitLines(moduleText.substr(at + kNodeComment.size()))[0]);
}

/// The line of `moduleName` that the messages after `lines[from]` lead back to,
/// up to the next message; 0 if none does.
static unsigned originLine(const std::vector<std::string_view> &lines,
                           size_t from, const std::string &moduleName,
                           const std::regex &nextMessage) {
  static const std::regex reference("at line ([0-9]+) of ([^ ]+)");
  for (size_t i = from; i < lines.size(); ++i) {
    std::string line(lines[i]);
    if (i > from && std::regex_search(line, nextMessage))
      break;
    std::smatch match;
    if (std::regex_search(line, match, reference) && match[2] == moduleName)
      return unsigned(std::stoul(match[1]));
  }
  return 0;
}

std::vector<CudaDiagnostic>
mkc::cuda::parseCompileLog(std::string_view log, const std::string &moduleName,
                           std::string_view moduleText) {
  // "k3.cu(12): error: ...", also "error #20: " and "warning #177-D: ".
  static const std::regex message(
      R"(^(.*)\(([0-9]{1,9})\): (?:catastrophic )?(error|warning)[^:]*: (.*)$)");
  // Of the assembler, which names no line: "ptxas error   : ...".
  static const std::regex assembler(
      R"(^ptxas (?:.*, line [0-9]+; )?(error|warning|fatal) *: (.*)$)");
  std::vector<std::string_view> source = splitLines(moduleText);
  std::vector<std::string_view> lines = splitLines(log);
  std::vector<CudaDiagnostic> diagnostics;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string line(lines[i]);
    std::smatch match;
    CudaDiagnostic diagnostic;
    unsigned shown = 0; // line of the module
    if (std::regex_match(line, match, message)) {
      diagnostic.module = match[1];
      diagnostic.line = unsigned(std::stoul(match[2]));
      diagnostic.isError = match[3] == "error";
      diagnostic.message = match[4];
      shown = diagnostic.module == moduleName
                  ? diagnostic.line
                  : originLine(lines, i, moduleName, message);
    } else if (std::regex_match(line, match, assembler)) {
      diagnostic.module = moduleName;
      diagnostic.isError = match[1] != "warning";
      diagnostic.message = match[2];
    } else {
      continue;
    }
    if (shown && shown <= source.size())
      diagnostic.text = trimmed(source[shown - 1]);
    diagnostic.node =
        shown ? nodeOfLine(moduleText, shown) : firstNode(moduleText);
    diagnostics.push_back(std::move(diagnostic));
  }
  if (diagnostics.empty() && log.find_first_not_of(" \n\t") != log.npos) {
    CudaDiagnostic all;
    all.module = moduleName;
    all.message = std::string(log);
    diagnostics.push_back(std::move(all));
  }
  return diagnostics;
}
