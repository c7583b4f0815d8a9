import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct ProcessWatchTests {
    @Test("the end of a process is told once, whoever started it; who it was says its start")
    func end() async throws {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for argument in arguments { free(argument) } }
        #expect(posix_spawnp(&pid, "sleep", nil, nil, &arguments, environ) == 0)
        let process = pid
        let started = try await LoopThread.shared.run { loop in
            var watch: ProcessWatch?
            var started: UInt64?
            var ends = 0
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do throws(SystemError) {
                    watch = try ProcessWatch(pid: process, on: loop) {
                        ends += 1
                        continuation.resume()
                    }
                    started = watch?.startedAt
                    kill(process, SIGKILL)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            watch?.cancel()
            #expect(ends == 1)
            return started
        }
        var status: CInt = 0
        waitpid(process, &status, 0)
        #expect(started ?? 0 > 0)
        #expect(!ProcessWatch.boot.isEmpty)
    }

    @Test("a process that is not there cannot be watched")
    func nobody() async throws {
        try await LoopThread.shared.run { loop in
            let error = #expect(throws: SystemError.self) {
                try ProcessWatch(pid: 0x7fff_fff0, on: loop) {}
            }
            #expect(error?.code == ESRCH || error?.code == EINVAL)
        }
    }
}
