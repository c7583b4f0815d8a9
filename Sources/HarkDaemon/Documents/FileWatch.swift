import Glibc
import HarkSystem

/// Tells when a file may have other content: also one that is replaced, that comes and goes with its folder, or that a
/// link stands for.
@DaemonActor
final class FileWatch {
    private let path: String
    private let loop: EventLoop
    private let onChange: @DaemonActor () -> Void
    private var watches: [Registration] = []
    /// The file that a link at `path` leads to, or led to as long as there was one; nil: it is no link.
    private var target: String?

    init(_ path: String, loop: EventLoop, onChange: @escaping @DaemonActor () -> Void) {
        self.path = path
        self.loop = loop
        self.onChange = onChange
        look()
    }

    func cancel() {
        for watch in watches { watch.cancel() }
        watches = []
    }

    private func look() {
        cancel()
        target = currentTarget
        watches = [path, target].compactMap(\.self).compactMap(watch)
    }

    /// Editors replace files: the folder is watched, not the file. Where the folder is not there either, or goes, it is
    /// the nearest one above it that is.
    private func watch(_ file: String) -> Registration? {
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
                Log.warning(
                    "\(file) is not watched, and counts anew only when harkd reads its settings again (SIGHUP): \(error); if it is "
                        + "about watching, raise fs.inotify.max_user_instances")
                return nil
            } catch {
                Log.debug("\(folder) is not watched: \(error)")
            }
        }
        return nil
    }

    private func note(_ change: PathChange, of name: String, isNearest: Bool) {
        let isMoved = change.events.has(.selfGone) || change.name == name && !isNearest
        // A link among those on the way may have been replaced, whatever it is called.
        if isMoved || currentTarget != target {
            look()
        } else if change.name != name {
            return
        } else if change.events.has(.created), isEmpty {
            // Whoever has made it is about to write.
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
