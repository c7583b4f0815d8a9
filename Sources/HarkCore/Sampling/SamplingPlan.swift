/// How the prompts of a schedule are placed on a day. Their times are a pure function of the plan, the seed, the
/// survey, the participant, the date and the time zone.
///
/// A survey's texts, and the days on which it asks, do not change the times. `docs/reference/sampling.md` specifies the
/// function; `packaging/samples/sampling_plan.py` is the same in Python.
package struct SamplingPlan: Sendable, Hashable {
    package enum Placing: Sendable, Hashable {
        /// At these minutes of the day, ascending.
        case at([Int64])
        /// One in each of this number of equal blocks of the window.
        case blocks(Int)
        /// This number of prompts anywhere in the window.
        case free(Int)
        /// Each this many seconds after the one before, give or take a percentage.
        case every(seconds: Int64, jitterPercent: Int64)
    }

    package let placing: Placing
    package let window: SamplingWindow
    /// The least time between two prompts, in seconds; `at` and `every` ignore it.
    package let gap: Int64

    /// The most prompts a day.
    package static let mostPrompts = 288
    /// The number of draws of all prompts of `blocks` until the gaps hold. After that, each prompt is drawn from the range that
    /// the gap leaves.
    static let attempts = 100

    package init(_ placing: Placing, window: SamplingWindow, gap: Int64 = 1) {
        self.placing = placing
        self.window = window
        self.gap = max(1, gap)
    }

    /// The plan as a text: it is hashed, and distinguishes versions of the algorithm.
    package var text: String {
        let hours = "\(window.from)-\(window.until)"
        return switch placing {
        case .at(let minutes): "at " + minutes.map(String.init).joined(separator: ",")
        case .blocks(let count): "blocks \(count) \(gap) \(hours)"
        case .free(let count): "free \(count) \(gap) \(hours)"
        case .every(let seconds, let percent): "every \(seconds) \(percent) \(hours)"
        }
    }

    /// The survey and the participant that a plan is for.
    package struct Key: Sendable, Hashable {
        package let seed: String
        package let survey: String
        /// The user's id, or the group's name for a plan that a group shares.
        package let participant: String

        package init(seed: String, survey: String, participant: String) {
            self.seed = seed
            self.survey = survey
            self.participant = participant
        }
    }

    /// The window of a day in seconds since 1970. It is empty if the clocks skip all of it.
    package func span(on date: SamplingDate, in zone: LocalZone) -> Range<Int64> {
        let begin = zone.moment(date, minute: window.from)
        return begin..<max(begin, zone.moment(date, minute: window.until))
    }

    /// The times of a day's prompts in seconds since 1970, ascending and all different.
    package func prompts(on date: SamplingDate, _ key: Key, in zone: LocalZone) -> [Int64] {
        if case .at(let minutes) = placing {
            var times: [Int64] = []
            for minute in minutes {
                let time = zone.moment(date, minute: minute)
                // Two that the clocks skip fall together.
                if time > times.last ?? .min { times.append(time) }
            }
            return times
        }
        var draw = SamplingDraw([key.seed, key.survey, key.participant, date.text, text])
        let span = self.span(on: date, in: zone)
        if case .every(let seconds, let percent) = placing {
            return steps(of: seconds, percent, in: span, &draw)
        }
        // Keeps the gap to the next day's window too, in case the night is shorter than the gap.
        let next = zone.moment(date.adding(1), minute: window.from) - gap
        let length = min(span.upperBound, next) - span.lowerBound
        let offsets =
            switch placing {
            case .blocks(let count): blocks(count, of: length, &draw)
            case .free(let count): free(count, in: length, &draw)
            case .at, .every: [Int64]()
            }
        return offsets.map { span.lowerBound + $0 }
    }

    private func steps(
        of seconds: Int64, _ percent: Int64, in span: Range<Int64>, _ draw: inout SamplingDraw
    ) -> [Int64] {
        let jitter = seconds * percent / 100
        var times: [Int64] = []
        var time = span.lowerBound + draw.number(below: jitter + 1)
        while time < span.upperBound, times.count < SamplingPlan.mostPrompts {
            times.append(time)
            time += seconds - jitter + draw.number(below: 2 * jitter + 1)
        }
        return times
    }

    /// The number of prompts that fit: a day on which the clocks go forward may have less room.
    private func fitting(_ count: Int, needing length: (Int64) -> Int64, in room: Int64) -> Int64 {
        var count = Int64(count)
        while count > 0, length(count) > room { count -= 1 }
        return count
    }

    private func free(_ count: Int, in length: Int64, _ draw: inout SamplingDraw) -> [Int64] {
        let count = fitting(count, needing: { ($0 - 1) * gap + 1 }, in: length)
        guard count > 0 else { return [] }
        let slack = length - (count - 1) * gap
        let drawn = (0..<count).map { _ in draw.number(below: slack) }.sorted()
        return zip(Int64(0)..., drawn).map { $1 + $0 * gap }
    }

    private func blocks(_ count: Int, of length: Int64, _ draw: inout SamplingDraw) -> [Int64] {
        let count = fitting(count, needing: { $0 > 1 ? $0 * gap + $0 : 1 }, in: length)
        guard count > 0 else { return [] }
        let ends = (0...count).map { $0 * length / count }
        var times = [Int64](repeating: 0, count: Int(count))
        for _ in 0..<SamplingPlan.attempts {
            var holds = true
            for place in times.indices {
                times[place] = ends[place] + draw.number(below: ends[place + 1] - ends[place])
                if place > 0, times[place] - times[place - 1] < gap { holds = false }
            }
            if holds { return times }
        }
        for place in times.indices {
            let first = place == 0 ? ends[0] : max(ends[place], times[place - 1] + gap)
            times[place] = first + draw.number(below: ends[place + 1] - first)
        }
        return times
    }
}

extension SamplingPlan {
    /// Why the window cannot hold the prompts, as a clause for an error; nil: it can, on a day of 24 hours.
    package var fault: String? {
        let room = window.seconds
        switch placing {
        case .at: return nil
        case .every(let seconds, let percent):
            guard room >= seconds + seconds * percent / 100 else {
                return "is too short for a single interval: 'everySeconds' with its jitter is longer"
            }
            guard room / max(1, seconds - seconds * percent / 100) < Int64(SamplingPlan.mostPrompts) else {
                return "holds more than \(SamplingPlan.mostPrompts) prompts a day"
            }
            return nil
        case .free(let count):
            let needed = (Int64(count) - 1) * gap + 1
            return room >= needed ? nil : short(count, needed)
        case .blocks(let count):
            let needed = count > 1 ? Int64(count) * (gap + 1) : 1
            return room >= needed ? nil : short(count, needed)
        }
    }

    private func short(_ count: Int, _ needed: Int64) -> String {
        "is too short: \(count) prompts that are \(gap) s apart need \(needed) s, and it has \(window.seconds) s"
    }
}
