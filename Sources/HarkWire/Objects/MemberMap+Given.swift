/// Members of requests of which null is a value.
extension MemberMap {
    /// A duration: seconds in JSON, milliseconds in Swift. The outer optional is nil if nothing is given.
    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, givenMilliseconds value: inout Int64??, _ meaning: StaticString = ""
    ) {
        var held = value.map { AnyJSON($0.map { .double(Double($0) / 1_000) } ?? .null) }
        let type = MemberType<Int64?>.orNull(.seconds)
        json(
            Member(name, .given, meaning),
            { MemberType(type.words, type.shape) { value in type.read(value).map { _ in value } } }, &held)
        value = held.map { $0.value.flatMap { MemberType<Int64>.seconds.read($0) } }
    }
}
