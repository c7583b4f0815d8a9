import HarkSystem
import HarkWire

extension Ledger {
    /// What is said of the time of a record that lies far ahead: it is kept all the same.
    func warnings(ofTime time: Timestamp) -> [String] {
        time > now.adding(milliseconds: 86_400_000) ? ["'timestamp' lies more than a day ahead of the clock here"] : []
    }
}
