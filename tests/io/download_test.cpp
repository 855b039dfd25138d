#include "io/download.h"

#include <gtest/gtest.h>

#include "io/sha256.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

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
