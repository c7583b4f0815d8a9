import HarkCore
import HarkDelivery
import HarkWire

/// `destinations`.
extension ConfigurationReader {
    mutating func readDestinations(_ value: JSONValue, _ path: String) {
        guard let elements = value.arrayValue else { return mistyped(path, "an array of destinations") }
        guard elements.count <= 100 else { return mistyped(path, "an array of at most 100 destinations") }
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            guard let object = element.objectValue else {
                mistyped(path, "an object with a name, a kind and where it is")
                continue
            }
            let faults = errors.count
            guard let settings = readDestination(object, path), errors.count == faults else { continue }
            if configuration.destinations.contains(where: { $0.name == settings.name }) {
                errors.append(DocumentIssue(path: "\(path).name", message: "is the name of another destination"))
            }
            configuration.destinations.append(settings)
        }
    }

    private mutating func readDestination(_ object: JSONObject, _ path: String) -> DestinationSettings? {
        guard let name = required(object, "name", path), let kindWord = required(object, "kind", path) else {
            return nil
        }
        let isWord = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy(ConfigurationReader.isNameByte)
        if !isWord || name == "archive" {
            mistyped("\(path).name", "1 to 64 letters, digits, '-', '_' or '.', and not 'archive'")
        }
        guard let kind = DestinationSettings.Kind(rawValue: kindWord) else {
            oneOf(DestinationSettings.Kind.allCases.map(\.rawValue), "\(path).kind")
            return nil
        }
        let place = kind == .sensorcore ? "host" : "url"
        guard let url = required(object, place, path) else { return nil }
        if let fault = HTTPRequest.fault(ofURL: url) {
            errors.append(DocumentIssue(path: "\(path).\(place)", message: fault))
        }
        var settings = DestinationSettings(name: name, kind: kind, url: url)
        if kind == .sensorcore {
            let host = String(url.reversed().drop { $0 == "/" }.reversed())
            settings.host = host
            settings.url = host + "/api/logs"
        }
        for member in object where !["name", "kind", place].contains(member.key) {
            read(member, of: &settings, "\(path).\(member.key)")
        }
        if kind == .sensorcore, settings.batchEntries != 1 {
            errors.append(DocumentIssue(path: "\(path).batchEntries", message: "must be 1: SensorCore takes one"))
        }
        return settings
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func read(
        _ member: JSONObject.Member, of settings: inout DestinationSettings, _ path: String
    ) {
        let value = member.value
        switch member.key {
        case "apiKeyFile": readKey(&settings, string(value, path).map(Secret.file), path)
        case "apiKeyCredential": readKey(&settings, string(value, path).map(Secret.credential), path)
        case "apiKeyEnv": readKey(&settings, string(value, path).map(Secret.environment), path)
        case "apiKey": refuseKey(path)
        case "headers" where settings.kind != .sensorcore: readHeaders(value, &settings, path)
        case "enabled": if let flag = bool(value, path) { settings.isEnabled = flag }
        case "kinds": readContents(value, &settings, path)
        case "names":
            guard let names = value.arrayValue?.compactMap(\.stringValue), names.count == value.arrayValue?.count else {
                return mistyped(path, "an array of event names, in which * stands for any characters")
            }
            settings.names = names
        case "level": settings.level = choice(value, path, LogEntry.Level.init)
        case "socket": settings.unixSocket = string(value, path)
        case "caFile": settings.authoritiesFile = string(value, path)
        case "timeoutSeconds":
            if let seconds = seconds(value, path, 3_600) { settings.timeoutSeconds = seconds }
        case "retryBaseSeconds": if let seconds = seconds(value, path, 86_400) { settings.backoff.base = seconds }
        case "retryCapSeconds": if let seconds = seconds(value, path, 86_400) { settings.backoff.cap = seconds }
        case "concurrency": if let number = integer(value, path, 1...64) { settings.concurrency = number }
        case "batchEntries": if let number = integer(value, path, 1...10_000) { settings.batchEntries = number }
        case "batchBytes": if let number = integer(value, path, 1_024...(16 << 20)) { settings.batchBytes = number }
        case "maxAttempts": settings.maxAttempts = value.isNull ? nil : integer(value, path, 1...1_000)
        case "persistFailedLogs": if let flag = bool(value, path) { settings.keepsFailedLogs = flag }
        case "maxPendingLogs": settings.maxPendingLogs = value.isNull ? nil : integer(value, path, 0...100_000_000)
        case "pendingLogMaxAge":
            settings.maxLogAgeSeconds = value.isNull ? nil : integer(value, path, 1...3_153_600_000)
        case "maxDeadLetters": if let number = integer(value, path, 0...1_000_000) { settings.maxDeadLetters = number }
        case "suspendUntilRestart": if let flag = bool(value, path) { settings.suspendsUntilRestart = flag }
        case "defaultUserId": settings.defaultUserId = string(value, path)
        case "compression":
            if let word = choice(value, path, DestinationSettings.Compression.init) { settings.compression = word }
        case "format" where settings.kind == .http:
            if let word = choice(value, path, WebhookEncoder.Format.init) { settings.format = word }
        case "method" where settings.kind == .http:
            guard let word = string(value, path), ["POST", "PUT"].contains(word) else {
                return oneOf(["POST", "PUT"], path)
            }
            settings.method = word
        default: unknown(member.key, path, among: DestinationSettings.names(of: settings.kind))
        }
    }

    private mutating func readKey(_ settings: inout DestinationSettings, _ key: Secret?, _ path: String) {
        if settings.apiKey != nil {
            errors.append(DocumentIssue(path: path, message: "there is a key already; say it in one way only"))
        }
        settings.apiKey = key
    }

    private mutating func readContents(_ value: JSONValue, _ settings: inout DestinationSettings, _ path: String) {
        let words = value.arrayValue?.map { $0.stringValue.flatMap(DestinationSettings.Content.init) } ?? []
        guard !words.isEmpty, !words.contains(nil) else {
            let all = DestinationSettings.Content.allCases.map(\.rawValue).joined(separator: ", ")
            return mistyped(path, "an array of some of \(all)")
        }
        settings.contents = Set(words.compactMap { $0 })
    }

    private mutating func readHeaders(_ value: JSONValue, _ settings: inout DestinationSettings, _ path: String) {
        guard let object = value.objectValue else { return mistyped(path, "an object of header names and values") }
        for member in object {
            let path = "\(path).\(member.key)"
            if let fault = HTTPHeaders.fault(name: member.key, value: member.value.stringValue ?? "") {
                errors.append(DocumentIssue(path: path, message: fault))
            } else if let text = member.value.stringValue {
                settings.headers.append(.init(name: member.key, value: .plain(text)))
            } else if let secret = readSecret(member.value, path) {
                settings.headers.append(.init(name: member.key, value: .secret(secret)))
            }
        }
    }

    /// `{"file": …}`, `{"credential": …}` or `{"env": …}`.
    private mutating func readSecret(_ value: JSONValue, _ path: String) -> Secret? {
        if let object = value.objectValue, let member = object.first(where: { _ in true }), object.keys.count == 1,
            let text = member.value.stringValue
        {
            switch member.key {
            case "file": return .file(text)
            case "credential": return .credential(text)
            case "env": return .environment(text)
            default: break
            }
        }
        mistyped(path, "a string, or {\"file\": …}, {\"credential\": …} or {\"env\": …}")
        return nil
    }

    private mutating func required(_ object: JSONObject, _ name: String, _ path: String) -> String? {
        guard let value = object[name] else {
            errors.append(DocumentIssue(path: path, message: "'\(name)' is missing"))
            return nil
        }
        return string(value, "\(path).\(name)")
    }

    private mutating func seconds(_ value: JSONValue, _ path: String, _ most: Double) -> Double? {
        guard let seconds = value.doubleValue, seconds > 0, seconds <= most else {
            mistyped(path, "a number of seconds, more than 0 and at most \(Int(most))")
            return nil
        }
        return seconds
    }

    private mutating func integer(_ value: JSONValue, _ path: String, _ range: ClosedRange<Int64>) -> Int? {
        guard let number = value.exactInteger, range.contains(number) else {
            mistyped(path, "an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return Int(number)
    }

    private mutating func choice<Word: CaseIterable & RawRepresentable>(
        _ value: JSONValue, _ path: String, _ make: (String) -> Word?
    ) -> Word? where Word.RawValue == String {
        guard let text = string(value, path) else { return nil }
        guard let word = make(text) else {
            oneOf(Word.allCases.map(\.rawValue), path)
            return nil
        }
        return word
    }

    private mutating func oneOf(_ words: [String], _ path: String) {
        errors.append(DocumentIssue(path: path, message: "must be one of \(words.joined(separator: ", "))"))
    }
}
