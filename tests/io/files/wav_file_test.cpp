// Sound files are what libsndfile reads back.
#include "io/files/wav_file.hpp"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::wav_file_test {
namespace {

TEST(WavFile, SamplesComeBack) {
  const Scratch scratch(Communicator::Self());
  std::vector<double> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back(0.9 * std::sin(0.1 * i));
  WriteWavFile(scratch / "a.wav", samples, 48000);
  SF_INFO info{};
  SNDFILE* file = sf_open((scratch / "a.wav").c_str(), SFM_READ, &info);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(info.samplerate, 48000);
  EXPECT_EQ(info.channels, 1);
  EXPECT_EQ(info.frames, 1000);
  std::vector<double> back(1000);
  EXPECT_EQ(sf_readf_double(file, back.data(), 1000), 1000);
  sf_close(file);
  // Written in units of 1/(2²³ − 1), read in units of 2⁻²³.
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_NEAR(back[i], samples[i], 0x1p-22);
}

TEST(WavFile, WhatCannotBeWrittenIsAnError) {
  const Scratch scratch(Communicator::Self());
  const std::vector<double> samples(10, 0.0);
  EXPECT_THROW(WriteWavFile(scratch / "no/a.wav", samples, 48000), OutputError);
  EXPECT_THROW(WriteWavFile(scratch / "a.wav", samples, -1), OutputError);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.wav"));
}

}  // namespace
}  // namespace scree::wav_file_test
