//===- Libraries.h - Where NVRTC and nvJitLink are ------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/NvJitLink.h"
#include "codegen/cuda/Nvrtc.h"

#include <string>
#include <vector>

namespace mkc::cuda {

/// Files of the two libraries, of the same major version.
struct LibraryFiles {
  std::string nvrtc, nvJitLink;
  std::string origin; ///< "MKC_NVRTC", "Python packages of python3", ...
};

/// Looks for libnvrtc.so.N and libnvJitLink.so.N in the folders; takes the
/// largest N that both have. False if there is none.
bool pickLibraries(const std::vector<std::string> &folders, LibraryFiles &out);

/// Looks in this order, and takes the first place that has both:
/// 1. the folder MKC_NVRTC; if it is set, nowhere else;
/// 2. the Python packages nvidia-cuda-nvrtc and nvidia-nvjitlink of MKC_PYTHON,
///    or of python3;
/// 3. the toolkit: CUDA_HOME, CUDA_PATH, /usr/local/cuda, the system's folder.
/// Returns an error text that says where it looked and what to install, or an
/// empty string.
std::string findLibraries(LibraryFiles &out);

/// The two libraries, loaded.
struct CudaLibraries {
  Nvrtc nvrtc;
  NvJitLink nvJitLink;
  LibraryFiles files;

  /// "NVRTC 13.5, nvJitLink 13.5 (MKC_NVRTC)", for packages and `mkc doctor`.
  std::string describe() const;
};

/// Loads what `findLibraries` finds. A linker that is older than the compiler
/// is refused with both versions.
std::string loadLibraries(CudaLibraries &out);

} // namespace mkc::cuda
