import HarkCore
import HarkWire
import Testing

@Suite("Questions of agents")
struct AgentPromptTests {
    private static let other: UInt32 = 1001

    @Test(
        "three wait for an account at most, over a restart, until one is over; others' and other programs' do not count"
    )
    func bound() throws {
        var stage = Stage()
        var ids: [Identifier] = []
        for _ in 0..<AgentWords.openQuestions {
            ids.append(try stage.ask(try .sample(AgentWords.promptName)).prompt.id)
        }
        stage.restart()
        let error = #expect(throws: WireError.self) { try stage.ask(try .sample(AgentWords.promptName)) }
        #expect(error?.reason == .tooLarge)
        try stage.ask(try .sample("deploy"))
        try stage.ask(try .sample(AgentWords.promptName), uids: [Self.other])
        #expect(try stage.ask(try .sample(AgentWords.promptName), id: ids[0]).prompt.id == ids[0])
        _ = try stage.cancel(ids[1])
        try stage.ask(try .sample(AgentWords.promptName))
        #expect(throws: WireError.self) { try stage.ask(try .sample(AgentWords.promptName)) }
    }

    @Test("who has refused them is not asked, and what waits goes; other programs go on asking")
    func refused() throws {
        var stage = Stage()
        let asked = try stage.ask(try .sample(AgentWords.promptName))
        let deploy = try stage.ask(try .sample("deploy"))
        try stage.wish(.init(mutedUntil: .latest, mutesPrompts: true), of: AgentWords.promptName)
        #expect(try stage.standing(asked.prompt.id).state == .cancelled)
        #expect(try stage.standing(deploy.prompt.id).state == .open)
        let next = try stage.ask(try .sample(AgentWords.promptName))
        #expect(next.state == .cancelled && next.presentations.map(\.reason) == ["muted"])
    }
}
