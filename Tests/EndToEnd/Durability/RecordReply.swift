/// The reply to an `event.record`, read without a JSON decoder: there are many of them.
struct RecordReply: Hashable {
    let request: Int
    let id: String
    let sequence: UInt64
    let session: String

    /// nil when the line is anything else.
    init?(_ line: [UInt8]) {
        var rest = line[...]
        guard rest.skip(#"{"jsonrpc":"2.0","id":"#), let request = rest.number(),
            rest.skip(#","result":{"id":""#), let id = rest.identifier(),
            rest.skip(#"","seq":"#), let sequence = rest.number(),
            rest.skip(#","sessionId":""#), let session = rest.identifier(),
            rest.elementsEqual("\"}}".utf8)
        else { return nil }
        self.request = Int(request)
        self.id = id
        self.sequence = sequence
        self.session = session
    }
}
