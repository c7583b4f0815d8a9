import HarkCore
import HarkSystem

@testable import HarkDelivery

// A parcel is a part of a page; what the tests hand over are whole arrays.

extension ArchiveTree {
    func append(_ records: [Record]) throws(SystemError) { try append(records[...]) }
}

extension Destination {
    @DaemonActor
    func deliver(_ records: [Record]) async -> DeliveryOutcome { await deliver(records[...], before: []) }
}
