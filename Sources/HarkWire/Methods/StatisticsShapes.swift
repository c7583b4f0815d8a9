/// The parameters of `event.stats` in addition to list filters, and its result.
extension Shape {
    package static let groupKey = Shape.orNull(.primitive)
}

extension Parameter<[String]> {
    package static var groupBy: Parameter {
        Parameter(
            "by", .strings,
            "events with the same values in these fields make a group: properties by their names, or `@name`, `@user`, `@app`, "
                + "`@session`, `@uid`, `@pid`, `@machine`, `@group`; up to 4")
    }
}

extension Parameter<String> {
    package static var valueOf: Parameter {
        Parameter("value", .string, "the property whose numbers are summed up")
    }
    package static var distinctOf: Parameter {
        Parameter("distinct", .string, "the field whose different values are counted: a property, or `@user` and so on")
    }
}

extension Parameter<[Double]> {
    package static var percentiles: Parameter {
        Parameter("percentiles", .percentiles, "of `value`, such as `[50, 95]`; up to 16")
    }
}

extension Parameter<[Timestamp]> {
    package static var boundaries: Parameter {
        Parameter(
            "boundaries", .times,
            "the times that divide buckets, ascending, each up to the next one; up to 1,001. Events outside all buckets do not "
                + "count")
    }
}

extension Parameter<Int> {
    package static var groupLimit: Parameter { Parameter("limit", .integer(in: 1...10_000), "how many groups (1000)") }
}

extension MemberType<[Double]> {
    fileprivate static var percentiles: MemberType {
        MemberType("an array of numbers from 0 to 100", .array(.numbers(0...100))) { value in
            let numbers = value.arrayValue?.compactMap(\.doubleValue).filter { (0...100).contains($0) }
            return numbers?.count == value.arrayValue?.count ? numbers : nil
        }
    }
}

extension MemberType<[Timestamp]> {
    static var times: MemberType {
        MemberType("an array of times such as 2026-11-21T11:08:00.123Z", .array(.time)) { value in
            let times = value.arrayValue?.compactMap { try? TimeReader.read($0) }
            return times?.count == value.arrayValue?.count ? times : nil
        }
    }
}

extension JSONWriter {
    package mutating func member(_ parameter: Parameter<[Double]>, _ numbers: [Double]) {
        key(parameter.name)
        beginArray()
        for number in numbers { double(number) }
        endArray()
    }

    package mutating func member(_ parameter: Parameter<[Timestamp]>, _ times: [Timestamp]) {
        key(parameter.name)
        beginArray()
        for time in times { timestamp(time) }
        endArray()
    }
}
