import Glibc
import HarkSystem

/// Reports when a file may have new content: also if it is replaced, if it appears or disappears with its folder, or if
/// a link leads to it.
///
/// If this user has no inotify watch left, the file is polled until there is one.
@DaemonActor
final class FileWatch {
    private let path: String
    private let loop: EventLoop
    private let onChange: @DaemonActor () -> Void
    private var watches: [Registration] = []
    /// The target of the link at `path`, or its last known target; nil if it is no link.
    private var target: String?
    /// The state of polling, for lack of watches: the timer, and the file's last stamp.
    private var rounds: TimerSource?
    private var stamp: Stamp?
    private let secondsBetween: Double

    static let usualSecondsBetween = 10.0

    init(
        _ path: String, loop: EventLoop, secondsBetween: Double = FileWatch.usualSecondsBetween,
        onChange: @escaping @DaemonActor () -> Void
    ) {
        self.secondsBetween = secondsBetween
        self.path = path
        self.loop = loop
        self.onChange = onChange
        look()
    }

    func cancel() {
        forgetWatches()
        rounds?.cancel()
        rounds = nil
    }

    private func forgetWatches() {
        for watch in watches { watch.cancel() }
        watches = []
    }

    private func look() {
        forgetWatches()
        target = currentTarget
        var shortage: SystemError?
        for file in [path, target].compactMap(\.self) {
            do throws(SystemError) {
                if let watch = try watch(file) { watches.append(watch) }
            } catch {
                shortage = error
            }
        }
        if let shortage { goRound(shortage) } else { cancelRounds() }
    }

    // MARK: Polling

    /// A fingerprint of a file's content that needs no reading.
    private struct Stamp: Equatable {
        var inode: UInt64 = 0
        var bytes: Int64 = 0
        var seconds = 0
        var nanoseconds = 0

        init(_ path: String) {
            var info = stat()
            guard stat(path, &info) == 0 else { return }
            inode = UInt64(info.st_ino)
            bytes = Int64(info.st_size)
            seconds = info.st_mtim.tv_sec
            nanoseconds = info.st_mtim.tv_nsec
        }
    }

    private func goRound(_ shortage: SystemError) {
        if rounds == nil {
            Log.warning(
                "\(path) cannot be watched (\(SystemError.text(of: shortage.code))), and is looked at every "
                    + "\(Int(secondsBetween)) seconds instead; raise fs.inotify.max_user_instances and max_user_watches"
            )
            stamp = Stamp(path)
            rounds = try? loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in
                self?.lookRound()
            }
        }
        rounds?.arm(afterMicroseconds: UInt64(secondsBetween * 1_000_000))
    }

    private func lookRound() {
        let now = Stamp(path)
        let isChanged = now != stamp
        stamp = now
        look()
        if isChanged { onChange() }
    }

    private func cancelRounds() {
        guard rounds != nil else { return }
        Log.notice("\(path) is watched again")
        rounds?.cancel()
        rounds = nil
    }

    // MARK: Watches

    /// Watches the file's folder, because editors replace files. If the folder is missing or disappears, watches its
    /// nearest existing ancestor.
    /// - Throws: If there are no watches left.
    private func watch(_ file: String) throws(SystemError) -> Registration? {
        var parts = file.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        while let name = parts.popLast() {
            let folder = parts.joined(separator: "/")
            let isNearest = "\(folder)/\(name)" == file
            do throws(SystemError) {
                return try loop.watchPath(
                    folder.isEmpty ? "/" : folder,
                    mask: isNearest ? PathEvents.content.union(.selfGone) : [.created, .movedIn, .selfGone]
                ) { [weak self] change in
                    self?.note(change, of: name, isNearest: isNearest)
                }
            } catch  where [EMFILE, ENFILE, ENOSPC, ENOMEM].contains(error.code) {
                throw error
            } catch {
                Log.debug("\(folder) is not watched: \(error)")
            }
        }
        return nil
    }

    private func note(_ change: PathChange, of name: String, isNearest: Bool) {
        let isMoved = change.events.has(.selfGone) || change.name == name && !isNearest
        // A link in the path may have been replaced, under any name.
        if isMoved || currentTarget != target {
            look()
        } else if change.name != name {
            return
        } else if change.events.has(.created), isEmpty {
            // The file was just created, and will be written next.
            return
        }
        onChange()
    }

    private var currentTarget: String? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return nil }
        guard let resolved = realpath(path, nil) else { return target }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private var isEmpty: Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_size == 0
    }
}
