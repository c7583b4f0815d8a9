import HarkAsking
import Testing

struct KeyGateTests {
    @Test("keys count once the window has been active for the pause")
    func active() {
        var gate = KeyGate(isActive: false, at: 10)
        gate.show(at: 10)
        #expect(gate.wait(at: 20) == nil)
        #expect(!gate.isOpen(at: 20))
        gate.set(isActive: true, at: 20)
        #expect(!gate.isOpen(at: 20.5))
        #expect(gate.isOpen(at: 20.7))
    }

    @Test("a window that is said to be active again keeps its time; one that was left begins anew")
    func again() {
        var gate = KeyGate(isActive: false, at: 0)
        gate.show(at: 0)
        gate.set(isActive: true, at: 1)
        gate.set(isActive: true, at: 1.5)
        #expect(gate.isOpen(at: 1.7))
        gate.set(isActive: false, at: 2)
        gate.set(isActive: true, at: 3)
        #expect(!gate.isOpen(at: 3.5))
    }

    @Test("what a full screen shows next has a pause of its own")
    func next() {
        var gate = KeyGate(isActive: true, at: 0)
        #expect(gate.wait(at: 5) == nil)
        gate.show(at: 10)
        #expect(!gate.isOpen(at: 10.5))
        #expect(gate.isOpen(at: 10.7))
    }
}
