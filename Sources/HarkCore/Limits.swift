package import HarkWire

/// The bounds of the domain. The bounds of the socket (line, nesting, connections, queues) are settings of the daemon.
package enum Limits {
    package static let eventNameBytes = 256
    package static let userIdBytes = 1024
    package static let appBytes = 128
    package static let propertyKeyBytes = 1024
    package static let counterNameBytes = 256
    /// As JSON, in bytes.
    package static let counterValueBytes = 65_536
    package static let countersPerApp = 10_000
    /// This and the following limits per user cover all apps of a user of the machine.
    package static let countersPerUser = 20_000
    package static let counterBytesPerUser = 16 << 20
    package static let executionsPerUser = 10_000
    package static let executionBytesPerUser = 16 << 20
    /// Surveys that are scheduled, ready or shown.
    package static let presentationsPerUser = 20_000
    /// Drafts of answers to these surveys.
    package static let presentationBytesPerUser = 16 << 20
    /// Versions of the answers to one showing, the first included; limits how often they can be changed.
    package static let answerVersions = 20
    /// Answers to forms, and drafts.
    package static let formBytesPerUser = 16 << 20
    /// Programs that executions have yet to run.
    package static let runsPerUser = 10_000
    package static let runBytesPerUser = 16 << 20
    /// Apps with an open session.
    package static let appsPerUser = 10_000
    package static let producerIdBytes = 128
    /// Per user of the machine over all apps. Beyond the limit, the least recently seen producers are forgotten.
    package static let producersPerUser = 10_000
    package static let executionIdBytes = 256
    /// As packed JSON, in bytes.
    package static let executionBytes = 65_536
    /// The greatest number of counters that one execution listens to.
    package static let executionCounters = 100
    /// The greatest total weight (`Execution.weight`) of an app's executions that listen to one counter, so that a
    /// change of it takes a few milliseconds.
    package static let weightPerCounter = 5_000
    /// The greatest total weight of the conditions of all destinations, which are tested for each event as it comes.
    package static let weightOfDestinations = 1_000
    /// Settings of one account on whether and how often a survey, named by id, is asked.
    package static let wishesPerUser = 1_000
    package static let mutedSurveyBytes = 4_096
    package static let watchIdBytes = 256
    package static let watchesPerUser = 100
    /// For the packed condition of a watch.
    package static let watchConditionBytes = 4_096
    /// The greatest total weight of the conditions of all watches of a user of the machine for one event.
    package static let weightPerWatchedEvent = 500
    /// Machines whose records a hub accepts; a machine in another group, or with another log, counts again.
    package static let machines = 1_000_000
    package static let machineNameBytes = 256
    /// For a pattern that searches names.
    package static let patternBytes = 1_024
    /// For a request that begins a subscription.
    package static let subscriptionBytes = 65_536
    /// For a record other than an event.
    package static let recordNameBytes = 1_024
    /// The greatest packed size of the values passed to a program; it must ask for larger ones.
    package static let toldBytes = 16_384

    package static func check(eventName name: String) throws(WireError) {
        try check(name, "name", "an event name", maxBytes: eventNameBytes)
    }

    static func check(userId: String?) throws(WireError) {
        guard let userId else { return }
        try check(userId, "userId", "a user id", maxBytes: userIdBytes, hint: "; leave it out for an anonymous session")
    }

    static func check(app: String) throws(WireError) {
        try check(app, "app", "an app name", maxBytes: appBytes, hint: "; leave it out for 'default'")
    }

    package static func check(machine name: String) throws(WireError) {
        try check(name, "machine", "a machine's name", maxBytes: machineNameBytes)
    }

    package static func check(group name: String?) throws(WireError) {
        guard let name else { return }
        try check(name, "group", "a group's name", maxBytes: machineNameBytes, hint: "; leave it out for no group")
    }

    static func check(recordName name: String) throws(WireError) {
        guard !name.isEmpty else { return }
        try check(name, "name", "a record's name", maxBytes: recordNameBytes)
    }

    static func check(producerId id: String) throws(WireError) {
        try check(id, "producer.id", "a producer's id", maxBytes: producerIdBytes)
    }

    static func check(mutedSurvey id: String) throws(WireError) {
        try check(
            id, "surveyId", "a survey's id", maxBytes: mutedSurveyBytes, hint: "; leave it out for all"
        )
    }

    static func check(watchId id: String) throws(WireError) {
        try check(id, "id", "a watch's id", maxBytes: watchIdBytes)
    }

    static func check(watchedEvent name: String) throws(WireError) {
        try check(name, "event", "an event name", maxBytes: eventNameBytes)
        guard name.hasPrefix("watch.") else { return }
        throw WireError(
            .invalidParams, "what watches tell cannot be watched itself; name another event than '\(name)'",
            path: "event")
    }

    static func check(counterName name: String) throws(WireError) {
        try check(name, "name", "a counter's name", maxBytes: counterNameBytes)
    }

    static func check(counterValue value: JSONValue, _ member: String) throws(WireError) {
        guard value.isStorable else {
            throw WireError(
                .tooLarge, "a counter's value is nested at most \(JSONValue.maxStoredDepth) deep", path: member)
        }
        let count = value.description.utf8.count
        if count > counterValueBytes {
            throw WireError(
                .tooLarge, "a counter's value has at most \(counterValueBytes) bytes as JSON, this one has \(count)",
                path: member)
        }
    }

    private static func check(
        _ text: String, _ member: String, _ what: String, maxBytes: Int, hint: String = ""
    ) throws(WireError) {
        let count = text.utf8.count
        if count == 0 { throw WireError(.invalidParams, "\(what) must not be empty\(hint)", path: member) }
        if count > maxBytes {
            throw WireError(
                .tooLarge, "\(what) has at most \(maxBytes) bytes of UTF-8, this one has \(count)", path: member)
        }
    }
}
