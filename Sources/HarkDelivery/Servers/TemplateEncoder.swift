package import HarkCore
internal import HarkWire

/// Encodes one record per request by a template.
package struct TemplateEncoder: RecordEncoder {
    private let template: MessageTemplate
    private let chat: Chat?
    private let host: String

    /// - Parameters:
    ///   - chat: The service whose rules for texts and URLs apply.
    ///   - host: The name of this machine.
    package init(_ template: MessageTemplate, chat: Chat?, host: String) {
        self.template = template
        self.chat = chat
        self.host = host
    }

    package var contentType: String { template.isText ? "text/plain; charset=utf-8" : "application/json" }

    package func url(for records: ArraySlice<Record>, at url: String) -> String {
        records.first.flatMap { chat?.url(for: $0, at: url) } ?? url
    }

    package func body(of records: ArraySlice<Record>) -> [UInt8] {
        records.first.map { template.body(of: $0, host: host) { chat?.escaped($0) ?? $0 } } ?? []
    }
}
