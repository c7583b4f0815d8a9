/// Where on a day the prompts of a schedule lie: a pure function of seed, survey, participant, date, window and this.
///
/// What is written about a survey, and on which days it asks, changes nothing of it. `docs/guides/sampling.md` says exactly how it is
/// reckoned; `packaging/samples/sampling_plan.py` does the same in Python.
package struct SamplingPlan: Sendable, Hashable {
    package enum Placing: Sendable, Hashable {
        /// At these minutes of the day, ascending.
        case at([Int64])
        /// One in each of so many equal blocks of the window.
        case blocks(Int)
        /// So many anywhere in the window.
        case free(Int)
        /// So many seconds after the one before, give or take so many percent.
        case every(seconds: Int64, jitterPercent: Int64)
    }

    package let placing: Placing
    package let window: SamplingWindow
    /// Seconds that lie at least between two prompts; nothing for `at` and `every`.
    package let gap: Int64

    /// So many prompts a day at most.
    package static let mostPrompts = 288
    /// How often all of a day's blocks are drawn anew, so that the gaps hold, before each makes room for the next.
    static let attempts = 100

    package init(_ placing: Placing, window: SamplingWindow, gap: Int64 = 1) {
        self.placing = placing
        self.window = window
        self.gap = max(1, gap)
    }

    /// The plan part as it is hashed, and by which versions of it are told apart.
    package var text: String {
        let hours = "\(window.from)-\(window.until)"
        return switch placing {
        case .at(let minutes): "at " + minutes.map(String.init).joined(separator: ",")
        case .blocks(let count): "blocks \(count) \(gap) \(hours)"
        case .free(let count): "free \(count) \(gap) \(hours)"
        case .every(let seconds, let percent): "every \(seconds) \(percent) \(hours)"
        }
    }

    /// Whom and what a plan is for.
    package struct Key: Sendable, Hashable {
        package let seed: String
        package let survey: String
        /// The user's id; of a plan that a group shares, the group's name.
        package let participant: String

        package init(seed: String, survey: String, participant: String) {
            self.seed = seed
            self.survey = survey
            self.participant = participant
        }
    }

    /// When the window of a day begins and ends; seconds since 1970. It is empty where the clocks skip all of it.
    package func span(on date: SamplingDate, in zone: LocalZone) -> Range<Int64> {
        let begin = zone.moment(date, minute: window.from)
        return begin..<max(begin, zone.moment(date, minute: window.until))
    }

    /// The prompts of a day, ascending; seconds since 1970. No two are the same.
    package func prompts(on date: SamplingDate, _ key: Key, in zone: LocalZone) -> [Int64] {
        if case .at(let minutes) = placing {
            var times: [Int64] = []
            for minute in minutes {
                let time = zone.moment(date, minute: minute)
                // Where the clocks leap over both, two fall together.
                if time > times.last ?? .min { times.append(time) }
            }
            return times
        }
        var draw = SamplingDraw([key.seed, key.survey, key.participant, date.text, text])
        let span = self.span(on: date, in: zone)
        if case .every(let seconds, let percent) = placing {
            return steps(of: seconds, percent, in: span, &draw)
        }
        // The gap is kept to the first of the next day as well, where nights are shorter than it.
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

    /// So many as fit: on a day on which clocks are set forward there may be less room.
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
    /// Why a window cannot hold its prompts, as a clause; nil: it can, on a day on which nobody sets the clocks.
    package var fault: String? {
        let room = window.seconds
        switch placing {
        case .at: return nil
        case .every(let seconds, let percent):
            guard room >= seconds + seconds * percent / 100 else {
                return "holds not even one interval: 'everySeconds' with its jitter is longer than it"
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
