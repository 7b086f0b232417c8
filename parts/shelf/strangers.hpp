#pragma once
// The files that no run has: somebody put them there, so nothing that holds one is removed.
#include <string>

namespace tapehead {

/// The first file or folder in a run's folder, at any depth, that neither training nor a command
/// about a run makes: "notes.txt", "step-40/notes.txt". Empty where there is none. Links aren't
/// followed. Throws FileError where a folder can't be read.
std::string stranger_in_run(const std::string& path);

}  // namespace tapehead
