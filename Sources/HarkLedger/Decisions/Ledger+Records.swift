package import HarkCore
package import HarkWire

// Generic functions are specialized only within their own target, and a generic call costs a record a seventh of its time.

extension Ledger {
    /// Lets the engine decide on a record, as `decide(needing:_:)` does.
    ///
    /// - Throws: The error of the command, or of loading the needed data. Nothing has changed then.
    package func record(
        needing need: Need?, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Receipt
    ) throws(WireError) -> Decided<Receipt> {
        try decide(needing: need, command)
    }
}

extension Decided<Receipt> {
    /// Writes the reply to a record, which is sent once the record is on disk.
    package func reply(to client: any CommitWaiter, _ write: (Receipt, inout JSONWriter) -> Void) {
        client.hold { write(value, &$0) }
    }
}
