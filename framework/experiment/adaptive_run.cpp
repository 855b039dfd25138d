// A sweep that decides as it goes, batch after batch.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "experiment/course.h"
#include "experiment/population.h"

namespace assay {
namespace {

// What is wrong with every trial of the first batch is wrong with the experiment.
void refuse_if_hopeless(const std::vector<ProposedTrial>& proposed) {
  const bool any = std::any_of(proposed.begin(), proposed.end(),
                               [](const ProposedTrial& trial) { return trial.trouble.empty(); });
  if (!any) throw Error(ExitCode::usage, proposed.front().trouble);
}

void propose_batch(Course& course, const std::vector<SearchTrial>& done) {
  const std::size_t first = course.trials().size();
  const auto size = course.sweep().batch(static_cast<std::int64_t>(course.count() - first));
  std::vector<SearchPoint> points(static_cast<std::size_t>(size));
  if (course.search()) points = course.search()->suggest(done, size);
  std::vector<ProposedTrial> proposed;
  for (const SearchPoint& point : points)
    proposed.push_back(course.proposed(first + proposed.size(), point));
  if (first == 0) refuse_if_hopeless(proposed);
  if (course.sweep().population)
    name_members(course.sweep(), course.composed(), course.session().request(), proposed);
  for (ProposedTrial& trial : proposed) course.adopt(std::move(trial));
  if (!course.plan().is_open()) course.open_plan();
  course.plan().write_if_longer();
}

// False: the runs were stopped before all had ended.
bool train_batch(Course& course, std::size_t first) {
  Trials& trials = course.trials();
  Session& session = course.session();
  std::vector<std::size_t> alive;
  for (std::size_t t = first; t < trials.size(); ++t)
    if (!trials[t].failed && !trials[t].same_as) alive.push_back(t);
  if (course.sweep().population)
    return Population(session, course.composed(), course.sweep(), trials, course.plan())
        .train(alive);
  if (course.rungs() && !course.rungs()->climb_all(first, alive)) return false;
  std::vector<Leg> legs;
  for (const std::size_t t : alive)
    for (const std::size_t run : trials[t].runs) add_leg(legs, {run});
  session.advance(legs);
  trials.look_at(alive);
  return !trials.interrupted() && session.may_start();
}

void run_in_batches(Course& course) {
  Trials& trials = course.trials();
  std::vector<SearchTrial> done;
  std::string why;
  for (std::int64_t batch = 0; trials.size() < course.count() && why.empty(); ++batch) {
    const std::size_t first = trials.size();
    propose_batch(course, done);
    if (!train_batch(course, first)) return;
    for (std::size_t t = first; t < trials.size(); ++t) {
      trials.judge(t);
      done.push_back({trials[t].point, trials[t].value, batch});
    }
    why = course.end_reason();
  }
  course.end(why);
}

}  // namespace

void run_adaptive(Session& session, const ComposedExperiment& composed) {
  const ExperimentRequest& request = session.request();
  if (!request.output.empty())
    throw Error(
        ExitCode::usage,
        fmt::format("-o {}: names the file of one run, but this experiment has several; use "
                    "--out FOLDER",
                    request.output.string()));
  Problems problems;
  const AdaptiveSweep sweep(composed, session.registry(), problems);
  const std::int64_t retries = sweep_retries(composed.sweep, problems);
  problems.raise();
  sweep.refuse_apart(request);
  if (request.confirm && !request.confirm(sweep.most_runs(composed))) return;
  session.tolerate_failures();
  Course course(session, composed, sweep, retries);
  sweep.options.async ? run_unordered(course) : run_in_batches(course);
  session.close();
}

}  // namespace assay
