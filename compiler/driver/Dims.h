//===- Dims.h - Sizes of a model's inputs ---------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dim of an input is a number, a name, an expression of names, or anonymous.
// Names get values from `--dim` and from the shapes of a run's inputs; equal
// names must agree everywhere. Declared shapes of outputs play no part.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/DimExpression.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <variant>

namespace mkc::driver {

/// One `--dim NAME=N`, `NAME=LOW..HIGH` or `INPUT:AXIS=...`.
struct DimRequest {
  std::string name;
  DimRange range;
};

/// Parses the value of `--dim`. Returns an error text, or an empty string.
std::string parseDimRequest(llvm::StringRef text, DimRequest &out);

/// What is known of the sizes of a model's inputs. An expression whose names
/// are bound is derived, else it is a name of its own. Copyable: each run of a
/// model starts from a copy that holds the user's requests. Functions that may
/// fail return an error text, or an empty string.
class Dims {
public:
  /// A number, or a name; "" for an anonymous dim.
  using Declared = std::variant<int64_t, std::string>;
  struct Input {
    std::string name;
    /// Nothing if the model does not tell the rank.
    std::optional<std::vector<Declared>> dims;
  };

  explicit Dims(std::vector<Input> inputs);
  /// The tensors among the arguments of @main.
  static Dims ofModule(mlir::ModuleOp module);

  /// Binds or bounds a dim as the user asks.
  std::string request(const DimRequest &request);
  /// Binds an input's dims to the shape that it has in a run.
  std::string observe(llvm::StringRef input, llvm::ArrayRef<int64_t> shape);
  /// Checks that expressions whose names are bound agree with what is bound
  /// under the expression itself.
  std::string check() const;

  /// Names of dims of which nothing is known, as `--dim` takes them: `batch`,
  /// `x:0`; inputs of unknown rank as `x`.
  std::vector<std::string> unbound() const;
  /// Requests that leave a dim with more than one size: `past=0..8`.
  std::vector<std::string> ranges() const;
  /// The shape of an input if it is bound.
  std::optional<std::vector<int64_t>> shape(llvm::StringRef input) const;
  const std::vector<Input> &inputs() const { return declared; }

private:
  /// A size and the input that it comes from, for messages.
  struct Binding {
    int64_t size;
    std::string source;
  };

  std::string bind(llvm::StringRef symbol, int64_t size,
                   const std::string &source);
  std::string symbolOf(const Input &input, size_t axis) const;
  /// What is said of a symbol itself.
  std::optional<DimRange> given(llvm::StringRef symbol) const;
  /// That, or what follows from an expression's names.
  std::optional<DimRange> rangeOf(llvm::StringRef symbol) const;
  /// Symbols of inputs' dims without a single size, each once.
  std::vector<std::string> unsized() const;
  std::optional<DimRange> derived(const DimExpression &expression) const;
  std::optional<int64_t> sizeOf(const Input &input, size_t axis) const;
  std::optional<std::string> findSymbol(llvm::StringRef name) const;
  std::string listSymbols() const;

  std::vector<Input> declared;
  /// Ordered, so that messages are the same each time.
  std::map<std::string, DimExpression> expressions;
  std::map<std::string, DimRange> requests;
  std::map<std::string, Binding> bindings;
};

} // namespace mkc::driver
