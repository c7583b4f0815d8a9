internal import HarkCore

extension DeliveryRound {
    /// Where its records come from.
    enum Source {
        case page(PageMark)
        /// Dead letters tried again, by number: they have no tries to count, and no age.
        case letters([UInt64: DeadLetter], areSent: Bool)
    }

    /// What was so when a page was asked for, and what it holds.
    struct PageMark {
        let pending: Int
        let arrived: Int
        var sequences: [UInt64] = []
        var end: UInt64 = 0
        var isLast = false
        /// So many of what was pending were removed.
        var removed = 0
    }
}
