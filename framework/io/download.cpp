#include "io/download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "base/lazy_library.h"
#include "io/sha256.h"

namespace assay {
namespace {

constexpr long kConnectSeconds = 20, kSlowSeconds = 30, kSlowBytesPerSecond = 100;
constexpr long kMostRedirections = 10;

struct Curl {
  LazyLibrary library{"libcurl.so.4", "libcurl4"};
  decltype(&curl_easy_init) init = library.function<decltype(curl_easy_init)>("curl_easy_init");
  decltype(&curl_easy_cleanup) cleanup =
      library.function<decltype(curl_easy_cleanup)>("curl_easy_cleanup");
  decltype(&curl_easy_setopt) set =
      library.function<decltype(curl_easy_setopt)>("curl_easy_setopt");
  decltype(&curl_easy_perform) perform =
      library.function<decltype(curl_easy_perform)>("curl_easy_perform");
  decltype(&curl_easy_getinfo) info =
      library.function<decltype(curl_easy_getinfo)>("curl_easy_getinfo");
  decltype(&curl_easy_strerror) message =
      library.function<decltype(curl_easy_strerror)>("curl_easy_strerror");
};

/// What arrives goes to the temporary and into the hash. An exception must not pass through
/// libcurl: it is kept.
struct Arrival {
  AtomicFile file;
  Sha256 hash;
  std::uint64_t size = 0;
  std::optional<Error> failure;
};

std::size_t arrived(char* data, std::size_t, std::size_t size, void* arrival_pointer) {
  Arrival& arrival = *static_cast<Arrival*>(arrival_pointer);
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    arrival.file.append(bytes);
    arrival.hash.add(bytes);
    arrival.size += size;
    return size;
  } catch (const Error& error) {
    arrival.failure = error;
    return 0;
  }
}

}  // namespace

void download(const std::string& url, const std::filesystem::path& to, const std::string& sha256) {
  const auto fail = [&](const std::string& what) {
    throw Error(
        ExitCode::data,
        fmt::format("{}: {}; fetch the file yourself and put it at {}, or set ASSAY_DATA to a "
                    "folder that has {}",
                    url, what, to.string(), to.filename().string()));
  };
  Arrival arrival{AtomicFile(to), {}, 0, {}};
  const Curl curl;
  const std::unique_ptr<CURL, decltype(curl.cleanup)> handle(curl.init(), curl.cleanup);
  if (!handle) throw Error(ExitCode::failed, "libcurl cannot be started");
  char reason[CURL_ERROR_SIZE] = "";
  curl.set(handle.get(), CURLOPT_URL, url.c_str());
  curl.set(handle.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl.set(handle.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl.set(handle.get(), CURLOPT_MAXREDIRS, kMostRedirections);
  curl.set(handle.get(), CURLOPT_FAILONERROR, 0L);
  curl.set(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl.set(handle.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl.set(handle.get(), CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  curl.set(handle.get(), CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  curl.set(handle.get(), CURLOPT_USERAGENT, "assay");
  curl.set(handle.get(), CURLOPT_ERRORBUFFER, reason);
  curl.set(handle.get(), CURLOPT_WRITEFUNCTION, arrived);
  curl.set(handle.get(), CURLOPT_WRITEDATA, &arrival);
  const CURLcode outcome = curl.perform(handle.get());
  if (arrival.failure) throw *arrival.failure;
  if (outcome != CURLE_OK)
    fail(fmt::format("cannot be downloaded: {}", *reason ? reason : curl.message(outcome)));
  long status = 0;
  curl.info(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) fail(fmt::format("the server answered HTTP status {}", status));
  const std::string got = arrival.hash.hex();
  if (got != sha256)
    fail(fmt::format("wanted the file with SHA-256 {}, got {} with SHA-256 {}", sha256,
                     human_bytes(static_cast<double>(arrival.size)), got));
  arrival.file.publish();
}

}  // namespace assay
