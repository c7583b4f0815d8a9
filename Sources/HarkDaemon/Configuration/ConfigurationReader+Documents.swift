import HarkCore
import HarkWire

/// `surveys` and `forms`: where the documents come from.
extension ConfigurationReader {
    /// - Parameter name: that of the file in the advice.
    mutating func readOrigin(
        _ value: JSONValue, _ path: String, example name: String
    ) -> DocumentOrigin? {
        guard let object = value.objectValue else {
            mistyped(path, "an object such as {\"file\": \"\(name)\"}")
            return nil
        }
        var file: String?
        var url: String?
        var refreshSeconds = DocumentOrigin.usualRefreshSeconds
        for member in object {
            let path = "\(path).\(member.key)"
            switch member.key {
            case "file": file = string(member.value, path)
            case "url": url = string(member.value, path)
            case "refreshSeconds":
                guard let seconds = member.value.doubleValue, (1...31_536_000).contains(seconds) else {
                    mistyped(path, "a number of seconds from 1 to 31536000")
                    continue
                }
                refreshSeconds = seconds
            default: unknown(member.key, path, among: ["file", "url", "refreshSeconds"])
            }
        }
        if file != nil, url != nil {
            errors.append(DocumentIssue(path: path, message: "give either a file or a url"))
            return nil
        }
        return file.map(DocumentOrigin.file) ?? url.map { .url($0, refreshSeconds: refreshSeconds) }
    }
}
