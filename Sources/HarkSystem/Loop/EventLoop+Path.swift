import CSystemd

/// The events of a watched file or folder, as in inotify(7).
package struct PathEvents: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let written = PathEvents(rawValue: UInt32(IN_CLOSE_WRITE))
    package static let created = PathEvents(rawValue: UInt32(IN_CREATE))
    package static let deleted = PathEvents(rawValue: UInt32(IN_DELETE))
    package static let movedIn = PathEvents(rawValue: UInt32(IN_MOVED_TO))
    package static let movedOut = PathEvents(rawValue: UInt32(IN_MOVED_FROM))
    package static let attributes = PathEvents(rawValue: UInt32(IN_ATTRIB))
    /// The watched path itself is gone; no more events come.
    package static let selfGone = PathEvents(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
    /// Always reported: the kernel dropped some events, so check everything again.
    package static let overflow = PathEvents(rawValue: UInt32(IN_Q_OVERFLOW))

    /// All changes of a folder's content; watch a file by its folder.
    package static let content: PathEvents = [.written, .created, .deleted, .movedIn, .movedOut]

    /// Whether any of `others` is set.
    package func has(_ others: PathEvents) -> Bool { !isDisjoint(with: others) }
}

/// A change: the events and, in a folder, the name.
package struct PathChange: Sendable, Equatable {
    package let events: PathEvents
    package let name: String?
}

extension EventLoop {
    /// Calls `handler` for every change of `path` in `mask`.
    @discardableResult
    package func watchPath(
        _ path: String, mask: PathEvents, _ handler: @escaping @DaemonActor (PathChange) -> Void
    ) throws(SystemError) -> Registration {
        try keep { _ throws(SystemError) in
            try EventSource("sd_event_add_inotify", detail: "watching \(path)", handler: Handler(handler)) {
                source, userdata in
                sd_event_add_inotify(
                    event, source, path, mask.rawValue,
                    { _, change, userdata in
                        guard let change = change.map(EventLoop.pathChange) else { return 0 }
                        let handler = HarkSystem.handler(userdata, of: PathChange.self)
                        DaemonActor.assumeIsolated { handler.call(change) }
                        return 0
                    }, userdata)
            }
        }
    }

    private nonisolated static func pathChange(_ change: UnsafePointer<inotify_event>) -> PathChange {
        // The name follows the fixed part, padded with zeros.
        let name = UnsafeRawPointer(change).advanced(by: MemoryLayout<inotify_event>.size)
        return PathChange(
            events: PathEvents(rawValue: change.pointee.mask),
            name: change.pointee.len == 0 ? nil : String(cString: name.assumingMemoryBound(to: CChar.self)))
    }
}
