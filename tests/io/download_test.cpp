#include "io/download.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "io/descriptor.h"
#include "io/sha256.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

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

std::string response(const std::string& status, const std::string& body, std::size_t length) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) +
         "\r\nConnection: close\r\n\r\n" + body;
}

std::string ok(const std::string& body) {
  return response("200 OK", body, body.size());
}

class Download : public testing::Test {
 protected:
  /// The message of the failed download, without the advice that all have in common.
  std::string failure(const std::string& url) {
    const std::string text = thrown([&] { download(url, to, sha256_hex(body)); });
    const std::string advice = "; fetch the file yourself and put it at " + to.string() +
                               ", or set ASSAY_DATA to a folder that has play.txt";
    EXPECT_FALSE(std::filesystem::exists(to));
    EXPECT_TRUE(std::filesystem::is_empty(to.parent_path()));
    const std::size_t at = text.find(advice);
    return at == std::string::npos ? "without advice: " + text : text.substr(0, at);
  }

  TemporaryFolder folder;
  const std::filesystem::path to = folder / "cache/play.txt";
  const std::string body = std::string(300000, 'x') + "the end";
};

TEST_F(Download, PutsTheFileInPlaceIfItsChecksumIsTheWantedOne) {
  const HttpServer server({ok(body)});
  download(server.url("/play.txt"), to, sha256_hex(body));
  EXPECT_EQ(content(to), body);
}

TEST_F(Download, FollowsARedirection) {
  const HttpServer server(
      {"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 4\r\n"
       "Connection: close\r\n\r\ngone",
       ok(body)});
  download(server.url("/play.txt"), to, sha256_hex(body));
  EXPECT_EQ(content(to), body);
}

TEST_F(Download, OfAMissingFileNamesTheStatus) {
  const HttpServer server({response("404 Not Found", "sorry", 5)});
  EXPECT_EQ(failure(server.url("/play.txt")),
            "[5] " + server.url("/play.txt") + ": the server answered HTTP status 404");
}

TEST_F(Download, OfAnotherFileNamesBothChecksums) {
  const HttpServer server({ok("another")});
  EXPECT_EQ(failure(server.url("/play.txt")),
            "[5] " + server.url("/play.txt") + ": wanted the file with SHA-256 " +
                sha256_hex(body) + ", got 7 B with SHA-256 " + sha256_hex("another"));
}

TEST_F(Download, ThatBreaksOffSaysHowMuchIsMissing) {
  const HttpServer server({response("200 OK", body.substr(0, 1000), body.size())});
  EXPECT_EQ(failure(server.url("/play.txt")),
            "[5] " + server.url("/play.txt") +
                ": cannot be downloaded: transfer closed with 299007 bytes remaining to read");
}

TEST_F(Download, FromNobodySaysThatTheConnectionFailed) {
  std::string url;
  {
    const HttpServer server({});
    url = server.url("/play.txt");
  }
  const std::string text = failure(url);
  EXPECT_EQ(text.substr(0, text.find(" after ")),
            "[5] " + url + ": cannot be downloaded: Failed to connect to 127.0.0.1 port " +
                url.substr(17, url.find('/', 17) - 17));
}

TEST_F(Download, ReadsNoLocalFiles) {
  put(folder / "secret", body);
  const std::string url = "file://" + (folder / "secret").string();
  EXPECT_EQ(failure(url),
            "[5] " + url +
                ": cannot be downloaded: Protocol \"file\" not supported or disabled in libcurl");
}

}  // namespace
}  // namespace assay
