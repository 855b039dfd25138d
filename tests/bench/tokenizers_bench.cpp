// Learning and encoding speed of the tokenizers of pieces, in seconds of one core at work (all of
// it is done by one thread), so that other programs do not count:
//   tokenizers_bench <build>/plugins FILE [MERGES]
// To compare with SentencePiece (Debian's sentencepiece), on the same file:
//   spm_train --input=FILE --model_type=bpe --vocab_size=MERGES --model_prefix=/tmp/m
//   spm_encode --model=/tmp/m.model < FILE > /dev/null
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "config/yaml.h"
#include "data/text_file.h"
#include "interfaces/tokenizer.h"
#include "plugin/registry.h"

namespace {

using namespace assay;

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void measure(Registry& registry, const std::string& type, const std::string& size,
             const std::string& text) {
  Problems problems;
  const auto prepared = registry.prepare<Tokenizer>(
      read_yaml("{type: " + type + ", " + size + "}", "bench"), "tokenizer", problems);
  problems.raise();
  const auto tokenizer = prepared.create({});
  auto start = std::clock();
  tokenizer->train(text);
  const double learning = seconds_since(start);
  double encoding = 1e9;
  std::size_t tokens = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    start = std::clock();
    tokens = tokenizer->encode(text, "bench").size();
    encoding = std::min(encoding, seconds_since(start));
  }
  std::printf("%-9s learns %lld tokens in %.2f s, encodes %.1f MB/s, %.2f bytes per token\n",
              type.c_str(), static_cast<long long>(tokenizer->vocabulary()), learning,
              static_cast<double>(text.size()) / encoding / 1e6,
              static_cast<double>(text.size()) / static_cast<double>(tokens));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: tokenizers_bench PLUGINS FILE [MERGES]\n");
    return 2;
  }
  Registry registry({argv[1]});
  const std::string text = read_text(argv[2]), merges = argc > 3 ? argv[3] : "10000";
  measure(registry, "bpe", "merges: " + merges, text);
  measure(registry, "byte_bpe", "merges: " + merges, text);
  measure(registry, "unigram", "vocabulary: " + merges, text);
  return 0;
}
