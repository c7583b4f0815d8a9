import HarkCore
import HarkDelivery
import HarkWire

/// `flags`.
extension ConfigurationReader {
    mutating func readFlags(_ value: JSONValue, _ path: String) {
        if value.isNull {
            configuration.flags.place = .nowhere
            return
        }
        guard let object = value.objectValue else {
            return mistyped(path, "an object with a file, a url or a destination, or null")
        }
        var places: [FlagSettings.Place] = []
        var keys: [Secret] = []
        for member in object {
            let path = "\(path).\(member.key)"
            switch member.key {
            case "file": places += string(member.value, path).map { [.file($0)] } ?? []
            case "url": places += url(member.value, path).map { [.url($0, key: nil)] } ?? []
            case "destination": places += string(member.value, path).map { [.destination($0)] } ?? []
            case "apiKeyFile": keys += string(member.value, path).map { [.file($0)] } ?? []
            case "apiKeyCredential": keys += string(member.value, path).map { [.credential($0)] } ?? []
            case "apiKeyEnv": keys += string(member.value, path).map { [.environment($0)] } ?? []
            case "apiKey": refuseKey(path)
            case "refreshSeconds":
                guard let seconds = member.value.doubleValue, (1...31_536_000).contains(seconds) else {
                    mistyped(path, "a number of seconds from 1 to 31536000")
                    continue
                }
                configuration.flags.refreshSeconds = seconds
            default:
                unknown(
                    member.key, path,
                    among: [
                        "file", "url", "destination", "apiKeyFile", "apiKeyCredential", "apiKeyEnv", "refreshSeconds",
                    ])
            }
        }
        place(places, keys, path)
    }

    private mutating func place(_ places: [FlagSettings.Place], _ keys: [Secret], _ path: String) {
        if places.count > 1 {
            errors.append(DocumentIssue(path: path, message: "give one of file, url and destination"))
            return
        }
        if keys.count > 1 {
            errors.append(
                DocumentIssue(path: path, message: "give one of apiKeyFile, apiKeyCredential and apiKeyEnv"))
        }
        if case .url(let url, _)? = places.first {
            configuration.flags.place = .url(url, key: keys.first)
            return
        }
        configuration.flags.place = places.first ?? configuration.flags.place
        if !keys.isEmpty {
            errors.append(
                DocumentIssue(path: path, message: "a key goes with a url only; a destination has its own"))
        }
    }

    private mutating func url(_ value: JSONValue, _ path: String) -> String? {
        guard let text = string(value, path) else { return nil }
        guard let fault = HTTPRequest.fault(ofURL: text) else { return text }
        errors.append(DocumentIssue(path: path, message: fault))
        return nil
    }

    /// Once all is read: whether the destination that is to hand out flags is there and can.
    mutating func checkFlags() {
        guard case .destination(let name?) = configuration.flags.place,
            !configuration.destinations.contains(where: { $0.name == name && $0.kind == .sensorcore })
        else { return }
        errors.append(
            DocumentIssue(
                path: "$.flags.destination", message: "must be the name of a destination of the kind sensorcore"))
    }
}
