internal import HarkCore

extension DeliveryRound {
    /// The source of the records.
    enum Source {
        case page(PageMark)
        /// Retried dead letters, by number: their tries are not counted, and they have no maximum age.
        case letters([UInt64: DeadLetter], areSent: Bool)
    }

    /// The counters at the request of a page, and the content of the page.
    struct PageMark {
        let pending: Int
        let arrived: Int
        var sequences: [UInt64] = []
        var end: UInt64 = 0
        var isLast = false
        /// The number of pending records that were removed.
        var removed = 0
    }
}
