import HarkSystem
import HarkWire

/// Lines in, in turns with other clients.
extension ClientConnection {
    func handle(_ ready: Readiness) {
        if ready.has(.gone), !isGone { peerIsGone() }
        if ready.has(.write) { flush() }
        if !isClosed, ready.has(.input) {
            hasArrived = true
            isEnding = isEnding || ready.has(.end)
            if isListening { read() }
        }
        if !isClosed, isInputOver, !isPaused, ready.has(.gone) { close() }
    }

    var isListening: Bool { !isInputOver && !isPaused && !isWaitingForTurn }

    /// What it has sent is dealt with, but nothing more is looked up for it, and nothing waited for: as long as it has as many
    /// calls under way as it may, nothing of it is read, and its end would not be seen.
    private func peerIsGone() {
        isGone = true
        server.forget(self)
        endWaits()
    }

    /// Whether anybody is there who waits for something.
    var isAwaiting: Bool { !isClosed && !isGone }

    func endWaits() {
        for wait in Array(waits.values) { wait.end() }
    }

    private func read() {
        let slice = LoopSlice(microseconds: LineTurns.firstSlice)
        // Who finds the loop free need not wait for a turn.
        guard turns.spent(at: slice.start) < LineTurns.freeMicroseconds else { return wait(isShort: input.isShort) }
        if fill() { work(slice) }
        if hasArrived, isListening, !isClosed { wait(isShort: input.isShort) }
        spend(since: slice, isShort: true)
    }

    private func spend(since slice: LoopSlice, isShort: Bool) {
        let now = SystemClock.monotonicMicroseconds
        let spent = now &- slice.start
        share.spend(spent, at: now)
        turns.spend(spent, at: now, isShort: isShort)
    }

    /// - Returns: whether there is anything new, be it the end.
    private func fill() -> Bool {
        do {
            guard
                let count = try input.fill({ room throws(SystemError) in try descriptor.read(into: room) })
            else {
                hasArrived = false
                return false
            }
            // Looking again would cost as much as a short request; but the end comes behind what was sent before it.
            if input.hasRoom, !isEnding { hasArrived = false }
            if count == 0 { isInputOver = true }
            server.onUse()
            return true
        } catch {
            // The peer is gone (ECONNRESET); what it had sent is dealt with.
            close()
            return false
        }
    }

    /// A slice of the loop for what has not been dealt with yet, and for what comes meanwhile.
    func takeTurn(isShort: Bool) {
        isWaitingForTurn = false
        guard !isClosed, !isPaused else { return }
        let slice = LoopSlice(microseconds: isShort ? LineTurns.firstSlice : LineTurns.slice)
        // What is long makes the next commit long: it waits until there is room. What is short finds some.
        // Who had a whole slice may have nothing left, so what there is now counts.
        if input.isShort || !server.ledger.isFull { work(slice) } else { pause() }
        while hasArrived, isListening, !isClosed {
            guard fill() else { break }
            if !input.isShort, server.ledger.isFull { pause() } else { work(slice) }
            if hasArrived, isListening, !isClosed, slice.isOver { wait(isShort: input.isShort) }
        }
        spend(since: slice, isShort: isShort)
        adjustInterest()
    }

    /// Handles the lines that are there, as long as there is room for what they mean, and time.
    private func work(_ slice: LoopSlice) {
        while !isClosed, !isPaused, let item = input.next() {
            var wasQuick = false
            switch item {
            case .line(let line): wasQuick = server.router.handle(line, from: self)
            case .tooLong:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "a line has at most \(limits.lineBytes) bytes; this one was passed over "
                            + "(limits.lineBytes in harkd.json raises the bound)"))
            case .noMemory:
                reply(
                    .null,
                    WireError(
                        .internalError,
                        "harkd has no memory for a line that long; this one was passed over, try again later"))
            case .noRoom:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "the long lines that clients of this user are sending take \(memory.longLines) bytes, "
                            + "and may take \(limits.lineBytesPerUser); this one was passed over: send fewer at a "
                            + "time (limits.lineBytesPerUser in harkd.json raises the bound)"))
            case .noRoomForAll:
                server.reclaim()
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "the unfinished lines and unread replies of all clients take \(server.memory.taken) bytes of "
                            + "\(server.memory.most), of this user's \(memory.taken); this line was passed over: send it "
                            + "again later (limits.clientBytes in harkd.json raises the bound)"))
            }
            if isBusy {
                pause()
            } else if hasArrived || !input.isEmpty, !wasQuick || isTimeToLook, slice.isOver, !isClosed {
                return wait(isShort: false)
            }
        }
        if isInputOver, !isPaused, !isClosed {
            if let rest = input.takeRest(), !server.isStopping { server.router.handle(rest, from: self) }
            // That nobody is there any more is told once, and may have been while this had to wait.
            if isGone { return close() }
            adjustInterest()
            closeWhenDone()
        }
    }

    /// Looking at the clock with each of the quickest requests would cost as much as they do.
    private var isTimeToLook: Bool {
        quickRequests &+= 1
        return quickRequests & 15 == 0
    }

    /// - Parameter isShort: what it has sent is dealt with in a moment, as far as one can tell.
    func wait(isShort: Bool) {
        isWaitingForTurn = true
        adjustInterest()
        server.turns.append(self, isShort: isShort)
    }

    /// The daemon stops: what the client has sent is dealt with, and it can send no more.
    func endInput() {
        do throws(SystemError) {
            try descriptor.endReading()
        } catch {
            close()
        }
    }

    var isBusy: Bool {
        server.ledger.isFull || deferredCalls >= ClientConnection.deferredAtOnce || heldBytes > limits.queuedBytes / 2
            || deferredCalls > 0 && server.hasManyCalls(of: peer.uid)
    }

    private func pause() {
        isPaused = true
        adjustInterest()
        server.pausedConnections[ObjectIdentifier(self)] = self
    }

    /// There may be room again.
    func resume() {
        guard isPaused, !isClosed, !isBusy else { return }
        isPaused = false
        server.pausedConnections[ObjectIdentifier(self)] = nil
        wait(isShort: input.isShort)
    }
}
