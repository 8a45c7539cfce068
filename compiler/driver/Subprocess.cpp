//===- Subprocess.cpp - A child process that answers lines ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Subprocess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mkc::driver;

std::string Subprocess::start(const std::vector<std::string> &command) {
  // Sockets, so that writing to a child that is gone is an error, not a signal.
  int in[2], out[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in))
    return std::string("cannot create a socket: ") + std::strerror(errno);
  if (pipe2(out, O_CLOEXEC)) {
    close(in[0]);
    close(in[1]);
    return std::string("cannot create a pipe: ") + std::strerror(errno);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  // Signals that this process blocks must reach the child.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawnp(&child, arguments[0], &actions, &attributes,
                           arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in[1]);
  close(out[1]);
  input = in[0];
  output = out[0];
  if (!error)
    return {};
  child = -1;
  return "cannot start " + command[0] + ": " + std::strerror(error);
}

Subprocess::~Subprocess() {
  if (input >= 0)
    close(input);
  if (output >= 0)
    close(output);
  if (child < 0)
    return;
  kill(child, SIGTERM);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string Subprocess::writeLine(const std::string &line) {
  std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t n =
        send(input, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n >= 0)
      done += n;
    else if (errno != EINTR)
      return std::string("the child process is gone: ") + std::strerror(errno);
  }
  return {};
}

std::string Subprocess::readLine(std::string &line) {
  size_t end;
  while ((end = pending.find('\n')) == pending.npos) {
    char buffer[4096];
    ssize_t n = read(output, buffer, sizeof(buffer));
    if (n > 0)
      pending.append(buffer, n);
    else if (n == 0)
      return "the child process has ended without an answer";
    else if (errno != EINTR)
      return std::string("cannot read from the child process: ") +
             std::strerror(errno);
  }
  line = pending.substr(0, end);
  pending.erase(0, end + 1);
  return {};
}
