package import HarkCore
package import HarkWire

extension DocumentOrigin {
    /// Reads `surveys` or `forms` of the settings.
    package static func read(_ key: String, in settings: inout ObjectReader) -> DocumentOrigin? {
        let example = "an object such as {\"file\": \"\(key).json\"}"
        guard var reader = settings.object(key, expected: example) else { return nil }
        defer { reader.finish() }
        let file = reader.text("file")
        let url = reader.text("url")
        let refreshSeconds = reader.read("refreshSeconds", .refreshSeconds) ?? usualRefreshSeconds
        guard file == nil || url == nil else {
            reader.issues.error(reader.path, "give either a file or a url")
            return nil
        }
        return file.map(DocumentOrigin.file) ?? url.map { .url($0, refreshSeconds: refreshSeconds) }
    }
}

extension MemberType<Double> {
    /// The interval at which a server is asked.
    package static var refreshSeconds: MemberType { number(in: 1...31_536_000, "of seconds") }
}
