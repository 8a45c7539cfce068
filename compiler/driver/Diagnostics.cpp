//===- Diagnostics.cpp - Diagnostics with node names ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Diagnostics.h"

#include "dialects/onnx/Onnx.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::driver;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::raw_ostream &out)
    : out(out),
      handler(&context, [this](Diagnostic &diagnostic) { print(diagnostic); }) {
}

void DiagnosticPrinter::learnNodes(ModuleOp module) {
  module.walk([&](onnx::NodeOp node) {
    if (auto name = dyn_cast<NameLoc>(node.getLoc()))
      operatorTypes[name.getName()] = node.getOpType().str();
  });
}

/// The first file of a location.
static FileLineColLoc fileOf(Location loc) {
  FileLineColLoc file;
  loc->walk([&](Location part) {
    file = dyn_cast<FileLineColLoc>(part);
    return file ? WalkResult::interrupt() : WalkResult::advance();
  });
  return file;
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

/// The names of a location's parts. Fusions name many nodes: the first tell.
static void printNames(Location loc, llvm::raw_ostream &out,
                       const llvm::StringMap<std::string> &operatorTypes) {
  constexpr size_t maxNames = 3;
  llvm::SetVector<NameLoc> names;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.insert(name);
    return WalkResult::advance();
  });
  for (auto [index, loc] : llvm::enumerate(names)) {
    if (index == maxNames) {
      out << " and " << names.size() - maxNames << " more";
      break;
    }
    auto file = dyn_cast<FileLineColLoc>(loc.getChildLoc());
    bool isNode = file && file.getColumn() == onnx::nodeColumn;
    out << (index ? ", " : isNode ? " in node " : " in ");
    out << "'" << loc.getName().getValue() << "'";
    if (auto type = operatorTypes.find(loc.getName());
        isNode && type != operatorTypes.end())
      out << " (" << type->second << ")";
  }
}

/// The file; for IR text, which has lines, those too.
void DiagnosticPrinter::printPlace(Location loc) {
  FileLineColLoc file = fileOf(loc);
  if (!file) {
    out << "mkc";
    return;
  }
  out << file.getFilename().getValue();
  if (isa<FileLineColLoc>(loc) && file.getColumn() > onnx::valueColumn)
    out << ":" << file.getLine() << ":" << file.getColumn();
}

FailureKind DiagnosticPrinter::takeFailure(FailureKind orElse) {
  std::optional<FailureKind> own = std::exchange(marked, std::nullopt);
  bool others = std::exchange(hasUnmarked, false);
  if (!own)
    return orElse;
  return others ? std::max(*own, orElse) : *own;
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
    std::optional<FailureKind> kind = failureKindOf(diagnostic);
    marked = std::max(marked, kind); // nothing is less than any kind
    hasUnmarked |= !kind;
  }
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && !showRemarks)
    return;
  if (beforePrint)
    beforePrint();
  auto line = [&](Diagnostic &part) {
    printPlace(part.getLocation());
    out << ": " << severityName(part.getSeverity()) << ": " << part;
    printNames(part.getLocation(), out, operatorTypes);
    out << "\n";
  };
  line(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    line(note);
  out.flush();
}
