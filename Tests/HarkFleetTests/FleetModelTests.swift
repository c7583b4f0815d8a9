import HarkTesting
import Testing

@Suite struct FleetModelTests {
    @Test(
        "both ends come to the same, once and in order, whatever the network, machines and the hub go through",
        arguments: 1...40)
    func random(seed: UInt64) throws {
        var model = FleetModel(seed: seed)
        try model.run(steps: 2_500)
        #expect(model.counts["batch take", default: 0] > 0)
    }
}
