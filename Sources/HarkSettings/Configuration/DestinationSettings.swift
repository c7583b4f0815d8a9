package import HarkCore
package import HarkDelivery
package import HarkWire

/// One of the servers that records go to, as `destinations` in harkd.json describes it.
package struct DestinationSettings: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case sensorcore, otlp, http
        /// Databases that keep records for good, and know how far they have them.
        case postgresql, clickhouse, s3
        /// The hub of the fleet, which has its own settings.
        case fleet

        /// The kinds that `destinations` may name.
        package static let servers: [Kind] = [.sensorcore, .otlp, .http, .postgresql, .clickhouse, .s3]

        package var isSink: Bool { [.postgresql, .clickhouse, .s3].contains(self) }
    }

    /// The kinds of records to send: the words of `kinds`.
    package enum Content: String, Sendable, CaseIterable {
        case log, event, survey, session, form, profile
    }

    package enum Compression: String, Sendable, CaseIterable {
        case none, gzip
    }

    package var name: String
    package var kind: Kind
    /// The URL of requests: `url`, or for SensorCore the one made of `host`.
    package var url: String
    /// SensorCore's server, without a slash at its end.
    package var host: String?
    package var apiKey: Secret?
    package var headers: [ServerHeader] = []
    package var isEnabled = true
    package var contents: Set<Content>
    package var names: [String] = []
    /// The condition on events; others are not sent.
    package var condition: EventCondition?
    package var level: LogEntry.Level?
    package var unixSocket: String?
    package var authoritiesFile: String?
    package var timeoutSeconds = 10.0
    /// The pauses before further tries.
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
    /// The template of a request for one record; nil to send the record itself.
    package var template: MessageTemplate?
    package var chat: Chat?
    /// The further settings of a database.
    package var sink = SinkTerms()
    /// The further settings of the kind `fleet`.
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
            // Every record is kept until the hub has it.
            maxAttempts = nil
        }
    }

    /// The lanes. Kinds of records that must not wait for logs, or make room for them, have a lane of their own.
    package var lanes: [Lane] {
        // One lane for all records, in the order of the log. None is dropped to make room.
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
            // The hub decides whether it follows a clear.
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
        // A single record goes at once, because a person may wait for it. Batches may gather.
        var batch = BatchLimits(entries: batchEntries, gatherMilliseconds: batchEntries == 1 ? 20 : 500)
        // A parcel for the hub is sent in several batches, which are compressed.
        batch.bytes = kind == .fleet ? 1 << 20 : batchBytes
        batch.concurrency = concurrency
        return batch
    }
}

extension DestinationSettings {
    /// Writes the settings, defaults included. Of a key, only its name is written.
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
            // The address of a chat is a secret: its knowledge suffices to write to the chat.
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

    /// Writes which records it gets.
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
            // The text may be a key.
            case .text: json.string("…")
            case .secret(let secret): secret.write(to: &json)
            }
        }
        json.endObject()
    }
}
