import HarkCore

/// The due runs in order: a window on the earliest of them.
///
/// The store holds all due runs; those beyond the window are read when needed. New runs are inserted once they are
/// committed.
struct ExecutionQueue {
    /// The runs in a page from the store. The window may hold more while many wait for others of their execution.
    static let page = 256

    private var window: [ExecutionRun] = []
    /// The end of the window; nil: there is nothing beyond it. At first it is before all runs.
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

    /// Adds the runs that follow the horizon in the store, except those in progress.
    mutating func admit(_ page: [ExecutionRun], except claimed: (ExecutionRun) -> Bool) {
        horizon = page.count < ExecutionQueue.page ? nil : page.last?.place
        for run in page where !claimed(run) && !window.contains(where: { $0.id == run.id }) { window.append(run) }
        window.sort { $0.place < $1.place }
    }

    /// Removes and returns the first run that may begin.
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
