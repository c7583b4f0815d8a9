package import HarkCore
package import HarkDelivery
package import HarkWire

/// One of the servers that records go to, as `destinations` in harkd.json describes it.
package struct DestinationSettings: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case sensorcore, otlp, http
        /// Engines that keep records for good, and tell up to where they have them.
        case postgresql, clickhouse, s3
        /// The hub of the fleet, which has settings of its own.
        case fleet

        /// Those that `destinations` may have.
        package static let servers: [Kind] = [.sensorcore, .otlp, .http, .postgresql, .clickhouse, .s3]

        package var isSink: Bool { [.postgresql, .clickhouse, .s3].contains(self) }
    }

    /// What may be sent: the words of `kinds`.
    package enum Content: String, Sendable, CaseIterable {
        case log, event, survey, session, form, profile
    }

    package enum Compression: String, Sendable, CaseIterable {
        case none, gzip
    }

    package var name: String
    package var kind: Kind
    /// Where requests go: the `url`, or, of SensorCore, what its `host` leads to.
    package var url: String
    /// SensorCore's server, without a slash at its end.
    package var host: String?
    package var apiKey: Secret?
    package var headers: [ServerHeader] = []
    package var isEnabled = true
    package var contents: Set<Content>
    package var names: [String] = []
    /// Only events for which it holds.
    package var condition: EventCondition?
    package var level: LogEntry.Level?
    package var unixSocket: String?
    package var authoritiesFile: String?
    package var timeoutSeconds = 10.0
    /// How long is waited before another try.
    var backoff = Backoff()
    package var concurrency: Int
    var batchEntries: Int
    package var batchBytes = 1 << 20
    package var maxAttempts: Int? = 3
    var keepsFailedLogs = true
    package var maxPendingLogs: Int?
    var maxLogAgeSeconds: Int?
    package var maxDeadLetters = 1_000
    var suspendsUntilRestart = false
    package var defaultUserId: String?
    package var compression: Compression
    package var format = WebhookEncoder.Format.lines
    package var method = "POST"
    /// What is sent of a record, one a request, where it is not the record itself.
    package var template: MessageTemplate?
    package var chat: Chat?
    /// What a sink needs beside.
    package var sink = SinkTerms()
    /// Of the kind `fleet`.
    package var fleet: FleetSettings.Terms?

    package init(name: String, kind: Kind, url: String) {
        self.name = name
        self.kind = kind
        self.url = url
        switch kind {
        case .sensorcore:
            contents = [.log]
            (concurrency, batchEntries, compression) = (4, 1, .none)
            (maxPendingLogs, maxLogAgeSeconds) = (500, 86_400)
        case .otlp:
            contents = [.log, .event, .survey, .session]
            (concurrency, batchEntries, compression) = (1, 512, .gzip)
        case .http:
            contents = [.log, .event, .survey, .session]
            (concurrency, batchEntries, compression) = (1, 512, .none)
        case .postgresql, .clickhouse, .s3:
            contents = [.log, .event, .survey, .session]
            (concurrency, batchEntries, compression) = (1, 2_048, .none)
            (batchBytes, timeoutSeconds, maxAttempts) = (4 << 20, 30, nil)
        case .fleet:
            contents = [.log, .event, .survey, .session]
            (concurrency, batchEntries, compression) = (1, 2_048, .gzip)
            batchBytes = 100_000
            // All of it is kept until the hub has it.
            maxAttempts = nil
        }
    }

    /// The ways to it: what must neither wait for logs nor make room for them has its own.
    package var lanes: [Lane] {
        // All in the order of the log, and nothing makes room for anything.
        if kind == .fleet || kind.isSink { return [laneOfAll] }
        var lanes: [Lane] = []
        var answers: Record.Kinds = []
        if contents.contains(.form) { answers.insert(.form) }
        if contents.contains(.profile) { answers.insert(.profile) }
        if contents.contains(.survey) || !answers.isEmpty {
            lanes.append(lane("answers", answers, contents.contains(.survey) ? .ofSurveys : .none))
        }
        var activity: Record.Kinds = []
        if contents.contains(.session) { activity.formUnion([.sessionStarted, .sessionEnded]) }
        if contents.contains(.event) || !activity.isEmpty {
            lanes.append(lane("events", activity, contents.contains(.event) ? .others : .none))
        }
        if contents.contains(.log) {
            var logs = lane("logs", [.log], .none)
            logs.filter.leastGravity = level?.gravity ?? 0
            logs.keepsFailed = keepsFailedLogs
            logs.maxPending = maxPendingLogs
            logs.maxAge = maxLogAgeSeconds
            lanes.append(logs)
        }
        return lanes
    }

    private var laneOfAll: Lane {
        var kinds: Record.Kinds = []
        if contents.contains(.session) { kinds.formUnion([.sessionStarted, .sessionEnded]) }
        if contents.contains(.log) { kinds.insert(.log) }
        if contents.contains(.form) { kinds.insert(.form) }
        if contents.contains(.profile) { kinds.insert(.profile) }
        if kind == .fleet {
            if contents.contains(.survey) { kinds.insert(.presentation) }
            // Whether it follows is the hub's business.
            kinds.insert(.clear)
        }
        let events: DeliveryFilter.Events =
            switch (contents.contains(.event), contents.contains(.survey)) {
            case (true, true): .all
            case (true, false): .others
            case (false, true): .ofSurveys
            case (false, false): .none
            }
        var lane = lane("records", kinds, events)
        lane.filter.leastGravity = level?.gravity ?? 0
        return lane
    }

    private func lane(_ name: String, _ kinds: Record.Kinds, _ events: DeliveryFilter.Events) -> Lane {
        var filter = DeliveryFilter(kinds: kinds, events: events)
        filter.names = names.map(NamePattern.init)
        filter.condition = condition
        return Lane(name, filter)
    }

    package var policy: RetryPolicy {
        var policy = RetryPolicy()
        policy.backoff = backoff
        policy.maxAttempts = maxAttempts
        policy.suspendsUntilRestart = suspendsUntilRestart
        return policy
    }

    package var batch: BatchLimits {
        // What somebody waits for goes at once; batches may gather.
        var batch = BatchLimits(entries: batchEntries, gatherMilliseconds: batchEntries == 1 ? 20 : 500)
        // A parcel for the hub is sent in several batches, which are compressed.
        batch.bytes = kind == .fleet ? 1 << 20 : batchBytes
        batch.concurrency = concurrency
        return batch
    }
}

