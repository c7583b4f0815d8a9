import HarkCore
import HarkWire

/// `notify` and `debug`.
extension ConfigurationReader {
    mutating func readNotify(_ value: JSONValue, _ path: String) {
        if value.isNull {
            configuration.notify.isEnabled = false
            return
        }
        guard let object = value.objectValue else { return mistyped(path, "an object with a command, or null") }
        for member in object {
            let path = "\(path).\(member.key)"
            switch member.key {
            case "command": configuration.notify.command = words(member.value, path) ?? configuration.notify.command
            case "open": configuration.notify.open = words(member.value, path) ?? configuration.notify.open
            case "timeoutSeconds":
                guard let seconds = member.value.exactInteger, (1...86_400).contains(seconds) else {
                    mistyped(path, "an integer from 1 to 86400")
                    continue
                }
                configuration.notify.timeoutSeconds = Int(seconds)
            default: unknown(member.key, path, among: ["command", "open", "timeoutSeconds"])
            }
        }
    }

    private mutating func words(_ value: JSONValue, _ path: String) -> [String]? {
        let words = value.arrayValue?.compactMap(\.stringValue)
        guard let words, !words.isEmpty, words.count == value.arrayValue?.count else {
            mistyped(path, "an array with a program and its arguments")
            return nil
        }
        return words
    }

    mutating func readDebug(_ value: JSONValue, _ path: String) {
        if let name = value.stringValue {
            guard let preset = DebugMode.presets.first(where: { $0.name == name })?.mode else {
                return mistyped(path, "production, debug, or an object")
            }
            configuration.debug = preset
            return
        }
        guard let object = value.objectValue else { return mistyped(path, "production, debug, or an object") }
        for member in object {
            let path = "\(path).\(member.key)"
            switch member.key {
            case "bypassGating":
                if let flag = bool(member.value, path) { configuration.debug.bypassesGating = flag }
            case "scheduleDelaySeconds": configuration.debug.delay = milliseconds(member.value, path)
            case "attemptCooldownSeconds": configuration.debug.attemptCooldown = milliseconds(member.value, path)
            default:
                unknown(
                    member.key, path, among: ["bypassGating", "scheduleDelaySeconds", "attemptCooldownSeconds"])
            }
        }
    }

    private mutating func milliseconds(_ value: JSONValue, _ path: String) -> Int64? {
        if value.isNull { return nil }
        guard let seconds = value.doubleValue, seconds >= 0, seconds <= 1e10 else {
            mistyped(path, "a number of seconds, or null")
            return nil
        }
        return Int64(seconds * 1_000)
    }
}
