package import HarkSystem
internal import HarkWire

/// A document from a URL, kept up to date by polling; the last good one is never lost.
///
/// A failed fetch, or a document that `accept` refuses, changes only the status. While idle, it needs one timer.
@DaemonActor
package final class RemoteDocument {
    /// Checks a document and puts it in force; throws its faults, and has then changed nothing.
    package typealias Accept = @DaemonActor ([UInt8]) async throws -> Void
    /// Returns headers that are read for each request, such as keys; throws why that failed.
    package typealias Secrets = @DaemonActor () throws -> HTTPHeaders

    private let source: Source
    private let shownURL: String
    private let client: HTTPClient
    private let secrets: Secrets
    private let accept: Accept
    private var timer: TimerSource?
    private var plan: RefreshPlan
    /// A hash of the document in force.
    private var content: Int?
    private var isSaved = false
    private var isCopy = false
    private var starting: Task<Void, Never>?
    private var refreshing: Task<Outcome, Never>?
    private var isStopped = false

    /// Refuses a URL that can never work, and invalid intervals.
    package init(
        _ source: Source, client: HTTPClient, loop: EventLoop, secrets: @escaping Secrets = { [:] },
        accept: @escaping Accept
    ) throws {
        guard source.refreshSeconds > 0, source.refreshSeconds.isFinite else {
            throw HTTPError(.invalidRequest, "the time between refreshes must be more than 0 seconds")
        }
        self.source = source
        self.client = client
        self.secrets = secrets
        self.accept = accept
        plan = RefreshPlan(intervalSeconds: source.refreshSeconds)
        shownURL = try HTTPTarget(source.url).shown
        // A share of the interval, so that wake-ups can be shared.
        let accuracy = UInt64(min(source.refreshSeconds / 20, 5) * 1_000_000)
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: accuracy) { [weak self] in
            self?.refresh()
        }
    }

    /// Puts the copy of an earlier run in force, if there is one, and starts refreshing.
    ///
    /// Returns once the copy is in force; the first fetch continues in the background.
    package func start() async {
        let task = DaemonActor.task { [self] in await serveCopy() }
        starting = task
        await task.value
        refresh()
    }

    /// Fetches the document now, or waits for the fetch in progress.
    package func refreshNow() async -> Outcome {
        await refresh().value
    }

    /// Stops; no further document is accepted after the call.
    package func giveUp() {
        isStopped = true
        timer?.cancel()
        refreshing?.cancel()
    }

    /// Stops, and returns once nothing is written any more.
    package func stop() async {
        giveUp()
        await starting?.value
        _ = await refreshing?.value
    }

    package var status: Status {
        let now = RemoteDocument.now
        let nextDue = plan.dueAt.map { dueAt in
            now.wall.adding(milliseconds: (Int64(dueAt) - Int64(now.bootMicroseconds)) / 1000)
        }
        return Status(
            url: shownURL, isServing: content != nil, isCopy: isCopy, lastAttempt: plan.lastAttempt,
            lastSuccess: plan.lastSuccess,
            lastError: plan.lastError, nextDue: nextDue)
    }

    @discardableResult
    private func refresh() -> Task<Outcome, Never> {
        if let refreshing { return refreshing }
        let task = DaemonActor.task { [self] in
            // The copy is older than any fetched document, so it comes first.
            await starting?.value
            let outcome = await fetch()
            refreshing = nil
            if let dueAt = plan.dueAt { timer?.arm(atMicroseconds: dueAt) }
            return outcome
        }
        refreshing = task
        return task
    }

    private func fetch() async -> Outcome {
        if isStopped { return RemoteDocument.stopped }
        timer?.disarm()
        plan.begin(at: RemoteDocument.now)
        var request = HTTPRequest("GET", source.url, headers: source.headers)
        do {
            for field in try secrets().fields { request.headers.append(field.name, field.value) }
        } catch {
            return fail("\(error)")
        }
        plan.version.addCondition(to: &request.headers)
        request.unixSocket = source.unixSocket
        request.timeoutSeconds = source.timeoutSeconds
        request.maxResponseBytes = source.maxBytes
        request.maxRedirects = 5
        let answer: Result<HTTPResponse, HTTPError>
        do throws(HTTPError) {
            answer = .success(try await client.send(request))
        } catch {
            answer = .failure(error)
        }
        if isStopped { return RemoteDocument.stopped }
        switch plan.verdict(on: answer) {
        case .unchanged: return succeed(nil, .unchanged)
        case .candidate(let body, let version): return await take(DocumentCopy(version: version, body: body))
        case .failed(let reason): return fail(reason)
        }
    }

    private func take(_ document: DocumentCopy) async -> Outcome {
        let hash = RemoteDocument.hash(document.body)
        let isNew = hash != content
        if isNew {
            do {
                try await accept(document.body)
            } catch {
                return isStopped ? RemoteDocument.stopped : fail("the document is not valid: \(error)")
            }
            content = hash
            isSaved = false
            isCopy = false
            if isStopped { return RemoteDocument.stopped }
        }
        if !isSaved { await save(document) }
        // Without a copy on disk, the next fetch is unconditional, and tries to save the document again.
        return succeed(isSaved ? document.version : ServedVersion(), isNew ? .updated : .unchanged)
    }

    private func succeed(_ version: ServedVersion?, _ outcome: Outcome) -> Outcome {
        if plan.lastError != nil { Log.notice("fetching \(shownURL) works again") }
        isCopy = false
        plan.succeed(version, at: RemoteDocument.now)
        return outcome
    }

    private func fail(_ reason: String) -> Outcome {
        if plan.lastError != reason { Log.warning("fetching \(shownURL): \(reason)") }
        plan.fail(reason, at: RemoteDocument.now, dice: .random(in: 0...1))
        return .failed(reason)
    }

    // MARK: The copy

    /// Reads the last good document of an earlier run without `start`; nil if there is none.
    package static func lastGood(_ source: Source) -> [UInt8]? {
        do throws(SystemError) {
            return try DocumentCopy.read(source.copyPath, of: source.url, maxBytes: source.maxBytes)?.body
        } catch {
            // `start` reports it.
            return nil
        }
    }

    private func serveCopy() async {
        let read = await RemoteDocument.aside { [source] () -> Result<DocumentCopy?, SystemError> in
            Result { () throws(SystemError) in
                try DocumentCopy.read(source.copyPath, of: source.url, maxBytes: source.maxBytes)
            }
        }
        do {
            guard let copy = try read.get(), !isStopped else { return }
            try await accept(copy.body)
            content = RemoteDocument.hash(copy.body)
            isSaved = true
            isCopy = true
            plan.adopt(copy.version)
        } catch {
            Log.warning("the copy of \(shownURL) in \(source.copyPath) is of no use: \(error)")
        }
    }

    private func save(_ document: DocumentCopy) async {
        let written = await RemoteDocument.aside { [source] () -> Result<Void, SystemError> in
            Result { () throws(SystemError) in try document.write(source.copyPath, of: source.url) }
        }
        switch written {
        case .success: isSaved = true
        case .failure(let error): Log.warning("\(shownURL) is in force but could not be kept: \(error)")
        }
    }

    /// Runs blocking work on a temporary thread.
    private static func aside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let thread = WorkerThread(name: "hark-document")
        defer { thread.close() }
        return await thread.run(body)
    }

    private static func hash(_ body: [UInt8]) -> Int {
        var hasher = Hasher()
        body.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private static var now: RefreshPlan.Moment {
        RefreshPlan.Moment(
            wall: Timestamp(milliseconds: SystemClock.realtimeMilliseconds),
            bootMicroseconds: SystemClock.boottimeMicroseconds)
    }

    private static let stopped = Outcome.failed("it was stopped")
}
