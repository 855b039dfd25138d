#include "data/corpora.h"

#include <gtest/gtest.h>

#include "io/sha256.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

class CorporaTest : public testing::Test {
 protected:
  CorporaTest() {
    for (const auto& place : {corpora.shared, experiment / "data", corpora.cache})
      std::filesystem::create_directories(place);
  }
  std::filesystem::path find(const std::string& source) {
    return find_corpus(source, experiment, corpora);
  }

  const std::string body = "First Citizen:\nBefore we proceed";
  TemporaryFolder folder;
  const std::filesystem::path experiment = folder / "experiment";
  Corpora corpora = {{{"tiny_play", "play.txt", "http://127.0.0.1:1/input.txt", sha256_hex(body)}},
                     folder / "shared",
                     folder / "cache"};
};

TEST_F(CorporaTest, LookInTheSharedFolderThenBesideTheExperimentThenInTheCache) {
  put(corpora.cache / "play.txt", body);
  EXPECT_EQ(find("tiny_play"), corpora.cache / "play.txt");
  put(experiment / "data/play.txt", body);
  EXPECT_EQ(find("tiny_play"), experiment / "data/play.txt");
  put(corpora.shared / "play.txt", body);
  EXPECT_EQ(find("tiny_play"), corpora.shared / "play.txt");
}

TEST_F(CorporaTest, DownloadIntoTheCacheOnce) {
  const HttpServer server({ok(body)});
  corpora.known[0].url = server.url("/input.txt");
  EXPECT_EQ(find("tiny_play"), corpora.cache / "play.txt");
  EXPECT_EQ(content(corpora.cache / "play.txt"), body);
  corpora.known[0].url = "http://127.0.0.1:1/gone.txt";
  EXPECT_EQ(find("tiny_play"), corpora.cache / "play.txt");
}

TEST_F(CorporaTest, LeaveNothingBehindIfTheDownloadIsAnotherFile) {
  const HttpServer server({ok("another text")});
  corpora.known[0].url = server.url("/input.txt");
  EXPECT_TRUE(thrown([&] { find("tiny_play"); }).starts_with("[5] " + corpora.known[0].url));
  EXPECT_TRUE(std::filesystem::is_empty(corpora.cache));
}

TEST_F(CorporaTest, RefuseAFileOfAnotherChecksumWhereverItLies) {
  put(corpora.shared / "play.txt", "damaged");
  EXPECT_EQ(thrown([&] { find("tiny_play"); }),
            "[5] " + (corpora.shared / "play.txt").string() +
                ": is not tiny_play: its SHA-256 is " + sha256_hex("damaged") + ", wanted " +
                sha256_hex(body) +
                "; remove it to have it downloaded anew, or write its path (source: ./play.txt) to "
                "use it as it is");
}

TEST_F(CorporaTest, NeedAFolderToDownloadTo) {
  corpora.cache.clear();
  EXPECT_EQ(thrown([&] { find("tiny_play"); }),
            "[5] tiny_play: no folder to download it to: set HOME, or put play.txt into a folder "
            "and name that in "
            "ASSAY_DATA");
}

TEST_F(CorporaTest, TakeAnythingElseForAPathFromTheExperiment) {
  EXPECT_EQ(find("texts/own.txt"), experiment / "texts/own.txt");
  EXPECT_EQ(find("/elsewhere/own.txt"), "/elsewhere/own.txt");
  put(experiment / "own", "text");
  EXPECT_EQ(find("own"), experiment / "own");
}

TEST_F(CorporaTest, ProposeTheNameThatWasMeant) {
  EXPECT_EQ(thrown([&] { find("tiny_paly"); }),
            "[2] dataset.source: no corpus 'tiny_paly' and no file " +
                (experiment / "tiny_paly").string() + "; did you mean 'tiny_play'?");
  EXPECT_EQ(thrown([&] { find("wikipedia"); }),
            "[2] dataset.source: no corpus 'wikipedia' and no file " +
                (experiment / "wikipedia").string() + "; corpora known by name: tiny_play");
}

TEST(DefaultCorpora, KnowTinyShakespeareByItsChecksum) {
  const Corpora corpora = default_corpora();
  ASSERT_EQ(corpora.known.size(), 1u);
  EXPECT_EQ(corpora.known[0].name, "tiny_shakespeare");
  EXPECT_EQ(corpora.known[0].sha256,
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed");
}

}  // namespace
}  // namespace assay
