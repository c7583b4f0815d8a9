package import HarkCore
import HarkDelivery
import HarkFleet
import HarkWire

extension FleetSettings {
    package mutating func read(_ settings: inout ObjectReader) {
        guard !settings.isNull("fleet") else { return }
        guard var reader = settings.object("fleet", expected: "an object with a broker and a name, or null") else {
            return
        }
        defer { reader.finish() }
        let url = reader.text("broker", isRequired: true)
        let fleet = reader.read("name", .fleetName, isRequired: true)
        reader.take("role", .word, into: &role)
        reader.take("userName", .string, into: &userName)
        password = Secret.read("password", "a password", in: &reader)
        reader.take("caFile", .string, into: &authoritiesFile)
        reader.take("certificateFile", .string, into: &certificateFile)
        reader.take("keyFile", .string, into: &keyFile)
        if (certificateFile == nil) != (keyFile == nil) {
            reader.issues.error(reader.path, "give certificateFile and keyFile together, or neither")
        }
        reader.take("shards", .integer(in: 1...FleetTopics.mostShards), into: &shards)
        switch role {
        case .machine: readMachine(&reader)
        case .hub: readHub(&reader)
        }
        guard let url, let fleet else { return }
        name = fleet
        do throws(MQTTFailure) {
            // Kept in the form in which it is displayed.
            broker = try MQTTAddress(url).description
        } catch {
            reader.issues.error(reader.path("broker"), error.reason)
        }
        destination.url = broker ?? ""
    }

    private mutating func readMachine(_ reader: inout ObjectReader) {
        reader.take("machine", .fleetName, into: &machine)
        reader.take("group", .fleetName, into: &group)
        reader.take("ackTimeoutSeconds", .number(in: 0.1...3_600, "of seconds"), into: &acknowledgeSeconds)
        destination.readFilters(&reader)
        reader.take("batchBytes", .integer(in: 4_096...(16 << 20)), into: &destination.batchBytes)
    }

    private mutating func readHub(_ reader: inout ObjectReader) {
        reader.take("followClears", .bool, into: &followsClears)
        reader.take("livenessSeconds", .number(in: 1...3_600, "of seconds"), into: &livenessSeconds)
        reader.take("awaySeconds", .number(in: 0.1...86_400, "of seconds"), into: &awaySeconds)
        reader.take("mostMachines", .integer(in: 1...100_000), into: &mostMachines)
        reader.take("creditSeconds", .number(in: 1...315_360_000, "of seconds"), into: &creditSeconds)
        guard let elements = reader.elements("serves", expected: "an array of numbers of shards") else { return }
        let numbers = elements.compactMap { $0.value.exactInteger.flatMap(Int.init(exactly:)) }
        guard numbers.count == elements.count, !numbers.isEmpty, numbers.allSatisfy((0..<shards).contains),
            Set(numbers).count == numbers.count
        else {
            return reader.issues.error(
                reader.path("serves"),
                "must be an array of different numbers from 0 to \(shards - 1) ('shards' less one)")
        }
        serves = numbers.sorted()
    }
}

extension MemberType<String> {
    /// A name that may be part of a topic.
    static var fleetName: MemberType {
        MemberType(FleetName.words) { value in
            value.stringValue.flatMap { FleetName.isValid($0) ? $0 : nil }
        }
    }
}
