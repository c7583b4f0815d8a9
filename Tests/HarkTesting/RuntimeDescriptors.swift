/// Has the Swift runtime open the descriptors it waits with (an epoll, and a timer of libdispatch for each clock).
///
/// It does so when first it has to wait, on a thread of its own, and ends the process if it cannot. A test that is about
/// to leave its process without free descriptors calls this before.
package func openDescriptorsOfTheRuntime() async throws {
    try await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try await Task.sleep(for: .milliseconds(1), clock: .suspending)
}
