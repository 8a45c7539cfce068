//===- Libraries.cpp - Where NVRTC and nvJitLink are ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/Libraries.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace mkc::cuda;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// N of a file name `prefix`N, or 0.
static unsigned versionOf(const std::string &name, std::string_view prefix) {
  if (!name.starts_with(prefix))
    return 0;
  unsigned version = 0;
  const char *end = name.data() + name.size();
  auto [rest, error] =
      std::from_chars(name.data() + prefix.size(), end, version);
  return error == std::errc() && rest == end ? version : 0;
}

bool mkc::cuda::pickLibraries(const std::vector<std::string> &folders,
                              LibraryFiles &out) {
  std::map<unsigned, LibraryFiles> byVersion;
  for (const std::string &folder : folders) {
    std::error_code error; // a folder that is not there has no files
    for (fs::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      std::string name = it->path().filename();
      auto take = [&](std::string_view prefix,
                      std::string LibraryFiles::*file) {
        unsigned version = versionOf(name, prefix);
        if (version && (byVersion[version].*file).empty())
          byVersion[version].*file = it->path();
      };
      take("libnvrtc.so.", &LibraryFiles::nvrtc);
      take("libnvJitLink.so.", &LibraryFiles::nvJitLink);
    }
  }
  for (auto it = byVersion.rbegin(); it != byVersion.rend(); ++it)
    if (!it->second.nvrtc.empty() && !it->second.nvJitLink.empty()) {
      out.nvrtc = it->second.nvrtc;
      out.nvJitLink = it->second.nvJitLink;
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Python packages
//===----------------------------------------------------------------------===//

/// What a program prints, or nothing if it cannot be run or fails.
static std::string outputOf(const std::vector<std::string> &command) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC))
    return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  int failed = posix_spawnp(&child, arguments[0], &actions, nullptr,
                            arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 1; !failed && n != 0;) {
    n = read(pipe[0], buffer, sizeof buffer);
    if (n > 0)
      text.append(buffer, size_t(n));
    else if (n < 0 && errno != EINTR)
      break;
  }
  close(pipe[0]);
  int status = 1;
  while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return failed || status ? "" : text;
}

/// Folders of libraries of the namespace package `nvidia`, one a line: version
/// 13 has them together, version 12 one per package.
static constexpr char kFoldersScript[] =
    "import glob, importlib.util\n"
    "spec = importlib.util.find_spec('nvidia')\n"
    "for place in spec.submodule_search_locations if spec else []:\n"
    "    for folder in sorted(glob.glob(glob.escape(place) + '/*/lib')):\n"
    "        print(folder)\n";

static std::vector<std::string> pythonFolders(const std::string &python) {
  std::string text = outputOf({python, "-c", kFoldersScript});
  std::vector<std::string> folders;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    folders.push_back(text.substr(begin, end - begin));
    begin = end == text.npos ? text.size() : end + 1;
  }
  return folders;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static std::vector<std::pair<std::string, std::string>> toolkits() {
  std::vector<std::pair<std::string, std::string>> places;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable); folder && *folder)
      places.push_back({std::string("toolkit of ") + variable + ", " + folder,
                        std::string(folder) + "/lib64"});
  places.push_back({"toolkit in /usr/local/cuda", "/usr/local/cuda/lib64"});
#if defined(__aarch64__)
  places.push_back({"system", "/usr/lib/aarch64-linux-gnu"});
#else
  places.push_back({"system", "/usr/lib/x86_64-linux-gnu"});
#endif
  return places;
}

std::string mkc::cuda::findLibraries(LibraryFiles &out) {
  static constexpr char kWhat[] = "libnvrtc.so and libnvJitLink.so of one "
                                  "version";
  if (const char *folder = std::getenv("MKC_NVRTC"); folder && *folder) {
    out.origin = "MKC_NVRTC";
    if (pickLibraries({folder}, out))
      return "";
    return std::string("MKC_NVRTC: there are no ") + kWhat + " in " + folder;
  }
  const char *variable = std::getenv("MKC_PYTHON");
  std::string python = variable && *variable ? variable : "python3";
  out.origin = "Python packages of " + python;
  std::string looked = out.origin;
  if (pickLibraries(pythonFolders(python), out))
    return "";
  for (const auto &[name, folder] : toolkits()) {
    out.origin = name;
    if (pickLibraries({folder}, out))
      return "";
    looked += "; " + name;
  }
  out = {};
  return std::string("found no ") + kWhat + " (looked in: " + looked +
         "); install them with `pip install nvidia-cuda-nvrtc "
         "nvidia-nvjitlink`, or set MKC_NVRTC to their folder";
}

std::string mkc::cuda::loadLibraries(CudaLibraries &out) {
  if (std::string error = findLibraries(out.files); !error.empty())
    return error;
  std::string error = Nvrtc::load(out.files.nvrtc, out.nvrtc);
  if (error.empty())
    error = NvJitLink::load(out.files.nvJitLink, out.nvJitLink);
  if (!error.empty())
    return error + " (" + out.files.origin + ")";
  auto version = [](unsigned major, unsigned minor) {
    return std::pair(major, minor);
  };
  if (version(out.nvJitLink.major(), out.nvJitLink.minor()) <
      version(unsigned(out.nvrtc.major()), unsigned(out.nvrtc.minor())))
    return "nvJitLink " + out.nvJitLink.version() + " cannot link what NVRTC " +
           out.nvrtc.version() + " compiles (" + out.files.origin + ")";
  return "";
}

std::string CudaLibraries::describe() const {
  return "NVRTC " + nvrtc.version() + ", nvJitLink " + nvJitLink.version() +
         " (" + files.origin + ")";
}
