package import HarkWire

/// The content to record of an entry of systemd's journal.
package struct JournalOrder: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case event(name: String, Properties)
        case log(LogEntry)
    }

    package let content: Content
    /// When the entry was written.
    package let at: Timestamp

    package init(_ content: Content, at: Timestamp) {
        self.content = content
        self.at = at
    }
}

extension JournalOrder {
    /// The approximate size in a record, in bytes.
    package var byteCount: Int {
        switch content {
        case .event(_, let properties): properties.byteCount
        case .log(let entry): entry.message.utf8.count + entry.metadata.byteCount
        }
    }
}
