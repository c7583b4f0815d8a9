import Glibc

extension Measurements {
    /// The cost of a question in a window, as the test of windows measures it on a screen of its own. The test fails if
    /// the daemon has grown or a process is left. It is in the folder of the sources, as `make bench` is.
    func firstFrame() throws -> [Row] {
        guard access(programs + "/hark-dialog", X_OK) == 0 else {
            say("there is no hark-dialog, so no window is measured")
            return []
        }
        let log = folder + "/window.log"
        mkdir(folder, 0o700)
        let environment = ["HARK_BUILT": try absolutePath(programs), "PATH": "/usr/local/bin:/usr/bin:/bin"]
        do {
            try Child(["/bin/sh", "Tests/Windows/run", "test_cost"], environment: environment, log: log)
                .waitForSuccess("Tests/Windows/run test_cost")
        } catch {
            throw Failure("\(error): \((try? textOfFile(log)) ?? "")")
        }
        let words = try textOfFile(log).split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(of: "frame:"), words.indices.contains(place + 8),
            let hark = Double(words[place + 1]), let empty = Double(words[place + 8])
        else { throw Failure("Tests/Windows/run test_cost has not told what it measured") }
        return [
            Row(
                "processor time to a window's first frame; an empty window of libadwaita in C",
                hark: "\(text(hark, decimals: 0)) ms", peer: "\(text(empty, decimals: 0)) ms", ratio: hark / empty,
                goal: .ratioAtMost(2))
        ]
    }
}
