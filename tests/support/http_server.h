// A web server on loopback for tests of downloads.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/descriptor.h"

namespace assay {

/// Answers requests on loopback, one after the other, with the given responses, then stops.
class HttpServer {
 public:
  explicit HttpServer(std::vector<std::string> responses)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    EXPECT_EQ(::getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, answers = std::move(responses)] {
      for (const std::string& answer : answers) serve(answer);
    });
  }
  ~HttpServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);  // ends a wait for a request that did not come
    thread_.join();
  }

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

 private:
  void serve(const std::string& answer) {
    const Descriptor client(::accept(listener_.get(), nullptr, nullptr));
    if (!client) return;
    std::string request;
    char block[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::recv(client.get(), block, sizeof block, 0);
      if (got <= 0) return;
      request.append(block, static_cast<std::size_t>(got));
    }
    std::size_t sent = 0;
    while (sent < answer.size()) {
      const ssize_t n =
          ::send(client.get(), answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }

  Descriptor listener_;
  int port_ = 0;
  std::thread thread_;
};

inline std::string response(const std::string& status, const std::string& body,
                            std::size_t length) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) +
         "\r\nConnection: close\r\n\r\n" + body;
}

inline std::string ok(const std::string& body) {
  return response("200 OK", body, body.size());
}

}  // namespace assay
