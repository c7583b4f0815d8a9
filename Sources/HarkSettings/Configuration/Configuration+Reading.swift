package import HarkCore
import HarkServer
import HarkSystem
package import HarkWire

extension Configuration {
    /// Reads the content of `harkd.json`. A member with a fault keeps its default, so that the rest can be checked.
    package static func read(
        _ document: JSONValue, _ sections: [any SettingsSection.Type]
    ) -> (Configuration, DocumentIssues) {
        let issues = IssueCollector()
        var configuration = Configuration()
        configuration.sections = SettingsSections(sections)
        let reader = ObjectReader(
            document, path: "$", issues: issues, expected: "one object: { … }", manner: .settings)
        if var reader {
            configuration.read(&reader)
            reader.finish()
        }
        return (configuration, issues.issues)
    }

    private mutating func read(_ reader: inout ObjectReader) {
        _ = reader.value("$schema")
        if let retention = RetentionPolicy.read("retention", in: &reader) {
            (self.retention, retentionPreset) = retention
            namesRetention = true
        }
        reader.take("archive", .bool, into: &archive)
        limits.read(&reader)
        reader.take("adminGroup", .string, into: &administratorGroup)
        reader.take("logLevel", .word(of: Log.Level.words), into: &logLevel)
        surveys = DocumentOrigin.read("surveys", in: &reader) ?? surveys
        forms = DocumentOrigin.read("forms", in: &reader) ?? forms
        notify.read(&reader)
        debug = DebugMode.read(&reader) ?? debug
        destinations = DestinationSettings.read(&reader)
        flags.read(&reader, destinations)
        counters = CounterConfiguration.read(&reader)
        sections.read(&reader)
    }
}

extension SocketLimits {
    fileprivate mutating func read(_ settings: inout ObjectReader) {
        guard var reader = settings.object("limits", expected: "an object of limits") else { return }
        defer { reader.finish() }
        reader.take("lineBytes", .integer(in: 1_024...(64 << 20)), into: &lineBytes)
        reader.take("lineBytesPerUser", .integer(in: 65_536...(64 << 30)), into: &lineBytesPerUser)
        reader.take("connectionsPerUser", .integer(in: 1...100_000), into: &connectionsPerUser)
        reader.take("subscriptionsPerUser", .integer(in: 1...1_000_000), into: &subscriptionsPerUser)
        reader.take("queuedBytes", .integer(in: 65_536...(1 << 30)), into: &queuedBytes)
        reader.take("queuedBytesPerUser", .integer(in: 65_536...(64 << 30)), into: &queuedBytesPerUser)
        reader.take("clientBytes", .integer(in: 1_048_576...(64 << 30)), into: &clientBytes)
        reader.take("nesting", .integer(in: 4...256), into: &nesting)
    }
}

extension Configuration {
    /// Limits a preset to its share of the disk that holds the store.
    package mutating func fitRetention(to folder: String) {
        guard let retentionPreset else { return }
        retention = RetentionPolicy(retentionPreset, onDiskOf: folder)
    }
}

extension RetentionPolicy {
    package init(_ preset: RetentionPreset, onDiskOf folder: String) {
        do throws(SystemError) {
            self.init(preset, diskBytes: try DiskSpace(of: folder).totalBytes)
        } catch {
            // The cap for a large disk holds then.
            self.init(preset)
        }
    }

    /// Reads the name of a preset or an object with numbers, from the settings or from parameters.
    ///
    /// - Parameter answerDays: How many days answers are kept if the object does not say; nil: they are not removed.
    package static func read(
        _ key: String, in reader: inout ObjectReader, answerDays: Double? = RetentionPolicy.longDays
    ) -> (policy: RetentionPolicy, preset: RetentionPreset?)? {
        guard let value = reader.value(key) else { return nil }
        let path = reader.path(key)
        if let preset = value.stringValue.flatMap(RetentionPreset.init(rawValue:)) {
            return (RetentionPolicy(preset), preset)
        }
        let names = RetentionPreset.allCases.map(\.rawValue).joined(separator: ", ")
        // Null means no limit, in the settings too.
        guard
            var numbers = ObjectReader(
                value, path: path, issues: reader.issues, expected: "one of \(names), or an object with numbers")
        else { return nil }
        // Strict, because a misspelt limit would keep or remove everything.
        defer { numbers.finish(isStrict: true) }
        var policy = RetentionPolicy(maxAnswerAgeDays: answerDays)
        numbers.take("maxAgeDays", .days, into: &policy.maxAgeDays)
        numbers.take("maxSessionsPerUser", .integer(in: 1...(1 << 50)), into: &policy.maxSessionsPerUser)
        numbers.take("maxStoreBytes", .integer(in: 1...(1 << 50)), into: &policy.maxStoreBytes)
        if var answers = numbers.object("answers", expected: "an object with maxAgeDays") {
            // An `answers` object without maxAgeDays means that answers have no age limit.
            policy.maxAnswerAgeDays = nil
            answers.take("maxAgeDays", .days, into: &policy.maxAnswerAgeDays)
            answers.finish(isStrict: true)
        }
        return (policy, nil)
    }
}

extension MemberType<Double> {
    fileprivate static var days: MemberType {
        MemberType("a number of days above 0, as 30 or 0.5") { value in
            value.doubleValue.flatMap { $0 > 0 ? min($0, 36_500_000) : nil }
        }
    }
}
