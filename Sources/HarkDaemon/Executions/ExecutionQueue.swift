import HarkCore

/// The runs that are due, in order: a window on the earliest of them.
///
/// The store holds them all; what lies beyond the window is read when it is needed. New ones are put in once they are
/// committed.
struct ExecutionQueue {
    /// How many runs a page from the store has. The window holds some more while many wait for others of their execution.
    static let page = 256

    private var window: [ExecutionRun] = []
    /// How far the window reaches; nil: there is nothing beyond. At first nothing is known at all.
    private(set) var horizon: ExecutionRunKey? = .first

    mutating func insert(_ run: ExecutionRun) {
        if let horizon, run.place > horizon { return }
        guard !window.contains(where: { $0.id == run.id }) else { return }
        let place = window.firstIndex { $0.place > run.place } ?? window.endIndex
        window.insert(run, at: place)
        if horizon == nil, window.count > 2 * ExecutionQueue.page {
            horizon = window[ExecutionQueue.page - 1].place
            window.removeSubrange(ExecutionQueue.page...)
        }
    }

    /// Takes the runs that follow the horizon in the store, except those that are under way.
    mutating func admit(_ page: [ExecutionRun], except claimed: (ExecutionRun) -> Bool) {
        horizon = page.count < ExecutionQueue.page ? nil : page.last?.place
        for run in page where !claimed(run) && !window.contains(where: { $0.id == run.id }) { window.append(run) }
        window.sort { $0.place < $1.place }
    }

    /// Takes the first that may begin.
    mutating func takeFirst(where mayBegin: (ExecutionRun) -> Bool) -> ExecutionRun? {
        window.firstIndex(where: mayBegin).map { window.remove(at: $0) }
    }

    mutating func remove(where isMeant: (ExecutionRun) -> Bool) {
        window.removeAll(where: isMeant)
    }
}

extension ExecutionRun {
    fileprivate var place: ExecutionRunKey { ExecutionRunKey(at: firedAt, id: id) }
}
