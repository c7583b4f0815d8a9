import HarkCore
import HarkSystem
import HarkWire

@testable import HarkDelivery

// A parcel is a part of a page; what the tests hand over are whole arrays.

extension ArchiveTree {
    func append(_ records: [Record]) throws(SystemError) { try append(records[...]) }
}

extension RecordEncoder {
    func body(of records: [Record]) -> [UInt8] { body(of: records[...]) }

    func outcome(of records: [Record], answer body: JSONValue?) -> DeliveryOutcome {
        outcome(of: records[...], answer: body)
    }
}

extension Destination {
    @DaemonActor
    func deliver(_ records: [Record]) async -> DeliveryOutcome { await deliver(records[...], before: []) }
}
