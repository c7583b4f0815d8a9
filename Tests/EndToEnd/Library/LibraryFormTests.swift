import Foundation
import Hark
import HarkWire
import Testing

/// Row D6: forms, profiles, the device's id and fresh flags by the library, against a real daemon.
@Suite(.endToEnd) struct LibraryFormTests {
    private let home: DaemonHome
    private let recorder: EventRecorder

    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "packaging/samples/onboarding.json")

    init() throws {
        home = try DaemonHome()
        var options = EventRecorder.Options()
        options.socket = home.socket
        recorder = EventRecorder(options)
        try FileManager.default.copyItem(at: Self.sample, to: URL(fileURLWithPath: home.configuration + "/forms.json"))
    }

    @Test("O1 O3 O4: a form is listed, filled in, left with a draft, completed and forgotten; each user has their own")
    func form() async throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        let list = try await recorder.forms(of: .user("ada"))
        #expect(list.map(\.id) == ["onboarding"] && list.first?.progress.total == 5)
        var form = try await recorder.form("onboarding", of: .user("ada"))
        #expect(form.title == "Welcome" && form.questions.count == 5 && form.isEditable && form.userID == "ada")
        #expect(form.questions.first?.kind == .single && form.route.count == 5)
        let goal = "Improve sleep"
        form = try await form.answer(["primaryGoal": goal])
        #expect(form.progress.text == "1 of 5 Questions Answered" && form.answers == ["primaryGoal": "Improve sleep"])
        #expect(form.questions.count == 5, "what a reply does not repeat stays")
        let error = await #expect(throws: HarkError.self) { try await form.answer(["primaryGoal": "Fly"]) }
        #expect(error?.reason == "invalidParams" && error?.path == "$.params.answers.primaryGoal")
        try await form.keepDraft(["emotionalState": "Doing okay"], page: "emotionalState")
        let again = try await recorder.form("onboarding", of: .user("ada"))
        #expect(again.draft == form.draft || again.draft.page == "emotionalState")
        #expect(again.draft.answers == ["emotionalState": "Doing okay"] && again.progress.answered == 1)
        form = try await again.answer([
            "emotionalState": "Ongoing challenges", "timeCommitment": "Flexible", "experienceLevel": "Regular",
            "preferredActivities": ["Journaling", "Guided meditation"],
        ])
        #expect(form.isCompleted && form.completedAt != nil && form.draft.answers.isEmpty)
        #expect(try await form.refreshed().isCompleted)
        #expect(try await recorder.form("onboarding", of: .user(nil)).answers.isEmpty)

        let profile = try await recorder.profile(of: .user("ada"))
        #expect(profile.isCompleted && profile["sessionMinutes"]?.integer == 15 && profile["nothing"] == nil)
        #expect(try await recorder.profileSummary(of: .user("ada"))?.contains("Goal: Improve sleep") == true)
        let copy = try await recorder.exportProfile(of: .user("ada"))
        let taken = try await recorder.importProfile(copy, for: .user("bob"))
        #expect(taken.answers == profile.answers && taken.values["goal"] == profile.values["goal"])
        #expect(try await recorder.exportProfile(of: .user("bob")) == copy)
        let broken = await #expect(throws: HarkError.self) { try await recorder.importProfile("[1]") }
        #expect(broken?.code == .encodingFailed)
        #expect(try await recorder.resetProfile(of: .user("bob")) == 5)
        #expect(try await form.reset() == 5)
        #expect(try await recorder.profile(of: .user("ada")).isCompleted == false)
    }

    @Test("the current session's user is meant where none is named")
    func currentUser() async throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        try await recorder.startSession(userID: "cleo")
        #expect(try await recorder.form("onboarding").userID == "cleo")
    }

    @Test("L1 L8: the device has an id until it is reset, and flags are looked for at once")
    func device() async throws {
        try home.configure(#"{"flags":{"file":"flags.json"}}"#)
        try home.files.write(#"{"retries":3.0}"#, to: "config/flags.json")
        let daemon = try home.start()
        defer { daemon.kill() }
        let id = try await recorder.deviceID()
        #expect(UUID(uuidString: id) != nil)
        #expect(try await recorder.deviceID() == id)
        let next = try await recorder.resetDeviceID()
        #expect(next != id)
        #expect(try await recorder.deviceID() == next)

        #expect(await recorder.remoteConfig().int(for: "retries") == 3)
        #expect(try await recorder.refreshFlags() == .unchanged)
        try home.files.write("{", to: "config/flags.json")
        guard case .failed(let why) = try await recorder.refreshFlags() else { throw Failure("it did not fail") }
        #expect(!why.isEmpty)
        #expect(await recorder.remoteConfig().int(for: "retries") == 3)
    }
}
