/// The counters at one moment.
public struct CounterValues: Sendable, Hashable {
    let values: [String: Value]

    /// The number; nil for another type or an unknown name.
    public func integer(for name: String) -> Int? { values[name]?.integer }
    /// The bool; nil for another type or an unknown name.
    public func bool(for name: String) -> Bool? { values[name]?.bool }
    /// The elements; nil for another type or an unknown name.
    public func array(for name: String) -> [Value]? { values[name]?.array }
    /// The members; nil for another type or an unknown name.
    public func dictionary(for name: String) -> [String: Value]? { values[name]?.object }
    /// The value, of any type; nil for an unknown name.
    public subscript(name: String) -> Value? { values[name] }
}
