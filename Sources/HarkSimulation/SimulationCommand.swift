import Glibc
import HarkCore
package import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `harkd --simulate`: simulates survey files over the records that `hark simulate` reads from a daemon.
///
/// It writes the events that it needs to standard output, reads lines until their end, and then writes the result. Its
/// folder is removed with it, also if the sender of the lines ends too early.
package enum SimulationCommand {
    package struct Files: Equatable {
        package var file: String
        /// The file to compare with.
        package var against: String?
        /// Whether each showing is listed, too.
        package var tellsShowings = false

        package init(file: String, against: String?, tellsShowings: Bool) {
            self.file = file
            self.against = against
            self.tellsShowings = tellsShowings
        }
    }

    /// The reason for giving up, with an exit code.
    package struct Refusal: Error {
        package let code: Int32
        package let lines: [String]
    }

    /// - Parameter sections: The sections of settings, for the check of files.
    package static func run(_ files: Files, _ sections: [any SettingsSection.Type]) throws(Refusal) {
        // Ctrl-C reaches the whole process group. The end of the input says that there is nothing more to do.
        for number in [SIGINT, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        // So that the folder is removed.
        signal(SIGTERM) { _ in close(STDIN_FILENO) }
        umask(0o077)
        var surveys: [SurveyConfiguration] = []
        let paths = [files.file] + (files.against.map { [$0] } ?? [])
        for path in paths { surveys.append(try read(path, sections)) }
        do {
            let folder = try SimulationFolder()
            try say(wants(surveys))
            var input = SimulationLines()
            guard let terms = try terms(&input) else { return }
            var simulations: [Simulation] = []
            for (place, configuration) in surveys.enumerated() {
                simulations.append(try Simulation(configuration, terms, folder: try folder.place(place)))
            }
            defer { for simulation in simulations { simulation.close() } }
            let showings = files.tellsShowings ? try ShowingSpool(folder.path + "/showings") : nil
            simulations.first?.onShowing = { showings?.add($0) }
            guard try feed(&input, simulations) else { return }
            for simulation in simulations { try simulation.finish() }
            try showings?.copy(to: STDOUT_FILENO)
            try say(SimulationResult(Array(zip(paths, simulations))).json)
        } catch let refusal as Refusal {
            throw refusal
        } catch let error as SystemError where [EPIPE, EBADF].contains(error.code) {
            return
        } catch {
            let text = (error as? WireError)?.message ?? (error as? StoreError)?.message ?? "\(error)"
            throw Refusal(code: error is WireError ? 70 : 74, lines: ["harkd: \(text)"])
        }
    }

    /// Reads the surveys of a file. Faults are printed as by `harkd --check`.
    private static func read(
        _ file: String, _ sections: [any SettingsSection.Type]
    ) throws(Refusal) -> SurveyConfiguration {
        let check = FileCheck(file: file, sections)
        if let obstacle = check.obstacle { throw Refusal(code: 66, lines: ["harkd: \(obstacle)"]) }
        guard check.errors.isEmpty else { throw Refusal(code: 78, lines: check.lines) }
        let bytes = try? FileDescriptor.contents(of: file, limit: ConfigurationFile.maxBytes)
        guard let surveys = bytes.flatMap({ DocumentKind.surveys.read($0).0 }) else {
            throw Refusal(code: 78, lines: ["\(file): error: has no list of surveys"])
        }
        return surveys
    }

    /// The names of the needed events, and the time that is needed before the simulated time: in milliseconds, null for all.
    private static func wants(_ surveys: [SurveyConfiguration]) -> [UInt8] {
        let all = surveys.flatMap { $0.fromEventsAlone.configuration.surveys }
        let rules = all.flatMap(\.audience.events)
        let names =
            all.compactMap(\.trigger.event) + rules.map(\.event.name) + all.flatMap { $0.cancelOn.map(\.event.name) }
            + [SurveyEvents.dismissed]
        var need = SimulationNeed()
        need.events = Set(names.map(ExactName.init)).sorted().map(\.text)
        let spans = rules.map(\.frequency.within)
        need.reach = spans.contains(nil) ? nil : spans.compactMap(\.self).max() ?? 0
        return need.json
    }

    private static func terms(_ input: inout SimulationLines) throws -> SimulationTerms? {
        while let line = try input.next() {
            if case .terms(let terms) = line { return terms }
        }
        return nil
    }

    /// - Returns: Whether everything was sent. If not, the sender has ended.
    private static func feed(_ input: inout SimulationLines, _ simulations: [Simulation]) throws -> Bool {
        while let line = try input.next() {
            for simulation in simulations {
                switch line {
                case .session(let session): try simulation.take(session)
                case .showing(let showing): try simulation.take(showing)
                case .event(let event): try simulation.take(event)
                case .terms: break
                case .end: return true
                }
            }
        }
        return false
    }

    private static func say(_ line: [UInt8]) throws(SystemError) { try Output.write(line + [UInt8(ascii: "\n")]) }
}
