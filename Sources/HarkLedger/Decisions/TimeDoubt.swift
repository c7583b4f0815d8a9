import HarkSystem
package import HarkWire

extension Ledger {
    /// A warning about a record's time that is far in the future; the record is stored all the same.
    package func warnings(ofTime time: Timestamp) -> [String] {
        time > now.adding(milliseconds: 86_400_000) ? ["'timestamp' lies more than a day ahead of the clock here"] : []
    }
}