extension DestinationSettings {
    /// As it was configured, with what was left out; keys are named, not shown.
    package func write(to json: inout JSONWriter) {
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            json.key(key)
            json.string(value)
        }
        func number(_ key: StaticString, _ value: Int?) {
            json.key(key)
            if let value { json.int(value) } else { json.null() }
        }
        func flag(_ key: StaticString, _ value: Bool) {
            json.key(key)
            json.bool(value)
        }
        json.beginObject()
        text("name", name)
        text("kind", kind.rawValue)
        if kind.isSink {
            writeSink(to: &json)
            return json.endObject()
        }
        if let host {
            text("host", HTTPRequest.shown(host))
        } else {
            // Whoever knows the address of a chat may write to it.
            text("url", template == nil ? HTTPRequest.shown(url) : HTTPRequest.shownServer(url))
        }
        apiKey?.write(as: "apiKey", to: &json)
        if kind != .sensorcore { writeHeaders(to: &json) }
        flag("enabled", isEnabled)
        writeFilters(to: &json)
        text("socket", unixSocket)
        text("caFile", authoritiesFile)
        json.key("timeoutSeconds")
        json.double(timeoutSeconds)
        json.key("retryBaseSeconds")
        json.double(backoff.base)
        json.key("retryCapSeconds")
        json.double(backoff.cap)
        number("concurrency", concurrency)
        number("batchEntries", batchEntries)
        number("batchBytes", batchBytes)
        number("maxAttempts", maxAttempts)
        flag("persistFailedLogs", keepsFailedLogs)
        number("maxPendingLogs", maxPendingLogs)
        number("pendingLogMaxAge", maxLogAgeSeconds)
        number("maxDeadLetters", maxDeadLetters)
        flag("suspendUntilRestart", suspendsUntilRestart)
        text("defaultUserId", defaultUserId)
        text("compression", compression.rawValue)
        if kind == .http {
            if template == nil { text("format", format.rawValue) }
            text("method", method)
            text("preset", chat?.rawValue)
            if let template {
                json.key("template")
                json.value(template.document)
            }
        }
        json.endObject()
    }

    /// Which records it gets.
    func writeFilters(to json: inout JSONWriter) {
        func words(_ key: StaticString, _ values: [String]) {
            json.key(key)
            json.beginArray()
            for value in values { json.string(value) }
            json.endArray()
        }
        words("kinds", Content.allCases.filter(contents.contains).map(\.rawValue))
        words("names", names)
        if let condition {
            json.key("where")
            json.value(condition.condition.document)
        }
        if let level {
            json.key("level")
            json.string(level.rawValue)
        }
    }

    private func writeHeaders(to json: inout JSONWriter) {
        json.key("headers")
        json.beginObject()
        for header in headers {
            json.key(header.name)
            switch header.value {
            // It may be a key all the same.
            case .text: json.string("…")
            case .secret(let secret): secret.write(to: &json)
            }
        }
        json.endObject()
    }
}
